/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer_flow.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "solver/infer_relation.h"
#include "solver/infer_time.h"
#include "solver/infer_way.h"

enum { ALTERNATIVES_MAX = 32 };

static bool solve(struct flow *flow, struct unknown *u, alternative_vector *result);

const char *flow_text(struct flow *flow, const char *format, ...) {
  struct text text;
  text_init(&text);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  const char *kept = arena_text(flow->m->arena, text_get(&text), text.length);
  text_clear(&text);
  return kept;
}

/* --- unknowns -------------------------------------------------------------------------------- */

static struct unknown *unknown_new(struct flow *flow) {
  struct unknown *u = arena_alloc(flow->m->arena, 1, sizeof *u);
  u->number = flow->unknowns.count;
  vector_push(&flow->unknowns, u);
  return u;
}

static struct unknown *unknown_message(struct flow *flow, const struct message *message,
                                       bool sent) {
  for (size_t i = 0; i < flow->unknowns.count; i++)
    if (flow->unknowns.data[i]->message == message && flow->unknowns.data[i]->sent == sent)
      return flow->unknowns.data[i];
  struct unknown *u = unknown_new(flow);
  u->message = message;
  u->sent = sent;
  u->formal_count = message->field_count;
  u->formals = arena_alloc(flow->m->arena, u->formal_count, sizeof(struct term *));
  for (size_t i = 0; i < u->formal_count; i++)
    u->formals[i] = maker_mention(
        flow->m, maker_variable(flow->m, message->fields[i].name, message->fields[i].type));
  return u;
}

static size_t count_integers(const struct model *model, const struct role *role) {
  size_t count = 0;
  for (size_t i = 0; i < model->states.count; i++)
    count += model->states.items[i]->role == role &&
             model->states.items[i]->type.kind == TYPE_INT && !model->states.items[i]->ghost;
  return count;
}

/* `guard` over `node`, a term of the role. */
static struct unknown *unknown_guard(struct flow *flow, const struct role *role,
                                     const struct term *node, const struct term *guard) {
  struct term_maker *m = flow->m;
  struct type type = {.kind = TYPE_NODE, .role = role};
  struct unknown *u = unknown_new(flow);
  u->role = role;
  u->node = maker_role_node(m, role, role->count == NULL ? NULL : maker_variable(m, "i", type));
  struct replacement with = {node, u->node};
  u->guard = guard == NULL ? NULL : term_replace(m, guard, &with, 1);
  for (size_t i = 0; i < u->number; i++) {
    struct unknown *other = flow->unknowns.data[i];
    if (other->role != role || other->guard == NULL || u->guard == NULL)
      continue;
    struct replacement back = {u->node, other->node};
    if (term_equal(term_replace(m, u->guard, &back, 1), other->guard)) {
      flow->unknowns.count--;
      return other;
    }
  }
  size_t count = 1 + count_integers(flow->model, role);
  u->formals = arena_alloc(m->arena, count, sizeof(struct term *));
  u->states = arena_alloc(m->arena, count, sizeof(struct state *));
  u->formals[u->formal_count++] = u->node;
  for (size_t i = 0; i < flow->model->states.count; i++) {
    const struct state *s = flow->model->states.items[i];
    if (s->role != role || s->type.kind != TYPE_INT || s->ghost)
      continue;
    u->states[u->formal_count] = s;
    u->formals[u->formal_count++] = maker_mention(m, maker_variable(m, s->name, s->type));
  }
  return u;
}

void flow_clear(struct flow *flow) {
  vector_clear(&flow->unknowns);
}

/* --- one action ------------------------------------------------------------------------------ */

static const struct term *state_at(struct flow *flow, const struct state *state,
                                   const struct term *node) {
  struct term *t = maker_term(flow->m, TERM_STATE, state->type.kind, &node, 1);
  t->type = state->type;
  t->state = state;
  return t;
}

/* The unknown that an action starts from, NULL for one whose node has done nothing yet; `actuals`
 * gets what its formals are in the action. */
