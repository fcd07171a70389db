/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/join.h"

#include <stdbool.h>
#include <stdlib.h>

#define MOVE(column)                                                                               \
  do {                                                                                             \
    for (size_t i = 0; i < part->column.count && log->column.count != 0; i++)                      \
      vector_push(&log->column, part->column.data[i]);                                             \
    if (log->column.count == 0) {                                                                  \
      mem_free(log->column.data);                                                                  \
      log->column.data = part->column.data;                                                        \
      log->column.count = part->column.count;                                                      \
      log->column.capacity = part->column.capacity;                                                \
      part->column.data = NULL;                                                                    \
    }                                                                                              \
    vector_clear(&part->column);                                                                   \
  } while (0)

static void shift(uint32_t *rows, size_t count, uint32_t by) {
  for (size_t i = 0; i < count; i++)
    rows[i] += rows[i] == EVENT_NONE ? 0 : by;
}

static void move_rows(struct event_log *log, struct event_log *part, uint32_t first) {
  shift(part->registrar.data, part->registrar.count, first);
  shift(part->releaser.data, part->releaser.count, first);
  shift(part->inside.data, part->inside.count, first);
  MOVE(registered);
  MOVE(ready_low);
  MOVE(ready_high);
  MOVE(begin);
  MOVE(end);
  MOVE(resource);
  MOVE(type);
  MOVE(place);
  MOVE(registrar);
  MOVE(releaser);
  MOVE(inside);
  MOVE(class);
  MOVE(ready_source);
}

void event_log_join(struct event_log *log, struct event_log *part, const struct event_loop *loop) {
  struct event_loop joined = *loop;
  uint32_t number = (uint32_t)log->loops.count;
  joined.first = (uint32_t)log->begin.count;
  joined.count = (uint32_t)part->begin.count;
  move_rows(log, part, joined.first);
  for (size_t i = 0; i < part->requests.count; i++) {
    struct event_request *request = &part->requests.data[i];
    request->loop = number;
    shift(&request->source, 1, joined.first);
    shift(&request->sink, 1, joined.first);
    vector_push(&log->requests, *request);
  }
  for (size_t i = 0; i < part->pauses.count; i++) {
    part->pauses.data[i].loop = number;
    vector_push(&log->pauses, part->pauses.data[i]);
  }
  for (size_t i = 0; i < part->looks.count; i++) {
    part->looks.data[i].row += joined.first;
    vector_push(&log->looks, part->looks.data[i]);
  }
  part->requests.count = part->pauses.count = part->looks.count = 0;
  vector_push(&log->loops, joined);
}

static int by_noticed(const void *a, const void *b) {
  const struct event_request *x = a, *y = b;
  if (x->noticed != y->noticed)
    return x->noticed < y->noticed ? -1 : 1;
  if (x->source != y->source)
    return x->source < y->source ? -1 : 1;
  return (x->responded > y->responded) - (x->responded < y->responded);
}

/* The longer of two that start together is around the other. */
static int by_start(const void *a, const void *b) {
  const struct event_pause *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  if (x->loop != y->loop)
    return x->loop < y->loop ? -1 : 1;
  return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Whether it lies within one of the same kind and loop among those just before it. */
static bool lies_within(const struct event_log *log, size_t kept, const struct event_pause *pause) {
  enum { LOOK_BACK = 64 };
  for (size_t i = kept, looked = 0; i-- > 0 && looked < LOOK_BACK; looked++) {
    const struct event_pause *other = &log->pauses.data[i];
    if (other->loop == pause->loop && other->kind == pause->kind)
      return other->end >= pause->end;
  }
  return false;
}

void event_log_settle(struct event_log *log) {
  size_t kept = 0;
  if (log->requests.count != 0)
    qsort(log->requests.data, log->requests.count, sizeof *log->requests.data, by_noticed);
  if (log->pauses.count != 0)
    qsort(log->pauses.data, log->pauses.count, sizeof *log->pauses.data, by_start);
  for (size_t i = 0; i < log->pauses.count; i++)
    if (!lies_within(log, kept, &log->pauses.data[i]))
      log->pauses.data[kept++] = log->pauses.data[i];
  log->pauses.count = kept;
}
