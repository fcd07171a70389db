/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hot functions of a profile: how much of the weight is in a function itself, and how much in
 * it or in what it calls. A stack in which a function is twice counts once. A
 * function that the compiler put into a caller here, and not there, is one.
 */
#ifndef TRACE_STACKS_HOT_H
#define TRACE_STACKS_HOT_H

#include "trace/stacks/profile.h"

struct stack_hot {
  uint32_t frame;
  uint64_t self, total; /* weight */
};

struct stack_hot_list {
  VECTOR(struct stack_hot) list; /* by self, then total, then frame */
};

/* All functions that are in a sample. */
void stack_hot_find(struct stack_hot_list *hot, const struct stack_profile *profile);
void stack_hot_clear(struct stack_hot_list *hot);

/* What the intervals of one report rest on. */
struct stack_evidence {
  uint64_t whole; /* weight of all samples */
  double samples; /* that they are worth, as equal and independent ones; 0: not known */
  double unseen;  /* share of the processor time that no sample stands for, 0 .. 1: anyone's */
  double tail;    /* chance that one end of one interval may miss */
};

/* For a report that says two shares, self and total, of each of so many functions: all of its
 * intervals hold at once with this confidence, 0 <= level < 1, as each may miss with an equal part
 * of the rest (Bonferroni). Samples of several weights are worth as many as would all weigh what
 * the heaviest does. */
struct stack_evidence stack_evidence_of(const struct stack_profile *profile, size_t functions,
                                        double level);

/* Sets the heaviest sample so that the profile, as its weights are now, is worth no more than so
 * many samples. */
void stack_evidence_keep(struct stack_profile *profile, double samples);

/* The interval of a share, by Clopper and Pearson (1934), which holds with at least its confidence
 * whatever the share is. That of measure/core/share_interval.h (Wilson) does so only on average
 * over shares: a function with one sample it misses far too often at the confidence that many
 * intervals together need.
 *
 * Processor time that no sample stands for may be all in one function, or in none: the interval is
 * of the rest, and as much wider. A short thread is not sampled before its first period is over.
 *
 * It holds for the share of the run that was sampled, however long a function runs at a time: what
 * runs for longer than the time between two samples is seen better than by chance. */
void stack_share(double *lower, double *upper, uint64_t part,
                 const struct stack_evidence *evidence);

#endif
