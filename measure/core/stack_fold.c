/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/core/stack_fold.h"
#include "proofs/logic/stack_fold_lemmas.acsl"

int stack_fold_count(uint64_t *weights, size_t count, uint64_t *total, size_t cell,
                     uint64_t weight) {
  if (cell >= count || weight > UINT64_MAX - *total)
    return 0;
  //@ ghost stack_fold_bounded(weights, count);
  weights[cell] += weight;
  *total += weight;
  /*@ ghost
    /@ loop invariant range: 0 <= k <= count;
       loop invariant sum_added:
         stack_fold_sum(weights, k) == stack_fold_sum{Pre}(weights, k) + (cell < k ? weight : 0);
       loop assigns k;
       loop variant count - k;
    @/
    for (size_t k = 0; k < count; k++)
      ;
  */
  return 1;
}

int stack_fold_merge(uint64_t *weights, size_t count, uint64_t *total, const uint32_t *cell_of,
                     const uint64_t *other, size_t others, uint64_t other_total) {
  if (other_total > UINT64_MAX - *total)
    return 0;
  //@ ghost stack_fold_shares_bounded(cell_of, other, others);
  /*@ loop invariant range: 0 <= i <= others;
      loop invariant conserved: *total == stack_fold_sum(weights, count);
      loop invariant total_added: *total == \at(*total, Pre) + stack_fold_sum{Pre}(other, i);
      loop invariant added: \forall integer j; 0 <= j < count ==>
        weights[j] == \at(weights[j], Pre) + stack_fold_share{Pre}(cell_of, other, i, j);
      loop invariant other_kept: \forall integer j; 0 <= j < others ==>
        other[j] == \at(other[j], Pre) && cell_of[j] == \at(cell_of[j], Pre);
      loop assigns i, weights[0 .. count - 1], *total;
      loop variant others - i;
  */
  for (size_t i = 0; i < others; i++) {
    //@ assert next: stack_fold_sum{Pre}(other, i + 1) == stack_fold_sum{Pre}(other, i) + other[i];
    /*@ assert next_share: \forall integer j;
          stack_fold_share{Pre}(cell_of, other, i + 1, j) ==
            stack_fold_share{Pre}(cell_of, other, i, j) +
              (cell_of[i] == j ? other[i] : 0); */
    //@ assert fits: *total + other[i] <= UINT64_MAX;
    stack_fold_count(weights, count, total, cell_of[i], other[i]);
  }
  return 1;
}
