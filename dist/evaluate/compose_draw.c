/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/compose_draw.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/memory.h"
#include "dist/evaluate/compose_tree.h"

static uint64_t add_capped(uint64_t x, uint64_t y) {
  return x > UINT64_MAX - y ? UINT64_MAX : x + y;
}

static uint64_t times_capped(uint64_t x, uint64_t y) {
  return y != 0 && x > UINT64_MAX / y ? UINT64_MAX : x * y;
}

/* Of one name, or of all when it is NULL; with the choices of mixtures if they are wanted. */
static uint64_t count_draws(const struct compose_node *node, const char *name, bool choices) {
  if (node->kind == COMPOSE_NAME)
    return name == NULL || strcmp(node->name, name) == 0;
  uint64_t count = choices && node->kind == COMPOSE_MIX && node->parts.count > 1;
  for (size_t i = 0; i < node->parts.count; i++) {
    const struct compose_part *part = &node->parts.data[i];
    uint64_t copies = node->kind == COMPOSE_RETRY ? node->number : part->copies;
    copies = node->kind == COMPOSE_MIX || copies == 0 ? 1 : copies;
    count = add_capped(count, times_capped(copies, count_draws(part->node, name, choices)));
  }
  return count;
}

uint64_t compose_draw_size(const struct compose *compose) {
  return count_draws(compose->root, NULL, false);
}

uint64_t compose_draw_choices(const struct compose *compose) {
  return count_draws(compose->root, NULL, true);
}

uint64_t compose_draw_count(const struct compose *compose, size_t name) {
  return count_draws(compose->root, compose->names.data[name], false);
}

/* --- one draw --------------------------------------------------------------------------------- */

static const struct row_value never = {ROW_INFINITE, ROW_INFINITE};

static struct row_value draw_of(const struct compose_node *node, const struct compose_draws *d);

static struct row_value sum_of(struct row_value x, struct row_value y) {
  return (struct row_value){row_add(x.lower_ns, y.lower_ns), row_add(x.upper_ns, y.upper_ns)};
}

static uint64_t scale_end(uint64_t x, const struct rational *factor, bool up) {
  if (x == ROW_INFINITE)
    return rational_sign(factor) == 0 ? 0 : x;
  struct rational product;
  rational_init(&product);
  rational_set_integer(&product, (int64_t)x);
  rational_mul(&product, &product, factor);
  int64_t ns = INT64_MAX;
  bool fits = up ? rational_ceil(&ns, &product) : rational_floor(&ns, &product);
  rational_clear(&product);
  return fits ? (uint64_t)ns : ROW_INFINITE;
}

typedef VECTOR(struct row_value) row_values;

static void draw_parts(row_values *values, const struct compose_node *node,
                       const struct compose_draws *d) {
  for (size_t i = 0; i < node->parts.count; i++) {
    const struct compose_part *part = &node->parts.data[i];
    uint64_t copies = node->kind == COMPOSE_MIX || part->copies == 0 ? 1 : part->copies;
    for (uint64_t k = 0; k < copies; k++)
      vector_push(values, draw_of(part->node, d));
  }
}

