/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/thread_prune.h"

/* Of weights that fall, no `size` of them hold more than the first `size`: `chosen` are the places
 * of any of them, from the first to the last. With `least` of prune_keep, no fewer threads than it
 * keeps hold the share. */
/*@ requires storage: \valid_read(&weights[0 .. count - 1]) && \valid_read(&chosen[0 .. size - 1]);
    requires falling: \forall integer i, j; 0 <= i <= j < count ==> weights[j] <= weights[i];
    requires rising: \forall integer i, j; 0 <= i < j < size ==> chosen[i] < chosen[j];
    requires exist: \forall integer i; 0 <= i < size ==> chosen[i] < count;
    assigns \nothing;
    ensures no_more: prune_chosen(weights, chosen, size) <= stack_fold_sum(weights, size);
*/
void prune_smallest(const uint64_t *weights, size_t count, const uint32_t *chosen, size_t size) {
  /*@ loop invariant range: 0 <= k <= size;
      loop invariant later: 0 < k ==> k - 1 <= chosen[k - 1];
      loop invariant no_more: prune_chosen(weights, chosen, k) <= stack_fold_sum(weights, k);
      loop assigns k;
      loop variant size - k;
  */
  for (size_t k = 0; k < size; k++) {
    //@ assert later: k <= chosen[k];
    //@ assert lighter: weights[chosen[k]] <= weights[k];
  }
}
