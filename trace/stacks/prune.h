/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fractional stack pruning, calibrated on a profile: what is saved and what is lost if only stacks
 * of the heaviest threads are folded (measure/core/thread_prune.h).
 *
 * As published, samples of all other threads are dropped. Functions that only they run are then
 * missing. Here their innermost function is kept, which is one frame of some twenty: how much is in
 * a function itself stays exact, and only callers are missing.
 *
 * The error is the mean of |pruned - all| / all over the functions that have most themselves: of
 * what is in them or in what they call; or, as published, of what is in themselves. What is saved
 * are frames that need not be folded. Threads are those that samples name; in a profile without
 * samples, what stands below one outermost frame counts as a thread.
 */
#ifndef TRACE_STACKS_PRUNE_H
#define TRACE_STACKS_PRUNE_H

#include "trace/stacks/profile.h"

struct prune_point {
  double keep;  /* the share of samples that was asked for: 0.99 */
  size_t kept;  /* threads */
  double held;  /* their share of all samples */
  double error; /* of the top functions, the innermost function of other threads being kept */
  double error_dropped; /* as published: all of other threads dropped */
  double folded;        /* of all frames, the innermost ones with them */
  double worst;         /* the greatest |pruned - all| / all of one top function, callers dropped */
  uint32_t worst_frame; /* of that function; STACK_NONE: none has lost anything */
};

struct prune_curve {
  size_t threads;
  size_t functions, callers; /* that the error is of: by themselves; with what they call */
  VECTOR(struct prune_point) points;
  struct prune_point chosen; /* keeps the fewest threads of which the error is at most the limit */
};

/* `top` functions; `limit` of the error of the chosen point. */
void prune_curve_make(struct prune_curve *curve, const struct stack_profile *profile, size_t top,
                      double limit);
void prune_curve_clear(struct prune_curve *curve);

/* Leaves out of a profile with samples the callers of all threads but the fewest that hold
 * share_ppm millionths of the weight, at most 10^6: the innermost functions of the others go below
 * a frame
 * "[threads left out]", and their weight is added to profile->pruned. Returns how
 * many threads with samples are left, and sets how many there were. */
size_t stack_profile_keep(struct stack_profile *profile, uint32_t share_ppm, size_t *threads);

#endif
