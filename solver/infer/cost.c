/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an action costs, at most: of the costs that depend on conditions, and of batches.
 */
#include "lang/model.h"
#include "solver/encode/encode.h"
#include "solver/infer/edge.h"
#include "solver/infer/time.h"

const struct term *flow_bare(struct flow *flow, const struct component *component) {
  struct term *bare = maker_term(flow->m, TERM_BARE, TYPE_TIME, NULL, 0);
  bare->component = component;
  bool once =
      component->index_count == 0 && !component->repeated && component->kind == COMPONENT_STEP;
  if (once)
    bare->kind = TERM_OCCURRENCE;
  return bare;
}

/* Whether it is known that the cost is charged, or (false) that it is not. */
static bool is_known(const struct flow *flow, const struct term *cost, bool charged) {
  for (size_t i = 0; i < flow->held->count; i++)
    if (flow->held->data[i].cost == cost && flow->held->data[i].charged == charged)
      return true;
  return false;
}

const struct term *flow_batch(struct flow *flow, const struct variable *v,
                              const struct term *cost) {
  struct term_maker *m = flow->m;
  if (v->domain == DOMAIN_RANGE)
    return time_sum(m, v, v->low, v->high, cost);
  const struct role *role = v->type.role;
  if (term_mentions(cost, v) && role->ordered)
    return time_sum_role(m, v, cost);
  return maker_pair(m, TERM_MUL, TYPE_TIME, role->count, flow_bare(flow, cost->component));
}

static const struct term *cost_of(struct flow *flow, const struct action *a, size_t i) {
  const struct term *cost = a->costs[i];
  bool bare = cost->component->repeated || cost->kind == TERM_BARE ||
              (flow->stages != NULL && a->role == flow->stages->role);
  if (bare)
    cost = flow_bare(flow, cost->component);
  return a->batches == NULL || a->batches[i] == NULL ? cost : flow_batch(flow, a->batches[i], cost);
}

/* Whether it is not known if the cost is charged. */
static bool is_choice(const struct flow *flow, const struct action *a, size_t i) {
  return a->conditions != NULL && a->conditions[i] != NULL && !is_known(flow, a->costs[i], true) &&
         !is_known(flow, a->costs[i], false);
}

/* The choices under the condition of cost i; NULL when an earlier one has it. */
static const struct term *costs_together(struct flow *flow, const struct action *a, size_t i) {
  const struct term *all = NULL;
  for (size_t j = 0; j < a->cost_count; j++) {
    if (!is_choice(flow, a, j) || !term_equal(a->conditions[j], a->conditions[i]))
      continue;
    if (j < i)
      return NULL;
    all = time_plus(flow->m, all, cost_of(flow, a, j));
  }
  return all;
}

/* Of costs under several conditions, those that are not ruled out are taken to exclude each other;
 * those under one condition add up. */
const struct term *flow_costs(struct flow *flow, const struct action *a) {
  const struct term *all = NULL;
  VECTOR(const struct term *) choices = {0};
  for (size_t i = 0; i < a->cost_count; i++) {
    bool sure =
        a->conditions == NULL || a->conditions[i] == NULL || is_known(flow, a->costs[i], true);
    const struct term *together = is_choice(flow, a, i) ? costs_together(flow, a, i) : NULL;
    if (sure)
      all = time_plus(flow->m, all, cost_of(flow, a, i));
    else if (together != NULL)
      vector_push(&choices, together);
  }
  if (choices.count != 0)
    all = time_plus(flow->m, all, time_max(flow->m, choices.data, choices.count));
  vector_clear(&choices);
  return all;
}
