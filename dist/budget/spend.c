/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/budget/spend.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dist/survival/survival.h"

enum { SETS = 3 }; /* that an order statistic needs while its branches are calculated */

void spending_init(struct spending *s, const struct budget_nodes *terms, bool independent) {
  size_t nodes = terms->nodes.count, most = 1;
  for (size_t i = 0; i < nodes; i++)
    most = terms->nodes.data[i].count > most ? terms->nodes.data[i].count : most;
  *s = (struct spending){.terms = terms, .independent = independent};
  s->values = mem_alloc(nodes, sizeof *s->values);
  s->counts = mem_alloc(terms->children.count + 1, sizeof *s->counts);
  size_t quorums = terms->quorum_count;
  s->quorums = mem_alloc(quorums + 1, sizeof *s->quorums);
  s->nodes = mem_alloc(quorums + 1, sizeof *s->nodes);
  for (size_t i = 0; i < nodes; i++)
    if (terms->nodes.data[i].kind == BUDGET_KTH)
      s->nodes[terms->nodes.data[i].quorum] = i;
  s->most = most;
  s->sorted = mem_alloc(most, sizeof *s->sorted);
  s->sets = mem_alloc((quorums + 1) * SETS * terms->words, sizeof *s->sets);
  s->chances = mem_alloc((quorums + 1) * (2 * most + 2), sizeof *s->chances);
}

void spending_clear(struct spending *s) {
  mem_free(s->values);
  mem_free(s->counts);
  mem_free(s->quorums);
  mem_free(s->nodes);
  mem_free(s->sets);
  mem_free(s->sorted);
  mem_free(s->chances);
}

/* --- values ----------------------------------------------------------------------------------- */

static int by_size(const void *left, const void *right) {
  const double *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

/* Values that differ by rounding alone count as equal: a search is not believed anyway. */
static double value_of_kth(struct spending *s, const struct budget_node *term) {
  for (size_t i = 0; i < term->count; i++)
    s->sorted[i] = s->values[s->terms->children.data[term->first + i]];
  qsort(s->sorted, term->count, sizeof *s->sorted, by_size);
  double value = s->sorted[term->rank - 1], top = value * (1 + 1e-12);
  for (size_t i = 0; i < term->count; i++)
    s->counts[term->first + i] = s->values[s->terms->children.data[term->first + i]] <= top;
  return value;
}

double spending_value(struct spending *s, const double *limits_ns) {
  const struct budget_nodes *terms = s->terms;
  for (size_t n = 0; n < terms->nodes.count; n++) {
    const struct budget_node *term = &terms->nodes.data[n];
    const size_t *children = terms->children.data + term->first;
    double value = 0;
    switch (term->kind) {
    case BUDGET_CONSTANT:
      value = term->value;
      break;
    case BUDGET_OCCURRENCE:
      value = limits_ns[term->part];
      break;
    case BUDGET_SCALE:
      value = term->value * s->values[children[0]];
      break;
    case BUDGET_ADD:
      for (size_t i = 0; i < term->count; i++)
        value += s->values[children[i]];
      break;
    case BUDGET_MAX:
      for (size_t i = 0; i < term->count; i++)
        value = s->values[children[i]] > value ? s->values[children[i]] : value;
      break;
    case BUDGET_KTH:
      value = value_of_kth(s, term);
    }
    s->values[n] = value;
  }
  return s->values[terms->nodes.count - 1];
}

static int by_value(const void *left, const void *right) {
  const struct rational *const *a = left, *const *b = right;
  struct rational difference;
  rational_init(&difference);
  rational_sub(&difference, *a, *b);
  int sign = rational_sign(&difference);
  rational_clear(&difference);
  return sign;
}

static void exact_kth(struct spending *s, const struct budget_node *term, struct rational *values,
                      struct rational *value) {
  const size_t *children = s->terms->children.data + term->first;
  const struct rational **sorted = mem_alloc(term->count, sizeof *sorted);
  for (size_t i = 0; i < term->count; i++)
    sorted[i] = &values[children[i]];
  qsort(sorted, term->count, sizeof *sorted, by_value);
  rational_set(value, sorted[term->rank - 1]);
  const struct rational *top = value;
  for (size_t i = 0; i < term->count; i++) {
    const struct rational *own = &values[children[i]];
    s->counts[term->first + i] = by_value(&own, &top) <= 0;
  }
  mem_free(sorted);
}

static void exact_node(struct spending *s, const struct budget_node *term, struct rational *values,
                       const struct promise *promises, struct rational *value) {
  const size_t *children = s->terms->children.data + term->first;
  switch (term->kind) {
  case BUDGET_CONSTANT:
    rational_set(value, &term->of->value);
    break;
  case BUDGET_OCCURRENCE:
    rational_set_integer(value, (int64_t)promises[term->part].limit_ns);
    break;
  case BUDGET_SCALE:
    rational_mul(value, &term->of->value, &values[children[0]]);
    break;
  case BUDGET_ADD:
    for (size_t i = 0; i < term->count; i++)
      rational_add(value, value, &values[children[i]]);
    break;
  case BUDGET_MAX:
    for (size_t i = 0; i < term->count; i++)
      rational_max(value, value, &values[children[i]]);
    break;
  case BUDGET_KTH:
    exact_kth(s, term, values, value);
  }
}

void spending_exact(struct rational *value, struct spending *s, const struct promise *promises) {
  size_t nodes = s->terms->nodes.count;
  struct rational *values = mem_alloc(nodes, sizeof *values);
  for (size_t n = 0; n < nodes; n++) {
    rational_init(&values[n]);
    exact_node(s, &s->terms->nodes.data[n], values, promises, &values[n]);
    s->values[n] = rational_double(&values[n]);
  }
  rational_set(value, &values[nodes - 1]);
  for (size_t n = 0; n < nodes; n++)
    rational_clear(&values[n]);
  mem_free(values);
}

/* --- what is spent ---------------------------------------------------------------------------- */

/* At least one of two. */
static uint64_t either(const struct spending *s, uint64_t a, uint64_t b) {
  if (s->independent)
    return SURVIVAL_ONE - survival_product(SIDE_LOWER, SURVIVAL_ONE - a, SURVIVAL_ONE - b);
  return a + b < SURVIVAL_ONE ? a + b : SURVIVAL_ONE;
}

static int by_chance(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return *a < *b ? -1 : *a > *b;
}

uint64_t spend_any(uint64_t *chances, size_t count, size_t needed, size_t *dropped) {
  qsort(chances, count, sizeof *chances, by_chance);
  uint128 sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += chances[i];
  uint64_t best = SURVIVAL_ONE;
  for (size_t r = 0; r < needed; r++) {
    uint128 share = (sum + (needed - r) - 1) / (needed - r);
    if (share < best) {
      best = (uint64_t)share;
      *dropped = r;
    }
    sum -= chances[count - 1 - r];
  }
  return best;
}

uint64_t spend_independent(uint64_t *at_least, const uint64_t *chances, size_t count,
                           size_t needed) {
  at_least[0] = SURVIVAL_ONE;
  for (size_t j = 1; j <= needed; j++)
    at_least[j] = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = needed; j >= 1; j--)
      if (at_least[j - 1] > at_least[j])
        at_least[j] += survival_product(SIDE_UPPER, at_least[j - 1] - at_least[j], chances[i]);
  return at_least[needed];
}

