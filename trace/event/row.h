/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One row of an event log with all its columns, for readers and tests that make them one by one.
 */
#ifndef TRACE_EVENT_ROW_H
#define TRACE_EVENT_ROW_H

#include "trace/event/log.h"

struct event_row {
  int64_t registered, ready_low, ready_high, begin, end;
  uint32_t resource, type, place, registrar, releaser, inside;
  enum event_class class;
  enum event_ready_source ready_source;
};

/* Appends a row and returns its number. */
uint32_t event_log_add(struct event_log *log, const struct event_row *row);

/* How many rows there are. */
uint32_t event_log_rows(const struct event_log *log);

#endif
