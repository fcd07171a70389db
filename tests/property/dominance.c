/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dominance against exact rationals: random expressions over all operations of dist/survival, each
 * computed on both sides of a small grid and, by going through all outcomes, exactly. At every node
 * and every grid point the upper bound is at least the exact tail and the lower one at most that;
 * both are survival functions; and where nothing jumps, values are off by no more than their
 * roundings: by a factor 1 + 1/B for each on the log-linear grid, by a step for each draw on the
 * linear one.
 *
 *   dominance [--cases N] [--first SEED]        (N: 1500; the long run: 100000)
 *
 * Prints TAP. A failure names seed and expression.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "dist/survival/combine.h"
#include "dist/survival/order.h"
#include "dist/survival/regrid.h"
#include "dist/survival/retry.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/exact.h"

enum { CASES = 1500, DEPTH = 3, ATOMS = 400, PARTS = 3 };

/* A law in all three forms, and how far the bounds may be from it. */
struct node {
  struct survival bound[2]; /* by side */
  struct exact law;
  struct text text;
  bool close;     /* the rest is meant */
  unsigned depth; /* roundings of values in a row */
  uint64_t steps; /* roundings of values in all draws that are added up */
  uint64_t units;
};

struct run {
  struct random random;
  const struct grid *grid;
  size_t nodes;
  struct text failure;
};

static const struct grid grids[] = {
    {.sub_bits = 2, .octaves = 6}, {.sub_bits = 3, .octaves = 6}, {.sub_bits = 6, .octaves = 3},
    {.shift = 0, .points = 150},   {.shift = 4, .points = 60},
};
enum { GRIDS = sizeof grids / sizeof *grids };

static void node_init(struct node *n, const struct grid *grid) {
  *n = (struct node){.close = true};
  survival_init_side(&n->bound[SIDE_UPPER], grid, SIDE_UPPER);
  survival_init_side(&n->bound[SIDE_LOWER], grid, SIDE_LOWER);
}

static void node_clear(struct node *n) {
  survival_clear(&n->bound[SIDE_UPPER]);
  survival_clear(&n->bound[SIDE_LOWER]);
  exact_clear(&n->law);
  text_clear(&n->text);
}

static void fail(struct run *run, const struct node *n, const char *what, size_t point) {
  if (run->failure.length == 0)
    text_format(&run->failure, "%s at point %zu of grid %zu: %s", what, point,
                (size_t)(run->grid - grids), text_get(&n->text));
}

static void judge(struct run *run, const struct node *n) {
  static const char *const names[] = {"upper", "lower"};
  bool linear = grid_is_linear(run->grid);
  struct rational stretch, step, offset;
  rational_init(&stretch);
  rational_init(&step);
  rational_init(&offset);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    int sign = side == SIDE_UPPER ? 1 : -1;
    rational_set_integer(&stretch, 1);
    rational_set_integer(&offset, linear ? sign * (int64_t)(n->steps << run->grid->shift) : 0);
    int64_t b = INT64_C(1) << run->grid->sub_bits;
    rational_set_fraction(&step, b + sign, b);
    for (unsigned i = 0; !linear && i < n->depth; i++)
      rational_mul(&stretch, &stretch, &step);
    size_t point = 0;
    bool missed;
    bool close = exact_bounds(&n->bound[side], &n->law,
                              (struct exact_slack){&stretch, n->units, &offset}, &point, &missed);
    struct text what;
    text_init(&what);
    text_format(&what, "%s bound %s", names[side],
                missed ? "is none" : "is too far off, or no survival function");
    if (missed || !survival_is_valid(&n->bound[side]) || (n->close && !close))
      fail(run, n, text_get(&what), point);
    text_clear(&what);
  }
  if (!survival_dominates(&n->bound[SIDE_UPPER], &n->bound[SIDE_LOWER]))
    fail(run, n, "the bounds cross", 0);
  rational_clear(&offset);
  rational_clear(&step);
  rational_clear(&stretch);
  run->nodes++;
}

