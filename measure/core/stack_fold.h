/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folding and merging of weights, proved with Frama-C/WP (`make prove`): nothing is lost, nothing
 * is counted twice, and the order does not matter.
 *
 * A fold has a weight for each of its cells, the stacks of a profile. Invariant: total = sum of the
 * weights. Counting a sample adds to one cell; merging adds the cells of another fold, each to the
 * cell that is the same stack here. A cell then holds the sum of what belongs to it, and a sum has
 * no order: samples may come, and folds be merged, in any order and by any tree of partial merges.
 *
 * The caller owns the weights. A function that cannot keep its promise refuses: it returns 0 and
 * changes nothing.
 */
#ifndef MEASURE_CORE_STACK_FOLD_H
#define MEASURE_CORE_STACK_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "proofs/logic/stack_fold.acsl"

/* Adds `weight` to a cell. Returns 0 when there is no such cell, or when the total would need more
 * than 64 bits. */
/*@ requires storage: \valid(&weights[0 .. count - 1]) && \valid(total);
    requires distinct: \separated(&weights[0 .. count - 1], total);
    requires conserved: *total == stack_fold_sum(weights, count);
    assigns weights[0 .. count - 1], *total;
    ensures conserved: *total == stack_fold_sum(weights, count);
    behavior full:
      assumes count <= cell || *total + weight > UINT64_MAX;
      assigns \nothing;
      ensures refused: \result == 0;
    behavior counted:
      assumes cell < count && *total + weight <= UINT64_MAX;
      assigns weights[cell], *total;
      ensures accepted: \result == 1;
      ensures added: weights[cell] == \old(weights[cell]) + weight;
      ensures others_kept: \forall integer j; 0 <= j < count && j != cell ==>
        weights[j] == \old(weights[j]);
      ensures total_added: *total == \old(*total) + weight;
    complete behaviors;
    disjoint behaviors;
*/
int stack_fold_count(uint64_t *weights, size_t count, uint64_t *total, size_t cell,
                     uint64_t weight);

/* Adds weight i of another fold to cell cell_of[i], for all i below `others`. Returns 0 when the
 * total would need more than 64 bits. */
/*@ requires storage: \valid(&weights[0 .. count - 1]) && \valid(total);
    requires other_storage: \valid_read(&other[0 .. others - 1]);
    requires cell_storage: \valid_read(&cell_of[0 .. others - 1]);
    requires distinct: \separated(&weights[0 .. count - 1], total);
    requires other_distinct: \separated(&weights[0 .. count - 1], &other[0 .. others - 1]);
    requires cells_distinct: \separated(&weights[0 .. count - 1], &cell_of[0 .. others - 1]);
    requires total_distinct: \separated(total, &other[0 .. others - 1]);
    requires total_apart: \separated(total, &cell_of[0 .. others - 1]);
    requires cells_exist: \forall integer i; 0 <= i < others ==> cell_of[i] < count;
    requires conserved: *total == stack_fold_sum(weights, count);
    requires other_conserved: other_total == stack_fold_sum(other, others);
    assigns weights[0 .. count - 1], *total;
    ensures conserved: *total == stack_fold_sum(weights, count);
    behavior full:
      assumes *total + other_total > UINT64_MAX;
      assigns \nothing;
      ensures refused: \result == 0;
    behavior merged:
      assumes *total + other_total <= UINT64_MAX;
      assigns weights[0 .. count - 1], *total;
      ensures accepted: \result == 1;
      ensures added: \forall integer j; 0 <= j < count ==>
        weights[j] == \old(weights[j]) + stack_fold_share{Old}(cell_of, other, others, j);
      ensures total_added: *total == \old(*total) + other_total;
    complete behaviors;
    disjoint behaviors;
*/
int stack_fold_merge(uint64_t *weights, size_t count, uint64_t *total, const uint32_t *cell_of,
                     const uint64_t *other, size_t others, uint64_t other_total);

#endif
