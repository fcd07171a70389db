/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fractional stack pruning: the fewest threads that hold a share of all samples. Proved.
 *
 * Of 1840 threads of a Java server 838 hold 99 % of the samples; the stacks of the others need not
 * be folded. Source: Atys (fractional stack pruning); the share is what is kept.
 */
#ifndef MEASURE_CORE_THREAD_PRUNE_H
#define MEASURE_CORE_THREAD_PRUNE_H

#include <stddef.h>
#include <stdint.h>

#include "proofs/logic/stack_fold.acsl"

#define PRUNE_WHOLE 1000000 /* parts per million */

/* How many of the heaviest threads to keep: the least k such that the first k weights hold at least
 * share_ppm / 10^6 of the total. Weights fall from the first to the last; the total is their sum.
 * As no k threads hold more than the first k, no smaller set of threads holds the share
 * (proofs/laws/thread_prune.c). */
/*@ requires storage: \valid_read(&weights[0 .. count - 1]);
    requires share_range: share_ppm <= PRUNE_WHOLE;
    requires conserved: total == stack_fold_sum(weights, count);
    assigns \nothing;
    ensures in_range: \result <= count;
    ensures holds: share_ppm * total <= PRUNE_WHOLE * stack_fold_sum(weights, \result);
    ensures least: 0 < \result ==>
      PRUNE_WHOLE * stack_fold_sum(weights, \result - 1) < share_ppm * total;
*/
size_t prune_keep(const uint64_t *weights, size_t count, uint64_t total, uint32_t share_ppm);

#endif
