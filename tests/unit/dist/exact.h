/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The oracle of the tests of dist/survival: discrete laws in exact rationals, combined by going
 * through all outcomes, and what a survival function may be beside one of them. It shares nothing
 * with the code under test but rational.h and the values of the grid's points.
 */
#ifndef TESTS_UNIT_DIST_EXACT_H
#define TESTS_UNIT_DIST_EXACT_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rational.h"
#include "dist/survival/survival.h"
#include "tests/unit/dist/random.h"

struct exact_atom {
  struct rational value, chance;
  bool infinite;
};

/* Finite atoms by increasing value, each once, then the infinite one if there is any. */
struct exact {
  struct exact_atom *atoms;
  size_t count, capacity;
};

static inline void exact_init(struct exact *law) {
  *law = (struct exact){0};
}

static inline void exact_clear(struct exact *law) {
  for (size_t i = 0; i < law->count; i++) {
    rational_clear(&law->atoms[i].value);
    rational_clear(&law->atoms[i].chance);
  }
  mem_free(law->atoms);
  exact_init(law);
}

static inline void exact_add(struct exact *law, const struct rational *value, bool infinite,
                             const struct rational *chance) {
  if (rational_sign(chance) == 0)
    return;
  if (law->count == law->capacity) {
    law->capacity = 2 * law->capacity + 4;
    law->atoms = mem_resize(law->atoms, law->capacity, sizeof *law->atoms);
  }
  struct exact_atom *atom = &law->atoms[law->count++];
  rational_init(&atom->value);
  rational_init(&atom->chance);
  if (!infinite)
    rational_set(&atom->value, value);
  rational_set(&atom->chance, chance);
  atom->infinite = infinite;
}

static inline int exact_compare(const struct exact_atom *a, const struct exact_atom *b) {
  if (a->infinite || b->infinite)
    return (int)a->infinite - (int)b->infinite;
  return rational_compare(&a->value, &b->value);
}

static inline int exact_compare_items(const void *a, const void *b) {
  return exact_compare(a, b);
}

static inline void exact_sort(struct exact *law) {
  if (law->count == 0)
    return;
  qsort(law->atoms, law->count, sizeof *law->atoms, exact_compare_items);
  size_t kept = 0;
  for (size_t i = 1; i < law->count; i++)
    if (exact_compare(&law->atoms[kept], &law->atoms[i]) == 0) {
      rational_add(&law->atoms[kept].chance, &law->atoms[kept].chance, &law->atoms[i].chance);
      rational_clear(&law->atoms[i].value);
      rational_clear(&law->atoms[i].chance);
    } else {
      law->atoms[++kept] = law->atoms[i];
    }
  law->count = kept + 1;
}

static inline void exact_move(struct exact *to, struct exact *from) {
  exact_clear(to);
  *to = *from;
  exact_init(from);
}

/* The value of one outcome: sets *value, or returns true for infinity. */
typedef bool exact_function(struct rational *value, const struct exact_atom *const *in,
                            size_t count, const void *context);

/* The law of function(X_1, ..., X_count) for independent X_i; z may be one of them. */
static inline void exact_apply(struct exact *z, const struct exact *const *laws, size_t count,
                               exact_function *function, const void *context) {
  size_t *at = mem_alloc(count, sizeof *at);
  const struct exact_atom **in = mem_alloc(count, sizeof *in);
  struct exact result;
  struct rational chance, value;
  exact_init(&result);
  rational_init(&chance);
  rational_init(&value);
  for (bool more = true; more;) {
    rational_set_integer(&chance, 1);
    for (size_t i = 0; i < count; i++) {
      in[i] = &laws[i]->atoms[at[i]];
      rational_mul(&chance, &chance, &in[i]->chance);
    }
    bool infinite = function(&value, in, count, context);
    exact_add(&result, &value, infinite, &chance);
    size_t i = 0;
    while (i < count && ++at[i] == laws[i]->count)
      at[i++] = 0;
    more = i < count;
  }
  exact_sort(&result);
  exact_move(z, &result);
  rational_clear(&value);
  rational_clear(&chance);
  mem_free(in);
  mem_free(at);
}

static inline bool exact_of_sum(struct rational *value, const struct exact_atom *const *in,
                                size_t count, const void *context) {
  (void)context;
  rational_set_integer(value, 0);
  for (size_t i = 0; i < count; i++) {
    if (in[i]->infinite)
      return true;
    rational_add(value, value, &in[i]->value);
  }
  return false;
}

