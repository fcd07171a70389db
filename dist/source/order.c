/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/order.h"

#include <math.h>

#include "base/memory.h"

uint64_t order_level(size_t i) {
  enum { FIRST = 3, FIVES = 20, ONES = 29 };
  static const uint64_t first[FIRST] = {1000, 2000, 5000};
  if (i < FIRST)
    return first[i];
  if (i < FIVES)
    return 10000 + 5000 * (uint64_t)(i - FIRST);
  if (i < ONES)
    return 91000 + 1000 * (uint64_t)(i - FIVES);
  if (i >= ORDER_LEVELS)
    bug("a level that there is not");
  uint64_t left = 1000;
  for (i -= ONES; i >= 9; i -= 9)
    left /= 10;
  return ORDER_PARTS - left + left / 10 * (uint64_t)(i + 1);
}

static void set(struct order_worth *worth, uint64_t real) {
  *worth = (struct order_worth){real, real, true};
}

void order_set_independent(struct source_order *order, uint64_t real) {
  set(&order->all, real);
  for (size_t i = 0; i < ORDER_LEVELS; i++)
    set(&order->at[i], real);
}

/* Rounded down. */
static uint64_t joined(uint64_t worth, uint64_t n, uint64_t other, uint64_t m) {
  if (worth == n && other == m)
    return n + m;
  double a = (double)n, b = (double)m, all = a + b;
  double found = floor(all * all / (a * a / (double)worth + b * b / (double)other) * (1 - 0x1p-50));
  return found < 1 ? 1 : found >= all ? n + m : (uint64_t)found;
}

static void join(struct order_worth *worth, uint64_t n, const struct order_worth *other,
                 uint64_t m) {
  worth->upper = joined(worth->upper, n, other->upper, m);
  worth->lower = joined(worth->lower, n, other->lower, m);
  worth->settled = worth->settled && other->settled;
}

void order_join(struct source_order *order, uint64_t n, const struct source_order *other,
                uint64_t m) {
  join(&order->all, n, &other->all, m);
  for (size_t i = 0; i < ORDER_LEVELS; i++)
    join(&order->at[i], n, &other->at[i], m);
}
