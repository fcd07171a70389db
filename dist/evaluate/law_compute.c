/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computes one law from those it is made of (law_computation.h).
 */
#include <string.h>

#include "dist/evaluate/law_computation.h"
#include "dist/survival/combine.h"
#include "dist/survival/joint.h"
#include "dist/survival/order.h"
#include "dist/survival/sum.h"
#include "dist/survival/wide.h"

static void make(const struct computation *c, struct survival *s) {
  survival_init_side(s, &c->table->grid, c->table->side);
}

/* Term `index` of a sum's order, depth first, so that few intermediate results are held at once. */
static void compute_term(struct computation *c, struct survival *z, const struct law *law,
                         size_t (*order)[2], size_t index) {
  if (index < law->count) {
    const struct law_copies *part = &law->parts[index];
    survival_add_many(z, computation_need(c, part->law), part->count);
    computation_release(c, part->law);
    return;
  }
  struct survival right;
  make(c, &right);
  compute_term(c, z, law, order, order[index - law->count][0]);
  compute_term(c, &right, law, order, order[index - law->count][1]);
  survival_add(z, z, &right);
  survival_clear(&right);
}

static void compute_sum(struct computation *c, struct survival *z, const struct law *law) {
  if (law->count == 0) {
    survival_constant(z, &law->value);
    return;
  }
  size_t(*order)[2] = mem_alloc(law->count, sizeof *order);
  law_sum_order(order, law->parts, law->count);
  compute_term(c, z, law, order, law->count == 1 ? 0 : 2 * law->count - 2);
  mem_free(order);
  if (rational_sign(&law->value) != 0)
    survival_shift(z, z, &law->value);
}

/* The best of two bounds of one latency: the lesser upper, the greater lower one. */
static void take_better(struct survival *z, const struct survival *x) {
  if (z->side == SIDE_UPPER)
    survival_meet(z, z, x);
  else
    survival_join(z, z, x);
}

/* `count` copies of the part, combined as the kind says; z is not part. */
static void combine_copies(struct survival *z, enum law_kind kind, const struct survival *part,
                           uint64_t count) {
  struct copies copies = {part, count};
  if (count == 1)
    survival_set(z, part);
  else if (kind == LAW_MAX)
    survival_max_many(z, part, count);
  else if (kind == LAW_MIN)
    survival_min_many(z, part, count);
  else if (kind == LAW_JOINT_MAX)
    joint_max(z, &copies, 1);
  else
    joint_min(z, &copies, 1);
}

static void combine_two(struct survival *z, enum law_kind kind, const struct survival *x) {
  const struct copies both[] = {{z, 1}, {x, 1}};
  if (kind == LAW_MAX)
    survival_max(z, z, x);
  else if (kind == LAW_MIN)
    survival_min(z, z, x);
  else if (kind == LAW_JOINT_MAX)
    joint_max(z, both, 2);
  else if (kind == LAW_JOINT_MIN)
    joint_min(z, both, 2);
  else
    take_better(z, x);
}

/* Part by part: no more than one is held. The bounds of Frechet can be taken so, too. */
static void compute_fold(struct computation *c, struct survival *z, const struct law *law) {
  struct survival part;
  make(c, &part);
  for (size_t i = 0; i < law->count; i++) {
    combine_copies(i == 0 ? z : &part, law->kind, computation_need(c, law->parts[i].law),
                   law->parts[i].count);
    computation_release(c, law->parts[i].law);
    if (i != 0)
      combine_two(z, law->kind, &part);
  }
  survival_clear(&part);
}

static void compute_all_parts(struct computation *c, struct copies *copies, const struct law *law) {
  for (size_t i = 0; i < law->count; i++)
    copies[i] = (struct copies){computation_need(c, law->parts[i].law), law->parts[i].count};
}

static void compute_mix(struct survival *z, const struct copies *copies, size_t count) {
  const struct survival **parts = mem_alloc(count, sizeof *parts);
  uint64_t *weights = mem_alloc(count, sizeof *weights);
  for (size_t i = 0; i < count; i++) {
    parts[i] = copies[i].survival;
    weights[i] = copies[i].count;
  }
  survival_mix(z, parts, weights, count);
  mem_free(parts);
  mem_free(weights);
}

/* At one point t: below[j] bounds the chance that fewer than j latencies are at most t; for none
 * below[0] is 0, and beyond `count` it is 1. */
struct counts {
  size_t count;
  uint64_t below[LAW_COUNTED_MAX + 2];
};

static void counts_of_set(struct counts *counts, const struct copies *laws, size_t size, size_t k,
                          enum survival_side side) {
  counts->count = size;
  counts->below[0] = 0;
  counts->below[size + 1] = SURVIVAL_ONE;
  for (size_t j = 1; j <= size; j++)
    counts->below[j] = laws[j - 1].survival->tail[k];
  /* What bounds a larger chance from above bounds a smaller one, and the other way round. */
  for (size_t j = size; side == SIDE_UPPER && j-- > 1;)
    if (counts->below[j] > counts->below[j + 1])
      counts->below[j] = counts->below[j + 1];
  for (size_t j = 2; side == SIDE_LOWER && j <= size; j++)
    if (counts->below[j] < counts->below[j - 1])
      counts->below[j] = counts->below[j - 1];
}

