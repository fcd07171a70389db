/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/draft/plan.h"

#include <string.h>

#include "trace/draft/name.h"
#include "trace/graph/closure.h"

static bool ranks_are_all(const struct draft_plan *plan, const struct flow_closure *order,
                          struct text *reason) {
  const struct request_flow *flow = plan->flow;
  for (size_t a = 0; a < flow->activities.count; a++) {
    const struct activity *activity = &flow->activities.data[a];
    if (!flow_matters(order, (uint32_t)a) || activity->rank == activity->wait_count)
      continue;
    flow_call_name(reason, flow, activity->position, plan->names);
    text_format(reason,
                " waits for %u of %u calls: only flows that wait for all of them are drafted",
                activity->rank, activity->wait_count);
    return false;
  }
  return true;
}

const struct shape_loop *draft_loop_of(const struct draft_plan *plan, uint32_t position) {
  const struct shape_loop *loop = shape_loop_of(plan->shape, position);
  return loop != NULL && plan->by_round[loop - plan->shape->loops.data] ? loop : NULL;
}

/* The only call below p that matters, or SPAN_NONE. */
static uint32_t only_call(const struct draft_plan *plan, const struct flow_closure *order,
                          uint32_t p) {
  const struct request_flow *flow = plan->flow;
  uint32_t only = SPAN_NONE;
  for (uint32_t c = p + 1; c < flow->calls.count; c++) {
    if (flow->calls.data[c].parent != p || !flow_matters(order, flow->calls.data[c].tail))
      continue;
    if (only != SPAN_NONE || draft_loop_of(plan, c) != NULL)
      return SPAN_NONE;
    only = c;
  }
  return only;
}

static bool is_way(const struct draft_plan *plan, const struct flow_closure *order, uint32_t p) {
  const struct request_flow *flow = plan->flow;
  uint32_t call = only_call(plan, order, p);
  return call != SPAN_NONE &&
         flow->activities.data[flow->calls.data[call].lead].kind != ACTIVITY_WORK;
}

static enum draft_place first_place(const struct draft_plan *plan, const struct flow_closure *order,
                                    uint32_t p) {
  const struct flow_call *call = &plan->flow->calls.data[p];
  if (p == 0)
    return DRAFT_NODE;
  if (!flow_matters(order, call->tail))
    return DRAFT_APART;
  if (draft_loop_of(plan, p) != NULL)
    return DRAFT_INSIDE;
  if (plan->calls.data[call->parent].place == DRAFT_WAY)
    return DRAFT_NODE;
  if (call->service != plan->flow->calls.data[call->parent].service)
    return DRAFT_NODE;
  return is_way(plan, order, p) ? DRAFT_WAY : DRAFT_INSIDE;
}

/* Hosts and entries follow from the places. */
static void settle(struct draft_plan *plan) {
  for (uint32_t p = 0; p < plan->calls.count; p++) {
    struct draft_call *call = &plan->calls.data[p];
    uint32_t parent = plan->flow->calls.data[p].parent;
    bool node = draft_is_node(plan, p);
    call->host = node ? p : plan->calls.data[parent].host;
    call->entry = node && p > 0 && plan->calls.data[parent].place == DRAFT_WAY ? parent : p;
  }
}

/* The node in whose time an activity is. */
static uint32_t host_of(const struct draft_plan *plan, uint32_t activity) {
  return plan->calls.data[plan->flow->activities.data[activity].owner].host;
}

/* Whether activity w is before or after all that its node does otherwise, calls others for
 * included. */
static bool is_alone(const struct draft_plan *plan, const struct flow_closure *order, uint32_t w) {
  const struct request_flow *flow = plan->flow;
  uint32_t host = host_of(plan, w), of = flow->activities.data[w].position;
  for (uint32_t p = 0; p < plan->calls.count; p++) {
    const struct flow_call *call = &flow->calls.data[p];
    enum draft_place place = plan->calls.data[p].place;
    if (place == DRAFT_APART || (p > 0 && place != DRAFT_INSIDE && !draft_is_node(plan, p)))
      continue;
    if (place == DRAFT_INSIDE && plan->calls.data[p].host == host &&
        !(flow_ordered(order, w, call->lead) && flow_ordered(order, w, call->tail)))
      return false;
    if (p == host && !flow_ordered(order, w, call->tail))
      return false;
    if (p == 0 || !draft_is_node(plan, p) || draft_caller(plan, p) != host)
      continue;
    uint32_t entry = plan->calls.data[p].entry;
    const struct flow_call *first = &flow->calls.data[entry];
    if (entry != of && !flow_before(order, w, first->lead) && !flow_before(order, first->tail, w))
      return false;
  }
  return true;
}

