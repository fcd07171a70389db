/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How near bounds on the default grid are, on both sides:
 *
 * Against exact laws. Random sums, maxima and minima of laws with a few atoms on the grid, whose
 * exact law is counted out in integers. With at most n additions one after the other the upper
 * quantile is at most n/1024 above the exact one and never below, the lower one the reverse.
 *
 * Against simulation. Random expressions with up to ten additions, maxima, minima and order
 * statistics of lognormal laws are drawn many times. At each percentile the upper bound is not
 * below what the sampling error allows (five standard errors of the rank) and at most 1 % above.
 *
 *   accuracy [--cases N] [--expressions N] [--samples N]    (long: 2000, 8, 10000000)
 *
 * Prints TAP, and the worst of what was measured as a comment.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dist/survival/order.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/random.h"

enum { ADDITIONS = 10, ATOMS = 3, CHANCE_BITS = 3, PARTS = 3, GUIDE_BITS = 14, B = 1024 };
#define GUIDE_STEP (SURVIVAL_ONE >> GUIDE_BITS) /* exact */

/* --- exact laws ------------------------------------------------------------------------------- */

struct atom {
  uint64_t value, chance; /* in units of 2^-bits */
};

struct law {
  struct atom *atoms; /* by value, distinct */
  size_t count;
  unsigned bits;
};

struct pair {
  struct law law;
  struct survival bound[2]; /* by side */
  unsigned additions;       /* one after the other, at most */
  uint64_t units;           /* roundings of probabilities, at most */
};

static int compare_atoms(const void *a, const void *b) {
  const struct atom *x = a, *y = b;
  return x->value < y->value ? -1 : x->value > y->value;
}

static void sort_atoms(struct law *law) {
  size_t used = 0;
  qsort(law->atoms, law->count, sizeof *law->atoms, compare_atoms);
  for (size_t i = 0; i < law->count; i++)
    if (used > 0 && law->atoms[used - 1].value == law->atoms[i].value)
      law->atoms[used - 1].chance += law->atoms[i].chance;
    else
      law->atoms[used++] = law->atoms[i];
  law->count = used;
}

/* What is left of 1 beyond `gone` of it, rounded down to units of 10^-18. */
static uint64_t left_of(const struct law *law, uint64_t gone) {
  uint64_t left = (UINT64_C(1) << law->bits) - gone;
  return (uint64_t)(((uint128)left * SURVIVAL_ONE) >> law->bits);
}

static void bound_law(struct survival *s, const struct law *law) {
  uint64_t gone = 0;
  size_t i = 0;
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    for (; i < law->count && law->atoms[i].value <= grid_value_ns(&s->grid, k); i++)
      gone += law->atoms[i].chance;
    s->tail[k] = left_of(law, gone); /* exact for a leaf */
  }
}

static void pair_init(struct pair *p) {
  *p = (struct pair){0};
  survival_init_side(&p->bound[SIDE_UPPER], &grid_default, SIDE_UPPER);
  survival_init_side(&p->bound[SIDE_LOWER], &grid_default, SIDE_LOWER);
}

static void pair_clear(struct pair *p) {
  mem_free(p->law.atoms);
  survival_clear(&p->bound[SIDE_UPPER]);
  survival_clear(&p->bound[SIDE_LOWER]);
}

/* Points of the grid between 1 ns and some minutes, of like or of very different sizes. */
static void make_leaf(struct pair *z, struct random *random) {
  z->law = (struct law){mem_alloc(ATOMS, sizeof(struct atom)), ATOMS, CHANCE_BITS};
  size_t octaves = 1 + random_below(random, 26);
  uint64_t left = (1 << CHANCE_BITS) - ATOMS;
  for (size_t i = 0; i < ATOMS; i++) {
    uint64_t extra = i + 1 < ATOMS ? random_below(random, left + 1) : left;
    left -= extra;
    z->law.atoms[i].value = grid_value_ns(&grid_default, 1 + random_below(random, octaves * B));
    z->law.atoms[i].chance = 1 + extra;
  }
  sort_atoms(&z->law);
  bound_law(&z->bound[SIDE_UPPER], &z->law);
  bound_law(&z->bound[SIDE_LOWER], &z->law);
}

enum operation { ADD, MAX, MIN, KTH, LEAF };

static uint64_t apply(enum operation operation, uint64_t x, uint64_t y) {
  return operation == ADD ? x + y : (operation == MAX) == (x > y) ? x : y;
}

static void combine(struct pair *z, enum operation operation, const struct pair *x,
                    const struct pair *y) {
  z->law = (struct law){mem_alloc(x->law.count * y->law.count, sizeof(struct atom)), 0,
                        x->law.bits + y->law.bits};
  for (size_t i = 0; i < x->law.count; i++)
    for (size_t j = 0; j < y->law.count; j++)
      z->law.atoms[z->law.count++] =
          (struct atom){apply(operation, x->law.atoms[i].value, y->law.atoms[j].value),
                        x->law.atoms[i].chance * y->law.atoms[j].chance};
  sort_atoms(&z->law);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    if (operation == ADD)
      survival_add(&z->bound[side], &x->bound[side], &y->bound[side]);
    else if (operation == MAX)
      survival_max(&z->bound[side], &x->bound[side], &y->bound[side]);
    else
      survival_min(&z->bound[side], &x->bound[side], &y->bound[side]);
  }
  z->additions = (x->additions > y->additions ? x->additions : y->additions) + (operation == ADD);
  z->units = x->units + y->units + 2;
}