/* Sum over j of P(j of y are at most t) P(fewer than i - j others are), in units of 10^-36 before
 * it is rounded. */
static uint64_t mixed(const uint64_t *others, const struct counts *y, enum survival_side side) {
  uint128 sum = 0;
  for (size_t j = 0; j <= y->count; j++)
    sum += (uint128)(y->below[j + 1] - y->below[j]) * others[y->count - j];
  return survival_reduce(side, sum);
}

/* *x becomes the counts of both. */
static void counts_add(struct counts *x, const struct counts *y, enum survival_side side) {
  struct counts sum = {.count = x->count + y->count};
  uint64_t others[LAW_COUNTED_MAX + 1];
  for (size_t i = 1; i <= sum.count; i++) {
    for (size_t j = 0; j <= y->count; j++) /* fewer than i - j */
      others[y->count - j] = i <= j ? 0 : i - j > x->count ? SURVIVAL_ONE : x->below[i - j];
    sum.below[i] = mixed(others, y, side);
  }
  sum.below[sum.count + 1] = SURVIVAL_ONE;
  *x = sum;
}

/* Order statistics of the independent ones, `alone`, of the ranks rank - size .. rank. */
static void ranks_of_alone(struct survival *ranks, const struct copies *alone, size_t alone_count,
                           uint64_t rank, size_t size) {
  uint64_t copies = 0;
  for (size_t i = 0; i < alone_count; i++)
    copies += alone[i].count;
  for (size_t i = 0; i <= size; i++) {
    uint64_t missing = size - i; /* the rank is rank - missing */
    if (rank <= missing)
      continue; /* the constant 0: never fewer than none */
    if (rank - missing <= copies)
      survival_kth(&ranks[i], alone, alone_count, rank - missing);
    else
      for (size_t k = 0; k < grid_count(&ranks[i].grid); k++)
        ranks[i].tail[k] = SURVIVAL_ONE; /* always fewer than there are not */
  }
}

static void compute_counted(struct computation *c, struct survival *z, const struct law *law,
                            const struct copies *copies) {
  size_t size = 0;
  for (size_t i = 0; i < law->set_count; i++)
    size += law->set_sizes[i];
  size_t alone_count = law->count - size;
  struct survival ranks[LAW_COUNTED_MAX + 1];
  for (size_t i = 0; i <= size; i++)
    make(c, &ranks[i]);
  ranks_of_alone(ranks, copies, alone_count, law->rank, size);
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    struct counts all, next;
    const struct copies *set = copies + alone_count;
    counts_of_set(&all, set, law->set_sizes[0], k, z->side);
    for (size_t i = 1; i < law->set_count; i++) {
      set += law->set_sizes[i - 1];
      counts_of_set(&next, set, law->set_sizes[i], k, z->side);
      counts_add(&all, &next, z->side);
    }
    uint64_t others[LAW_COUNTED_MAX + 1];
    for (size_t i = 0; i <= size; i++)
      others[i] = ranks[i].tail[k];
    z->tail[k] = mixed(others, &all, z->side);
  }
  for (size_t i = 0; i <= size; i++)
    survival_clear(&ranks[i]);
}

static void compute_with_all_parts(struct computation *c, struct survival *z,
                                   const struct law *law) {
  struct copies *copies = mem_alloc(law->count, sizeof *copies);
  compute_all_parts(c, copies, law);
  if (law->kind == LAW_SCALE)
    survival_scale(z, copies[0].survival, &law->value);
  else if (law->kind == LAW_KTH)
    survival_kth(z, copies, law->count, law->rank);
  else if (law->kind == LAW_JOINT_KTH)
    joint_kth(z, copies, law->count, law->rank);
  else if (law->kind == LAW_JOINT_SUM)
    joint_sum(z, copies, law->count);
  else if (law->kind == LAW_MIX)
    compute_mix(z, copies, law->count);
  else
    compute_counted(c, z, law, copies);
  for (size_t i = 0; i < law->count; i++)
    computation_release(c, law->parts[i].law);
  mem_free(copies);
}

void computation_make(struct computation *c, struct survival *s, const struct law *law) {
  make(c, s);
  switch (law->kind) {
  case LAW_SUM:
    compute_sum(c, s, law);
    break;
  case LAW_MAX:
  case LAW_MIN:
  case LAW_JOINT_MAX:
  case LAW_JOINT_MIN:
  case LAW_BETTER:
    compute_fold(c, s, law);
    break;
  default:
    compute_with_all_parts(c, s, law);
  }
}
