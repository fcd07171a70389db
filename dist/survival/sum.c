/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/survival/sum.h"

#include <string.h>

#include "base/memory.h"
#include "dist/survival/convolve.h"
#include "dist/survival/transform.h"

/* One operand while the octaves are walked: masses in units of 10^-18 at multiples of 2^octave.
 * upto[m] for m <= 2B holds what lies in this octave or below it; upto[0 .. B] came from below. */
struct sum_operand {
  const struct survival *law;
  uint64_t *upto, *below, *own;
};

struct addition {
  struct sum_operand x, y;
  bool square;
  size_t sub_count;  /* B */
  size_t odd;        /* what is added to a multiple before it is halved: 1 moves up, 0 down */
  uint128 *product;  /* 4B + 1 masses in units of 10^-36 at multiples of 2^octave */
  size_t first, end; /* of it, outside of which it is 0 */
  uint128 *part;
  uint128 *mass; /* by point of the grid */
  size_t mass_first, mass_end;
};

static uint64_t mass_at(const struct survival *s, size_t k) {
  return (k == 0 ? SURVIVAL_ONE : s->tail[k - 1]) - s->tail[k];
}

static void operand_init(struct sum_operand *o, const struct survival *law, size_t sub_count) {
  o->law = law;
  o->upto = mem_alloc(2 * sub_count + 1, sizeof *o->upto);
  o->below = mem_alloc(sub_count + 1, sizeof *o->below);
  o->own = mem_alloc(2 * sub_count + 1, sizeof *o->own);
}

static void operand_clear(struct sum_operand *o) {
  mem_free(o->upto);
  mem_free(o->below);
  mem_free(o->own);
}

/* Octave 0 has everything up to 2B as its own. */
static void operand_start(struct sum_operand *o, size_t sub_count) {
  for (size_t k = 0; k <= 2 * sub_count; k++)
    o->upto[k] = o->own[k] = mass_at(o->law, k);
}

/* Moves the masses to the next octave's multiples and takes in that octave's own. */
static void operand_step(struct sum_operand *o, unsigned octave, const struct addition *z) {
  size_t sub_count = z->sub_count, odd = z->odd;
  const uint64_t *tail = o->law->tail + octave * sub_count;
  for (size_t m = odd; m < sub_count + odd; m++)
    o->below[m] = o->upto[2 * m - odd] + o->upto[2 * m - odd + 1];
  size_t alone = odd ? 0 : sub_count; /* of the others, pairs meet */
  o->below[alone] = o->upto[2 * alone];
  memcpy(o->upto, o->below, (sub_count + 1) * sizeof *o->below);
  memset(o->own, 0, (sub_count + 1) * sizeof *o->own);
  for (size_t m = sub_count + 1; m <= 2 * sub_count; m++)
    o->upto[m] = o->own[m] = tail[m - 1] - tail[m];
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
  size_t first = a_first + b_first, end = a_count + b_count - 1;
  for (size_t m = first; m < end; m++)
    z->product[m] += z->part[m - first];
  z->first = first < z->first ? first : z->first;
  z->end = end > z->end ? end : z->end;
}

/* Puts the products, multiples of 2^octave, at the nearest points of the grid on their side. What
 * lies beyond the last octave is infinite on the upper side, at the last point on the lower. */
static void deposit(struct addition *z, unsigned octave, bool is_last) {
  size_t sub_count = z->sub_count, m = z->first;
  for (; m < z->end && m <= 2 * sub_count; m++)
    z->mass[octave * sub_count + m] += z->product[m];
  for (; m < z->end; m++)
    if (!is_last)
      z->mass[(octave + 1) * sub_count + (m + z->odd) / 2] += z->product[m];
    else if (z->x.law->side == SIDE_LOWER)
      z->mass[octave * sub_count + 2 * sub_count] += z->product[m];
  if (z->first < z->end) {
    size_t from = octave * sub_count + (z->first < 2 * sub_count ? z->first : 2 * sub_count);
    size_t to = (octave + 1) * sub_count + (z->end > 2 * sub_count ? z->end / 2 : sub_count) + 1;
    z->mass_first = from < z->mass_first ? from : z->mass_first;
    z->mass_end = to > z->mass_end ? to : z->mass_end;
    memset(z->product + z->first, 0, (z->end - z->first) * sizeof *z->product);
  }
  z->first = SIZE_MAX;
  z->end = 0;
}

/* All pairs whose larger member lies in this octave. */
static void multiply_octave(struct addition *z, unsigned octave) {
  size_t sub_count = z->sub_count;
  if (octave == 0) {
    add_product(z, z->x.own, 2 * sub_count + 1, z->y.own, 2 * sub_count + 1);
    return;
  }
  if (!z->square) {
    add_product(z, z->x.own, 2 * sub_count + 1, z->y.upto, 2 * sub_count + 1);
    add_product(z, z->x.below, sub_count + 1, z->y.own, 2 * sub_count + 1);
    return;
  }
  /* own * own + 2 own * below; at most 2 10^36 in all. */
  for (size_t m = 0; m <= sub_count; m++)
    z->x.upto[m] += z->x.below[m];
  add_product(z, z->x.own, 2 * sub_count + 1, z->x.upto, 2 * sub_count + 1);
  for (size_t m = 0; m <= sub_count; m++)
    z->x.upto[m] = z->x.below[m];
}

