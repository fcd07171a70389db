/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_delays.h"

#include <stdlib.h>

#include "base/memory.h"

/* Something that may have waited; `pause` is a place in `pauses`, or EVENT_NONE. */
struct stretch {
  int64_t start, end; /* ns */
  uint32_t pause;
  bool before; /* a turn: what waited there did so until it began */
};

struct placing {
  struct event_log *log;
  uint32_t loop, first, behind;     /* rows that began */
  VECTOR(uint32_t) pauses;          /* of the loop, by start */
  VECTOR(struct stretch) stretches; /* of one delay */
  size_t pause;                     /* the first that does not end before the delay */
  VECTOR(struct event_pause)
  placed; /* by this delay and those before, as far as they may overlap */
};

static const struct event_log *compared;

static int by_start(const void *left, const void *right) {
  const struct event_pause *a = &compared->pauses.data[*(const uint32_t *)left];
  const struct event_pause *b = &compared->pauses.data[*(const uint32_t *)right];
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->end < b->end) - (a->end > b->end);
}

static void find_pauses(struct placing *p) {
  for (uint32_t i = 0; i < p->log->pauses.count; i++)
    if (p->log->pauses.data[i].loop == p->loop)
      vector_push(&p->pauses, i);
  compared = p->log;
  if (p->pauses.count != 0)
    qsort(p->pauses.data, p->pauses.count, sizeof *p->pauses.data, by_start);
}

static struct event_pause *pause_at(const struct placing *p, size_t place) {
  return &p->log->pauses.data[p->pauses.data[place]];
}

/* --- what may have waited --- */

/* What waited is not told twice: delays may overlap. */
static void add(struct placing *p, int64_t start, int64_t end, uint32_t pause, bool before) {
  for (size_t i = 0; i < p->placed.count && start < end; i++) {
    const struct event_pause *placed = &p->placed.data[i];
    if (placed->start >= end)
      break;
    if (placed->end <= start)
      continue;
    if (placed->start > start)
      vector_push(&p->stretches, (struct stretch){start, placed->start, pause, before});
    start = placed->end;
  }
  if (start < end)
    vector_push(&p->stretches, (struct stretch){start, end, pause, before});
}

/* A turn, or a part of it, without the collections in it, and these. */
static void add_turn(struct placing *p, int64_t start, int64_t end) {
  for (size_t i = p->pause; i < p->pauses.count && start < end; i++) {
    const struct event_pause *pause = pause_at(p, i);
    if (pause->start >= end)
      break;
    if (pause->end <= start)
      continue;
    int64_t from = pause->start > start ? pause->start : start;
    int64_t to = pause->end < end ? pause->end : end;
    add(p, start, from, EVENT_NONE, false);
    add(p, from, to, (uint32_t)i, false);
    start = to;
  }
  add(p, start, end, EVENT_NONE, false);
}

/* The first row that ends behind a moment; callbacks within others do not matter. */
static uint32_t first_behind(const struct placing *p, int64_t moment) {
  uint32_t low = p->first, high = p->behind;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (p->log->begin.data[middle] <= moment)
      low = middle + 1;
    else
      high = middle;
  }
  while (low > p->first && (low == p->behind || p->log->inside.data[low] != EVENT_NONE ||
                            p->log->begin.data[low] > moment))
    low--;
  return low;
}

/* When the turn could have begun, as far as that is known. */
static int64_t ready_of(const struct event_log *log, uint32_t row) {
  return log->ready_source.data[row] == EVENT_READY_UNKNOWN ? log->begin.data[row]
                                                            : log->ready_low.data[row];
}

static int by_time(const void *left, const void *right) {
  const struct event_pause *a = left, *b = right;
  return (a->start > b->start) - (a->start < b->start);
}

static void forget_placed(struct placing *p, int64_t from) {
  size_t kept = 0;
  for (size_t i = 0; i < p->placed.count; i++)
    if (p->placed.data[i].end > from)
      p->placed.data[kept++] = p->placed.data[i];
  p->placed.count = kept;
  if (kept != 0)
    qsort(p->placed.data, kept, sizeof *p->placed.data, by_time);
}