static int by_value(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

static uint64_t ranked(const row_values *values, uint64_t rank, bool upper) {
  uint64_t *ends = mem_alloc(values->count, sizeof *ends);
  for (size_t i = 0; i < values->count; i++)
    ends[i] = upper ? values->data[i].upper_ns : values->data[i].lower_ns;
  qsort(ends, values->count, sizeof *ends, by_value);
  uint64_t end = ends[rank - 1];
  mem_free(ends);
  return end;
}

static struct row_value order_of(const row_values *values, uint64_t rank) {
  return (struct row_value){ranked(values, rank, false), ranked(values, rank, true)};
}

/* From the least to the most of the parts that have a chance. */
static struct row_value hull(const row_values *values, const struct compose_node *node) {
  struct row_value all = {ROW_INFINITE, 0};
  for (size_t i = 0; i < values->count; i++) {
    const struct row_value *x = &values->data[i];
    if (node->parts.data[i].weight == 0)
      continue;
    all.lower_ns = x->lower_ns < all.lower_ns ? x->lower_ns : all.lower_ns;
    all.upper_ns = x->upper_ns > all.upper_ns ? x->upper_ns : all.upper_ns;
  }
  return all;
}

/* One of the parts by its weight. */
static struct row_value choose(const row_values *values, const struct compose_node *node,
                               const struct compose_draws *d) {
  uint64_t all = 0;
  for (size_t i = 0; i < node->parts.count; i++)
    all += node->parts.data[i].weight;
  invariant(all != 0);
  uint64_t random = random_below(d->random, all);
  size_t i = 0;
  for (; random >= node->parts.data[i].weight; i++)
    random -= node->parts.data[i].weight;
  return values->data[i];
}

struct trial {
  struct row_value result, elapsed; /* result: of what has ended so far; none: lower > upper */
  bool over;                        /* it has ended for certain */
};

/* An attempt that is given up at the limit. */
static void attempt(struct trial *t, struct row_value x, const struct compose_node *node) {
  int64_t last = INT64_MAX; /* whole nanoseconds keep to a limit when they keep to its whole part */
  if (!rational_floor(&last, &node->value))
    last = INT64_MAX;
  uint64_t limit = (uint64_t)last;
  if (!t->over && x.lower_ns <= limit) {
    uint64_t most = x.upper_ns <= limit ? x.upper_ns : limit;
    uint64_t lower = row_add(t->elapsed.lower_ns, x.lower_ns);
    uint64_t upper = row_add(t->elapsed.upper_ns, most);
    t->result.lower_ns = lower < t->result.lower_ns ? lower : t->result.lower_ns;
    t->result.upper_ns = upper > t->result.upper_ns ? upper : t->result.upper_ns;
  }
  t->over = t->over || (x.upper_ns <= limit && x.upper_ns != ROW_INFINITE);
  t->elapsed = sum_of(t->elapsed, row_whole(&node->value));
}

/* What happens when no attempt kept to its limit. */
static void end_with(struct trial *t, struct row_value x) {
  if (t->over)
    return;
  struct row_value last = sum_of(t->elapsed, x);
  t->result.lower_ns = last.lower_ns < t->result.lower_ns ? last.lower_ns : t->result.lower_ns;
  t->result.upper_ns = last.upper_ns > t->result.upper_ns ? last.upper_ns : t->result.upper_ns;
}

static struct row_value draw_timeout(const struct compose_node *node,
                                     const struct compose_draws *d) {
  struct trial t = {.result = {ROW_INFINITE, 0}};
  struct row_value first = draw_of(node->parts.data[0].node, d);
  struct row_value second = node->parts.count == 2 ? draw_of(node->parts.data[1].node, d) : never;
  attempt(&t, first, node);
  end_with(&t, second);
  return t.result;
}

static struct row_value draw_retry(const struct compose_node *node, const struct compose_draws *d) {
  struct trial t = {.result = {ROW_INFINITE, 0}};
  for (uint64_t i = 0; i < node->number; i++) {
    struct row_value x = draw_of(node->parts.data[0].node, d);
    if (i + 1 == node->number && node->wait) {
      end_with(&t, x);
      return t.result;
    }
    attempt(&t, x, node);
    t.elapsed = sum_of(t.elapsed, row_whole(&node->pause));
  }
  end_with(&t, never);
  return t.result;
}

static struct row_value combine(const row_values *values, const struct compose_node *node,
                                const struct compose_draws *d) {
  struct row_value z = values->data[0], limit;
  switch (node->kind) {
  case COMPOSE_SCALE:
    return (struct row_value){scale_end(z.lower_ns, &node->value, false),
                              scale_end(z.upper_ns, &node->value, true)};
  case COMPOSE_SUM:
    for (size_t i = 1; i < values->count; i++)
      z = sum_of(z, values->data[i]);
    return z;
  case COMPOSE_MAX:
    return order_of(values, values->count);
  case COMPOSE_MIN:
    return order_of(values, 1);
  case COMPOSE_KTH:
    return order_of(values, node->number);
  case COMPOSE_MIX:
    return d->random == NULL ? hull(values, node) : choose(values, node, d);
  case COMPOSE_CAP:
    limit = row_whole(&node->value);
    z.lower_ns = z.lower_ns < limit.lower_ns ? z.lower_ns : limit.lower_ns;
    z.upper_ns = z.upper_ns < limit.upper_ns ? z.upper_ns : limit.upper_ns;
    return z;
  default:
    bug("a composed law of no kind");
  }
}

static struct row_value draw_of(const struct compose_node *node, const struct compose_draws *d) {
  if (node->kind == COMPOSE_NAME)
    return d->draw(d->context, node->name);
  if (node->kind == COMPOSE_CONSTANT)
    return row_whole(&node->value);
  if (node->kind == COMPOSE_NEVER)
    return never;
  if (node->kind == COMPOSE_TIMEOUT)
    return draw_timeout(node, d);
  if (node->kind == COMPOSE_RETRY)
    return draw_retry(node, d);
  row_values values = {0};
  draw_parts(&values, node, d);
  struct row_value z = combine(&values, node, d);
  vector_clear(&values);
  return z;
}

struct row_value compose_draw(const struct compose *compose, const struct compose_draws *draws) {
  return draw_of(compose->root, draws);
}

struct row_value compose_extent(const struct compose *compose, const struct compose_draws *draws) {
  struct compose_draws all = {draws->draw, draws->context, NULL};
  return draw_of(compose->root, &all);
}