static void make_leaf(struct run *run, struct node *z) {
  random_exact(&z->law, &run->random, run->grid);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    survival_of_exact(&z->bound[side], &z->law);
  z->depth = 1;
  z->steps = z->units = 1;
  text_append(&z->text, "[");
  for (size_t i = 0; i < z->law.count; i++) {
    rational_print(&z->text, &z->law.atoms[i].chance);
    text_append(&z->text, z->law.atoms[i].infinite ? ": never " : ": ");
    if (!z->law.atoms[i].infinite)
      rational_print(&z->text, &z->law.atoms[i].value);
    text_append(&z->text, i + 1 < z->law.count ? ", " : "]");
  }
}

/* z's text: operation(a, b, ...). */
static void describe(struct node *z, const char *operation, const struct node *parts,
                     size_t count) {
  text_format(&z->text, "%s(", operation);
  for (size_t i = 0; i < count; i++)
    text_format(&z->text, "%s%s", i == 0 ? "" : ", ", text_get(&parts[i].text));
  text_append(&z->text, ")");
}

/* The slack of something that picks one of the parts' values. */
static void take_worst(struct node *z, const struct node *parts, size_t count) {
  z->depth = 0;
  z->steps = 0;
  z->units = 2 * count;
  for (size_t i = 0; i < count; i++) {
    z->depth = parts[i].depth > z->depth ? parts[i].depth : z->depth;
    z->steps = parts[i].steps > z->steps ? parts[i].steps : z->steps;
    z->units += parts[i].units;
    z->close = z->close && parts[i].close;
  }
}

static void make_sum(struct node *z, const struct node *parts, uint64_t copies) {
  /* parts[0] + copies * parts[1] */
  struct survival many;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    survival_init_side(&many, &z->bound[side].grid, (enum survival_side)side);
    survival_add_many(&many, &parts[1].bound[side], copies);
    survival_add(&z->bound[side], &parts[0].bound[side], &many);
    survival_clear(&many);
  }
  const struct exact *laws[] = {&parts[0].law, &parts[1].law, &parts[1].law};
  exact_apply(&z->law, laws, 1 + copies, exact_of_sum, NULL);
  take_worst(z, parts, 2);
  z->depth = (parts[0].depth > parts[1].depth + sum_many_depth(copies)
                  ? parts[0].depth
                  : parts[1].depth + sum_many_depth(copies)) +
             1;
  z->steps = parts[0].steps + copies * parts[1].steps;
  z->units = parts[0].units + copies * (parts[1].units + 1) + 1;
  describe(z, copies == 2 ? "sum with two copies" : "sum", parts, 2);
}

static void make_extreme(struct node *z, const struct node *parts, bool max, uint64_t copies) {
  const size_t rank = max ? 1 + (size_t)copies : 1;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival *s = &z->bound[side];
    (max ? survival_max_many : survival_min_many)(s, &parts[1].bound[side], copies);
    (max ? survival_max : survival_min)(s, s, &parts[0].bound[side]);
  }
  const struct exact *laws[] = {&parts[0].law, &parts[1].law, &parts[1].law};
  exact_apply(&z->law, laws, 1 + copies, exact_of_rank, &rank);
  take_worst(z, parts, 2);
  z->units = 2 * z->units + 2;
  describe(z, max ? "max" : "min", parts, 2);
  if (copies == 2)
    text_append(&z->text, " with two copies");
}

static void make_rank(struct run *run, struct node *z, const struct node *parts) {
  struct copies copies[PARTS];
  const struct exact *laws[PARTS + 1];
  size_t twice = random_below(&run->random, PARTS + 1), count = 0;
  for (size_t i = 0; i < PARTS; i++) {
    copies[i].count = i == twice ? 2 : 1;
    for (uint64_t n = 0; n < copies[i].count; n++)
      laws[count++] = &parts[i].law;
  }
  size_t rank = 1 + random_below(&run->random, count);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    for (size_t i = 0; i < PARTS; i++)
      copies[i].survival = &parts[i].bound[side];
    survival_kth(&z->bound[side], copies, PARTS, rank);
  }
  exact_apply(&z->law, laws, count, exact_of_rank, &rank);
  take_worst(z, parts, PARTS);
  z->units = 2 * z->units + 8;
  text_format(&z->text, "rank %zu, part %zu twice: ", rank, twice);
  describe(z, "kth", parts, PARTS);
}