/* The exact tail, 10^36 less what has been passed, rounded to units of 10^-18. All mass lies in
 * [first, end): the rest of a large array is never touched, so the system need not provide it. */
static void finish(struct survival *s, const uint128 *mass, size_t first, size_t end) {
  uint128 tail = (uint128)SURVIVAL_ONE * SURVIVAL_ONE;
  size_t count = grid_count(&s->grid), k = 0;
  for (; k < first && k < count; k++)
    s->tail[k] = SURVIVAL_ONE;
  for (; k < end && k < count; k++) {
    tail -= mass[k];
    s->tail[k] = survival_reduce(s->side, tail);
  }
  uint64_t rest = survival_reduce(s->side, tail);
  for (; k < count; k++)
    s->tail[k] = rest;
}

static void add_octaves(struct survival *z, const struct survival *x, const struct survival *y) {
  struct addition a = {.sub_count = (size_t)1 << x->grid.sub_bits,
                       .square = x->tail == y->tail,
                       .odd = x->side == SIDE_UPPER,
                       .first = SIZE_MAX,
                       .mass_first = SIZE_MAX};
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
      operand_step(&a.x, octave, &a);
      operand_step(&a.y, octave, &a);
    }
    multiply_octave(&a, octave);
    deposit(&a, octave, octave + 1 == x->grid.octaves);
  }
  finish(z, a.mass, a.mass_first, a.mass_end);
  mem_free(a.mass);
  mem_free(a.part);
  mem_free(a.product);
  operand_clear(&a.y);
  operand_clear(&a.x);
}

/* The masses of a law on a linear grid between its first and its last atom. */
struct sum_support {
  size_t first, count;
  uint64_t *mass; /* owned */
};

static void support_init(struct sum_support *support, const struct survival *s) {
  size_t count = grid_count(&s->grid), first = 0;
  while (count > 0 && mass_at(s, count - 1) == 0)
    count--;
  while (first < count && mass_at(s, first) == 0)
    first++;
  *support = (struct sum_support){.first = first, .count = count - first};
  support->mass = mem_alloc(support->count, sizeof *support->mass);
  for (size_t k = 0; k < support->count; k++)
    support->mass[k] = mass_at(s, first + k);
}

/* mass[base + k] += (a b)[k] for base + k < count. */
static void add_block(uint128 *mass, size_t count, size_t base, uint128 *part, const uint64_t *a,
                      size_t a_count, const uint64_t *b, size_t b_count) {
  if (base >= count)
    return;
  size_t room = count - base; /* later items only reach points that do not exist */
  a_count = a_count < room ? a_count : room;
  b_count = b_count < room ? b_count : room;
  convolve_exact(part, a, a_count, b, b_count);
  for (size_t k = 0; k < a_count + b_count - 1 && k < room; k++)
    mass[base + k] += part[k];
}

/* A linear grid holds all sums of its points, so the law is exact but for its rounding; only what
 * lies beyond the last point moves. In blocks that the transform can take. */
static void add_linear(struct survival *z, const struct survival *x, const struct survival *y) {
  const size_t most = TRANSFORM_LENGTH_MAX / 2;
  size_t count = grid_count(&x->grid);
  struct sum_support a, b;
  support_init(&a, x);
  support_init(&b, y);
  size_t longest = (a.count < most ? a.count : most) + (b.count < most ? b.count : most);
  uint128 *part = mem_alloc(longest, sizeof *part);
  uint128 *mass = mem_alloc(count, sizeof *mass);
  for (size_t i = 0; i < a.count; i += most)
    for (size_t j = 0; j < b.count; j += most) {
      size_t a_count = a.count - i < most ? a.count - i : most;
      size_t b_count = b.count - j < most ? b.count - j : most;
      bool same = x->tail == y->tail && i == j;
      add_block(mass, count, a.first + i + b.first + j, part, a.mass + i, a_count,
                same ? a.mass + i : b.mass + j, b_count);
    }
  uint64_t infinity_x = survival_infinity(x), infinity_y = survival_infinity(y);
  finish(z, mass, 0, grid_count(&z->grid));
  if (z->side == SIDE_LOWER) /* finite beyond the last point is at it */
    z->tail[count - 1] =
        infinity_x + infinity_y - survival_product(SIDE_UPPER, infinity_x, infinity_y);
  mem_free(mass);
  mem_free(part);
  mem_free(b.mass);
  mem_free(a.mass);
}

void survival_add(struct survival *z, const struct survival *x, const struct survival *y) {
  survival_require_alike(x, y);
  survival_require_alike(x, z);
  if (grid_is_linear(&x->grid))
    add_linear(z, x, y);
  else
    add_octaves(z, x, y);
}

void survival_add_many(struct survival *z, const struct survival *x, uint64_t n) {
  struct survival power, sum;
  survival_init_side(&power, &x->grid, x->side);
  survival_init_side(&sum, &x->grid, x->side);
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
