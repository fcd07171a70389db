/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/combine.h"

#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

/* 1 - (1 - x)(1 - y) = x + y - x y, rounded to the side: the product to the other. */
static uint64_t either(enum survival_side side, uint64_t x, uint64_t y) {
  return x + y - survival_product(side == SIDE_UPPER ? SIDE_LOWER : SIDE_UPPER, x, y);
}

void survival_max(struct survival *z, const struct survival *x, const struct survival *y) {
  survival_require_alike(x, y);
  survival_require_alike(x, z);
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    z->tail[k] = either(z->side, x->tail[k], y->tail[k]);
}

void survival_min(struct survival *z, const struct survival *x, const struct survival *y) {
  survival_require_alike(x, y);
  survival_require_alike(x, z);
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    z->tail[k] = survival_product(z->side, x->tail[k], y->tail[k]);
}

void survival_max_many(struct survival *z, const struct survival *x, uint64_t n) {
  survival_require_alike(x, z);
  for (size_t k = 0; k < grid_count(&x->grid); k++) {
    uint64_t result = 0, power = x->tail[k];
    for (uint64_t rest = n; rest != 0; rest >>= 1) {
      if (rest & 1)
        result = either(z->side, result, power);
      power = either(z->side, power, power);
    }
    z->tail[k] = result;
  }
}

void survival_min_many(struct survival *z, const struct survival *x, uint64_t n) {
  survival_require_alike(x, z);
  if (n == 0)
    bug("the smallest of no latencies");
  for (size_t k = 0; k < grid_count(&x->grid); k++) {
    uint64_t result = SURVIVAL_ONE, power = x->tail[k];
    for (uint64_t rest = n; rest != 0; rest >>= 1) {
      if (rest & 1)
        result = survival_product(z->side, result, power);
      power = survival_product(z->side, power, power);
    }
    z->tail[k] = result;
  }
}

void survival_join(struct survival *z, const struct survival *x, const struct survival *y) {
  survival_require_alike(x, y);
  survival_require_alike(x, z);
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    z->tail[k] = x->tail[k] > y->tail[k] ? x->tail[k] : y->tail[k];
}

void survival_meet(struct survival *z, const struct survival *x, const struct survival *y) {
  survival_require_alike(x, y);
  survival_require_alike(x, z);
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    z->tail[k] = x->tail[k] < y->tail[k] ? x->tail[k] : y->tail[k];
}

void survival_mix(struct survival *z, const struct survival *const *parts, const uint64_t *weights,
                  size_t count) {
  const uint64_t most = (uint64_t)1 << 62;
  uint64_t total = 0;
  for (size_t i = 0; i < count; i++) {
    survival_require_alike(z, parts[i]);
    if (weights[i] > most - total)
      bug("weights of a mixture above 2^62");
    total += weights[i];
  }
  if (total == 0)
    bug("a mixture of nothing");
  uint64_t up = z->side == SIDE_UPPER ? total - 1 : 0;
  for (size_t k = 0; k < grid_count(&z->grid); k++) {
    uint128 sum = up;
    for (size_t i = 0; i < count; i++)
      sum += (uint128)weights[i] * parts[i]->tail[k];
    z->tail[k] = (uint64_t)(sum / total);
  }
}

void survival_cap(struct survival *z, const struct survival *x, const struct rational *cap_ns) {
  survival_require_alike(x, z);
  uint64_t cap = survival_whole(z->side, cap_ns);
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    z->tail[k] = survival_threshold(z, k) < cap ? x->tail[k] : 0;
}

void survival_shift(struct survival *z, const struct survival *x,
                    const struct rational *constant_ns) {
  survival_require_alike(x, z);
  uint64_t shift = survival_whole(z->side, constant_ns);
  /* P(x + shift > v) = P(x > v - shift). Downwards, so that z may be x. */
  for (size_t k = grid_count(&x->grid); k-- > 0;) {
    uint64_t threshold = survival_threshold(z, k);
    z->tail[k] = threshold < shift ? SURVIVAL_ONE : survival_tail(x, threshold - shift);
  }
}

/* n / d for a factor: itself when both parts fit, else rounded to the side, in as many places as
 * fit. Above 2^63 it is 2^63 - 1, which takes every positive latency beyond every grid. */
static void fraction_of(uint64_t *n, uint64_t *d, enum survival_side side,
                        const struct rational *factor) {
  struct text text;
  text_init(&text);
  rational_print(&text, factor);
  char *end;
  errno = 0;
  *n = strtoull(text_get(&text), &end, 10);
  *d = *end == '/' ? strtoull(end + 1, NULL, 10) : 1;
  bool fits = errno == 0 && *n <= INT64_MAX && *d <= INT64_MAX;
  text_clear(&text);
  if (fits)
    return;
  struct rational scaled;
  rational_init(&scaled);
  for (unsigned places = 64; !fits && places > 0;) {
    places -= 4;
    int64_t rounded = INT64_MAX;
    *d = UINT64_C(1) << places;
    rational_set_integer(&scaled, (int64_t)*d);
    rational_mul(&scaled, &scaled, factor);
    fits =
        side == SIDE_UPPER ? rational_ceil(&rounded, &scaled) : rational_floor(&rounded, &scaled);
    *n = (uint64_t)rounded;
  }
  rational_clear(&scaled);
}

void survival_scale(struct survival *z, const struct survival *x, const struct rational *factor) {
  survival_require_alike(x, z);
  if (rational_sign(factor) < 0)
    bug("a negative factor of a latency");
  uint64_t n, d;
  fraction_of(&n, &d, z->side, factor);
  uint64_t infinity = survival_infinity(x);
  struct survival result;
  survival_init_side(&result, &x->grid, x->side);
  for (size_t k = 0; k < grid_count(&x->grid); k++) {
    result.tail[k] = infinity;
    uint64_t v = survival_threshold(x, k);
    if (n == 0 || v == UINT64_MAX)
      continue;
    /* P(x n/d > v) = P(x > floor(v d/n)) for a whole x; on the lower side x n/d is to reach v + 1:
     * P(x >= (v + 1) d/n). */
    uint128 bound = z->side == SIDE_UPPER ? (uint128)v * d : ((uint128)v + 1) * d - 1;
    bound /= n;
    if (bound <= UINT64_MAX)
      result.tail[k] = survival_tail(x, (uint64_t)bound);
  }
  survival_set(z, &result);
  survival_clear(&result);
}
