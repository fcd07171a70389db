/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/edge.h"

#include "solver/encode/encode.h"
#include "solver/infer/ahead.h"
#include "solver/infer/relation.h"
#include "solver/infer/time.h"

enum { ALTERNATIVES_MAX = 32 };

/* --- one action ------------------------------------------------------------------------------ */

/* The unknown that an action starts from, NULL for one whose node has done nothing yet; `actuals`
 * gets what its formals are in the action. */
static struct unknown *source_of(struct flow *flow, const struct action *a,
                                 const struct term ***actuals) {
  struct term_maker *m = flow->m;
  const struct term *node = maker_role_node(m, a->role, a->node);
  if (a->message == NULL && (flow->fresh[a->id] || flow->prompt[a->id]))
    return NULL;
  struct unknown *u = a->message != NULL
                          ? flow_message(flow, a->message, false)
                          : flow_guard(flow, a->role, node, action_untimed_guard(m, a, node), a);
  u->asked = false;
  *actuals = arena_alloc(m->arena, u->formal_count, sizeof(struct term *));
  for (size_t i = 0; i < u->formal_count; i++)
    (*actuals)[i] = a->message != NULL ? maker_mention(m, a->fields[i])
                    : i == 0           ? node
                                       : flow_state(flow, u->states[i], node);
  return u;
}

/* What the action adds to the bound of what it starts from, until it ends; in a schedule, with
 * `round`, until the round began in which it ends. */
static const struct term *weight_of(struct flow *flow, const struct action *a,
                                    const struct unknown *source, const struct term *const *actuals,
                                    bool round, bool starts) {
  struct term_maker *m = flow->m;
  const struct term *all = NULL;
  if (a->message != NULL && flow->model->queueing != NULL && !flow->idle[a->message->id])
    all = maker_message(m, TERM_DELAY, a->message, flow->model->queueing, actuals);
  if (source != NULL && source->schedule != NULL && source->wrap != SIZE_MAX)
    all = time_plus(m, all, round_whole(flow, source->schedule));
  if (a->schedule != NULL && round)
    return all;
  if (a->schedule != NULL)
    all = time_plus(m, all, round_until(flow, a->schedule, a->slot));
  return starts ? all : time_plus(m, all, flow_costs(flow, a));
}

/* How an invariant would write some node of the role, and some message. */
static const char *node_text(const struct role *role) {
  return role->count == NULL ? role->name : "x";
}

static const char *fields_text(const struct message *message) {
  return message->field_count == 0 ? "" : "(..)";
}

static const char *refusal(struct flow *flow, const struct action *a) {
  if (a->timeout != NULL)
    return flow_text(flow,
                     "nothing says by when %s has happened, so no bound from time 0 holds: count "
                     "from a message that is sent then or later (`bound NAME: from sent M ..`)",
                     a->name);
  return NULL;
}

static bool is_never(const struct flow *flow, const struct message *message) {
  for (size_t i = 0; i < flow->held->count; i++)
    if (flow->held->data[i].never == message)
      return true;
  return false;
}

/* Whether the action's end is known from the work that its node has done. */
static bool is_staged(const struct flow *flow, const struct action *a) {
  return flow->stages != NULL && a->role == flow->stages->role &&
         !(a->message == NULL && flow->fresh[a->id]);
}

/* --- one way for an unknown to come about ---------------------------------------------------- */