static uint64_t spend_kth(struct spending *s, size_t number, const uint64_t *intact, size_t depth);

/* At least one event of the set, if those of `intact` do not happen. What is in it by itself does
 * not happen within its order statistics either: that is counted already. `within` is scratch. */
static uint64_t any_of(struct spending *s, const uint64_t *set, const uint64_t *intact,
                       uint64_t *within, size_t depth) {
  const struct budget_nodes *terms = s->terms;
  uint64_t chance = 0;
  for (size_t w = 0; w < terms->words; w++)
    within[w] = set[w] | intact[w];
  for (size_t w = 0; w < terms->words; w++)
    for (uint64_t left = set[w] & ~intact[w]; left != 0; left &= left - 1) {
      size_t event = 64 * w + (size_t)__builtin_ctzll(left);
      uint64_t own = event < terms->occurrence_count
                         ? s->misses[terms->part_of[event]]
                         : spend_kth(s, event - terms->occurrence_count, within, depth + 1);
      chance = either(s, chance, own);
    }
  return chance;
}

/* What of several branches that count is the same. */
static void find_shared(const struct spending *s, const struct budget_node *term,
                        uint64_t *shared) {
  const struct budget_nodes *terms = s->terms;
  memset(shared, 0, terms->words * sizeof *shared);
  for (size_t i = 0; i < term->count; i++) {
    const struct budget_node *child = &terms->nodes.data[terms->children.data[term->first + i]];
    for (size_t w = 0; w < terms->words && s->counts[term->first + i]; w++)
      shared[w] |= child->events[w] & term->shared[w];
  }
}

/* The chance that the order statistic breaks, if what is in `intact` does not. */
static uint64_t spend_kth(struct spending *s, size_t number, const uint64_t *intact, size_t depth) {
  const struct budget_nodes *terms = s->terms;
  const struct budget_node *term = &terms->nodes.data[s->nodes[number]];
  if (s->is_least && term->has_shared)
    return 0;
  uint64_t *shared = s->sets + depth * SETS * terms->words;
  uint64_t *both = shared + terms->words, *within = both + terms->words;
  uint64_t *chances = s->chances + depth * (2 * s->most + 2);
  struct quorum_spend quorum = {0};
  find_shared(s, term, shared);
  uint64_t beside = any_of(s, shared, intact, within, depth);
  for (size_t w = 0; w < terms->words; w++)
    both[w] = shared[w] | intact[w];
  for (size_t i = 0; i < term->count; i++) {
    const struct budget_node *child = &terms->nodes.data[terms->children.data[term->first + i]];
    if (s->is_least || s->counts[term->first + i])
      chances[quorum.counted++] = any_of(s, child->events, both, within, depth);
  }
  quorum.needed = quorum.counted - term->rank + 1;
  quorum.spend =
      s->independent && !term->is_entangled
          ? spend_independent(chances + quorum.counted, chances, quorum.counted, quorum.needed)
          : spend_any(chances, quorum.counted, quorum.needed, &quorum.dropped);
  s->quorums[number] = quorum;
  return either(s, beside, quorum.spend);
}

uint64_t spending_total(struct spending *s, const uint64_t *misses) {
  const struct budget_nodes *terms = s->terms;
  uint64_t *intact = s->sets, *within = s->sets + terms->words;
  memset(intact, 0, terms->words * sizeof *intact);
  s->misses = misses;
  return any_of(s, terms->nodes.data[terms->nodes.count - 1].events, intact, within, 0);
}
