/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/budget/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dist/survival/survival.h"

struct costing {
  const struct cost_request *of;
  struct cost_choice *best;
  struct spending spending;
  size_t **order;          /* by part: its options, the cheapest first */
  double *rest;            /* by part: what this and all later ones cost at least */
  struct promise *fastest; /* by part: the least limit and the least miss of its options */
  struct promise *chosen;
  size_t *options;
  double *limits;
  uint64_t *misses;
  size_t left; /* steps */
};

static bool is_within(const struct cost_request *request, const struct rational *value) {
  int order = rational_compare(value, request->objective_ns);
  return request->strict ? order < 0 : order <= 0;
}

static bool suffices(struct costing *c) {
  struct rational value;
  rational_init(&value);
  spending_exact(&value, &c->spending, c->chosen);
  bool good = is_within(c->of, &value);
  rational_clear(&value);
  for (size_t g = 0; g < c->of->part_count; g++)
    c->misses[g] = c->chosen[g].miss;
  return good && spending_total(&c->spending, c->misses) <= c->of->chance;
}

/* Whether some choice of the parts from `part` on may suffice. */
static bool may_suffice(struct costing *c, size_t part) {
  for (size_t g = 0; g < c->of->part_count; g++) {
    const struct promise *promise = g < part ? &c->chosen[g] : &c->fastest[g];
    c->limits[g] = (double)promise->limit_ns;
    c->misses[g] = promise->miss;
  }
  double value = spending_value(&c->spending, c->limits);
  if (value > rational_double(c->of->objective_ns) * (1 + 1e-12))
    return false;
  c->spending.is_least = true;
  uint64_t least = spending_total(&c->spending, c->misses);
  c->spending.is_least = false;
  return least <= c->of->chance;
}

static void choose(struct costing *c, size_t part, double cost) {
  if (part == c->of->part_count) {
    if (!suffices(c))
      return;
    c->best->found = true;
    c->best->cost = cost;
    memcpy(c->best->options, c->options, part * sizeof *c->options);
    return;
  }
  for (size_t i = 0; i < c->of->parts[part].count; i++) {
    const struct cost_option *option = &c->of->parts[part].options[c->order[part][i]];
    double least = cost + option->cost + (part + 1 < c->of->part_count ? c->rest[part + 1] : 0);
    if (c->best->found && least >= c->best->cost)
      return;
    if (c->left == 0) {
      c->best->is_least = false;
      return;
    }
    c->left--;
    c->chosen[part] = option->promise;
    c->options[part] = c->order[part][i];
    if (may_suffice(c, part + 1))
      choose(c, part + 1, cost + option->cost);
  }
}

static size_t *by_cost(const struct cost_part *part) {
  size_t *order = mem_alloc(part->count, sizeof *order);
  for (size_t i = 0; i < part->count; i++) {
    size_t j = i;
    for (; j > 0 && part->options[order[j - 1]].cost > part->options[i].cost; j--)
      order[j] = order[j - 1];
    order[j] = i;
  }
  return order;
}

static struct promise fastest(const struct cost_part *part) {
  struct promise promise = part->options[0].promise;
  for (size_t i = 1; i < part->count; i++) {
    const struct promise *other = &part->options[i].promise;
    promise.limit_ns = other->limit_ns < promise.limit_ns ? other->limit_ns : promise.limit_ns;
    promise.miss = other->miss < promise.miss ? other->miss : promise.miss;
  }
  return promise;
}

void cost_find(struct cost_choice *choice, const struct cost_request *request) {
  size_t parts = request->part_count + 1;
  *choice = (struct cost_choice){.is_least = true, .options = mem_alloc(parts, sizeof(size_t))};
  struct costing c = {.of = request, .best = choice, .left = request->steps};
  spending_init(&c.spending, request->nodes, request->independent);
  c.order = mem_alloc(parts, sizeof *c.order);
  c.rest = mem_alloc(parts, sizeof *c.rest);
  c.fastest = mem_alloc(parts, sizeof *c.fastest);
  c.chosen = mem_alloc(parts, sizeof *c.chosen);
  c.options = mem_alloc(parts, sizeof *c.options);
  c.limits = mem_alloc(parts, sizeof *c.limits);
  c.misses = mem_alloc(parts, sizeof *c.misses);
  double rest = 0;
  for (size_t g = request->part_count; g-- > 0;) {
    c.order[g] = by_cost(&request->parts[g]);
    c.fastest[g] = fastest(&request->parts[g]);
    rest += request->parts[g].options[c.order[g][0]].cost;
    c.rest[g] = rest;
  }
  if (may_suffice(&c, 0))
    choose(&c, 0, 0);
  for (size_t g = 0; g < request->part_count; g++)
    mem_free(c.order[g]);
  mem_free(c.order);
  mem_free(c.rest);
  mem_free(c.fastest);
  mem_free(c.chosen);
  mem_free(c.options);
  mem_free(c.limits);
  mem_free(c.misses);
  spending_clear(&c.spending);
}

void cost_clear(struct cost_choice *choice) {
  mem_free(choice->options);
}
