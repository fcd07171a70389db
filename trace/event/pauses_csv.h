/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collections of V8 as clinic doctor's data have them, as the pauses of a loop:
 *
 *     interval, startTimestamp, endTimestamp, duration, type
 *     1, 1559909228676.4731, 1559909228676.922, 0.448974609375, V8.GCScavenger
 *
 * Times are ms since 1970, so they do not line up with logs on the monotonic clock. Private to
 * trace/event.
 */
#ifndef TRACE_EVENT_PAUSES_CSV_H
#define TRACE_EVENT_PAUSES_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/asker.h"
#include "trace/event/log.h"

/* Adds one loop, without rows. STATUS_DATA with FILE:LINE: what, and what to do. */
enum status pauses_csv_read(struct event_log *log, const char *path, const struct asker *asker);

#endif
