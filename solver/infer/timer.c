/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timers: a step with `on timer E` starts no sooner than at E. When E reads a state, how late the
 * time in it is follows from what sets it: a constant, another such state, or the clock that a step
 * read, which is no later than when that step ends. */
#include "lang/term_time.h"
#include "solver/encode/encode.h"
#include "solver/infer/edge.h"
#include "solver/infer/time.h"

/* A time as `moving` + constants, where `moving` is a state or a clock read. */
struct parts {
  const struct term *moving, *constant;
  bool other; /* it is none of that form */
};

static bool is_constant(const struct term *t) {
  if (t->kind == TERM_STATE || t->kind == TERM_VARIABLE || t->kind == TERM_TIME_NODE)
    return false;
  for (size_t i = 0; i < t->count; i++)
    if (!is_constant(t->args[i]))
      return false;
  return true;
}

static void take_apart(struct flow *flow, struct parts *parts, const struct term *t) {
  if (t->kind == TERM_ADD) {
    take_apart(flow, parts, t->args[0]);
    take_apart(flow, parts, t->args[1]);
  } else if (t->kind == TERM_SUB && t->args[1]->type.kind == TYPE_TIME) {
    take_apart(flow, parts, t->args[0]); /* a little later than it is */
  } else if (is_constant(t)) {
    parts->constant = time_plus(flow->m, parts->constant, t);
  } else if ((t->kind == TERM_STATE || t->kind == TERM_VARIABLE) && parts->moving == NULL) {
    parts->moving = t;
  } else {
    parts->other = true;
  }
}

/* How late the parts are before the action, in the action's own terms; NULL may also be 0. On
 * failure the target has a reason. */
static const struct term *latest(struct edge *e, const struct parts *parts) {
  struct flow *flow = e->flow;
  struct term_maker *m = flow->m;
  if (parts->moving == NULL)
    return parts->constant;
  const struct term *node = maker_role_node(m, e->action->role, e->action->node);
  struct unknown *u = flow_value(flow, parts->moving->state, node, edge_guard(flow, e->action));
  alternative_vector sources = {0}, its = {0};
  if (!flow_solve(flow, u, &sources))
    e->target->reason = u->reason;
  const struct term **actuals = edge_actuals(flow, u, node);
  for (size_t i = 0; i < sources.count && e->target->reason == NULL; i++)
    vector_push(&its,
                (struct alternative){.time = edge_in_action(flow, u, &sources.data[i], actuals)});
  const struct term *all = flow_combine(flow, &its);
  vector_clear(&its);
  vector_clear(&sources);
  return time_plus(m, all, parts->constant);
}

static void refuse(struct edge *e) {
  e->target->reason = flow_text(e->flow,
                                "%s has a time that is more than a clock or a state and constants, "
                                "which is not followed: say "
                                "by hand how late it is (`invariant NAME: F implies STATE <= E`)",
                                e->action->name);
}

void timer_wait(struct edge *e, const struct unknown *u, const struct term *const *actuals,
                alternative_vector *sources) {
  struct flow *flow = e->flow;
  const struct action *a = e->action;
  struct parts parts = {0};
  take_apart(flow, &parts, a->timer);
  if (parts.other || (parts.moving != NULL && parts.moving->kind != TERM_STATE)) {
    refuse(e);
    return;
  }
  alternative_vector both = {0};
  for (size_t i = 0; i < sources->count; i++)
    vector_push(&both,
                (struct alternative){
                    .time = u == NULL ? sources->data[i].time
                                      : edge_in_action(flow, u, &sources->data[i], actuals)});
  bool alone = true;
  for (size_t i = 0; i < both.count; i++)
    alone = alone && both.data[i].time == NULL;
  vector_push(&both, (struct alternative){.time = latest(e, &parts)});
  for (size_t i = 0; i < both.count && !alone && e->target->reason == NULL; i++)
    if (flow_has_placeholder(both.data[i].time, NULL))
      e->target->reason = flow_text(flow, "%s and its timer wait for each other", a->name);
  if (e->target->reason == NULL && sources->count != 0) {
    struct alternative last = sources->data[0];
    last.time = flow_combine(flow, &both);
    sources->count = 0;
    vector_push(sources, last);
  }
  vector_clear(&both);
}

void timer_value(struct edge *e, const struct term *after) {
  struct flow *flow = e->flow;
  struct parts parts = {0};
  if (e->action->schedule != NULL)
    parts.other = true;
  take_apart(flow, &parts, after);
  if (parts.other) {
    refuse(e);
  } else if (parts.moving != NULL && parts.moving->kind == TERM_VARIABLE) {
    edge_from_end(e, parts.constant, false);
  } else {
    alternative_vector sources = {0};
    vector_push(&sources, (struct alternative){.time = latest(e, &parts)});
    if (e->target->reason == NULL)
      edge_add_sources(e, NULL, NULL, &sources, NULL);
    vector_clear(&sources);
  }
}

const struct term *timer_first(struct flow *flow, const struct unknown *value) {
  if (value->value == NULL)
    return NULL;
  const struct state *s = value->value;
  struct replacement self = {maker_mention(flow->m, s->self), value->node};
  const struct term *first = term_replace(flow->m, s->initial, &self, 1);
  return time_plus(flow->m, first, NULL);
}