static void add_alternative(struct edge *e, const struct term *time, const char *via) {
  const struct term *open;
  struct term_maker *m = e->flow->m;
  time = time == NULL ? NULL : time_tidy(m, match_apply(&e->match, time));
  while (time != NULL && (open = match_open(&e->match, time)) != NULL) {
    if (open->type.kind != TYPE_NODE)
      time = time_without_index(m, time, open);
    if (open->type.kind != TYPE_NODE && !term_contains(time, open))
      continue;
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

/* The time of a source in the action's own terms. */
const struct term *edge_in_action(struct flow *flow, const struct unknown *u,
                                  const struct alternative *source,
                                  const struct term *const *actuals) {
  struct term_maker *m = flow->m;
  const struct term *t = source->time;
  if (t == NULL)
    return NULL;
  replacements with = {0};
  for (size_t i = 0; i < u->formal_count; i++)
    vector_push(&with, (struct replacement){u->formals[i], actuals[i]});
  t = term_replace(m, t, source->conditions, source->condition_count);
  t = time_tidy(m, term_replace(m, t, with.data, with.count));
  vector_clear(&with);
  return t;
}

const struct term **edge_actuals(struct flow *flow, const struct unknown *u,
                                 const struct term *node) {
  const struct term **actuals = arena_alloc(flow->m->arena, u->formal_count, sizeof(struct term *));
  for (size_t i = 0; i < u->formal_count; i++)
    actuals[i] = i == 0 ? node : flow_state(flow, u->states[i], node);
  return actuals;
}

static bool speaks_of_field(const struct action *a, const struct term *t) {
  bool found = false;
  for (size_t i = 0; i < a->message->field_count && !found; i++)
    found = a->fields[i] != a->node && term_mentions(t, a->fields[i]);
  return found;
}

static const struct term *without_fields(struct term_maker *m, const struct action *a,
                                         const struct term *guard) {
  if (guard != NULL && guard->kind == TERM_AND)
    return maker_and(m, without_fields(m, a, guard->args[0]), without_fields(m, a, guard->args[1]));
  return guard == NULL || speaks_of_field(a, guard) ? NULL : guard;
}

const struct term *edge_guard(struct flow *flow, const struct action *a) {
  const struct term *guard =
      action_untimed_guard(flow->m, a, maker_role_node(flow->m, a->role, a->node));
  return a->message == NULL ? guard : without_fields(flow->m, a, guard);
}

/* Whether who takes the message keeps up with its pacer. */
static bool keeps_up(const struct flow *flow, const struct message *message) {
  for (size_t i = 0; i < flow->held->count; i++)
    if (flow->held->data[i].paced == message)
      return true;
  return false;
}

/* Times that count from a message with a pacer count from when that lets it go. */
static bool start_at_pacer(struct flow *flow, const struct unknown *u,
                           alternative_vector *sources) {
  if (u->message != flow->from || u->sent || !keeps_up(flow, u->message))
    return false;
  const struct term *paced = maker_message(flow->m, TERM_PACED, u->message, NULL, u->formals);
  sources->count = 0;
  vector_push(sources, (struct alternative){
                           .time = time_plus(flow->m, paced, flow_bare(flow, u->message->delay))});
  return true;
}

/* Or from where the work ahead of it began. */
static bool start_behind(struct flow *flow, const struct unknown *u, alternative_vector *sources) {
  const struct term *start = u->sent ? NULL : ahead_start(flow, u);
  if (start == NULL)
    return false;
  sources->count = 0;
  vector_push(sources, (struct alternative){.time = start});
  return true;
}

/* Without a queueing term a message may also find its receiver busy: then the action starts where
 * its guard's state began, whichever is later; what the guard says of the message does not matter.
 */
static void add_receiver(struct edge *e, const struct unknown *u, const struct term *const *actuals,
                         alternative_vector *sources) {
  struct flow *flow = e->flow;
  const struct action *a = e->action;
  const struct term *node = maker_role_node(flow->m, a->role, a->node);
  if (a->message != NULL && (start_at_pacer(flow, u, sources) || start_behind(flow, u, sources)))
    return;
  if (a->message == NULL || flow->model->queueing != NULL || flow->idle[a->message->id])
    return;
  const struct term *guard = edge_guard(flow, a);
  if (guard == NULL || flow->stages == NULL) {
    e->target->reason = flow_text(
        flow,
        "nothing bounds how long %s waits for its receiver: declare `queueing NAME`, or "
        "say that the receiver is idle (`invariant NAME: pending %s%s implies time(%s) <= "
        "time(%s%s)`)",
        a->message->name, a->message->name, fields_text(a->message), node_text(a->role),
        a->message->name, fields_text(a->message));
    return;
  }
  struct unknown *busy = flow_guard(flow, a->role, node, guard, a);
  busy->asked = false;
  alternative_vector its = {0}, both = {0};
  if (!flow_solve(flow, busy, &its))
    e->target->reason = busy->reason;
  const struct term **its_actuals = edge_actuals(flow, busy, node);
  for (size_t i = 0; i < sources->count; i++)
    vector_push(&both,
                (struct alternative){.time = edge_in_action(flow, u, &sources->data[i], actuals)});
  for (size_t i = 0; i < its.count; i++)
    vector_push(
        &both, (struct alternative){.time = edge_in_action(flow, busy, &its.data[i], its_actuals)});
  for (size_t i = 0; i < both.count; i++)
    if (flow_has_placeholder(both.data[i].time, NULL))
      e->target->reason = flow_text(flow, "%s and its receiver wait for each other", a->name);
  struct alternative latest = sources->data[0]; /* with what is known of the message */
  latest.time = flow_combine(flow, &both);
  sources->count = 0;
  vector_push(sources, latest);
  vector_clear(&both);
  vector_clear(&its);
}

/* When the action starts, and the unknown that this goes back to, if any. */
static struct unknown *find_sources(struct edge *e, const struct term ***actuals,
                                    alternative_vector *sources) {
  struct flow *flow = e->flow;
  const struct action *a = e->action;
  if (is_staged(flow, a)) {
    vector_push(sources, (struct alternative){.time = stage_end(flow, a, &e->target->reason)});
    return NULL;
  }
  e->target->reason = refusal(flow, a);
  struct unknown *u = e->target->reason == NULL ? source_of(flow, a, actuals) : NULL;
  if (u == NULL)
    vector_push(sources, (struct alternative){0});
  else if (!flow_solve(flow, u, sources))
    e->target->reason = u->reason;
  else
    add_receiver(e, u, *actuals, sources);
  return u;
}

static void add_source(struct edge *e, const struct alternative *source, const replacements *with,
                       const struct term *weight) {
  struct term_maker *m = e->flow->m;
  struct match saved = e->match;
  match_copy(&e->match, &saved);
  for (size_t k = 0; k < source->condition_count; k++)
    match_equal(&e->match, term_replace(m, source->conditions[k].from, with->data, with->count),
                term_replace(m, source->conditions[k].to, with->data, with->count));
  const struct term *start =
      source->time == NULL ? NULL : term_replace(m, source->time, with->data, with->count);
  if (!e->match.impossible && e->result->count < ALTERNATIVES_MAX)
    add_alternative(e, time_plus(m, start, weight), source->via);
  match_clear(&e->match);
  e->match = saved;
}

void edge_add_sources(struct edge *e, const struct unknown *u, const struct term *const *actuals,
                      const alternative_vector *sources, const struct term *weight) {
  replacements with = {0};
  for (size_t i = 0; u != NULL && i < u->formal_count; i++)
    vector_push(&with, (struct replacement){u->formals[i], actuals[i]});
  for (size_t i = 0; i < sources->count; i++)
    add_source(e, &sources->data[i], &with, weight);
  vector_clear(&with);
}

void edge_from_end(struct edge *e, const struct term *delay, bool round) {
  struct flow *flow = e->flow;
  const struct action *a = e->action;
  const struct term **actuals = NULL;
  alternative_vector sources = {0};
  struct unknown *u = find_sources(e, &actuals, &sources);
  if (e->target->reason == NULL && a->timer != NULL && !is_staged(flow, a))
    timer_wait(e, u, actuals, &sources);
  if (e->target->reason == NULL) {
    const struct term *weight =
        is_staged(flow, a)
            ? delay
            : time_plus(flow->m, weight_of(flow, a, u, actuals, round, e->starts), delay);
    edge_add_sources(e, u, actuals, &sources, weight);
  }
  vector_clear(&sources);
}

/* What the way assumes. False when it cannot be gone. */
static bool assume_way(struct edge *e) {
  struct flow *flow = e->flow;
  const struct action *a = e->action;
  const struct term *guard =
      action_untimed_guard(flow->m, a, maker_role_node(flow->m, a->role, a->node));
  if (guard != NULL)
    match_formula(&e->match, guard);
  for (size_t i = 0; i < e->way->conditions.count; i++)
    match_formula(&e->match, e->way->conditions.data[i]);
  return !e->match.impossible && (a->message == NULL || !is_never(flow, a->message));
}

/* The target's formals have their values; now what the way assumes, and where it starts. */
static void finish_edge(struct edge *e, const struct term *delay, bool round) {
  if (assume_way(e) && !tick_sends(e, delay))
    edge_from_end(e, delay, round);
}

static void begin_edge(struct edge *e) {
  match_init(&e->match, e->flow->m, e->target->formals, e->target->formal_count);
  const struct action *a = e->action;
  if (a->role->count == NULL)
    match_equal(&e->match, maker_mention(e->flow->m, a->node),
                maker_role_node(e->flow->m, a->role, a->node));
}

void edge_from_sends(struct edge *e) {
  for (size_t s = 0; s < e->way->sends.count && e->target->reason == NULL; s++) {
    const struct way_send *sent = &e->way->sends.data[s];
    if (sent->statement->message != e->target->message)
      continue;
    const struct pacer *pacer = e->target->message->pacer;
    if (pacer != NULL && pacer->holds && !e->target->sent) {
      e->target->reason = flow_text(e->flow,
                                    "how long its pacer holds %s does not follow from one "
                                    "step alone: write the bound yourself",
                                    e->target->message->name);
      return;
    }
    begin_edge(e);
    e->send = sent->statement;
    for (size_t i = 0; i < sent->statement->arg_count; i++)
      match_equal(&e->match, e->target->formals[i], sent->args[i]);
    const struct term *delay = e->target->sent
                                   ? NULL
                                   : maker_message(e->flow->m, TERM_DELAY, e->target->message,
                                                   e->target->message->delay, e->target->formals);
    finish_edge(e, delay, false);
    match_clear(&e->match);
  }
}

static bool guard_reads(const struct unknown *u, const struct way *way) {
  for (size_t i = 0; i < way->after.count; i++)
    if (way->after.data[i].from->kind == TERM_STATE) {
      struct term at = *way->after.data[i].from;
      const struct term *args[] = {u->node};
      at.args = args;
      if ((u->guard != NULL && term_contains(u->guard, &at)) ||
          (u->value != NULL && u->value == at.state))
        return true;
    }
  return false;
}

/* Whether the unknown is about where this step waits for its timer. */
static bool waits_for(struct flow *flow, const struct unknown *u, const struct action *a) {
  const struct term *guard = action_untimed_guard(flow->m, a, u->node);
  return a->role == u->role && guard != NULL && u->guard != NULL && term_equal(guard, u->guard);
}

/* The guard holds after the way, which assigned something it reads. */
void edge_from_assignments(struct edge *e) {
  struct flow *flow = e->flow;
  struct term_maker *m = flow->m;
  struct unknown *u = e->target;
  if (e->action->role != u->role || !guard_reads(u, e->way))
    return;
  /* while a timer is waited for, the clock is no later than that */
  if (u->due != NULL && e->action->timer != NULL && waits_for(flow, u, e->action))
    return;
  const size_t wrap = u->wrap;
  begin_edge(e);
  const struct term *node = maker_role_node(m, u->role, e->action->node);
  match_equal(&e->match, node, u->node);
  replacements with = {0};
  vector_push(&with, (struct replacement){u->node, node});
  if (u->guard != NULL)
    match_formula(&e->match, term_replace(m, term_replace(m, u->guard, with.data, with.count),
                                          e->way->after.data, e->way->after.count));
  for (size_t i = 1; i < u->formal_count; i++)
    match_equal(&e->match, u->formals[i],
                term_replace(m, flow_state(flow, u->states[i], node), e->way->after.data,
                             e->way->after.count));
  if (e->action->schedule != NULL && u->slot <= e->action->slot)
    u->wrap = e->action->slot;
  if (e->match.impossible)
    u->wrap = wrap;
  else if (u->value == NULL)
    finish_edge(e, NULL, true);
  else if (assume_way(e))
    timer_value(e, term_replace(m, flow_state(flow, u->value, node), e->way->after.data,
                                e->way->after.count));
  vector_clear(&with);
  match_clear(&e->match);
}

static const struct term *initial_of(struct flow *flow, const struct state *state,
                                     const struct term *node) {
  struct replacement self = {maker_mention(flow->m, state->self), node};
  return term_replace(flow->m, state->initial, &self, 1);
}

void edge_from_start(struct flow *flow, struct unknown *u, alternative_vector *result) {
  struct term_maker *m = flow->m;
  struct match match;
  replacements with = {0};
  match_init(&match, m, u->formals, u->formal_count);
  for (size_t i = 0; i < flow->model->states.count; i++) {
    const struct state *s = flow->model->states.items[i];
    if (s->role == u->role && s->type.kind != TYPE_MAP)
      vector_push(&with,
                  (struct replacement){flow_state(flow, s, u->node), initial_of(flow, s, u->node)});
  }
  if (u->guard != NULL)
    match_formula(&match, term_replace(m, u->guard, with.data, with.count));
  for (size_t i = 1; i < u->formal_count; i++)
    match_equal(&match, u->formals[i], initial_of(flow, u->states[i], u->node));
  if (!match.impossible)
    vector_push(result,
                (struct alternative){.time = timer_first(flow, u),
                                     .condition_count = match.conditions.count,
                                     .conditions = arena_copy(m->arena, match.conditions.data,
                                                              match.conditions.count,
                                                              sizeof(struct replacement))});
  vector_clear(&with);
  match_clear(&match);
}
