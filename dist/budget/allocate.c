/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The allocation that a search starts with: for each node and each time of a grid up to the
 * objective the least spend that keeps the node within that time.
 */
#include <string.h>

#include "base/memory.h"
#include "dist/budget/seek.h"

enum { CELLS = 512, TIMES = CELLS + 1 };

struct allocation {
  struct seek *search;
  uint64_t *least; /* by node and time */
  uint16_t
      *chosen; /* by child and time: of a sum, what the child gets of the time of all up to it */
  uint16_t *given; /* by node: the least that it got */
  double *limits;  /* by part: the least that an occurrence of it got */
};

static double cell_ns(const struct allocation *a) {
  return a->search->objective_ns / CELLS;
}

static size_t point_within(const struct seek *s, size_t part, double ns) {
  const struct split_part *p = &s->of->parts[part];
  double factor = seek_factor(s, part);
  size_t low = 0, high = p->point_count; /* points below `low` fit, from `high` on none does */
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->points[middle].ns * factor <= ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? SIZE_MAX : low - 1;
}

static void of_leaf(struct allocation *a, const struct budget_node *term, uint64_t *least) {
  for (size_t j = 0; j < TIMES; j++) {
    double ns = (double)j * cell_ns(a);
    if (term->kind == BUDGET_CONSTANT) {
      least[j] = term->value <= ns ? 0 : SURVIVAL_ONE;
      continue;
    }
    size_t point = point_within(a->search, term->part, ns);
    least[j] =
        point == SIZE_MAX ? SURVIVAL_ONE : a->search->of->parts[term->part].points[point].miss;
  }
}

static size_t scaled(const struct budget_node *term, size_t j) {
  double within = term->value > 0 ? (double)j / term->value : CELLS;
  return within >= CELLS ? CELLS : (size_t)within;
}

/* sum[j] becomes the least of sum[j - u] + own[u]. */
static void add_child(uint64_t *sum, const uint64_t *own, uint16_t *chosen) {
  for (size_t j = TIMES; j-- > 0;) {
    uint64_t best = SURVIVAL_ONE;
    size_t at = 0;
    for (size_t u = 0; u <= j; u++)
      if (sum[j - u] + own[u] < best) {
        best = sum[j - u] + own[u];
        at = u;
      }
    sum[j] = best;
    chosen[j] = (uint16_t)at;
  }
}

static void of_sum(struct allocation *a, const struct budget_node *term, uint64_t *least) {
  const size_t *children = a->search->of->terms->children.data + term->first;
  memset(least, 0, TIMES * sizeof *least);
  for (size_t i = 0; i < term->count; i++)
    add_child(least, a->least + children[i] * TIMES, a->chosen + (term->first + i) * TIMES);
}

static void of_branches(struct allocation *a, const struct budget_node *term, uint64_t *least) {
  const size_t *children = a->search->of->terms->children.data + term->first;
  uint64_t *chances = a->search->spending.chances;
  size_t needed = term->kind == BUDGET_KTH ? term->count - term->rank + 1 : 1, dropped;
  for (size_t j = 0; j < TIMES; j++) {
    for (size_t i = 0; i < term->count; i++)
      chances[i] = a->least[children[i] * TIMES + j];
    least[j] = a->search->of->independent
                   ? spend_independent(chances + term->count, chances, term->count, needed)
                   : spend_any(chances, term->count, needed, &dropped);
  }
}

static void find_least(struct allocation *a) {
  const struct budget_nodes *terms = a->search->of->terms;
  for (size_t n = 0; n < terms->nodes.count; n++) {
    const struct budget_node *term = &terms->nodes.data[n];
    uint64_t *least = a->least + n * TIMES;
    if (term->kind == BUDGET_CONSTANT || term->kind == BUDGET_OCCURRENCE)
      of_leaf(a, term, least);
    else if (term->kind == BUDGET_SCALE)
      for (size_t j = 0; j < TIMES; j++)
        least[j] = a->least[terms->children.data[term->first] * TIMES + scaled(term, j)];
    else if (term->kind == BUDGET_ADD)
      of_sum(a, term, least);
    else
      of_branches(a, term, least);
  }
}

/* Gives the node j cells of time; what several have gets the least of theirs. */
static void give(struct allocation *a, size_t n, size_t j) {
  if (j >= a->given[n])
    return;
  a->given[n] = (uint16_t)j;
  const struct budget_nodes *terms = a->search->of->terms;
  const struct budget_node *term = &terms->nodes.data[n];
  const size_t *children = terms->children.data + term->first;
  double ns = (double)j * cell_ns(a);
  if (term->kind == BUDGET_OCCURRENCE && ns < a->limits[term->part])
    a->limits[term->part] = ns;
  for (size_t i = term->count; i-- > 0;) {
    size_t own = term->kind == BUDGET_ADD     ? a->chosen[(term->first + i) * TIMES + j]
                 : term->kind == BUDGET_SCALE ? scaled(term, j)
                                              : j;
    give(a, children[i], own);
    j -= term->kind == BUDGET_ADD ? own : 0;
  }
}

bool seek_allocate(struct seek *s, size_t *at, double share) {
  const struct budget_nodes *terms = s->of->terms;
  struct allocation a = {.search = s};
  a.least = mem_alloc(terms->nodes.count * TIMES, sizeof *a.least);
  a.chosen = mem_alloc((terms->children.count + 1) * TIMES, sizeof *a.chosen);
  a.given = mem_alloc(terms->nodes.count, sizeof *a.given);
  for (size_t n = 0; n < terms->nodes.count; n++)
    a.given[n] = TIMES;
  a.limits = mem_alloc(s->of->part_count + 1, sizeof *a.limits);
  for (size_t g = 0; g < s->of->part_count; g++)
    a.limits[g] = s->objective_ns;
  find_least(&a);
  give(&a, terms->nodes.count - 1, (size_t)(CELLS * share));
  for (size_t g = 0; g < s->of->part_count; g++) {
    size_t point = point_within(s, g, a.limits[g]);
    at[g] = point == SIZE_MAX ? 0 : point;
  }
  mem_free(a.least);
  mem_free(a.chosen);
  mem_free(a.given);
  mem_free(a.limits);
  return seek_value(s, at) <= s->objective_ns;
}
