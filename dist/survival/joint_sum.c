/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sum under any joint law: the better of the bound of pairs and the dual bound (joint.h).
 */
#include "dist/survival/joint.h"

#include "base/memory.h"
#include "dist/survival/joint_dual.h"
#include "dist/survival/joint_pair.h"

/* Steps of all searches of pairs at all points together; and of one search at one point. */
#define STEPS_ALL ((size_t)1 << 25)
#define STEPS_LEAST 32
#define STEPS_MOST 4096

/* How many sums of pairs joint_pair_many makes of n copies. */
static size_t pairs_of(uint64_t n) {
  size_t bits = 64 - (size_t)__builtin_clzll(n);
  return bits - 1 + (size_t)__builtin_popcountll(n) - 1;
}

static size_t steps_a_pair(const struct copies *parts, size_t part_count) {
  size_t pairs = part_count - 1;
  for (size_t i = 0; i < part_count; i++)
    pairs += pairs_of(parts[i].count);
  size_t steps = STEPS_ALL / grid_count(&parts[0].survival->grid) / (pairs == 0 ? 1 : pairs);
  return steps < STEPS_LEAST ? STEPS_LEAST : steps > STEPS_MOST ? STEPS_MOST : steps;
}

/* The bound of pairs: the copies of each part, then part by part. */
static void sum_pairs(struct survival *z, const struct copies *parts, size_t part_count) {
  size_t steps = steps_a_pair(parts, part_count);
  struct survival sum, copies;
  survival_init_side(&sum, &z->grid, z->side);
  survival_init_side(&copies, &z->grid, z->side);
  joint_pair_many(&sum, parts[0].survival, parts[0].count, steps);
  for (size_t i = 1; i < part_count; i++) {
    joint_pair_many(&copies, parts[i].survival, parts[i].count, steps);
    joint_pair(&sum, &sum, &copies, steps);
  }
  survival_set(z, &sum);
  survival_clear(&copies);
  survival_clear(&sum);
}

void joint_sum(struct survival *z, const struct copies *parts, size_t part_count) {
  if (part_count == 0)
    bug("a joint law of nothing");
  for (size_t i = 0; i < part_count; i++) {
    survival_require_alike(z, parts[i].survival);
    if (parts[i].count == 0)
      bug("no copies of a law");
  }
  if (part_count == 1 && parts[0].count == 1) {
    survival_set(z, parts[0].survival);
    return;
  }
  struct survival pairs;
  survival_init_side(&pairs, &z->grid, z->side);
  sum_pairs(&pairs, parts, part_count);
  joint_dual(z, parts, part_count);
  bool upper = z->side == SIDE_UPPER;
  for (size_t k = 0; k < grid_count(&z->grid); k++)
    if (upper ? pairs.tail[k] < z->tail[k] : pairs.tail[k] > z->tail[k])
      z->tail[k] = pairs.tail[k];
  survival_clear(&pairs);
}
