/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/tick.h"

#include "solver/encode/encode.h"
#include "solver/infer/edge.h"
#include "solver/infer/time.h"

/* --- what is gathered ------------------------------------------------------------------------ */

/* What the action adds to the set in any case, or NULL. */
static const struct term *added_by(const struct action *action, const struct state *set) {
  for (size_t i = 0; i < action->body.count && action->message != NULL && !action->loses; i++) {
    const struct statement *s = action->body.statements[i];
    if (s->kind != STATEMENT_ASSIGN || s->state != set || s->key != NULL ||
        s->value->kind != TERM_UNION || s->value->args[0]->kind != TERM_STATE ||
        s->value->args[0]->state != set || s->value->args[1]->kind != TERM_SET ||
        s->value->args[1]->count != 1)
      continue;
    const struct term *node = s->value->args[1]->args[0];
    return node->kind == TERM_VARIABLE ? node : NULL;
  }
  return NULL;
}

/* A cost of a step for a member: with the member's own index, or any. */
static const struct term *work_for(struct term_maker *m, struct flow *flow, const struct term *cost,
                                   const struct term *added, const struct variable *member) {
  struct replacement with = {added, maker_mention(m, member)};
  cost = term_replace(m, cost, &with, 1);
  struct variable_list free = term_free_variables(m->arena, cost);
  bool other = cost->component->repeated;
  for (size_t k = 0; k < free.count; k++)
    other = other || free.items[k] != member;
  return other ? flow_bare(flow, cost->component) : cost;
}

static const struct term *over_all(struct flow *flow, const struct variable *v,
                                   const struct term *work) {
  if (v->domain == DOMAIN_ROLE)
    return flow_batch(flow, v, work);
  struct term *sum = maker_term(flow->m, TERM_SUM_OVER, TYPE_TIME, &work, 1);
  sum->variable_count = 1;
  sum->variables = arena_copy(flow->m->arena, &v, 1, sizeof v);
  return sum;
}

/* The work for all members: of the set, or (set: NULL) of the whole role. */
static const struct term *work_for_all(struct flow *flow, const struct infer_tick *tick,
                                       const struct term *set) {
  struct term_maker *m = flow->m;
  const struct role *role = tick->set->type.role;
  const struct term *all = NULL;
  for (size_t i = 0; i < flow->model->actions.count; i++) {
    const struct action *a = flow->model->actions.items[i];
    const struct term *added = added_by(a, tick->set);
    if (added == NULL || a->role != tick->set->role)
      continue;
    struct variable *v = maker_variable(m, "v", (struct type){.kind = TYPE_NODE, .role = role});
    v->domain = set == NULL ? DOMAIN_ROLE : DOMAIN_SET;
    v->set = set;
    for (size_t k = 0; k < a->cost_count; k++)
      all = time_plus(m, all, over_all(flow, v, work_for(m, flow, a->costs[k], added, v)));
  }
  return all;
}

/* --- candidates ------------------------------------------------------------------------------ */

static const struct term *period_in(const struct block *block, const struct state *due,
                                    const struct term *period, bool *other) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_IF) {
      period = period_in(&s->then_block, due, period, other);
      period = period_in(&s->else_block, due, period, other);
    }
    if (s->kind != STATEMENT_ASSIGN || s->state != due)
      continue;
    bool moved = s->value->kind == TERM_ADD && s->value->args[0]->kind == TERM_STATE &&
                 s->value->args[0]->state == due && !term_reads_state(s->value->args[1]) &&
                 term_is_constant_time(s->value->args[1]);
    *other = *other || !moved || (period != NULL && !term_equal(period, s->value->args[1]));
    period = moved ? s->value->args[1] : period;
  }
  return period;
}

/* By what the time grows whenever it is assigned; NULL: in several ways, or never. */
static const struct term *period_of(const struct model *model, const struct state *due) {
  const struct term *period = NULL;
  bool other = false;
  for (size_t i = 0; i < model->actions.count; i++)
    period = period_in(&model->actions.items[i]->body, due, period, &other);
  return other ? NULL : period;
}

static const struct term *a_node(struct term_maker *m, const struct role *role) {
  struct type type = {.kind = TYPE_NODE, .role = role};
  return maker_role_node(m, role, role->count == NULL ? NULL : maker_variable(m, "i", type));
}