static struct unknown *source_of(struct flow *flow, const struct action *a,
                                 const struct term ***actuals) {
  struct term_maker *m = flow->m;
  const struct term *node = maker_role_node(m, a->role, a->node);
  if (a->message == NULL && flow->fresh[a->id])
    return NULL;
  struct unknown *u = a->message != NULL
                          ? unknown_message(flow, a->message, false)
                          : unknown_guard(flow, a->role, node, action_guard(m, a, node));
  u->asked = false;
  *actuals = arena_alloc(m->arena, u->formal_count, sizeof(struct term *));
  for (size_t i = 0; i < u->formal_count; i++)
    (*actuals)[i] = a->message != NULL ? maker_mention(m, a->fields[i])
                    : i == 0           ? node
                                       : state_at(flow, u->states[i], node);
  return u;
}

static const struct term *costs_of(struct flow *flow, const struct action *a) {
  const struct term *all = NULL;
  for (size_t i = 0; i < a->cost_count; i++) {
    const struct term *cost = a->costs[i];
    if (cost->component->repeated || cost->kind == TERM_BARE) {
      struct term *bare = maker_term(flow->m, TERM_BARE, TYPE_TIME, NULL, 0);
      bare->component = cost->component;
      cost = bare;
    }
    all = time_plus(flow->m, all, cost);
  }
  return all;
}

/* What the action adds to the bound of what it starts from. */
static const struct term *weight_of(struct flow *flow, const struct action *a,
                                    const struct term *const *actuals) {
  const struct term *wait = NULL;
  if (a->message != NULL && flow->model->queueing != NULL && !flow->idle[a->message->id])
    wait = maker_message(flow->m, TERM_DELAY, a->message, flow->model->queueing, actuals);
  return time_plus(flow->m, wait, costs_of(flow, a));
}

static const char *refusal(struct flow *flow, const struct action *a) {
  if (a->timeout != NULL || a->timer != NULL || a->read != NULL)
    return flow_text(flow, "%s waits for a clock, which is not followed", a->name);
  if (a->message != NULL && flow->model->queueing == NULL && !flow->idle[a->message->id])
    return flow_text(flow, "nothing bounds how long %s waits for its receiver", a->message->name);
  return NULL;
}

/* --- one way for an unknown to come about ---------------------------------------------------- */

struct edge {
  struct flow *flow;
  struct unknown *target;
  const struct action *action;
  const struct way *way;
  struct match match;
  alternative_vector *result;
};

static void add_alternative(struct edge *e, const struct term *time, const char *via) {
  const struct term *open;
  struct term_maker *m = e->flow->m;
  time = time == NULL ? NULL : time_tidy(m, match_apply(&e->match, time));
  while (time != NULL && (open = match_open(&e->match, time)) != NULL) {
    if (open->kind != TERM_VARIABLE || open->type.kind != TYPE_NODE) {
      e->target->reason =
          flow_text(e->flow, "%s does not say which %s it goes back to", e->action->name,
                    open->kind == TERM_STATE ? open->state->name : open->variable->name);
      return;
    }
    time = time_max_over(m, open->variable, flow_forget(e->flow, time, open->variable));
  }
  const char *here = e->action->name;
  struct alternative made = {.time = time,
                             .via = via == NULL ? here : flow_text(e->flow, "%s, %s", via, here),
                             .condition_count = e->match.conditions.count,
                             .conditions =
                                 arena_copy(m->arena, e->match.conditions.data,
                                            e->match.conditions.count, sizeof(struct replacement))};
  vector_push(e->result, made);
}

