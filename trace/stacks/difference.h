/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two profiles held against each other: which functions have more, or less, of the time than
 * before, and which of these differences are more than chance.
 *
 * For each function: Fisher's exact test on the numbers of samples in it, both ways (the normal or
 * the binomial law in its place where the numbers are large enough for it); the chances
 * are corrected for the number of functions by Holm (Scand. J. Statist. 6, 1979), so that with
 * nothing changed any is called significant with at most the chance `level`. The test takes samples
 * for independent, and within one run they are not: what runs in phases is seen in runs of samples.
 * Where samples have moments, the lowest frequencies of the sequence of samples in and not in the
 * function say how many of them tell as much as one that is independent (the design effect, Kish
 * 1965; spectrum.h), and it counts with so many fewer; as that is an estimate, the chance is not
 * below that of Student's t with its degrees of freedom. A function is not settled where fewer than
 * 40 are left, as one that is seen in a few long stretches: its share would differ from run to run.
 * Where samples have no moments nothing is taken off, and the answer has to say so.
 *
 * By how much a share grew lies between limits, too: those of the share before and of that after
 * (stack_share in hot.h), each with an equal part of `level`, so that all hold at once with
 * 1 - level. Of samples that depend on each other so many fewer count as Student's quantile is
 * wider than the normal one.
 *
 * Where no sample stands for some of the processor time, as that of threads that live shortly, it
 * may be any function's on either side: the test is of the nearest shares that both can have.
 */
#ifndef TRACE_STACKS_DIFFERENCE_H
#define TRACE_STACKS_DIFFERENCE_H

#include <stdbool.h>

#include "trace/stacks/profile.h"

struct stack_change {
  uint32_t frame;         /* of the difference's profile */
  uint64_t before, after; /* own weights */
  double share_before, share_after;
  double chance; /* of a difference like this where there is none, corrected; 0 .. 1 */
  bool significant;
  bool settled;       /* false: nothing can be said of it; the chance is 1 */
  double least, most; /* by which the share grew, where it is settled; all hold at once; -1 .. 1 */
};

/* Owns all of it. */
struct stack_difference {
  struct stack_profile profile; /* stacks of both by their texts; weights of the second */
  uint64_t *before;             /* own weights of the first, by node */
  uint64_t before_total;
  VECTOR(struct stack_change) changes; /* significant ones first, then the largest ones */
  size_t significant, unsettled;
  double dependence; /* the greatest design effect that was seen; 1: none; 0: moments unknown */
  bool counted;      /* false: numbers of samples are not known, and nothing is judged */
  bool timed;        /* false: samples have no moments, and are taken for independent */
};

/* Functions with kernel and run-time marks. 0 < level < 1. */
void stack_difference_find(struct stack_difference *difference, const struct stack_profile *before,
                           const struct stack_profile *after, double level);
void stack_difference_clear(struct stack_difference *difference);

#endif
