/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dist/survival/binomial.h"

enum { FEW_COPIES = 8 }; /* fewer are counted one by one */

struct counting {
  const struct copies *parts; /* the most copies first */
  size_t part_count;
  struct binomial *binomials; /* by part; unused for few copies */
  uint64_t *tails, *last;     /* by part, at this point and at the one before */
  uint64_t *below;            /* [j]: P(fewer than j of those seen so far), not decreasing */
  uint64_t *other;            /* likewise of one part */
};

/* One more that counts with the chance 1 - no: below[j] no + below[j - 1] (1 - no). */
static void count_one(uint64_t *below, size_t from, size_t to, uint64_t no,
                      enum survival_side side) {
  for (size_t j = to; j >= from; j--) {
    uint64_t less = below[j - 1];
    below[j] = less + survival_product(side, below[j] - less, no);
  }
}

/* `copies` more of which fewer than j count with the chance other[j], known up to the lesser of
 * copies and `to`, 1 beyond. The sum over i of P(i of these) below[j - i], added up by parts, so
 * that it is exact before its one rounding. */
static void count_many(uint64_t *below, size_t from, size_t to, const uint64_t *other,
                       uint64_t copies, enum survival_side side) {
  for (size_t j = to; j >= from; j--) {
    size_t known = copies < j ? (size_t)copies : j;
    uint128 sum = (uint128)below[j - known] * SURVIVAL_ONE;
    for (size_t i = 0; i < known; i++)
      sum += (uint128)other[i + 1] * (below[j - i] - below[j - i - 1]);
    below[j] = survival_reduce(side, sum);
  }
}

/* P(fewer than `rank` >= 1 of the `left` copies that are neither certain count), where one counts
 * when it exceeds (`exceeding`) or when it does not. */
static uint64_t fewer_than(struct counting *c, size_t rank, uint64_t left, bool exceeding,
                           enum survival_side side) {
  c->below[0] = 0;
  for (size_t j = 1; j <= rank; j++)
    c->below[j] = SURVIVAL_ONE;
  for (size_t i = 0; i < c->part_count; i++) {
    uint64_t no = exceeding ? SURVIVAL_ONE - c->tails[i] : c->tails[i];
    if (no == 0 || no == SURVIVAL_ONE)
      continue;
    /* Each copy that is still to come lets the final rank depend on one value less. */
    uint64_t copies = c->parts[i].count;
    if (copies < FEW_COPIES) {
      for (uint64_t n = 0; n < copies; n++) {
        left--;
        count_one(c->below, left < rank ? rank - (size_t)left : 1, rank, no, side);
      }
      continue;
    }
    left -= copies;
    size_t known = copies < rank ? (size_t)copies : rank;
    binomial_below(c->other, known, &c->binomials[i], no, side);
    count_many(c->below, left < rank ? rank - (size_t)left : 1, rank, c->other, copies, side);
  }
  return c->below[rank];
}

/* P(the rank-th of all exceeds), whose tails are in c. */
static uint64_t tail_of_rank(struct counting *c, uint64_t copies, uint64_t rank,
                             enum survival_side side) {
  uint64_t opposite = copies - rank + 1; /* so many exceed */
  for (size_t i = 0; i < c->part_count; i++) {
    uint64_t count = c->parts[i].count;
    if (c->tails[i] == 0) {
      if (count >= rank)
        return 0;
      rank -= count;
    } else if (c->tails[i] == SURVIVAL_ONE) {
      if (count >= opposite)
        return SURVIVAL_ONE;
      opposite -= count;
    }
  }
  uint64_t left = rank + opposite - 1;
  if (rank <= opposite)
    return fewer_than(c, (size_t)rank, left, false, side);
  enum survival_side other = side == SIDE_UPPER ? SIDE_LOWER : SIDE_UPPER;
  return SURVIVAL_ONE - fewer_than(c, (size_t)opposite, left, true, other);
}

static int compare_counts(const void *a, const void *b) {
  const struct copies *x = a, *y = b;
  return x->count < y->count ? 1 : x->count > y->count ? -1 : 0;
}

static void counting_init(struct counting *c, const struct copies *parts, size_t part_count,
                          size_t most) {
  struct copies *sorted = mem_alloc(part_count, sizeof *sorted);
  memcpy(sorted, parts, part_count * sizeof *sorted);
  qsort(sorted, part_count, sizeof *sorted, compare_counts);
  *c = (struct counting){.parts = sorted, .part_count = part_count};
  c->binomials = mem_alloc(part_count, sizeof *c->binomials);
  for (size_t i = 0; i < part_count && sorted[i].count >= FEW_COPIES; i++)
    binomial_init(&c->binomials[i], sorted[i].count, most);
  c->tails = mem_alloc(part_count, sizeof *c->tails);
  c->last = mem_alloc(part_count, sizeof *c->last);
  c->below = mem_alloc(most + 1, sizeof *c->below);
  c->other = mem_alloc(most + 1, sizeof *c->other);
}

static void counting_clear(struct counting *c) {
  for (size_t i = 0; i < c->part_count; i++)
    binomial_clear(&c->binomials[i]);
  mem_free(c->binomials);
  mem_free(c->tails);
  mem_free(c->last);
  mem_free(c->below);
  mem_free(c->other);
  mem_free((void *)c->parts);
}

/* All of one law. */
static void kth_of_alike(struct survival *z, const struct copies *part, uint64_t rank) {
  struct binomial_rank binomial;
  binomial_rank_init(&binomial, part->count, rank);
  uint64_t last = SURVIVAL_ONE, result = SURVIVAL_ONE;
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    uint64_t tail = part->survival->tail[k];
    if (tail != last) {
      uint64_t chance = tail == 0 ? 0 : binomial_fewer(&binomial, tail, z->side);
      result = chance < result ? chance : result; /* only roundings can increase it */
    }
    last = tail;
    z->tail[k] = result;
  }
}

void survival_kth(struct survival *z, const struct copies *parts, size_t part_count,
                  uint64_t rank) {
  uint64_t copies = 0;
  for (size_t i = 0; i < part_count; i++) {
    survival_require_alike(z, parts[i].survival);
    copies += parts[i].count;
  }
  if (rank < 1 || rank > copies)
    bug("rank %llu of %llu latencies", (unsigned long long)rank, (unsigned long long)copies);
  if (part_count == 1 && copies >= FEW_COPIES) {
    kth_of_alike(z, parts, rank);
    return;
  }
  uint64_t opposite = copies - rank + 1;
  struct counting c;
  counting_init(&c, parts, part_count, (size_t)(rank < opposite ? rank : opposite));
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    for (size_t i = 0; i < part_count; i++)
      c.tails[i] = c.parts[i].survival->tail[k];
    bool same = k > 0 && memcmp(c.tails, c.last, part_count * sizeof *c.tails) == 0;
    z->tail[k] = same ? z->tail[k - 1] : tail_of_rank(&c, copies, rank, z->side);
    if (k > 0 && z->tail[k] > z->tail[k - 1])
      z->tail[k] = z->tail[k - 1]; /* only roundings can differ that way */
    uint64_t *swap = c.last;
    c.last = c.tails;
    c.tails = swap;
  }
  counting_clear(&c);
}