static void make_mixture(struct run *run, struct node *z, const struct node *parts) {
  uint64_t weights[PARTS], total = 0;
  struct rational chances[PARTS];
  const struct exact *laws[PARTS];
  for (size_t i = 0; i < PARTS; i++)
    total += weights[i] = random_below(&run->random, 9) + (i == 0);
  for (size_t i = 0; i < PARTS; i++) {
    rational_init(&chances[i]);
    rational_set_fraction(&chances[i], (int64_t)weights[i], (int64_t)total);
    laws[i] = &parts[i].law;
  }
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    survival_mix(&z->bound[side],
                 (const struct survival *[]){&parts[0].bound[side], &parts[1].bound[side],
                                             &parts[2].bound[side]},
                 weights, PARTS);
  exact_mix(&z->law, laws, chances, PARTS);
  for (size_t i = 0; i < PARTS; i++)
    rational_clear(&chances[i]);
  take_worst(z, parts, PARTS);
  describe(z, "mix", parts, PARTS);
}

static uint64_t random_time(struct run *run) {
  uint64_t last = grid_value_ns(run->grid, grid_count(run->grid) - 1);
  return 1 + random_below(&run->random, random_below(&run->random, 4) == 0 ? 2 * last : last / 3);
}

/* cap, shift, scale */
static void make_scalar(struct run *run, struct node *z, const struct node *x, unsigned which) {
  static const char *const names[] = {"cap", "shift", "scale"};
  struct rational value;
  rational_init(&value);
  bool broken = random_below(&run->random, 3) == 0;
  uint64_t denominator = broken ? 1 + random_below(&run->random, 7) : 1;
  uint64_t numerator = which == 2 ? random_below(&run->random, 6) : random_time(run);
  rational_set_fraction(&value, (int64_t)numerator, (int64_t)denominator);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    (which == 0   ? survival_cap
     : which == 1 ? survival_shift
                  : survival_scale)(&z->bound[side], &x->bound[side], &value);
  if (which == 2)
    exact_apply(&z->law, (const struct exact *[]){&x->law}, 1, exact_of_scale, &value);
  else
    (which == 0 ? exact_cap : exact_shift)(&z->law, &x->law, &value);
  take_worst(z, x, 1);
  /* Rounding to whole nanoseconds is no matter of 1/B; shrinking hides what was infinite. */
  z->close = z->close && (denominator == 1 || (grid_is_linear(run->grid) && which != 2)) &&
             (which != 2 || numerator > 0);
  z->depth++;
  z->steps = (which == 2 ? numerator : 1) * z->steps + 1;
  describe(z, names[which], x, 1);
  text_append(&z->text, " by ");
  rational_print(&z->text, &value);
  rational_clear(&value);
}

static void make_attempts(struct run *run, struct node *z, const struct node *parts,
                          unsigned which) {
  struct rational limit, pause;
  rational_init(&limit);
  rational_init(&pause);
  uint64_t time = random_time(run);
  rational_set_fraction(&limit, (int64_t)time, (int64_t)(1 + random_below(&run->random, 2)));
  rational_set_fraction(&pause, (int64_t)random_below(&run->random, 9), 2);
  uint64_t attempts = 1 + random_below(&run->random, 3);
  bool wait = random_below(&run->random, 2), ends = random_below(&run->random, 3) == 0;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    if (which == 0)
      survival_retry(&z->bound[side], &parts[0].bound[side], &limit, &pause, attempts, wait);
    else
      survival_timeout(&z->bound[side], &parts[0].bound[side], &limit,
                       ends ? NULL : &parts[1].bound[side]);
  if (which == 0)
    exact_retry(&z->law, &parts[0].law, &limit, &pause, attempts, wait);
  else
    exact_apply(&z->law, (const struct exact *[]){&parts[0].law, &parts[1].law}, ends ? 1 : 2,
                exact_of_timeout, &limit);
  z->close = false; /* a value that is rounded over the limit jumps */
  describe(z, which == 0 ? "retry" : "timeout", parts, which == 0 || ends ? 1 : 2);
  text_append(&z->text, " after ");
  rational_print(&z->text, &limit);
  text_format(&z->text, ", %lu attempts, %s", (unsigned long)attempts, wait ? "wait" : "give up");
  rational_clear(&limit);
  rational_clear(&pause);
}

