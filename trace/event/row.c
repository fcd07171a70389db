/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/row.h"

uint32_t event_log_add(struct event_log *log, const struct event_row *row) {
  if (log->begin.count >= EVENT_NONE)
    bug("an event log of more than %u rows", EVENT_NONE);
  vector_push(&log->registered, row->registered);
  vector_push(&log->ready_low, row->ready_low);
  vector_push(&log->ready_high, row->ready_high);
  vector_push(&log->begin, row->begin);
  vector_push(&log->end, row->end);
  vector_push(&log->resource, row->resource);
  vector_push(&log->type, row->type);
  vector_push(&log->place, row->place);
  vector_push(&log->registrar, row->registrar);
  vector_push(&log->releaser, row->releaser);
  vector_push(&log->inside, row->inside);
  vector_push(&log->class, (uint8_t)row->class);
  vector_push(&log->ready_source, (uint8_t)row->ready_source);
  return (uint32_t)(log->begin.count - 1);
}

uint32_t event_log_rows(const struct event_log *log) {
  return (uint32_t)log->begin.count;
}