static void place_all(struct draft_plan *plan, const struct flow_closure *order) {
  for (uint32_t p = 0; p < plan->flow->calls.count; p++)
    plan->calls.data[p].place = first_place(plan, order, p);
  settle(plan);
}

/* A call inside a node whose work is beside other work of that node becomes a node, and a loop one
 * call. */
static bool part(struct draft_plan *plan, const struct flow_closure *order) {
  for (uint32_t p = 1; p < plan->calls.count; p++) {
    const struct flow_call *call = &plan->flow->calls.data[p];
    if (plan->calls.data[p].place != DRAFT_INSIDE)
      continue;
    if (is_alone(plan, order, call->lead) && is_alone(plan, order, call->tail))
      continue;
    const struct shape_loop *loop = draft_loop_of(plan, p);
    if (loop != NULL) {
      plan->by_round[loop - plan->shape->loops.data] = false;
      place_all(plan, order);
      return true;
    }
    plan->calls.data[p].place = DRAFT_THREAD;
    settle(plan);
    return true;
  }
  return false;
}

static void choose_places(struct draft_plan *plan, const struct flow_closure *order) {
  plan->by_round = mem_alloc(plan->shape->loops.count, sizeof *plan->by_round);
  for (size_t l = 0; l < plan->shape->loops.count; l++)
    plan->by_round[l] = plan->shape->loops.data[l].most <= DRAFT_ROUNDS_MAX;
  for (uint32_t p = 0; p < plan->flow->calls.count; p++)
    vector_push(&plan->calls, (struct draft_call){0});
  place_all(plan, order);
  while (part(plan, order)) {
  }
}

static void choose_costs(struct draft_plan *plan, const struct flow_closure *order) {
  const struct request_flow *flow = plan->flow;
  plan->is_cost = mem_alloc(flow->activities.count, sizeof *plan->is_cost);
  for (uint32_t p = 0; p < plan->calls.count; p++) {
    enum draft_place place = plan->calls.data[p].place;
    const struct flow_call *call = &flow->calls.data[p];
    if (place == DRAFT_APART)
      continue;
    plan->is_cost[call->tail] = place != DRAFT_WAY;
    if (p > 0)
      plan->is_cost[call->lead] =
          place == DRAFT_INSIDE ||
          (plan->calls.data[p].entry == p && place != DRAFT_THREAD &&
           flow->activities.data[call->lead].kind == ACTIVITY_WORK &&
           plan->calls.data[call->parent].place != DRAFT_WAY && is_alone(plan, order, call->lead));
  }
}

size_t draft_call_delay(uint32_t activities[2], const struct draft_plan *plan, uint32_t node) {
  size_t count = 0;
  uint32_t entry = plan->calls.data[node].entry;
  if (!plan->is_cost[plan->flow->calls.data[entry].lead])
    activities[count++] = plan->flow->calls.data[entry].lead;
  if (entry != node)
    activities[count++] = plan->flow->calls.data[node].lead;
  return count;
}

size_t draft_answer_delay(uint32_t activities[2], const struct draft_plan *plan, uint32_t node) {
  uint32_t entry = plan->calls.data[node].entry;
  activities[0] = plan->flow->calls.data[entry].tail;
  return entry != node ? 1 : 0;
}

bool draft_plan_make(struct draft_plan *plan, const struct flow_shape *shape,
                     const struct span_names *names, struct text *reason) {
  const struct request_flow *flow = shape->flow;
  *plan = (struct draft_plan){.shape = shape, .flow = flow, .names = names};
  if (flow->calls.count > DRAFT_CALLS_MAX) {
    text_format(reason, "it has %zu calls, and a draft at most %d", flow->calls.count,
                DRAFT_CALLS_MAX);
    return false;
  }
  struct flow_closure order;
  flow_closure_make(&order, flow);
  bool drafted = ranks_are_all(plan, &order, reason);
  if (drafted) {
    choose_places(plan, &order);
    choose_costs(plan, &order);
    draft_steps_make(plan, &order);
    draft_names_make(plan);
  }
  flow_closure_clear(&order);
  return drafted;
}

void draft_plan_clear(struct draft_plan *plan) {
  for (size_t s = 0; s < plan->steps.count; s++) {
    vector_clear(&plan->steps.data[s].answers);
    vector_clear(&plan->steps.data[s].works);
    vector_clear(&plan->steps.data[s].calls);
  }
  for (size_t p = 0; p < plan->calls.count; p++)
    mem_free(plan->calls.data[p].name);
  vector_clear(&plan->steps);
  vector_clear(&plan->calls);
  mem_free(plan->is_cost);
  mem_free(plan->by_round);
}
