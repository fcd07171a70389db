/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steps of a plan (plan.h). What a node does itself, and the calls it makes, belong to one step
 * when they begin with the same answers.
 */
#include <string.h>

#include "trace/graph/closure.h"
#include "trace/draft/plan.h"

struct steps {
  struct draft_plan *plan;
  const struct flow_closure *order;
  size_t words;
  uint64_t *answers; /* by activity, `words` each: bit s: node s has answered before it begins */
  uint32_t *called_with; /* by activity: the node whose call begins with it, or SPAN_NONE */
  uint32_t *answered_by; /* by activity: the node whose answer it ends, or SPAN_NONE */
};

static uint64_t *answers_of(const struct steps *steps, uint32_t activity) {
  return steps->answers + activity * steps->words;
}

static bool has(const uint64_t *set, uint32_t p) {
  return (set[p / 64] >> (p % 64) & 1) != 0;
}

static void add_waits(const struct steps *steps, uint32_t a) {
  const struct request_flow *flow = steps->plan->flow;
  const struct activity *activity = &flow->activities.data[a];
  for (size_t i = 0; i < activity->wait_count; i++) {
    uint32_t x = flow->waits.data[activity->wait_first + i];
    uint32_t position = flow->activities.data[x].position;
    if (steps->answered_by[x] != SPAN_NONE)
      answers_of(steps, a)[steps->answered_by[x] / 64] |= (uint64_t)1
                                                          << (steps->answered_by[x] % 64);
    else if (steps->plan->calls.data[position].place == DRAFT_INSIDE)
      for (size_t w = 0; w < steps->words; w++)
        answers_of(steps, a)[w] |= answers_of(steps, x)[w];
  }
}

static uint32_t last_of(const struct steps *steps, uint32_t node) {
  const struct draft_plan *plan = steps->plan;
  return plan->flow->calls.data[plan->calls.data[node].entry].tail;
}

/* Without the answers that come before another one of the set in any case. */
static void keep_latest(const struct steps *steps, uint64_t *set) {
  uint32_t count = (uint32_t)steps->plan->calls.count;
  for (uint32_t s = 0; s < count; s++)
    for (uint32_t t = 0; t < count && has(set, s); t++)
      if (has(set, t) && flow_before(steps->order, last_of(steps, s), last_of(steps, t)))
        set[s / 64] &= ~((uint64_t)1 << (s % 64));
}

static bool takes(const struct draft_step *step, const uint64_t *set, size_t words) {
  size_t members = 0;
  for (size_t w = 0; w < words; w++)
    members += (size_t)__builtin_popcountll(set[w]);
  for (size_t i = 0; i < step->answers.count; i++)
    if (!has(set, step->answers.data[i]))
      return false;
  return members == step->answers.count;
}

static struct draft_step *step_of(struct steps *steps, uint32_t node, const uint64_t *set) {
  struct draft_plan *plan = steps->plan;
  for (size_t s = plan->steps.count; s-- > 0 && plan->steps.data[s].node == node;)
    if (takes(&plan->steps.data[s], set, steps->words))
      return &plan->steps.data[s];
  vector_push(&plan->steps, (struct draft_step){.node = node});
  struct draft_step *step = &plan->steps.data[plan->steps.count - 1];
  for (uint32_t p = 0; p < plan->calls.count; p++)
    if (has(set, p))
      vector_push(&step->answers, p);
  plan->joins |= step->answers.count > 1;
  return step;
}

static void add_to_step(struct steps *steps, uint32_t node, uint32_t activity) {
  const struct draft_plan *plan = steps->plan;
  const uint64_t *set = answers_of(steps, activity);
  if (plan->is_cost[activity])
    vector_push(&step_of(steps, node, set)->works, activity);
  if (steps->called_with[activity] != SPAN_NONE)
    vector_push(&step_of(steps, node, set)->calls, steps->called_with[activity]);
  if (activity == plan->flow->calls.data[node].tail)
    step_of(steps, node, set)->replies = true;
}

static void add_node(struct steps *steps, uint32_t node) {
  const struct draft_plan *plan = steps->plan;
  const struct request_flow *flow = plan->flow;
  uint64_t *none = mem_alloc(steps->words, sizeof *none);
  step_of(steps, node, none);
  mem_free(none);
  for (uint32_t a = 0; a < flow->activities.count; a++)
    if (flow_matters(steps->order, a) &&
        plan->calls.data[flow->activities.data[a].owner].host == node)
      add_to_step(steps, node, a);
}

static void find_ends(struct steps *steps) {
  const struct draft_plan *plan = steps->plan;
  for (uint32_t a = 0; a < plan->flow->activities.count; a++)
    steps->called_with[a] = steps->answered_by[a] = SPAN_NONE;
  for (uint32_t p = 1; p < plan->calls.count; p++)
    if (draft_is_node(plan, p)) {
      steps->called_with[plan->flow->calls.data[plan->calls.data[p].entry].lead] = p;
      steps->answered_by[last_of(steps, p)] = p;
    }
}

void draft_steps_make(struct draft_plan *plan, const struct flow_closure *order) {
  size_t activities = plan->flow->activities.count;
  struct steps steps = {.plan = plan, .order = order, .words = (plan->calls.count + 63) / 64};
  steps.answers = mem_alloc(activities * steps.words, sizeof *steps.answers);
  steps.called_with = mem_alloc(activities, sizeof *steps.called_with);
  steps.answered_by = mem_alloc(activities, sizeof *steps.answered_by);
  find_ends(&steps);
  for (uint32_t a = 0; a < activities; a++) {
    add_waits(&steps, a);
    keep_latest(&steps, answers_of(&steps, a));
  }
  for (uint32_t p = 0; p < plan->calls.count; p++)
    if (draft_is_node(plan, p))
      add_node(&steps, p);
  mem_free(steps.answers);
  mem_free(steps.called_with);
  mem_free(steps.answered_by);
}
