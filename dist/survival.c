/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival.h"

#include <string.h>

#include "base/memory.h"

void survival_init(struct survival *s, const struct grid *grid) {
  s->grid = *grid;
  s->tail = mem_alloc(grid_count(grid), sizeof *s->tail);
}

void survival_clear(struct survival *s) {
  mem_free(s->tail);
  s->tail = NULL;
}

void survival_set(struct survival *z, const struct survival *x) {
  if (!grid_equal(&z->grid, &x->grid))
    bug("survivals on different grids");
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

void survival_constant(struct survival *s, const struct rational *x_ns) {
  int64_t x;
  size_t count = grid_count(&s->grid);
  size_t first = count;
  if (rational_sign(x_ns) < 0)
    bug("a negative latency");
  if (rational_ceil(&x, x_ns))
    first = grid_index_upper(&s->grid, (uint64_t)x);
  for (size_t k = 0; k < count; k++)
    s->tail[k] = k < first ? SURVIVAL_ONE : 0;
}

bool survival_tail_of(uint64_t *tail, const struct rational *p) {
  struct rational one, rest;
  rational_init(&one);
  rational_init(&rest);
  rational_set_integer(&one, 1);
  bool good = rational_sign(p) >= 0 && rational_compare(p, &one) <= 0;
  if (good) {
    int64_t floor = 0;
    rational_sub(&rest, &one, p);
    rational_set_integer(&one, (int64_t)SURVIVAL_ONE);
    rational_mul(&rest, &rest, &one);
    good = rational_floor(&floor, &rest);
    *tail = (uint64_t)floor;
  }
  rational_clear(&one);
  rational_clear(&rest);
  return good;
}

bool survival_quantile_upper(uint64_t *x_ns, const struct survival *s, uint64_t tail) {
  size_t low = 0, high = grid_count(&s->grid);
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

uint64_t survival_tail_upper(const struct survival *s, uint64_t x_ns) {
  return s->tail[grid_index_lower(&s->grid, x_ns)];
}

uint64_t survival_infinity(const struct survival *s) {
  return s->tail[grid_count(&s->grid) - 1];
}

bool survival_dominates(const struct survival *x, const struct survival *y) {
  if (!grid_equal(&x->grid, &y->grid))
    bug("survivals on different grids");
  for (size_t k = 0; k < grid_count(&x->grid); k++)
    if (x->tail[k] < y->tail[k])
      return false;
  return true;
}

bool survival_equal(const struct survival *x, const struct survival *y) {
  return survival_dominates(x, y) && survival_dominates(y, x);
}