static void find_stretches(struct placing *p, int64_t from, int64_t to) {
  const struct event_log *log = p->log;
  p->stretches.count = 0;
  forget_placed(p, from);
  while (p->pause < p->pauses.count && pause_at(p, p->pause)->end <= from)
    p->pause++;
  int64_t free = from;
  for (uint32_t row = first_behind(p, from); row < p->behind; row++) {
    int64_t begin = log->begin.data[row], end = log->end.data[row], ready = ready_of(log, row);
    if (log->inside.data[row] != EVENT_NONE)
      continue;
    add(p, ready > free ? ready : free, begin < to ? begin : to, EVENT_NONE, begin <= to);
    if (begin >= to)
      break;
    add_turn(p, begin > from ? begin : from, end < to ? end : to);
    free = end > free ? end : free;
  }
}

/* --- where it waited --- */

/* A collection begins later; so do those within it. */
static void shorten(struct placing *p, size_t place, int64_t start) {
  int64_t end = pause_at(p, place)->end;
  for (; place < p->pauses.count && pause_at(p, place)->start < start; place++) {
    struct event_pause *pause = pause_at(p, place);
    if (pause->end > end)
      continue;
    pause->start = start;
    pause->end = pause->end > start ? pause->end : start;
  }
}

static void take(struct placing *p, struct stretch *longest, int64_t length,
                 enum event_pause_kind kind) {
  int64_t start = longest->before ? longest->end - length : longest->start;
  struct event_pause pause = {p->loop, kind, start, start + length, 0};
  vector_push(&p->log->pauses, pause);
  vector_push(&p->placed, pause);
  if (longest->pause != EVENT_NONE)
    shorten(p, longest->pause, start + length);
  if (longest->before)
    longest->end = start;
  else
    longest->start = start + length;
}

static void place(struct placing *p, int64_t length, enum event_pause_kind kind) {
  while (length > 0) {
    struct stretch *longest = NULL;
    for (size_t i = 0; i < p->stretches.count; i++) {
      struct stretch *one = &p->stretches.data[i];
      if (longest == NULL || one->end - one->start > longest->end - longest->start)
        longest = one;
    }
    if (longest == NULL || longest->end <= longest->start)
      return;
    int64_t all = longest->end - longest->start, some = length < all ? length : all;
    take(p, longest, some, kind);
    length -= some;
  }
}

static int64_t at_most(int64_t value, int64_t most) {
  return value < 0 ? 0 : value > most ? most : value;
}

static void place_delay(struct placing *p, const struct node_record *delay) {
  struct event_loop *loop = &p->log->loops.data[p->loop];
  int64_t length = delay->end - delay->time;
  int64_t stopped = at_most(delay->stopped, length);
  int64_t waited = at_most(delay->waited, length - stopped);
  int64_t throttled = at_most(delay->throttled, waited);
  loop->waited += waited;
  loop->throttled += throttled;
  loop->halted += stopped;
  find_stretches(p, delay->time, delay->end);
  place(p, stopped, EVENT_PAUSE_STOPPED);
  place(p, throttled, EVENT_PAUSE_THROTTLED);
  place(p, waited - throttled, EVENT_PAUSE_WAITING);
}

static int by_delay(const void *left, const void *right) {
  const struct node_record *a = left, *b = right;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  return (a->end > b->end) - (a->end < b->end);
}

void node_delays_place(struct event_log *log, uint32_t loop, struct node_record *delays,
                       size_t count) {
  struct placing p = {.log = log,
                      .loop = loop,
                      .first = log->loops.data[loop].first,
                      .behind = (uint32_t)log->begin.count};
  if (count != 0) {
    find_pauses(&p);
    qsort(delays, count, sizeof *delays, by_delay);
  }
  for (size_t i = 0; i < count; i++)
    place_delay(&p, &delays[i]);
  vector_clear(&p.pauses);
  vector_clear(&p.stretches);
  vector_clear(&p.placed);
}
