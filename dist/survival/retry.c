/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/retry.h"

#include "base/memory.h"

/* A latency is a whole number of nanoseconds, so it keeps within a limit when it keeps within the
 * whole part of it. What a failed attempt takes is rounded to the side. */
static uint64_t success_limit(const struct rational *limit_ns) {
  if (rational_sign(limit_ns) <= 0)
    bug("a time limit that is not positive");
  return survival_whole(SIDE_LOWER, limit_ns);
}

uint64_t survival_late(const struct survival *x, const struct rational *limit_ns) {
  return survival_tail(x, success_limit(limit_ns));
}

/* The better of two bounds of a chance. */
static uint64_t better(enum survival_side side, uint64_t a, uint64_t b) {
  return (side == SIDE_UPPER) == (a < b) ? a : b;
}

/* P(x > v), which is at most the chance to be late from the limit on, and at least that before. */
static uint64_t tail_at(const struct survival *x, uint64_t v, uint64_t limit, uint64_t late) {
  uint64_t tail = survival_tail(x, v);
  bool is_bounded = x->side == SIDE_UPPER ? v >= limit : v <= limit;
  return is_bounded ? better(x->side, tail, late) : tail;
}

void survival_timeout(struct survival *z, const struct survival *x, const struct rational *limit_ns,
                      const struct survival *y) {
  survival_timeout_late(z, x, survival_late(x, limit_ns), limit_ns, y);
}

void survival_timeout_late(struct survival *z, const struct survival *x, uint64_t late,
                           const struct rational *limit_ns, const struct survival *y) {
  survival_require_alike(x, z);
  if (y != NULL)
    survival_require_alike(y, z);
  uint64_t limit = success_limit(limit_ns), failed = survival_whole(z->side, limit_ns);
  late = better(x->side, late, survival_tail(x, limit));
  /* Downwards, so that z may be y. */
  for (size_t k = grid_count(&z->grid); k-- > 0;) {
    uint64_t v = survival_threshold(z, k);
    if (v < failed)
      z->tail[k] = tail_at(x, v, limit, late); /* v <= limit, both being whole */
    else
      z->tail[k] = y == NULL ? late : survival_product(z->side, late, survival_tail(y, v - failed));
  }
}

static uint64_t power(uint64_t x, uint64_t n, enum survival_side side) {
  uint64_t result = SURVIVAL_ONE;
  for (; n != 0; n >>= 1) {
    if (n & 1)
      result = survival_product(side, result, x);
    x = survival_product(side, x, x);
  }
  return result;
}

void survival_retry(struct survival *z, const struct survival *x, const struct rational *limit_ns,
                    const struct rational *pause_ns, uint64_t attempts, bool wait) {
  survival_retry_late(z, x, survival_late(x, limit_ns), limit_ns, pause_ns, attempts, wait);
}

void survival_retry_late(struct survival *z, const struct survival *x, uint64_t late,
                         const struct rational *limit_ns, const struct rational *pause_ns,
                         uint64_t attempts, bool wait) {
  survival_require_alike(x, z);
  if (attempts == 0 || rational_sign(pause_ns) < 0)
    bug("%s", attempts == 0 ? "no attempt" : "a negative pause");
  uint64_t limit = success_limit(limit_ns);
  struct rational sum;
  rational_init(&sum);
  rational_add(&sum, limit_ns, pause_ns);
  uint64_t round = survival_whole(z->side, &sum); /* from one attempt to the next */
  rational_clear(&sum);
  uint64_t chance = SURVIVAL_ONE, failures = 0;
  late = better(x->side, late, survival_tail(x, limit));
  struct survival result;
  survival_init_side(&result, &x->grid, x->side);
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    /* Above v: all attempts that end before have failed, and the one that is under way at v comes
     * to its limit or ends later. */
    uint64_t v = survival_threshold(z, k);
    bool never = v == UINT64_MAX;
    uint64_t before = round == 0 || never ? attempts - 1 : v / round;
    bool last = before >= attempts - 1;
    before = last ? attempts - 1 : before;
    /* Going on from the point before, so that the result does not increase. */
    chance = survival_product(z->side, chance, power(late, before - failures, z->side));
    failures = before;
    uint64_t own = never ? v : v - before * round;
    own = own > limit && !(last && wait) ? limit : own;
    result.tail[k] = survival_product(z->side, chance, tail_at(x, own, limit, late));
  }
  survival_set(z, &result);
  survival_clear(&result);
}