/* context: the rank, a size_t. */
static inline bool exact_of_rank(struct rational *value, const struct exact_atom *const *in,
                                 size_t count, const void *context) {
  size_t rank = *(const size_t *)context;
  for (size_t i = 0; i < count; i++) {
    size_t before = 0; /* those that rank before this one */
    for (size_t j = 0; j < count; j++) {
      int order = exact_compare(in[j], in[i]);
      before += order < 0 || (order == 0 && j < i);
    }
    if (before + 1 != rank)
      continue;
    if (!in[i]->infinite)
      rational_set(value, &in[i]->value);
    return in[i]->infinite;
  }
  bug("no rank %zu of %zu", rank, count);
}

/* context: the limit. The first, or after it the limit and the second if there is one. */
static inline bool exact_of_timeout(struct rational *value, const struct exact_atom *const *in,
                                    size_t count, const void *context) {
  const struct rational *limit = context;
  if (!in[0]->infinite && rational_compare(&in[0]->value, limit) <= 0) {
    rational_set(value, &in[0]->value);
    return false;
  }
  if (count == 1 || in[1]->infinite)
    return true;
  rational_add(value, limit, &in[1]->value);
  return false;
}

static inline bool exact_of_scale(struct rational *value, const struct exact_atom *const *in,
                                  size_t count, const void *context) {
  (void)count;
  if (!in[0]->infinite)
    rational_mul(value, context, &in[0]->value);
  return in[0]->infinite;
}

static inline void exact_constant(struct exact *law, const struct rational *value) {
  struct rational one;
  rational_init(&one);
  rational_set_integer(&one, 1);
  struct exact made;
  exact_init(&made);
  exact_add(&made, value, false, &one);
  exact_move(law, &made);
  rational_clear(&one);
}

static inline void exact_never(struct exact *law) {
  struct rational one;
  rational_init(&one);
  rational_set_integer(&one, 1);
  struct exact made;
  exact_init(&made);
  exact_add(&made, &one, true, &one);
  exact_move(law, &made);
  rational_clear(&one);
}

/* z may be one of the laws. */
static inline void exact_mix(struct exact *z, const struct exact *const *laws,
                             const struct rational *chances, size_t count) {
  struct exact result;
  struct rational chance;
  exact_init(&result);
  rational_init(&chance);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < laws[i]->count; j++) {
      const struct exact_atom *atom = &laws[i]->atoms[j];
      rational_mul(&chance, &chances[i], &atom->chance);
      exact_add(&result, &atom->value, atom->infinite, &chance);
    }
  exact_sort(&result);
  exact_move(z, &result);
  rational_clear(&chance);
}

static inline void exact_cap(struct exact *z, const struct exact *x, const struct rational *cap) {
  struct exact constant;
  exact_init(&constant);
  exact_constant(&constant, cap);
  const size_t first = 1;
  exact_apply(z, (const struct exact *[]){x, &constant}, 2, exact_of_rank, &first);
  exact_clear(&constant);
}

static inline void exact_shift(struct exact *z, const struct exact *x, const struct rational *by) {
  struct exact constant;
  exact_init(&constant);
  exact_constant(&constant, by);
  exact_apply(z, (const struct exact *[]){x, &constant}, 2, exact_of_sum, NULL);
  exact_clear(&constant);
}

/* From the last attempt backwards, each with the pause before it; at the end the first pause is
 * taken back. */
static inline void exact_retry(struct exact *z, const struct exact *x, const struct rational *limit,
                               const struct rational *pause, uint64_t attempts, bool wait) {
  struct exact rest;
  exact_init(&rest);
  if (!wait)
    exact_apply(&rest, (const struct exact *[]){x}, 1, exact_of_timeout, limit);
  exact_shift(&rest, wait ? x : &rest, pause);
  for (uint64_t i = 1; i < attempts; i++) {
    exact_apply(&rest, (const struct exact *[]){x, &rest}, 2, exact_of_timeout, limit);
    exact_shift(&rest, &rest, pause);
  }
  struct rational back;
  rational_init(&back);
  rational_sub(&back, &back, pause);
  exact_shift(z, &rest, &back);
  rational_clear(&back);
  exact_clear(&rest);
}

/* Up to four atoms, of which one may be infinite: on the grid, between its points, at its ends and
 * beyond. */
static inline void random_exact(struct exact *law, struct random *random, const struct grid *grid) {
  struct rational value, chance;
  rational_init(&value);
  rational_init(&chance);
  exact_clear(law);
  size_t count = 1 + random_below(random, 4), points = grid_count(grid);
  uint64_t last = grid_value_ns(grid, points - 1), total = 0, weights[4];
  for (size_t i = 0; i < count; i++)
    total += weights[i] = 1 + random_below(random, random_below(random, 3) == 0 ? 1000 : 5);
  for (size_t i = 0; i < count; i++) {
    uint64_t x = 0;
    switch (random_below(random, 8)) {
    case 0: /* 0 */
      break;
    case 1:
      x = last + random_below(random, 3) - 1;
      break;
    case 2:
      x = random_below(random, last + last / 4);
      break;
    case 3:
      x = grid_value_ns(grid, random_below(random, points));
      break;
    default:
      x = random_below(random, 1 + last / 4);
    }
    rational_set_integer(&value, (int64_t)x);
    rational_set_fraction(&chance, (int64_t)weights[i], (int64_t)total);
    exact_add(law, &value, random_below(random, 12) == 0, &chance);
  }
  exact_sort(law);
  rational_clear(&chance);
  rational_clear(&value);
}