static void make_pair(struct pair *z, struct random *random, size_t leaves) {
  pair_init(z);
  if (leaves == 1) {
    make_leaf(z, random);
    return;
  }
  struct pair x, y;
  size_t left = random_below(random, 2) ? 1 : 1 + random_below(random, leaves - 1);
  uint64_t choice = random_below(random, 5);
  make_pair(&x, random, left);
  make_pair(&y, random, leaves - left);
  combine(z, choice == 0 ? MAX : choice == 1 ? MIN : ADD, &x, &y);
  pair_clear(&x);
  pair_clear(&y);
}

struct worst {
  double share; /* of the slack that is allowed */
};

/* At each atom: what lies above it, and what lies at it or above. */
static const char *judge(const struct pair *p, struct worst *worst) {
  uint64_t tail = SURVIVAL_ONE, gone = 0, n = p->additions, bound;
  const struct survival *upper = &p->bound[SIDE_UPPER], *lower = &p->bound[SIDE_LOWER];
  for (size_t i = 0; i < p->law.count; i++) {
    uint64_t value = p->law.atoms[i].value;
    /* Short of the atom's mass, a quantile is at it or above. */
    if (!survival_quantile(&bound, lower, tail - p->units - 1))
      return "the lower bound is infinite";
    if (bound * B < value * (B - n))
      return "the lower bound is too low";
    if (n > 0 && bound < value)
      worst->share = fmax(worst->share, (double)(value - bound) / (double)value * B / (double)n);
    gone += p->law.atoms[i].chance;
    tail = left_of(&p->law, gone);
    if (survival_quantile(&bound, upper, tail) && bound < value)
      return "the upper bound is none";
    if (!survival_quantile(&bound, lower, tail) || bound > value)
      return "the lower bound is none";
    if (!survival_quantile(&bound, upper, tail + p->units) || bound * B > value * (B + n))
      return "the upper bound is too high";
    if (n > 0 && bound > value)
      worst->share = fmax(worst->share, (double)(bound - value) / (double)value * B / (double)n);
  }
  return NULL;
}

static bool check_exact(uint64_t cases) {
  struct worst worst = {0};
  for (uint64_t seed = 0; seed < cases; seed++) {
    struct random random = {seed};
    struct pair p;
    make_pair(&p, &random, 2 + random_below(&random, ADDITIONS - 3));
    const char *wrong = judge(&p, &worst);
    pair_clear(&p);
    if (wrong != NULL) {
      printf("# case %" PRIu64 ": %s\n", seed, wrong);
      return false;
    }
  }
  printf("# slack at most %.2f of the n/%d allowed\n", worst.share, B);
  return true;
}

/* --- simulation ------------------------------------------------------------------------------- */

/* Two parts, but three of KTH, of which it takes the second; a leaf has its law. */
struct tree {
  enum operation operation;
  struct tree *parts[PARTS];
  struct survival bound;
  uint32_t *guide; /* of a leaf: where to begin a search, by the tail's first bits */
};

static size_t part_count(const struct tree *t) {
  return t->operation == LEAF ? 0 : t->operation == KTH ? 3 : 2;
}

/* Median 0.1 to 10 ms, sigma 0.3 to 1; finite. */
static void make_lognormal(struct tree *t, struct random *random) {
  struct survival *s = &t->bound;
  double median = 1e5 * pow(100, (double)random_below(random, 1000) / 1000);
  double sigma = 0.3 + 0.7 * (double)random_below(random, 1000) / 1000;
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    double x = (double)grid_value_ns(&s->grid, k) + 1;
    double tail = 0.5 * erfc(log(x / median) / (sigma * sqrt(2)));
    s->tail[k] = tail < 1e-9 ? 0 : (uint64_t)(tail * (double)SURVIVAL_ONE);
  }
  t->guide = mem_alloc((size_t)1 << GUIDE_BITS, sizeof *t->guide);
  size_t k = 0;
  for (size_t i = (size_t)1 << GUIDE_BITS; i-- > 0;) {
    while (s->tail[k] >= (i + 1) * GUIDE_STEP)
      k++;
    t->guide[i] = (uint32_t)k;
  }
}

/* The least point whose tail is at most a uniform number. */
static uint64_t draw_leaf(const struct tree *t, struct random *random) {
  uint64_t uniform = (uint64_t)(((uint128)random_next(random) * SURVIVAL_ONE) >> 64);
  size_t k = t->guide[uniform / GUIDE_STEP];
  while (t->bound.tail[k] > uniform)
    k++;
  return grid_value_ns(&t->bound.grid, k);
}

