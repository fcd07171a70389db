/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests with any tree of calls and any times: negative, without length, outside their callers.
 */
#ifndef TESTS_UNIT_TRACE_RANDOM_REQUESTS_H
#define TESTS_UNIT_TRACE_RANDOM_REQUESTS_H

#include <stdio.h>

#include "base/random.h"
#include "tests/unit/trace/graphs.h"

enum { RANDOM_SPANS = 24 };

/* Times are multiples of `unit`. With `same`: always the same calls, so that several requests are
 * one flow. */
static inline void random_request(struct graphed *graphed, struct random *random, bool same,
                                  int64_t unit) {
  struct span_row rows[RANDOM_SPANS + 1] = {0};
  static char ids[RANDOM_SPANS][4];
  static const char *const names[] = {"a", "b", "c"};
  size_t count = same ? RANDOM_SPANS : 1 + random_below(random, RANDOM_SPANS);
  for (size_t i = 0; i < count; i++) {
    snprintf(ids[i], sizeof ids[i], "%02u", (unsigned)i % 100);
    size_t caller = same ? (i + 2) / 3 - 1 : random_below(random, i + 1);
    int64_t start = (int64_t)random_below(random, 40), length = (int64_t)random_below(random, 20);
    unsigned mark = random_below(random, 8) == 0 ? SPAN_SKEWED : 0;
    mark |= random_below(random, 16) == 0 ? SPAN_FOLLOWS : 0;
    rows[i] = (struct span_row){ids[i],
                                i == 0 || caller == i ? NULL : ids[caller],
                                names[same ? i % 3 : random_below(random, 3)],
                                "op",
                                i == 0 ? 0 : start * unit,
                                (i == 0 ? 45 : start + length - 2) * unit,
                                0,
                                i == 0 ? 0 : mark};
  }
  graphed_add(graphed, rows);
}

/* Calls `check` with the graphs of many random stores, under both readings. */
static inline void random_graphs(int rounds, uint64_t seed,
                                 void (*check)(struct graphed *graphed)) {
  struct random random = {seed};
  for (int round = 0; round < rounds; round++) {
    void *made;
    graphed_set_up(&made);
    struct graphed *graphed = made;
    for (size_t i = 1 + random_below(&random, 6); i-- > 0;)
      random_request(graphed, &random, round % 2 == 0, round % 3 == 0 ? 1000 : 1);
    for (int reading = 0; reading < 2; reading++) {
      graphed_make(graphed, reading == 0 ? UNDECIDED_WAITS : UNDECIDED_FREE);
      check(graphed);
    }
    graphed_tear_down(&made);
  }
}

#endif