/* The target's formals have their values; now what the way assumes, and where it starts. */
static void finish_edge(struct edge *e, const struct term *delay) {
  struct flow *flow = e->flow;
  struct term_maker *m = flow->m;
  const struct action *a = e->action;
  const struct term **actuals = NULL;
  const struct term *node = maker_role_node(m, a->role, a->node);
  const struct term *guard = action_guard(m, a, node);
  if (guard != NULL)
    match_formula(&e->match, guard);
  for (size_t i = 0; i < e->way->conditions.count; i++)
    match_formula(&e->match, e->way->conditions.data[i]);
  if (e->match.impossible)
    return;
  e->target->reason = refusal(flow, a);
  struct unknown *u = e->target->reason == NULL ? source_of(flow, a, &actuals) : NULL;
  alternative_vector sources = {0};
  if (u == NULL)
    vector_push(&sources, (struct alternative){0});
  else if (!solve(flow, u, &sources))
    e->target->reason = u->reason;
  const struct term *weight = time_plus(m, weight_of(flow, a, actuals), delay);
  replacements with = {0};
  for (size_t i = 0; u != NULL && i < u->formal_count; i++)
    vector_push(&with, (struct replacement){u->formals[i], actuals[i]});
  for (size_t i = 0; i < sources.count && e->target->reason == NULL; i++) {
    const struct alternative *s = &sources.data[i];
    struct match saved = e->match;
    match_copy(&e->match, &saved);
    for (size_t k = 0; k < s->condition_count; k++)
      match_equal(&e->match, term_replace(m, s->conditions[k].from, with.data, with.count),
                  term_replace(m, s->conditions[k].to, with.data, with.count));
    const struct term *start =
        s->time == NULL ? NULL : term_replace(m, s->time, with.data, with.count);
    if (!e->match.impossible && e->result->count < ALTERNATIVES_MAX)
      add_alternative(e, time_plus(m, start, weight), s->via);
    match_clear(&e->match);
    e->match = saved;
  }
  vector_clear(&with);
  vector_clear(&sources);
}

static void begin_edge(struct edge *e) {
  match_init(&e->match, e->flow->m, e->target->formals, e->target->formal_count);
  const struct action *a = e->action;
  if (a->role->count == NULL)
    match_equal(&e->match, maker_mention(e->flow->m, a->node),
                maker_role_node(e->flow->m, a->role, a->node));
}

static void from_sends(struct edge *e) {
  struct term_maker *m = e->flow->m;
  for (size_t s = 0; s < e->way->sends.count && e->target->reason == NULL; s++) {
    const struct way_send *sent = &e->way->sends.data[s];
    if (sent->statement->message != e->target->message)
      continue;
    begin_edge(e);
    for (size_t i = 0; i < sent->statement->arg_count; i++)
      match_equal(&e->match, e->target->formals[i], sent->args[i]);
    const struct term *delay = e->target->sent
                                   ? NULL
                                   : maker_message(m, TERM_DELAY, e->target->message,
                                                   e->target->message->delay, e->target->formals);
    finish_edge(e, delay);
    match_clear(&e->match);
  }
}

static bool guard_reads(const struct unknown *u, const struct way *way) {
  for (size_t i = 0; i < way->after.count; i++)
    if (way->after.data[i].from->kind == TERM_STATE) {
      struct term at = *way->after.data[i].from;
      const struct term *args[] = {u->node};
      at.args = args;
      if (u->guard != NULL && term_contains(u->guard, &at))
        return true;
    }
  return false;
}

/* The guard holds after the way, which assigned something it reads. */
static void from_assignments(struct edge *e) {
  struct flow *flow = e->flow;
  struct term_maker *m = flow->m;
  struct unknown *u = e->target;
  if (e->action->role != u->role || !guard_reads(u, e->way))
    return;
  begin_edge(e);
  const struct term *node = maker_role_node(m, u->role, e->action->node);
  match_equal(&e->match, node, u->node);
  replacements with = {0};
  vector_push(&with, (struct replacement){u->node, node});
  const struct term *guard = term_replace(m, u->guard, with.data, with.count);
  guard = term_replace(m, guard, e->way->after.data, e->way->after.count);
  match_formula(&e->match, guard);
  for (size_t i = 1; i < u->formal_count; i++)
    match_equal(&e->match, u->formals[i],
                term_replace(m, state_at(flow, u->states[i], node), e->way->after.data,
                             e->way->after.count));
  if (!e->match.impossible)
    finish_edge(e, NULL);
  vector_clear(&with);
  match_clear(&e->match);
}

