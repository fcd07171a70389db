/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/log.h"

void event_log_init(struct event_log *log) {
  *log = (struct event_log){0};
  names_init(&log->names);
}

void event_log_forget_origins(struct event_log *log) {
  vector_clear(&log->resource);
  vector_clear(&log->registrar);
  vector_clear(&log->releaser);
  vector_clear(&log->inside);
  vector_clear(&log->ready_source);
}

void event_log_clear(struct event_log *log) {
  event_log_forget_origins(log);
  names_clear(&log->names);
  vector_clear(&log->registered);
  vector_clear(&log->ready_low);
  vector_clear(&log->ready_high);
  vector_clear(&log->begin);
  vector_clear(&log->end);
  vector_clear(&log->type);
  vector_clear(&log->place);
  vector_clear(&log->class);
  vector_clear(&log->loops);
  vector_clear(&log->pauses);
  vector_clear(&log->looks);
  vector_clear(&log->uses);
  vector_clear(&log->requests);
  vector_clear(&log->grants);
  vector_clear(&log->unknown);
}
