/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/sum.h"

#include <string.h>

#include "base/memory.h"
#include "dist/survival/convolve.h"

/* One operand while the octaves are walked: masses in units of 2^-61 at multiples of 2^octave.
 * upto[m] for m <= 2B holds what lies in this octave or below it; upto[0 .. B] came from below. */
struct operand {
  const struct survival *law;
  uint64_t *upto, *below, *own;
};

struct addition {
  struct operand x, y;
  bool square;
  size_t sub_count; /* B */
  uint128 *product; /* 4B + 1 masses in units of 2^-122 at multiples of 2^octave */
  uint128 *part;
  uint128 *mass; /* by point of the grid */
};

static uint64_t mass_at(const struct survival *s, size_t k) {
  return (k == 0 ? SURVIVAL_ONE : s->tail[k - 1]) - s->tail[k];
}

static void operand_init(struct operand *o, const struct survival *law, size_t sub_count) {
  o->law = law;
  o->upto = mem_alloc(2 * sub_count + 1, sizeof *o->upto);
  o->below = mem_alloc(sub_count + 1, sizeof *o->below);
  o->own = mem_alloc(2 * sub_count + 1, sizeof *o->own);
}

static void operand_clear(struct operand *o) {
  mem_free(o->upto);
  mem_free(o->below);
  mem_free(o->own);
}

/* Octave 0 has everything up to 2B as its own. */
static void operand_start(struct operand *o, size_t sub_count) {
  for (size_t k = 0; k <= 2 * sub_count; k++)
    o->upto[k] = o->own[k] = mass_at(o->law, k);
}

/* Moves the masses up to the next octave's multiples and takes in that octave's own. */
static void operand_step(struct operand *o, unsigned octave, size_t sub_count) {
  memset(o->below, 0, (sub_count + 1) * sizeof *o->below);
  for (size_t m = 0; m <= 2 * sub_count; m++)
    o->below[(m + 1) / 2] += o->upto[m];
  memcpy(o->upto, o->below, (sub_count + 1) * sizeof *o->below);
  memset(o->own, 0, (2 * sub_count + 1) * sizeof *o->own);
  for (size_t m = sub_count + 1; m <= 2 * sub_count; m++)
    o->upto[m] = o->own[m] = mass_at(o->law, octave * sub_count + m);
}

/* product += the convolution of a and b, both indexed from 0 and trimmed here. */
static void add_product(struct addition *z, const uint64_t *a, size_t a_count, const uint64_t *b,
                        size_t b_count) {
  size_t a_first = 0, b_first = 0;
  while (a_count > 0 && a[a_count - 1] == 0)
    a_count--;
  while (b_count > 0 && b[b_count - 1] == 0)
    b_count--;
  if (a_count == 0 || b_count == 0)
    return;
  while (a[a_first] == 0)
    a_first++;
  while (b[b_first] == 0)
    b_first++;
  convolve_exact(z->part, a + a_first, a_count - a_first, b + b_first, b_count - b_first);
  size_t first = a_first + b_first;
  for (size_t m = first; m < a_count + b_count - 1; m++)
    z->product[m] += z->part[m - first];
}

/* Puts the products, multiples of 2^octave, at the least points of the grid not below them. */
static void deposit(struct addition *z, unsigned octave, bool is_last) {
  size_t sub_count = z->sub_count;
  for (size_t m = 0; m <= 2 * sub_count; m++)
    z->mass[octave * sub_count + m] += z->product[m];
  for (size_t m = 2 * sub_count + 1; !is_last && m <= 4 * sub_count; m++)
    z->mass[(octave + 1) * sub_count + (m + 1) / 2] += z->product[m];
}

/* All pairs whose larger member lies in this octave. */
static void multiply_octave(struct addition *z, unsigned octave) {
  size_t sub_count = z->sub_count;
  memset(z->product, 0, (4 * sub_count + 1) * sizeof *z->product);
  if (octave == 0) {
    add_product(z, z->x.own, 2 * sub_count + 1, z->y.own, 2 * sub_count + 1);
    return;
  }
  if (!z->square) {
    add_product(z, z->x.own, 2 * sub_count + 1, z->y.upto, 2 * sub_count + 1);
    add_product(z, z->x.below, sub_count + 1, z->y.own, 2 * sub_count + 1);
    return;
  }
  /* own * own + 2 own * below; at most 2^61 * 2^62 in all. */
  for (size_t m = 0; m <= sub_count; m++)
    z->x.upto[m] += z->x.below[m];
  add_product(z, z->x.own, 2 * sub_count + 1, z->x.upto, 2 * sub_count + 1);
  for (size_t m = 0; m <= sub_count; m++)
    z->x.upto[m] = z->x.below[m];
}

/* The exact tail, 2^122 less what has been passed, rounded up to units of 2^-61. */
static void finish(struct survival *s, const struct addition *z) {
  uint128 tail = (uint128)1 << (2 * SURVIVAL_BITS);
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    tail -= z->mass[k];
    s->tail[k] = (uint64_t)((tail + (SURVIVAL_ONE - 1)) >> SURVIVAL_BITS);
  }
}

void survival_add(struct survival *z, const struct survival *x, const struct survival *y) {
  if (!grid_equal(&x->grid, &y->grid) || !grid_equal(&x->grid, &z->grid))
    bug("survivals on different grids");
  struct addition a = {.sub_count = (size_t)1 << x->grid.sub_bits, .square = x->tail == y->tail};
  operand_init(&a.x, x, a.sub_count);
  operand_init(&a.y, y, a.sub_count);
  a.product = mem_alloc(4 * a.sub_count + 1, sizeof *a.product);
  a.part = mem_alloc(4 * a.sub_count + 1, sizeof *a.part);
  a.mass = mem_alloc(grid_count(&x->grid), sizeof *a.mass);
  for (unsigned octave = 0; octave < x->grid.octaves; octave++) {
    if (octave == 0) {
      operand_start(&a.x, a.sub_count);
      operand_start(&a.y, a.sub_count);
    } else {
      operand_step(&a.x, octave, a.sub_count);
      operand_step(&a.y, octave, a.sub_count);
    }
    multiply_octave(&a, octave);
    deposit(&a, octave, octave + 1 == x->grid.octaves);
  }
  finish(z, &a);
  mem_free(a.mass);
  mem_free(a.part);
  mem_free(a.product);
  operand_clear(&a.y);
  operand_clear(&a.x);
}

void survival_add_many(struct survival *z, const struct survival *x, uint64_t n) {
  struct survival power, sum;
  survival_init(&power, &x->grid);
  survival_init(&sum, &x->grid);
  survival_set(&power, x);
  bool empty = true;
  for (uint64_t rest = n; rest != 0; rest >>= 1) {
    if ((rest & 1) && empty)
      survival_set(&sum, &power);
    else if (rest & 1)
      survival_add(&sum, &sum, &power);
    empty = empty && !(rest & 1);
    if (rest > 1)
      survival_add(&power, &power, &power);
  }
  survival_set(z, &sum);
  survival_clear(&sum);
  survival_clear(&power);
}

unsigned sum_many_depth(uint64_t n) {
  if (n <= 1)
    return 0;
  unsigned bits = 64 - (unsigned)__builtin_clzll(n);
  return (n & (n - 1)) == 0 ? bits - 1 : bits;
}