/* The law that a survival function is. */
static inline void exact_of_survival(struct exact *law, const struct survival *s) {
  struct rational value, chance;
  rational_init(&value);
  rational_init(&chance);
  exact_clear(law);
  uint64_t before = SURVIVAL_ONE;
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    rational_set_fraction(&chance, (int64_t)(before - s->tail[k]), (int64_t)SURVIVAL_ONE);
    rational_set_integer(&value, (int64_t)grid_value_ns(&s->grid, k));
    exact_add(law, &value, false, &chance);
    before = s->tail[k];
  }
  rational_set_fraction(&chance, (int64_t)before, (int64_t)SURVIVAL_ONE);
  exact_add(law, &value, true, &chance);
  rational_clear(&chance);
  rational_clear(&value);
}

/* The survival function of a law, each point rounded to its side. */
static inline void survival_of_exact(struct survival *s, const struct exact *law) {
  struct rational tail, scale, value;
  rational_init(&tail);
  rational_init(&scale);
  rational_init(&value);
  rational_set_integer(&scale, (int64_t)SURVIVAL_ONE);
  size_t count = grid_count(&s->grid), next = 0;
  rational_set_integer(&tail, (int64_t)SURVIVAL_ONE);
  for (size_t k = 0; k < count; k++) {
    bool up = s->side == SIDE_UPPER, is_last = k + 1 == count;
    rational_set_integer(&value, (int64_t)grid_value_ns(&s->grid, up || is_last ? k : k + 1));
    for (; next < law->count && !law->atoms[next].infinite; next++) {
      int order = rational_compare(&law->atoms[next].value, &value);
      if (up ? order > 0 : !is_last && order >= 0)
        break;
      struct rational mass;
      rational_init(&mass);
      rational_mul(&mass, &law->atoms[next].chance, &scale);
      rational_sub(&tail, &tail, &mass);
      rational_clear(&mass);
    }
    int64_t rounded = 0;
    bool fits = up ? rational_ceil(&rounded, &tail) : rational_floor(&rounded, &tail);
    if (!fits || rounded < 0)
      bug("a law that does not add up to 1");
    s->tail[k] = (uint64_t)rounded;
  }
  rational_clear(&value);
  rational_clear(&scale);
  rational_clear(&tail);
}

/* What is known of the way from a law to its bound: values may have been multiplied by `stretch`
 * and then increased by `offset` (on the lower side, below 1 and negative), and the tail may be off
 * by `units` of 10^-18 more. */
struct exact_slack {
  const struct rational *stretch; /* NULL: 1 */
  uint64_t units;
  const struct rational *offset; /* NULL: 0 */
};

/* Whether s bounds the law on its side, nowhere by more than the slack. On false *point is the
 * first grid point that shows it and *missed says whether it is no bound there. */
static inline bool exact_bounds(const struct survival *s, const struct exact *law,
                                struct exact_slack slack, size_t *point, bool *missed) {
  struct survival nearest, furthest;
  survival_init_side(&nearest, &s->grid, s->side);
  survival_init_side(&furthest, &s->grid, s->side);
  survival_of_exact(&nearest, law);
  struct exact stretched;
  exact_init(&stretched);
  struct rational one, zero;
  rational_init(&one);
  rational_init(&zero);
  rational_set_integer(&one, 1);
  if (slack.stretch != NULL || slack.offset != NULL) {
    exact_apply(&stretched, &law, 1, exact_of_scale, slack.stretch ? slack.stretch : &one);
    exact_shift(&stretched, &stretched, slack.offset ? slack.offset : &zero);
    survival_of_exact(&furthest, &stretched);
  } else {
    survival_set(&furthest, &nearest);
  }
  rational_clear(&zero);
  rational_clear(&one);
  exact_clear(&stretched);
  bool good = survival_is_valid(s);
  *missed = false;
  for (size_t k = 0; good && k < grid_count(&s->grid); k++) {
    *point = k;
    uint64_t tail = s->tail[k], far = furthest.tail[k];
    *missed = s->side == SIDE_UPPER ? tail < nearest.tail[k] : tail > nearest.tail[k];
    good =
        !*missed && (s->side == SIDE_UPPER ? tail <= far + slack.units : tail + slack.units >= far);
  }
  survival_clear(&furthest);
  survival_clear(&nearest);
  return good;
}

#endif