static uint64_t draw(const struct tree *t, struct random *random) {
  if (t->operation == LEAF)
    return draw_leaf(t, random);
  uint64_t x = draw(t->parts[0], random), y = draw(t->parts[1], random);
  if (t->operation != KTH)
    return apply(t->operation, x, y);
  uint64_t z = draw(t->parts[2], random), low = x < y ? x : y, high = x < y ? y : x;
  return z < low ? low : z > high ? high : z;
}

static void bound_tree(struct tree *t) {
  const struct survival *x = &t->parts[0]->bound, *y = &t->parts[1]->bound;
  if (t->operation == ADD)
    survival_add(&t->bound, x, y);
  else if (t->operation == MAX)
    survival_max(&t->bound, x, y);
  else if (t->operation == MIN)
    survival_min(&t->bound, x, y);
  else
    survival_kth(&t->bound, (struct copies[]){{x, 1}, {y, 1}, {&t->parts[2]->bound, 1}}, PARTS, 2);
}

static struct tree *make_tree(struct random *random, size_t additions) {
  static const enum operation operations[] = {ADD, ADD, ADD, ADD, MAX, MIN, KTH};
  struct tree *t = mem_alloc(1, sizeof *t);
  survival_init(&t->bound, &grid_default);
  t->operation = additions == 0 ? LEAF : operations[random_below(random, 7)];
  if (t->operation == LEAF) {
    make_lognormal(t, random);
    return t;
  }
  size_t left = additions - (t->operation == ADD), count = part_count(t);
  for (size_t i = 0; i < count; i++) {
    size_t share = i + 1 == count ? left : random_below(random, left + 1);
    /* One that kept them all could go on for ever. */
    if (t->operation != ADD && share == additions)
      share--;
    t->parts[i] = make_tree(random, share);
    left -= share;
  }
  bound_tree(t);
  return t;
}

static void free_tree(struct tree *t) {
  for (size_t i = 0; i < part_count(t); i++)
    free_tree(t->parts[i]);
  survival_clear(&t->bound);
  mem_free(t->guide);
  mem_free(t);
}

static int compare_numbers(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static const char *judge_tree(const struct tree *t, const uint64_t *sorted, size_t count,
                              double *worst) {
  static const int64_t per_myriad[] = {5000, 9000, 9900, 9990, 9999};
  for (size_t i = 0; i < sizeof per_myriad / sizeof *per_myriad; i++) {
    double p = (double)per_myriad[i] / 1e4, error = 5 * sqrt((double)count * p * (1 - p));
    double rank = p * (double)count;
    size_t below = (size_t)(rank - error) - 1, above = (size_t)(rank + error) + 1;
    uint64_t tail, bound;
    struct rational exact;
    rational_init(&exact);
    rational_set_fraction(&exact, per_myriad[i], 10000);
    bool is_known = survival_tail_of(&tail, &exact) && survival_quantile(&bound, &t->bound, tail);
    rational_clear(&exact);
    if (!is_known || bound < sorted[below])
      return is_known ? "below what was drawn" : "infinite";
    if (above < count && (double)bound > 1.01 * (double)sorted[above])
      return "more than 1 % above what was drawn";
    *worst = fmax(*worst, (double)bound / (double)sorted[(size_t)rank] - 1);
  }
  return NULL;
}

static bool check_simulated(uint64_t expressions, size_t samples) {
  uint64_t *drawn = mem_alloc(samples, sizeof *drawn);
  double worst = 0;
  const char *wrong = NULL;
  for (uint64_t seed = 0; seed < expressions && wrong == NULL; seed++) {
    struct random random = {seed};
    struct tree *t = make_tree(&random, 1 + seed % ADDITIONS);
    for (size_t i = 0; i < samples; i++)
      drawn[i] = draw(t, &random);
    qsort(drawn, samples, sizeof *drawn, compare_numbers);
    wrong = judge_tree(t, drawn, samples, &worst);
    if (wrong != NULL)
      printf("# expression %" PRIu64 ": %s\n", seed, wrong);
    free_tree(t);
  }
  printf("# at most %.2f %% above the quantile of %zu draws, error of drawing included\n",
         100 * worst, samples);
  mem_free(drawn);
  return wrong == NULL;
}

int main(int argc, char **argv) {
  uint64_t cases = 40, expressions = 10, samples = 200000;
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t *number = strcmp(argv[i], "--cases") == 0         ? &cases
                       : strcmp(argv[i], "--expressions") == 0 ? &expressions
                       : strcmp(argv[i], "--samples") == 0     ? &samples
                                                               : NULL;
    char *end;
    if (number == NULL || (*number = strtoull(argv[i + 1], &end, 10), *end != '\0')) {
      fprintf(stderr, "usage: accuracy [--cases N] [--expressions N] [--samples N]\n");
      return 64;
    }
  }
  bool exact = check_exact(cases), simulated = check_simulated(expressions, samples);
  printf("%s 1 - bounds are within n/%d of %" PRIu64 " exact laws\n", exact ? "ok" : "not ok", B,
         cases);
  printf("%s 2 - bounds are within 1 %% of %" PRIu64 " simulations\n1..2\n",
         simulated ? "ok" : "not ok", expressions);
  return exact && simulated ? 0 : 1;
}
