/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Timers: a step with `on timer E` starts no sooner than at E. When E reads a state, how late the
 * time in it is follows from what sets it: a constant, another such state, or the clock that a step
 * read, which is no later than when that step ends. */
#include "solver/encode/encode.h"
#include "solver/infer/edge.h"
#include "solver/infer/time.h"

/* What a time is at most: `moving`, a state or a clock read (NULL: nothing), + `constant`. */
struct part {
  const struct term *moving, *constant;
};
typedef VECTOR(struct part) parts;

/* Appends parts of which one is at least t + `more`. False when the time is made otherwise. */
static bool take_apart(struct flow *flow, parts *list, const struct term *t,
                       const struct term *more) {
  bool known = true;
  size_t before = list->count;
  if (term_is_constant_time(t)) {
    vector_push(list, (struct part){NULL, time_plus(flow->m, t, more)});
  } else if (t->kind == TERM_STATE || t->kind == TERM_VARIABLE) {
    vector_push(list, (struct part){t, more});
  } else if (t->kind == TERM_ADD) {
    bool second = term_is_constant_time(t->args[1]);
    known = second || term_is_constant_time(t->args[0]);
    known = known &&
            take_apart(flow, list, t->args[!second], time_plus(flow->m, t->args[second], more));
  } else if (t->kind == TERM_SUB && t->args[1]->type.kind == TYPE_TIME) {
    known = take_apart(flow, list, t->args[0], more); /* a little later than it is */
  } else if (t->kind == TERM_MAX || t->kind == TERM_ITE) {
    for (size_t i = t->kind == TERM_ITE; i < t->count && known; i++)
      known = take_apart(flow, list, t->args[i], more);
  } else if (t->kind == TERM_MIN) {
    known = false;
    for (size_t i = 0; i < t->count && !known; i++) { /* what never changes is easiest known */
      size_t k = term_is_constant_time(t->args[t->count - 1]) ? t->count - 1 - i : i;
      list->count = before;
      known = take_apart(flow, list, t->args[k], more);
    }
  } else {
    known = false;
  }
  return known;
}

/* How late the part is before the action, in the action's own terms; NULL may also be 0. On
 * failure the target has a reason. */
static const struct term *latest(struct edge *e, const struct part *part) {
  struct flow *flow = e->flow;
  struct term_maker *m = flow->m;
  if (part->moving == NULL)
    return part->constant;
  const struct term *node = maker_role_node(m, e->action->role, e->action->node);
  struct unknown *u = flow_value(flow, part->moving->state, node, edge_guard(flow, e->action));
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
  return time_plus(m, all, part->constant);
}

static void refuse(struct edge *e) {
  e->target->reason =
      flow_text(e->flow,
                "nothing says how late a time of %s is, which is more than clocks, states and "
                "constants: say it (`invariant NAME: F implies STATE <= E`)",
                e->action->name);
}

static bool has_read(const parts *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i].moving != NULL && list->data[i].moving->kind == TERM_VARIABLE)
      return true;
  return false;
}

/* When the timer is due: appends the latest of each part. */
static void add_due(struct edge *e, alternative_vector *both) {
  parts list = {0};
  if (!take_apart(e->flow, &list, e->action->timer, NULL) || has_read(&list))
    refuse(e);
  for (size_t i = 0; i < list.count && e->target->reason == NULL; i++)
    vector_push(both, (struct alternative){.time = latest(e, &list.data[i])});
  vector_clear(&list);
}

void timer_wait(struct edge *e, const struct unknown *u, const struct term *const *actuals,
                alternative_vector *sources) {
  struct flow *flow = e->flow;
  alternative_vector both = {0};
  for (size_t i = 0; i < sources->count; i++)
    vector_push(&both,
                (struct alternative){
                    .time = u == NULL ? sources->data[i].time
                                      : edge_in_action(flow, u, &sources->data[i], actuals)});
  bool alone = true;
  for (size_t i = 0; i < both.count; i++)
    alone = alone && both.data[i].time == NULL;
  add_due(e, &both);
  for (size_t i = 0; i < both.count && !alone && e->target->reason == NULL; i++)
    if (flow_has_placeholder(both.data[i].time, NULL))
      e->target->reason = flow_text(flow, "%s and its timer wait for each other", e->action->name);
  if (e->target->reason == NULL && sources->count != 0) {
    struct alternative last = sources->data[0];
    last.time = flow_combine(flow, &both);
    sources->count = 0;
    vector_push(sources, last);
  }
  vector_clear(&both);
}

static void value_of(struct edge *e, const struct part *part) {
  if (part->moving != NULL && part->moving->kind == TERM_VARIABLE) {
    edge_from_end(e, part->constant, false);
    return;
  }
  alternative_vector sources = {0};
  vector_push(&sources, (struct alternative){.time = latest(e, part)});
  if (e->target->reason == NULL)
    edge_add_sources(e, NULL, NULL, &sources, NULL);
  vector_clear(&sources);
}

void timer_value(struct edge *e, const struct term *after) {
  parts list = {0};
  if (!take_apart(e->flow, &list, after, NULL) || (e->action->schedule != NULL && has_read(&list)))
    refuse(e);
  for (size_t i = 0; i < list.count && e->target->reason == NULL; i++)
    value_of(e, &list.data[i]);
  vector_clear(&list);
}

const struct term *timer_first(struct flow *flow, const struct unknown *value) {
  if (value->value == NULL)
    return NULL;
  const struct state *s = value->value;
  struct replacement self = {maker_mention(flow->m, s->self), value->node};
  const struct term *first = term_replace(flow->m, s->initial, &self, 1);
  return time_plus(flow->m, first, NULL);
}
