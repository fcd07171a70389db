/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/combine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "dist/survival/wide.h"

static void require_same_grid(const struct survival *x, const struct survival *y) {
  if (!grid_equal(&x->grid, &y->grid))
    bug("survivals on different grids");
}

/* 1 - (1 - x)(1 - y), rounded up. */
static uint64_t either(uint64_t x, uint64_t y) {
  return x + y - (uint64_t)(((uint128)x * y) >> SURVIVAL_BITS);
}

void survival_max(struct survival *z, const struct survival *x, const struct survival *y) {
  require_same_grid(x, y);
  require_same_grid(x, z);
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    z->tail[k] = either(x->tail[k], y->tail[k]);
}

static uint64_t either_many(uint64_t x, uint64_t n) {
  uint64_t result = 0;
  for (; n != 0; n >>= 1) {
    if (n & 1)
      result = either(result, x);
    x = either(x, x);
  }
  return result;
}

void survival_max_many(struct survival *z, const struct survival *x, uint64_t n) {
  require_same_grid(x, z);
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    z->tail[k] = either_many(x->tail[k], n);
}

void survival_join(struct survival *z, const struct survival *x, const struct survival *y) {
  require_same_grid(x, y);
  require_same_grid(x, z);
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    z->tail[k] = x->tail[k] > y->tail[k] ? x->tail[k] : y->tail[k];
}

void survival_shift(struct survival *z, const struct survival *x,
                    const struct rational *constant_ns) {
  require_same_grid(x, z);
  if (rational_sign(constant_ns) < 0)
    bug("a negative latency");
  int64_t rounded;
  uint64_t shift = rational_ceil(&rounded, constant_ns) ? (uint64_t)rounded : UINT64_MAX;
  /* P(x + shift > v) = P(x > v - shift). Downwards, so that z may be x. */
  for (size_t k = grid_count(&x->grid); k-- > 0;) {
    uint64_t value = grid_value_ns(&x->grid, k);
    z->tail[k] = value < shift ? SURVIVAL_ONE : survival_tail(x, value - shift);
  }
}

/* *n / *d >= x, exactly x when both parts fit. False: larger than any latency. */
static bool fraction_upper(uint64_t *n, uint64_t *d, const struct rational *x) {
  struct text text;
  text_init(&text);
  rational_print(&text, x);
  char *end;
  errno = 0;
  *n = strtoull(text_get(&text), &end, 10);
  *d = *end == '/' ? strtoull(end + 1, NULL, 10) : 1;
  bool exact = errno == 0 && *n <= INT64_MAX && *d <= INT64_MAX;
  text_clear(&text);
  if (exact)
    return true;
  struct rational scaled;
  rational_init(&scaled);
  int64_t rounded = 0;
  *d = UINT64_C(1) << 32;
  rational_set_integer(&scaled, (int64_t)*d);
  rational_mul(&scaled, &scaled, x);
  bool fits = rational_ceil(&rounded, &scaled);
  *n = (uint64_t)rounded;
  rational_clear(&scaled);
  return fits;
}

void survival_scale(struct survival *z, const struct survival *x, const struct rational *factor) {
  require_same_grid(x, z);
  if (rational_sign(factor) < 0)
    bug("a negative factor of a latency");
  uint64_t n, d;
  if (!fraction_upper(&n, &d, factor)) {
    /* Only 0 stays finite. */
    uint64_t positive = x->tail[0];
    for (size_t k = 0; k < grid_count(&z->grid); k++)
      z->tail[k] = positive;
    return;
  }
  struct survival result;
  survival_init(&result, &x->grid);
  uint64_t infinity = survival_infinity(x);
  for (size_t k = 0; k < grid_count(&x->grid); k++) {
    /* P(x n/d > v) = P(x > v d/n), and whole numbers exceed v d/n when they exceed its floor. */
    uint128 bound = n == 0 ? 0 : (uint128)grid_value_ns(&x->grid, k) * d / n;
    bool beyond = n == 0 || bound > UINT64_MAX;
    result.tail[k] = beyond ? infinity : survival_tail(x, (uint64_t)bound);
  }
  survival_set(z, &result);
  survival_clear(&result);
}