static const struct term *initial_of(struct flow *flow, const struct state *state,
                                     const struct term *node) {
  struct replacement self = {maker_mention(flow->m, state->self), node};
  return term_replace(flow->m, state->initial, &self, 1);
}

static void from_start(struct flow *flow, struct unknown *u, alternative_vector *result) {
  struct term_maker *m = flow->m;
  struct match match;
  replacements with = {0};
  match_init(&match, m, u->formals, u->formal_count);
  for (size_t i = 0; i < flow->model->states.count; i++) {
    const struct state *s = flow->model->states.items[i];
    if (s->role == u->role && s->type.kind != TYPE_MAP)
      vector_push(&with,
                  (struct replacement){state_at(flow, s, u->node), initial_of(flow, s, u->node)});
  }
  if (u->guard != NULL)
    match_formula(&match, term_replace(m, u->guard, with.data, with.count));
  for (size_t i = 1; i < u->formal_count; i++)
    match_equal(&match, u->formals[i], initial_of(flow, u->states[i], u->node));
  if (!match.impossible)
    vector_push(result,
                (struct alternative){.condition_count = match.conditions.count,
                                     .conditions = arena_copy(m->arena, match.conditions.data,
                                                              match.conditions.count,
                                                              sizeof(struct replacement))});
  vector_clear(&with);
  match_clear(&match);
}

/* --- solving --------------------------------------------------------------------------------- */

static void gather(struct flow *flow, struct unknown *u, alternative_vector *result) {
  if (u->message == NULL)
    from_start(flow, u, result);
  for (size_t i = 0; i < flow->model->actions.count && u->reason == NULL; i++) {
    way_vector ways = {0};
    ways_make(&ways, flow->m, flow->model->actions.items[i]);
    for (size_t w = 0; w < ways.count && u->reason == NULL; w++) {
      struct edge e = {.flow = flow,
                       .target = u,
                       .action = flow->model->actions.items[i],
                       .way = &ways.data[w],
                       .result = result};
      if (u->message != NULL)
        from_sends(&e);
      else
        from_assignments(&e);
    }
    ways_clear(&ways);
  }
}

static bool is_final(const alternative_vector *alternatives) {
  for (size_t i = 0; i < alternatives->count; i++)
    if (flow_has_placeholder(alternatives->data[i].time, NULL))
      return false;
  return true;
}

static void finish(struct flow *flow, struct unknown *u, alternative_vector *alternatives) {
  u->time = flow_combine(flow, alternatives);
  u->status = UNKNOWN_DONE;
  vector_clear(alternatives);
  vector_push(alternatives, (struct alternative){.time = u->time});
}

/* Appends the alternatives of an unknown over its formals; one placeholder while it is being solved
 * itself. What rests on a placeholder of another is not kept. */
static bool solve(struct flow *flow, struct unknown *u, alternative_vector *result) {
  if (u->status == UNKNOWN_DONE || u->status == UNKNOWN_ACTIVE) {
    const struct term *time = u->status == UNKNOWN_DONE ? u->time : flow_placeholder(flow, u);
    vector_push(result, (struct alternative){.time = time});
    return true;
  }
  if (u->status == UNKNOWN_FAILED)
    return false;
  u->status = UNKNOWN_ACTIVE;
  gather(flow, u, result);
  if (u->reason == NULL && result->count == 0)
    u->reason = flow_text(flow, "nothing brings about %s",
                          u->message != NULL ? u->message->name : "what is asked for");
  if (u->reason != NULL || !flow_close_loop(flow, u, result)) {
    u->status = UNKNOWN_FAILED;
    return false;
  }
  u->status = UNKNOWN_NEW;
  if (is_final(result))
    finish(flow, u, result);
  return true;
}

