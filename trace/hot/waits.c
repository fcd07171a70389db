/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/hot/waits.h"

#include <stdlib.h>

#include "dist/statistics/special.h"

enum { NEAR = 100000 /* ns: a thread takes so long to note a moment, or to be put to sleep */ };

static const double RANDOM = 0.3; /* of what clocks that have nothing to do with each other make */
static const double FEW = 0.05;   /* of the moments, that may lie in waits for other reasons */

uint32_t hot_waits_thread(const struct hot_stretch *stretch, const struct stack_profile *profile) {
  uint32_t found = HOT_NO_THREAD;
  for (uint32_t t = 0; t < profile->threads.count; t++) {
    const struct stack_thread *thread = &profile->threads.data[t];
    if ((stretch->process != 0 && thread->process != stretch->process) ||
        (stretch->thread != 0 && thread->thread != stretch->thread))
      continue;
    if (found != HOT_NO_THREAD && profile->threads.data[found].thread != thread->thread)
      return HOT_ANY_THREAD;
    found = t;
  }
  return found;
}

/* --- which goes on with which --- */

/* Stretches of one thread of the profile, in the order of their starts. */
struct waits_lane {
  VECTOR(const struct hot_stretch *) stretches;
  VECTOR(int64_t) ends; /* the latest end of those up to here */
};

struct waits_lanes {
  struct waits_lane *of; /* by thread of the profile */
  size_t count;
};

static void add_stretch(struct waits_lane *lane, const struct hot_stretch *stretch) {
  size_t count = lane->ends.count;
  int64_t last = count == 0 ? INT64_MIN : lane->ends.data[count - 1];
  vector_push(&lane->stretches, stretch);
  vector_push(&lane->ends, stretch->end > last ? stretch->end : last);
}

/* A thread that ended and whose name changed may be twice among the threads: all have its number. */
static void lanes_make(struct waits_lanes *lanes, const hot_stretches *stretches,
                       const struct stack_profile *profile) {
  *lanes = (struct waits_lanes){.count = profile->threads.count};
  lanes->of = mem_alloc(lanes->count + 1, sizeof *lanes->of);
  struct hot_stretch last = {0};
  uint32_t thread = HOT_NO_THREAD;
  for (size_t i = 0; i < stretches->count; i++) {
    const struct hot_stretch *stretch = &stretches->data[i];
    if (i == 0 || last.process != stretch->process || last.thread != stretch->thread)
      thread = hot_waits_thread(stretch, profile);
    last = *stretch;
    for (uint32_t t = 0; thread < HOT_ANY_THREAD && t < lanes->count; t++)
      if (profile->threads.data[t].thread == profile->threads.data[thread].thread)
        add_stretch(&lanes->of[t], stretch);
  }
}

static void lanes_clear(struct waits_lanes *lanes) {
  for (size_t t = 0; t < lanes->count; t++) {
    vector_clear(&lanes->of[t].stretches);
    vector_clear(&lanes->of[t].ends);
  }
  mem_free(lanes->of);
}

/* The first stretch that ends behind a time, or a later one that does not: ends only grow. */
static size_t first_behind(const struct waits_lane *lane, int64_t time) {
  size_t low = 0, high = lane->ends.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (lane->ends.data[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int64_t start_of(const struct stack_sample *wait) {
  return wait->weight > (uint64_t)INT64_MAX ? INT64_MIN / 2 : wait->time - (int64_t)wait->weight;
}

void hot_waits_walk(const hot_stretches *stretches, const struct stack_profile *profile,
                    void (*add)(void *context, const struct hot_stretch *stretch, size_t sample,
                                int64_t ns),
                    void *context) {
  struct waits_lanes lanes;
  lanes_make(&lanes, stretches, profile);
  for (size_t i = 0; i < profile->samples.count; i++) {
    const struct stack_sample *wait = &profile->samples.data[i];
    if (wait->thread >= lanes.count)
      continue;
    const struct waits_lane *lane = &lanes.of[wait->thread];
    int64_t start = start_of(wait), end = wait->time;
    for (size_t k = first_behind(lane, start);
         k < lane->stretches.count && lane->stretches.data[k]->start < end; k++) {
      const struct hot_stretch *stretch = lane->stretches.data[k];
      int64_t from = stretch->start > start ? stretch->start : start;
      int64_t to = stretch->end < end ? stretch->end : end;
      if (from < to)
        add(context, stretch, i, to - from);
    }
  }
  lanes_clear(&lanes);
}

/* --- clocks --- */

struct waits_clock {
  const struct stack_profile *profile;
  VECTOR(int64_t) moments;
  struct hot_clock *clock;
  double waiting; /* sum over the moments of the part of the time that the thread waits */
};

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static size_t before(const struct waits_clock *c, int64_t time) {
  size_t low = 0, high = c->moments.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (c->moments.data[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Waits of a thread do not overlap: a moment is in one of them at most. */
static void count_thread(struct waits_clock *c, const struct waits_lane *lane, uint32_t thread) {
  c->moments.count = 0;
  for (size_t i = 0; i < lane->stretches.count; i++) {
    vector_push(&c->moments, lane->stretches.data[i]->start);
    vector_push(&c->moments, lane->stretches.data[i]->end);
  }
  if (c->moments.count == 0)
    return;
  qsort(c->moments.data, c->moments.count, sizeof(int64_t), ascending);
  int64_t first = c->moments.data[0], last = c->moments.data[c->moments.count - 1];
  double waiting = 0;
  for (size_t i = 0; i < c->profile->samples.count; i++) {
    const struct stack_sample *wait = &c->profile->samples.data[i];
    int64_t from = start_of(wait) + NEAR, to = wait->time - NEAR;
    if (wait->thread != thread || from >= to || to < first || from > last)
      continue;
    c->clock->inside += before(c, to) - before(c, from);
    waiting += (double)((to < last ? to : last) - (from > first ? from : first));
  }
  c->clock->samples += c->moments.count;
  c->waiting += last == first ? 0 : (double)c->moments.count * waiting / (double)(last - first);
}

void hot_waits_clock(struct hot_clock *clock, const hot_stretches *stretches,
                     const struct stack_profile *profile) {
  struct waits_clock c = {.profile = profile, .clock = clock};
  struct waits_lanes lanes;
  *clock = (struct hot_clock){0};
  lanes_make(&lanes, stretches, profile);
  for (uint32_t t = 0; t < lanes.count; t++)
    count_thread(&c, &lanes.of[t], t);
  lanes_clear(&lanes);
  vector_clear(&c.moments);
  double inside = (double)clock->inside, all = (double)clock->samples;
  clock->seen = inside < RANDOM * c.waiting;
  clock->random = !clock->seen && inside > FEW * all;
}

/* --- an exact test --- */

static int greatest_first(const void *a, const void *b) {
  const struct hot_part *x = a, *y = b;
  return (x->part < y->part) - (x->part > y->part);
}

double hot_waits_chance(struct hot_part *parts, size_t count, size_t slow, size_t rest) {
  size_t marked = count < slow ? count : slow, hits = 0;
  if (count == 0)
    return 1;
  qsort(parts, count, sizeof *parts, greatest_first);
  while (marked < count && parts[marked].part == parts[marked - 1].part)
    marked++;
  for (size_t i = 0; i < marked; i++)
    hits += parts[i].slow;
  return special_hypergeometric_from(hits, marked, slow + rest - marked, slow);
}
