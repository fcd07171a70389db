/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_messages.h"

#include <stdlib.h>
#include <string.h>

static const char prefix[] = "MESSAGEPORT";
static const int64_t LEAST_NS = 10000; /* what is shorter is not told */

bool node_message_is(const struct event_log *log, uint32_t type) {
  return strncmp(names_text(&log->names, type), prefix, sizeof prefix - 1) == 0;
}

static bool is_woken_for(uint8_t class) {
  return class == EVENT_FILE || class == EVENT_POOL || class == EVENT_PROCESS;
}

int64_t node_message_ready(struct event_row *row, const struct node_ready *ready,
                           const struct node_before *before) {
  const struct node_stamp *wake = &ready->pool;
  bool is_first = wake->when >= before->end;
  if (wake->when == 0 || wake->when > row->begin ||
      (!is_first && (before->begin < wake->when || !is_woken_for(before->class))))
    return -1;
  int64_t from = is_first ? wake->when : before->end;
  int64_t low = is_first && wake->ready >= 0 ? wake->ready : row->registered;
  from = from < row->registered ? row->registered : from;
  row->ready_low = low < row->registered ? row->registered : low > from ? from : low;
  row->ready_high = from;
  row->ready_source = EVENT_READY_KERNEL;
  return from;
}

/* Of which worker, or of which port: "MESSAGEPORT worker 2 (app.js:7)". */
static uint32_t name_of(struct event_log *log, uint32_t type) {
  const char *text = names_text(&log->names, type) + sizeof prefix - 1;
  if (*text != ' ')
    return 0;
  char copy[256];
  size_t length = strnlen(text + 1, sizeof copy - 1);
  memcpy(copy, text + 1, length); /* names move when there is a new one */
  return names_number(&log->names, (struct slice){copy, length});
}

static void add(struct event_log *log, uint32_t loop, int64_t start, int64_t end, uint32_t name) {
  if (end - start >= LEAST_NS)
    vector_push(&log->pauses, (struct event_pause){loop, EVENT_PAUSE_MESSAGE, start, end, name});
}

/* Pauses of the loop, by start: collections, and when it had no processor. */
struct pauses {
  struct event_log *log;
  VECTOR(uint32_t) numbers;
  size_t next; /* the first that does not end before the message */
};

static const struct event_log *sorted; /* of the comparison */

static int by_start(const void *left, const void *right) {
  const struct event_pause *a = &sorted->pauses.data[*(const uint32_t *)left];
  const struct event_pause *b = &sorted->pauses.data[*(const uint32_t *)right];
  return (a->start > b->start) - (a->start < b->start);
}

static void find_pauses(struct pauses *p, uint32_t loop) {
  for (uint32_t i = 0; i < p->log->pauses.count; i++)
    if (p->log->pauses.data[i].loop == loop)
      vector_push(&p->numbers, i);
  sorted = p->log;
  if (p->numbers.count != 0)
    qsort(p->numbers.data, p->numbers.count, sizeof *p->numbers.data, by_start);
}

static struct event_pause *pause_at(const struct pauses *p, size_t place) {
  return &p->log->pauses.data[p->numbers.data[place]];
}

/* A collection within a message is of that, and it has not run while the loop had no processor. */
static void shorten(const struct pauses *p, size_t until, int64_t from, int64_t end) {
  for (size_t i = p->next; i < until; i++) {
    struct event_pause *pause = pause_at(p, i);
    if (pause->kind < EVENT_PAUSE_MESSAGE && pause->start >= from && pause->end > end)
      pause->end = end;
  }
}

static void place(struct pauses *p, uint32_t loop, int64_t from, int64_t end, uint32_t name) {
  while (p->next < p->numbers.count && pause_at(p, p->next)->end <= from)
    p->next++;
  for (size_t i = p->next; i < p->numbers.count && pause_at(p, i)->start < end; i++) {
    const struct event_pause delay = *pause_at(p, i);
    if (delay.kind < EVENT_PAUSE_WAITING)
      continue;
    shorten(p, i, from, delay.start);
    add(p->log, loop, from, delay.start, name);
    from = delay.end > from ? delay.end : from;
  }
  add(p->log, loop, from, end, name);
}

void node_messages_place(struct event_log *log, uint32_t loop, const struct node_message *messages,
                         size_t count) {
  struct pauses p = {.log = log};
  if (count != 0)
    find_pauses(&p, loop);
  for (size_t i = 0; i < count; i++) {
    uint32_t row = messages[i].row;
    place(&p, loop, messages[i].from, log->begin.data[row], name_of(log, log->type.data[row]));
  }
  vector_clear(&p.numbers);
}