const struct unknown *flow_bound(struct flow *flow, const struct bound *bound) {
  size_t before = flow->unknowns.count;
  struct unknown *u = bound->target == TARGET_WHEN
                          ? unknown_guard(flow, bound->node->type.role, bound->node, bound->formula)
                          : unknown_message(flow, bound->message, bound->target == TARGET_SENT);
  if (bound->target == TARGET_WHEN && flow->unknowns.count > before)
    u->asked = true;
  alternative_vector ignored = {0};
  solve(flow, u, &ignored);
  vector_clear(&ignored);
  return u;
}

void flow_finish(struct flow *flow) {
  for (size_t i = 0; i < flow->unknowns.count; i++) {
    alternative_vector ignored = {0};
    if (flow->unknowns.data[i]->status == UNKNOWN_NEW)
      solve(flow, flow->unknowns.data[i], &ignored);
    vector_clear(&ignored);
  }
}

/* --- what it says ---------------------------------------------------------------------------- */

/* The INT formals by what the target formula says about their states. */
static void match_target(struct flow *flow, struct match *match, const struct unknown *u,
                         const struct bound *bound) {
  replacements with = {0};
  for (size_t i = 1; i < u->formal_count; i++)
    vector_push(&with,
                (struct replacement){state_at(flow, u->states[i], bound->node), u->formals[i]});
  match_equal(match, u->formals[0], bound->node);
  match_formula(match, term_replace(flow->m, bound->formula, with.data, with.count));
  vector_clear(&with);
}

static const char *unbounded(struct flow *flow, const struct bound *bound) {
  const char *loop = NULL;
  for (size_t i = 0; i < flow->unknowns.count && loop == NULL; i++)
    loop = flow->unknowns.data[i]->loop;
  const struct unknown *u = flow_bound(flow, bound);
  const char *counter = u->formal_count > 1 ? u->states[1]->name : "a counter";
  return flow_text(flow,
                   "unbounded: each lap through %s adds time; say how many (for example "
                   "`and %s == n`)",
                   loop == NULL ? "its actions" : loop, counter);
}

const struct term *flow_bound_time(struct flow *flow, const struct unknown *u,
                                   const struct bound *bound, const char **reason) {
  struct term_maker *m = flow->m;
  struct match match;
  const struct term **formals = arena_alloc(m->arena, bound->variable_count, sizeof(struct term *));
  for (size_t i = 0; i < bound->variable_count; i++)
    formals[i] = maker_mention(m, bound->variables[i]);
  match_init(&match, m, formals, bound->variable_count);
  if (bound->target == TARGET_WHEN)
    match_target(flow, &match, u, bound);
  else
    for (size_t i = 0; i < u->formal_count; i++)
      match_equal(&match, u->formals[i], bound->args[i]);
  const struct term *time =
      u->time == NULL ? maker_zero(m) : time_tidy(m, match_apply(&match, u->time));
  if (match_open(&match, time) != NULL) {
    *reason = unbounded(flow, bound);
    time = NULL;
  }
  match_clear(&match);
  return time;
}

const struct term *flow_invariant(struct flow *flow, const struct unknown *u) {
  struct term_maker *m = flow->m;
  const struct term *time = time_written(m, u->time);
  if (u->message != NULL) {
    const struct term *event = maker_message(m, TERM_SENT, u->message, NULL, u->formals);
    const struct term *when = maker_message(m, TERM_TIME_MESSAGE, u->message, NULL, u->formals);
    return maker_implies(m, event, maker_at_most(m, when, time));
  }
  replacements with = {0};
  for (size_t i = 1; i < u->formal_count; i++)
    vector_push(&with, (struct replacement){u->formals[i], state_at(flow, u->states[i], u->node)});
  time = term_replace(m, time, with.data, with.count);
  vector_clear(&with);
  return maker_implies(m, u->guard, maker_at_most(m, maker_clock(m, u->node), time));
}
