/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which of V8's slices stop the program. Private to trace/event.
 */
#ifndef TRACE_EVENT_PAUSE_KIND_H
#define TRACE_EVENT_PAUSE_KIND_H

#include <stdbool.h>

#include "base/slice.h"
#include "trace/event/log.h"

/* "V8.GCScavenger" is EVENT_PAUSE_MINOR; false for what is no pause, or lies within one. */
bool pause_kind(struct slice name, enum event_pause_kind *kind);

#endif