static void about_tick(relations *list, struct flow *flow, const struct infer_tick *found) {
  struct term_maker *m = flow->m;
  const struct infer_tick *tick = arena_copy(m->arena, found, 1, sizeof *found);
  const struct term *node = a_node(m, tick->action->role);
  const struct term *due = flow_state(flow, tick->due, node);
  const struct term *late =
      time_plus(m, due, work_for_all(flow, tick, flow_state(flow, tick->set, node)));
  relation_add(list, m, flow->model,
               maker_implies(m, action_untimed_guard(m, tick->action, node),
                             maker_at_most(m, maker_clock(m, node), late)),
               (struct relation){.late = tick});
  const struct term *now = maker_term(m, TERM_NOW, TYPE_TIME, NULL, 0);
  const struct term *next = maker_pair(m, TERM_ADD, TYPE_TIME, now, tick->period);
  relation_add(list, m, flow->model, maker_at_most(m, due, next), (struct relation){.soon = tick});
}

static bool is_gathered(const struct model *model, const struct state *set) {
  bool found = false;
  for (size_t i = 0; i < model->actions.count && !found; i++)
    found = added_by(model->actions.items[i], set) != NULL;
  return found;
}

void tick_relations(relations *list, struct term_maker *m, const struct model *model) {
  struct flow flow = {.m = m, .model = model};
  for (size_t i = 0; i < model->actions.count && model->timing == TIMING_EAGER; i++) {
    struct infer_tick tick = {.action = model->actions.items[i]};
    if (tick.action->timer == NULL || tick.action->timer->kind != TERM_STATE ||
        tick.action->choice_count != 0)
      continue;
    tick.due = tick.action->timer->state;
    tick.period = period_of(model, tick.due);
    for (size_t k = 0; k < model->states.count && tick.period != NULL; k++) {
      tick.set = model->states.items[k];
      if (tick.set->role == tick.action->role && tick.set->type.kind == TYPE_SET &&
          tick.set->type.role->count != NULL && is_gathered(model, tick.set))
        about_tick(list, &flow, &tick);
    }
  }
}

/* --- times ----------------------------------------------------------------------------------- */

/* What holds of ticks of this action that find the set. */
static const struct infer_tick *tick_of(const struct flow *flow, const struct action *action,
                                        const struct state *set) {
  const struct infer_tick *late = NULL, *soon = NULL;
  for (size_t i = 0; i < flow->held->count; i++) {
    const struct relation *r = &flow->held->data[i];
    if (r->late != NULL && r->late->action == action && r->late->set == set)
      late = r->late;
    if (r->soon != NULL && r->soon->action == action && r->soon->set == set)
      soon = r->soon;
  }
  return soon == NULL ? NULL : late;
}

void tick_gather(struct flow *flow, struct unknown *u, alternative_vector *result) {
  for (size_t i = 0; i < flow->model->actions.count && u->reason == NULL; i++) {
    const struct action *a = flow->model->actions.items[i];
    const struct term *added = added_by(a, u->tick->set);
    if (added == NULL || a->role != u->tick->set->role)
      continue;
    struct edge e = {.flow = flow, .target = u, .action = a, .result = result, .starts = true};
    match_init(&e.match, flow->m, u->formals, u->formal_count);
    match_equal(&e.match, maker_role_node(flow->m, a->role, a->node), u->formals[0]);
    match_equal(&e.match, added, u->formals[1]);
    edge_from_end(&e, u->tick->period, false);
    match_clear(&e.match);
  }
}

bool tick_sends(struct edge *e, const struct term *delay) {
  struct flow *flow = e->flow;
  const struct statement *send = e->send;
  const struct variable *v = send == NULL || send->variable_count != 1 ? NULL : send->variables[0];
  if (v == NULL || v->domain != DOMAIN_SET || v->set->kind != TERM_STATE)
    return false;
  const struct infer_tick *tick = tick_of(flow, e->action, v->set->state);
  if (tick == NULL)
    return false;
  struct unknown *u = flow_gathered(flow, tick);
  alternative_vector sources = {0};
  if (!flow_solve(flow, u, &sources))
    e->target->reason = u->reason;
  const struct term *actuals[] = {maker_role_node(flow->m, e->action->role, e->action->node),
                                  maker_mention(flow->m, v)};
  const struct term *work =
      time_plus(flow->m, work_for_all(flow, tick, NULL), flow_costs(flow, e->action));
  if (e->target->reason == NULL)
    edge_add_sources(e, u, actuals, &sources, time_plus(flow->m, work, delay));
  vector_clear(&sources);
  return true;
}
