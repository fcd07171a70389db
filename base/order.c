/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/order.h"

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
  *worth = (struct order_worth){.upper = real, .lower = real, .settled = true};
}

void order_set_independent(struct source_order *order, uint64_t real) {
  set(&order->all, real);
  order->wanders = false;
  for (size_t i = 0; i < ORDER_LEVELS; i++)
    set(&order->at[i], real);
}

typedef unsigned __int128 wide;

enum { PARTS = 20 };                            /* bits */
static const uint64_t square_fits = 1ULL << 53; /* below, 2^20 times the square has 126 bits */
static const wide spread_most = (wide)1 << 126;

/* Of numbers that no machine counts to, to the 2^20th part of n / worth. */
static wide spread_of(uint64_t n, uint64_t worth) {
  if (n < square_fits)
    return ((wide)n * n << PARTS) / worth;
  wide ratio = ((wide)n << PARTS) / worth;
  return ratio > spread_most / n ? spread_most : ratio * n;
}

static wide sum(wide a, wide b) {
  return a > spread_most - b ? spread_most : a + b;
}

/* Rounded down; at least 1. */
static uint64_t worth_of(uint64_t n, wide spread) {
  wide worth = n < square_fits ? ((wide)n * n << PARTS) / spread : n / (spread / n >> PARTS);
  return worth < 1 ? 1 : worth > n ? n : (uint64_t)worth;
}

static struct order_spread spread_at(const struct order_worth *worth, uint64_t n) {
  return worth->spread.upper != 0
             ? worth->spread
             : (struct order_spread){spread_of(n, worth->upper), spread_of(n, worth->lower)};
}

static void join(struct order_worth *worth, uint64_t n, const struct order_worth *other,
                 uint64_t m) {
  struct order_spread a = spread_at(worth, n), b = spread_at(other, m);
  worth->spread = (struct order_spread){sum(a.upper, b.upper), sum(a.lower, b.lower)};
  worth->upper = worth_of(n + m, worth->spread.upper);
  worth->lower = worth_of(n + m, worth->spread.lower);
  worth->settled = worth->settled && other->settled;
}

void order_join(struct source_order *order, uint64_t n, const struct source_order *other,
                uint64_t m) {
  join(&order->all, n, &other->all, m);
  order->wanders = order->wanders || other->wanders;
  for (size_t i = 0; i < ORDER_LEVELS; i++)
    join(&order->at[i], n, &other->at[i], m);
}

void order_unsettle(struct source_order *order) {
  order->all.settled = false;
  for (size_t i = 0; i < ORDER_LEVELS; i++)
    order->at[i].settled = false;
}