/* On another grid and back; then the envelope with another law, which bounds the first as well. */
static void make_outward(struct run *run, struct node *z, const struct node *parts) {
  const struct grid *other = &grids[random_below(&run->random, GRIDS)];
  bool envelope = random_below(&run->random, 2);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival there;
    survival_init_side(&there, other, (enum survival_side)side);
    survival_regrid(&there, &parts[0].bound[side]);
    survival_regrid(&z->bound[side], &there);
    survival_clear(&there);
    if (envelope)
      (side == SIDE_UPPER ? survival_join : survival_meet)(&z->bound[side], &z->bound[side],
                                                           &parts[1].bound[side]);
  }
  struct rational zero;
  rational_init(&zero);
  exact_shift(&z->law, &parts[0].law, &zero);
  rational_clear(&zero);
  z->close = false;
  describe(z, envelope ? "envelope" : "regrid", parts, 1);
}

static void make(struct run *run, struct node *z, unsigned depth);

static void make_inner(struct run *run, struct node *z, const struct node *parts) {
  uint64_t copies = 1 + random_below(&run->random, 2);
  switch (random_below(&run->random, 11)) {
  case 0:
  case 1:
  case 2:
    make_sum(z, parts, copies);
    break;
  case 3:
    make_extreme(z, parts, true, copies);
    break;
  case 4:
    make_extreme(z, parts, false, copies);
    break;
  case 5:
    make_rank(run, z, parts);
    break;
  case 6:
    make_mixture(run, z, parts);
    break;
  case 7:
    make_scalar(run, z, parts, (unsigned)random_below(&run->random, 3));
    break;
  case 8:
    make_attempts(run, z, parts, 0);
    break;
  case 9:
    make_attempts(run, z, parts, 1);
    break;
  default:
    make_outward(run, z, parts);
  }
}

/* A leaf, or an operation on smaller expressions with few enough outcomes. */
static void make(struct run *run, struct node *z, unsigned depth) {
  node_init(z, run->grid);
  struct node parts[PARTS];
  size_t outcomes = ATOMS + 1, made = 0;
  if (depth > 0 && random_below(&run->random, 5) != 0) {
    for (outcomes = 1; made < PARTS; made++) {
      make(run, &parts[made], (unsigned)random_below(&run->random, depth));
      outcomes *= parts[made].law.count;
    }
    outcomes *= parts[0].law.count > parts[1].law.count ? parts[0].law.count : parts[1].law.count;
  }
  if (outcomes <= ATOMS)
    make_inner(run, z, parts);
  else
    make_leaf(run, z);
  while (made > 0)
    node_clear(&parts[--made]);
  judge(run, z);
}

int main(int argc, char **argv) {
  uint64_t cases = CASES, first = 1, failures = 0;
  size_t nodes = 0;
  for (int i = 1; i + 1 < argc; i += 2)
    *(strcmp(argv[i], "--first") == 0 ? &first : &cases) = strtoull(argv[i + 1], NULL, 10);
  for (uint64_t seed = first; seed < first + cases && failures < 10; seed++) {
    struct run run = {.random = {seed * UINT64_C(1000003)}, .grid = &grids[seed % GRIDS]};
    struct node root;
    make(&run, &root, DEPTH);
    node_clear(&root);
    nodes += run.nodes;
    if (run.failure.length != 0)
      printf("not ok %llu - seed %llu: %s\n", (unsigned long long)++failures,
             (unsigned long long)seed, text_get(&run.failure));
    text_clear(&run.failure);
  }
  if (failures == 0)
    printf("ok 1 - %llu expressions, %zu laws: both bounds hold everywhere\n",
           (unsigned long long)cases, nodes);
  printf("1..%llu\n", (unsigned long long)(failures == 0 ? 1 : failures));
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
