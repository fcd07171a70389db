/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/survival.h"

#include <string.h>

#include "base/invariant.h"
#include "base/memory.h"

void survival_init(struct survival *s, const struct grid *grid) {
  survival_init_side(s, grid, SIDE_UPPER);
}

void survival_init_side(struct survival *s, const struct grid *grid, enum survival_side side) {
  s->grid = *grid;
  s->side = side;
  s->tail = mem_alloc(grid_count(grid), sizeof *s->tail);
}

void survival_clear(struct survival *s) {
  mem_free(s->tail);
  s->tail = NULL;
}

void survival_require_alike(const struct survival *x, const struct survival *y) {
  if (!grid_equal(&x->grid, &y->grid))
    bug("survivals on different grids");
  if (x->side != y->side)
    bug("an upper and a lower bound in one operation");
  invariant_costly(survival_is_valid(x) && survival_is_valid(y));
}

void survival_set(struct survival *z, const struct survival *x) {
  survival_require_alike(z, x);
  memmove(z->tail, x->tail, grid_count(&x->grid) * sizeof *x->tail);
}

bool survival_is_valid(const struct survival *s) {
  if (s->tail == NULL || !grid_is_valid(&s->grid))
    return false;
  uint64_t before = SURVIVAL_ONE;
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    if (s->tail[k] > before)
      return false;
    before = s->tail[k];
  }
  return true;
}

uint64_t survival_threshold(const struct survival *s, size_t k) {
  if (s->side == SIDE_UPPER)
    return grid_value_ns(&s->grid, k);
  return k + 1 < grid_count(&s->grid) ? grid_value_ns(&s->grid, k + 1) - 1 : UINT64_MAX;
}

uint64_t survival_whole(enum survival_side side, const struct rational *x_ns) {
  if (rational_sign(x_ns) < 0)
    bug("a negative latency");
  int64_t whole;
  bool fits = side == SIDE_UPPER ? rational_ceil(&whole, x_ns) : rational_floor(&whole, x_ns);
  return fits ? (uint64_t)whole : INT64_MAX;
}

void survival_constant(struct survival *s, const struct rational *x_ns) {
  uint64_t x = survival_whole(s->side, x_ns);
  for (size_t k = 0; k < grid_count(&s->grid); k++)
    s->tail[k] = survival_threshold(s, k) < x ? SURVIVAL_ONE : 0;
}

bool survival_tail_of(uint64_t *tail, const struct rational *p) {
  return survival_tail_of_side(tail, p, SIDE_UPPER);
}

bool survival_tail_of_side(uint64_t *tail, const struct rational *p, enum survival_side side) {
  struct rational one, rest;
  rational_init(&one);
  rational_init(&rest);
  rational_set_integer(&one, 1);
  bool good = rational_sign(p) >= 0 && rational_compare(p, &one) <= 0;
  if (good) {
    int64_t rounded = 0;
    rational_sub(&rest, &one, p);
    rational_set_integer(&one, (int64_t)SURVIVAL_ONE);
    rational_mul(&rest, &rest, &one);
    good = side == SIDE_UPPER ? rational_floor(&rounded, &rest) : rational_ceil(&rounded, &rest);
    *tail = (uint64_t)rounded;
  }
  rational_clear(&one);
  rational_clear(&rest);
  return good;
}

bool survival_quantile(uint64_t *x_ns, const struct survival *s, uint64_t tail) {
  size_t low = 0, high = grid_count(&s->grid);
  invariant_costly(survival_is_valid(s));
  if (s->tail[high - 1] > tail)
    return false;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->tail[middle] <= tail)
      high = middle;
    else
      low = middle + 1;
  }
  *x_ns = grid_value_ns(&s->grid, low);
  return true;
}

uint64_t survival_tail(const struct survival *s, uint64_t x_ns) {
  return s->tail[grid_index_lower(&s->grid, x_ns)];
}

uint64_t survival_infinity(const struct survival *s) {
  return s->tail[grid_count(&s->grid) - 1];
}

bool survival_dominates(const struct survival *x, const struct survival *y) {
  if (!grid_equal(&x->grid, &y->grid))
    bug("survivals on different grids");
  invariant_costly(survival_is_valid(x) && survival_is_valid(y));
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    if (x->tail[k] < y->tail[k])
      return false;
  return true;
}

bool survival_equal(const struct survival *x, const struct survival *y) {
  return survival_dominates(x, y) && survival_dominates(y, x);
}
