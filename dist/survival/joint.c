/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maximum, minimum and order statistics; the sum is in joint_sum.c. All of it is pointwise and in
 * integers, so only the divisions of kth round. What holds of the events "exceeds t" holds of "is
 * infinite", which is what the last point says on the lower side.
 */
#include "dist/survival/joint.h"

#include "base/memory.h"
#include "dist/survival/wide.h"

static void require_parts(const struct survival *z, const struct copies *parts, size_t part_count) {
  if (part_count == 0)
    bug("a joint law of nothing");
  for (size_t i = 0; i < part_count; i++) {
    survival_require_alike(z, parts[i].survival);
    if (parts[i].count == 0)
      bug("no copies of a law");
  }
}

/* sum + count * value, or SURVIVAL_ONE if that is less. */
static uint64_t add_copies(uint64_t sum, uint64_t count, uint64_t value) {
  uint128 total = sum + (uint128)count * value;
  return total < SURVIVAL_ONE ? (uint64_t)total : SURVIVAL_ONE;
}

/* At least one of the events. */
static uint64_t any_of(const struct copies *parts, size_t part_count, size_t k, bool complement) {
  uint64_t sum = 0;
  for (size_t i = 0; i < part_count; i++) {
    uint64_t tail = parts[i].survival->tail[k];
    sum = add_copies(sum, parts[i].count, complement ? SURVIVAL_ONE - tail : tail);
  }
  return sum;
}

static uint64_t largest_of(const struct copies *parts, size_t part_count, size_t k) {
  uint64_t largest = 0;
  for (size_t i = 0; i < part_count; i++)
    if (parts[i].survival->tail[k] > largest)
      largest = parts[i].survival->tail[k];
  return largest;
}

static uint64_t smallest_of(const struct copies *parts, size_t part_count, size_t k) {
  uint64_t smallest = SURVIVAL_ONE;
  for (size_t i = 0; i < part_count; i++)
    if (parts[i].survival->tail[k] < smallest)
      smallest = parts[i].survival->tail[k];
  return smallest;
}

void joint_max(struct survival *z, const struct copies *parts, size_t part_count) {
  require_parts(z, parts, part_count);
  for (size_t k = 0; k < grid_count(&z->grid); k++)
    z->tail[k] = z->side == SIDE_UPPER ? any_of(parts, part_count, k, false)
                                       : largest_of(parts, part_count, k);
}

void joint_min(struct survival *z, const struct copies *parts, size_t part_count) {
  require_parts(z, parts, part_count);
  for (size_t k = 0; k < grid_count(&z->grid); k++)
    z->tail[k] = z->side == SIDE_UPPER ? smallest_of(parts, part_count, k)
                                       : SURVIVAL_ONE - any_of(parts, part_count, k, true);
}

/* `count` events of this chance each, those of one part. */
struct event {
  uint64_t chance, count;
  size_t part;
};

/* Insertion: from one point of the grid to the next the order hardly changes. */
static void sort_descending(struct event *events, size_t count) {
  for (size_t i = 1; i < count; i++) {
    struct event event = events[i];
    size_t j = i;
    for (; j > 0 && events[j - 1].chance < event.chance; j--)
      events[j] = events[j - 1];
    events[j] = event;
  }
}

/* sum / divisor rounded up, or SURVIVAL_ONE if that is less. */
static uint64_t share(uint128 sum, uint64_t divisor) {
  if (sum >= (uint128)divisor * SURVIVAL_ONE)
    return SURVIVAL_ONE;
  return (uint64_t)((sum + divisor - 1) / divisor);
}

/* A bound of the chance that at least `needed` >= 1 of the events occur, sorted by falling chance.
 * If so, then at least needed - j of all but the j likeliest do, and their expected number is at
 * least that times the chance (Markov). Within one part's copies the quotient is monotone in j, so
 * its ends suffice; once the next chance is no larger than the quotient, later ones only
 * grow. */
static uint64_t at_least(const struct event *events, size_t count, uint64_t needed) {
  uint128 sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += (uint128)events[i].count * events[i].chance;
  uint64_t best = share(sum, needed);
  for (size_t i = 0; i < count && needed > 1 && (uint128)events[i].chance * needed > sum; i++) {
    uint64_t dropped = events[i].count < needed - 1 ? events[i].count : needed - 1;
    sum -= (uint128)dropped * events[i].chance;
    needed -= dropped;
    uint64_t next = share(sum, needed);
    best = next < best ? next : best;
  }
  return best;
}

void joint_kth(struct survival *z, const struct copies *parts, size_t part_count, uint64_t rank) {
  require_parts(z, parts, part_count);
  uint64_t n = 0;
  for (size_t i = 0; i < part_count; i++)
    if (__builtin_add_overflow(n, parts[i].count, &n))
      bug("too many copies");
  if (rank == 0 || rank > n)
    bug("no such rank");
  bool upper = z->side == SIDE_UPPER;
  struct event *events = mem_alloc(part_count, sizeof *events);
  for (size_t i = 0; i < part_count; i++)
    events[i] = (struct event){.count = parts[i].count, .part = i};
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    for (size_t i = 0; i < part_count; i++) {
      uint64_t tail = parts[events[i].part].survival->tail[k];
      events[i].chance = upper ? tail : SURVIVAL_ONE - tail;
    }
    sort_descending(events, part_count);
    /* The rank-th exceeds t when n - rank + 1 do, and does not when `rank` do not. */
    uint64_t bound = at_least(events, part_count, upper ? n - rank + 1 : rank);
    z->tail[k] = upper ? bound : SURVIVAL_ONE - bound;
  }
  mem_free(events);
}
