/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/thread_prune.h"

/*@ ghost
  /@ requires ordered: low <= high;
     assigns \nothing;
     ensures product: low * factor <= high * factor;
  @/
  void prune_scale(uint64_t low, uint64_t high, uint64_t factor) {
  }
*/

/* share_ppm * total / 10^6, rounded up. With total = times * 10^6 + rest the product is share_ppm *
 * times * 10^6 + share_ppm * rest, of which neither part exceeds 64 bits. */
/*@ requires share_range: share_ppm <= PRUNE_WHOLE;
    assigns \nothing;
    ensures reaches: share_ppm * total <= PRUNE_WHOLE * \result;
    ensures rounded_up: PRUNE_WHOLE * \result < share_ppm * total + PRUNE_WHOLE;
    ensures in_range: \result <= total;
*/
static uint64_t prune_needed(uint64_t total, uint32_t share_ppm) {
  uint64_t times = total / PRUNE_WHOLE, rest = total % PRUNE_WHOLE, share = share_ppm;
  //@ assert divided: total == times * PRUNE_WHOLE + rest && rest < PRUNE_WHOLE;
  //@ ghost prune_scale(share, PRUNE_WHOLE, times);
  //@ ghost prune_scale(share, PRUNE_WHOLE, rest);
  uint64_t rounded = (share * rest + (PRUNE_WHOLE - 1)) / PRUNE_WHOLE;
  //@ assert quotient: PRUNE_WHOLE * rounded <= share * rest + (PRUNE_WHOLE - 1);
  //@ assert within_rest: rounded <= rest;
  return share * times + rounded;
}

size_t prune_keep(const uint64_t *weights, size_t count, uint64_t total, uint32_t share_ppm) {
  uint64_t needed = prune_needed(total, share_ppm), held = 0;
  size_t kept = 0;
  /*@ ghost
    /@ loop invariant range: 0 <= k <= count;
       loop invariant grow: \forall integer i; 0 <= i <= k ==>
         0 <= stack_fold_sum(weights, i) <= stack_fold_sum(weights, k);
       loop assigns k;
       loop variant count - k;
    @/
    for (size_t k = 0; k < count; k++)
      ;
  */
  /*@ loop invariant range: 0 <= kept <= count;
      loop invariant sum: held == stack_fold_sum(weights, kept);
      loop invariant least: 0 < kept ==> stack_fold_sum(weights, kept - 1) < needed;
      loop assigns kept, held;
      loop variant count - kept;
  */
  while (held < needed && kept < count) {
    //@ assert next: stack_fold_sum(weights, kept + 1) == held + weights[kept];
    //@ assert bounded: stack_fold_sum(weights, kept + 1) <= total;
    held += weights[kept];
    kept++;
  }
  return kept;
}
