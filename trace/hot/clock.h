/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a profile's clock is that of the requests: samples should be denser in requests than
 * outside of them, and be of other functions. Each shift of the profile puts other samples into
 * stretches; where one does much better than none, and all others much worse, the clocks are apart.
 *
 * For the most frequent functions, of whose n samples while requests go on the open stretches are
 * counted, c, and m are expected at random moments, a shift is as good as the sum of (c - m)^2 / n:
 * up to a factor Pearson's statistic of samples that have nothing to do with the stretches, but of
 * what is more frequent in requests alone: what runs only in requests is then all in them at the
 * right shift, and what else runs on their threads counts for nothing. What shifts far away reach
 * is what chance makes of it, whatever samples and requests depend on. Where threads are always
 * busy with the same, no shift differs from another, and nothing can be seen.
 */
#ifndef TRACE_HOT_CLOCK_H
#define TRACE_HOT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/hot/stretch.h"
#include "trace/stacks/weights.h"

enum { HOT_CLOCK_LEAST = 100 /* samples, to say anything */ };

struct hot_clock {
  uint64_t samples; /* of threads that requests executed on, from the first to the last of these */
  uint64_t inside;  /* of these, in a request that was executing */
  bool apart;       /* another shift fits clearly better: */
  int64_t shift;    /* ns by which the profile is to be put forward */
  double share;     /* of the samples that are then in requests */
  bool seen;        /* that the clocks agree, or are apart: some shift fits better than others */
  bool random;      /* what is in requests is no other than at any other moment */
  int64_t reach;    /* ns: larger shifts were not tried */
};

/* Stretches are on the profile's clock; those that wait do not count. `worth`: what a unit of
 * weight is in ns of processor time, 0: not known. */
void hot_clock_find(struct hot_clock *clock, const hot_stretches *stretches,
                    const struct stack_profile *profile, const struct stack_functions *functions,
                    double worth);

#endif
