/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to measure more of. Given what a further observation of each component costs, a budget of
 * time, and what a result would be with more observations of the same empirical laws, finds how
 * many of each to make so that the result becomes finite, then small.
 *
 * The result is taken to fall with each n like a sum of a_i n_i^-g, with the a_i measured by what
 * doubling n_i does and g tried as 1/2 and 1 (unseen tails fall like 1/n, margins like its root);
 * for such a sum the best allocation is n_i = max(least, (a_i / (cost_i l))^(1 / (1 + g))) with the
 * multiplier l that spends the budget. Where a result is known from as many values as the scarcest
 * component allows, observations for equally many values of each are tried too. A few rounds of
 * this, from several starts; the best that was predicted counts. For n components that takes about
 * 4 n to 7 n predictions and 10 more, and 2 for each of up to 27 other budgets where the goal asks
 * for them. The budget is never exceeded, no component gets less than it has or its minimum, and no
 * time is left over that a further observation of any component would fit in, unless the goal is
 * met with less.
 */
#ifndef DIST_STATISTICS_PLAN_H
#define DIST_STATISTICS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

#define PLAN_INFINITE UINT64_MAX

struct plan_component {
  const char *name;
  uint64_t samples; /* now, >= 1 */
  uint64_t least;   /* to have at least in the end; may be smaller than samples */
  uint64_t cost_ns; /* of one more observation, >= 1 */
  uint64_t per_row; /* observations that go into one value of the result; 0 in all: not known */
  /* set by plan_make: */
  uint64_t then;     /* observations in the end */
  uint64_t spent_ns; /* (then - samples) * cost_ns */
};

struct plan_result {
  uint64_t value_ns; /* the percentile; PLAN_INFINITE */
  double unseen;     /* the chance that the result is infinite: what is to shrink while it is */
};

/* The result with these numbers of observations; may be slow. Anything but STATUS_OK ends
 * plan_make with that status. */
typedef enum status plan_predict(void *context, struct plan_result *result, const uint64_t *samples,
                                 struct text *message);

struct sampling_plan {
  struct plan_component *components; /* of the caller */
  size_t count;                      /* >= 1 */
  uint64_t budget_ns;
  double factor; /* the goal: the present value divided by this, > 1; where that is infinite, any
                    finite one. 0: as small as possible with the whole budget */
  plan_predict *predict;
  void *context;
  /* set by plan_make: */
  struct plan_result now, then; /* then: with the allocation */
  struct plan_result limit;     /* with 2^20 times as many of each: what measuring cannot change */
  uint64_t spent_ns;
  bool reached; /* finite, and the factor where one was given */
  /* where it was not reached: a budget that would do, by this method, up to 2^20 times the given
   * one; 0 when none does */
  uint64_t needed_ns;
  size_t calls; /* of predict */
};

/* STATUS_USAGE when the minimums alone cost more than the budget: `message` says how much. On
 * failure the components keep what they have. */
enum status plan_make(struct sampling_plan *plan, struct text *message);

#endif
