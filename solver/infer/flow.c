/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/edge.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "solver/infer/relation.h"
#include "solver/infer/time.h"

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

struct unknown *flow_message(struct flow *flow, const struct message *message, bool sent) {
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

/* A counter that a bound may depend on. */
static bool is_counter(const struct flow *flow, const struct state *s, const struct role *role) {
  const struct schedule *schedule = schedule_of(flow->model, role);
  return s->role == role && s->type.kind == TYPE_INT && !s->ghost &&
         (schedule == NULL || s != schedule->state);
}

/* `at once` */
static bool is_zero(const struct term *time) {
  return time->kind == TERM_TIME && rational_sign(&time->value) == 0;
}

static bool same_or_none(struct flow *flow, const struct unknown *u, const struct term *mine,
                         const struct unknown *other, const struct term *its) {
  if (mine == NULL || its == NULL)
    return mine == its;
  struct replacement back = {u->node, other->node};
  return term_equal(term_replace(flow->m, mine, &back, 1), its);
}

/* The one that asks for the same, or NULL. */
static struct unknown *asked_before(struct flow *flow, const struct unknown *u) {
  for (size_t i = 0; i < u->number; i++) {
    struct unknown *other = flow->unknowns.data[i];
    if (other->role == u->role && other->message == NULL && other->slot == u->slot &&
        other->value == u->value && other->tick == NULL && (u->value != NULL || u->guard != NULL) &&
        same_or_none(flow, u, u->guard, other, other->guard) &&
        same_or_none(flow, u, u->due, other, other->due))
      return other;
  }
  return NULL;
}

static struct unknown *guard_or_value(struct flow *flow, const struct role *role,
                                      const struct term *node, const struct term *guard,
                                      const struct action *action, const struct state *value) {
  struct term_maker *m = flow->m;
  struct type type = {.kind = TYPE_NODE, .role = role};
  struct unknown *u = unknown_new(flow);
  u->role = role;
  u->value = value;
  u->schedule = schedule_of(flow->model, role);
  u->slot = action == NULL || action->schedule == NULL ? SIZE_MAX : action->slot;
  u->wrap = SIZE_MAX;
  u->node = maker_role_node(m, role, role->count == NULL ? NULL : maker_variable(m, "i", type));
  struct replacement with = {node, u->node};
  u->guard = guard == NULL ? NULL : term_replace(m, guard, &with, 1);
  if (action != NULL && action->timer != NULL && !is_zero(action->timer)) {
    struct replacement acting = {maker_mention(m, action->node), u->node};
    u->due = term_replace(m, action->timer, &acting, 1);
  }
  struct unknown *before = asked_before(flow, u);
  if (before != NULL) {
    flow->unknowns.count--;
    return before;
  }
  size_t count = 1 + flow->model->states.count;
  u->formals = arena_alloc(m->arena, count, sizeof(struct term *));
  u->states = arena_alloc(m->arena, count, sizeof(struct state *));
  u->formals[u->formal_count++] = u->node;
  for (size_t i = 0; i < flow->model->states.count; i++) {
    const struct state *s = flow->model->states.items[i];
    if (!is_counter(flow, s, role))
      continue;
    u->states[u->formal_count] = s;
    u->formals[u->formal_count++] = maker_mention(m, maker_variable(m, s->name, s->type));
  }
  return u;
}

struct unknown *flow_guard(struct flow *flow, const struct role *role, const struct term *node,
                           const struct term *guard, const struct action *action) {
  return guard_or_value(flow, role, node, guard, action, NULL);
}

struct unknown *flow_value(struct flow *flow, const struct state *value, const struct term *node,
                           const struct term *guard) {
  return guard_or_value(flow, value->role, node, guard, NULL, value);
}

struct unknown *flow_gathered(struct flow *flow, const struct infer_tick *tick) {
  for (size_t i = 0; i < flow->unknowns.count; i++)
    if (flow->unknowns.data[i]->tick == tick)
      return flow->unknowns.data[i];
  struct term_maker *m = flow->m;
  const struct role *role = tick->action->role;
  struct type type = {.kind = TYPE_NODE, .role = role}, of = {.kind = TYPE_NODE};
  of.role = tick->set->type.role;
  struct unknown *u = unknown_new(flow);
  u->role = role;
  u->tick = tick;
  u->value = tick->due;
  u->slot = u->wrap = SIZE_MAX;
  u->node = maker_role_node(m, role, role->count == NULL ? NULL : maker_variable(m, "i", type));
  u->formal_count = 2;
  u->formals = arena_alloc(m->arena, u->formal_count, sizeof(struct term *));
  u->formals[0] = u->node;
  u->formals[1] = maker_mention(m, maker_variable(m, "x", of));
  const struct term *in[] = {u->formals[1], flow_state(flow, tick->set, u->node)};
  u->guard = maker_term(m, TERM_IN, TYPE_BOOL, in, 2);
  return u;
}

void flow_clear(struct flow *flow) {
  vector_clear(&flow->unknowns);
}

const struct term *flow_state(struct flow *flow, const struct state *state,
                              const struct term *node) {
  struct term *t = maker_term(flow->m, TERM_STATE, state->type.kind, &node, 1);
  t->type = state->type;
  t->state = state;
  return t;
}

/* --- solving --------------------------------------------------------------------------------- */

static void gather(struct flow *flow, struct unknown *u, alternative_vector *result) {
  if (u->tick != NULL) {
    tick_gather(flow, u, result);
    return;
  }
  if (u->message == NULL)
    edge_from_start(flow, u, result);
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
        edge_from_sends(&e);
      else
        edge_from_assignments(&e);
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

/* forall ...: sent M(x) implies ... x == value ..., as the file's invariants say it. */
static void read_conditions(struct flow *flow, const struct unknown *u, const struct term *formula,
                            struct match *match) {
  while (formula->kind == TERM_FORALL)
    formula = formula->args[0];
  if (formula->kind != TERM_IMPLIES || formula->args[0]->kind != TERM_SENT ||
      formula->args[0]->message != u->message)
    return;
  replacements with = {0};
  for (size_t i = 0; i < u->formal_count; i++)
    vector_push(&with, (struct replacement){formula->args[0]->args[i], u->formals[i]});
  match_formula(match, term_replace(flow->m, formula->args[1], with.data, with.count));
  vector_clear(&with);
}

/* What is always so when it comes about: what the file says, and what holds on the only way. */
static void keep_conditions(struct flow *flow, struct unknown *u,
                            const alternative_vector *alternatives) {
  struct match match;
  match_init(&match, flow->m, u->formals, u->formal_count);
  for (size_t i = 0; alternatives->count == 1 && i < alternatives->data[0].condition_count; i++)
    vector_push(&match.conditions, alternatives->data[0].conditions[i]);
  for (size_t i = 0; u->message != NULL && i < flow->model->invariants.count; i++)
    read_conditions(flow, u, flow->model->invariants.items[i]->formula, &match);
  u->condition_count = match.conditions.count;
  u->conditions = arena_copy(flow->m->arena, match.conditions.data, match.conditions.count,
                             sizeof(struct replacement));
  match_clear(&match);
}

static void finish(struct flow *flow, struct unknown *u, alternative_vector *alternatives) {
  keep_conditions(flow, u, alternatives);
  u->time = flow_combine(flow, alternatives);
  u->status = UNKNOWN_DONE;
  vector_clear(alternatives);
  vector_push(alternatives, (struct alternative){.time = u->time,
                                                 .condition_count = u->condition_count,
                                                 .conditions = u->conditions});
}

/* Its delivery is what times count from. */
static void flow_counted_from(struct flow *flow, struct unknown *u, alternative_vector *result) {
  u->time = maker_message(flow->m, TERM_TIME_MESSAGE, u->message, NULL, u->formals);
  u->status = UNKNOWN_DONE;
  vector_push(result, (struct alternative){.time = u->time});
}

bool flow_solve(struct flow *flow, struct unknown *u, alternative_vector *result) {
  if (u->status == UNKNOWN_DONE || u->status == UNKNOWN_ACTIVE) {
    const struct term *time = u->status == UNKNOWN_DONE ? u->time : flow_placeholder(flow, u);
    vector_push(result, (struct alternative){.time = time,
                                             .condition_count = u->condition_count,
                                             .conditions = u->conditions});
    return true;
  }
  if (u->status == UNKNOWN_FAILED)
    return false;
  if (u->message != NULL && u->message == flow->from && !u->sent) {
    flow_counted_from(flow, u, result);
    return true;
  }
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

/* A state of the node that is always busy, by the set that the formula speaks of. */
static void solve_stage(struct flow *flow, struct unknown *u) {
  const struct stage_action *last = stage_of_set(flow->stages, u->guard);
  if (last == NULL)
    u->reason =
        flow_text(flow, "what is asked for says nothing about what %s has done", u->role->name);
  else
    u->time = stage_end(flow, last->action, &u->reason);
  u->status = u->reason == NULL ? UNKNOWN_DONE : UNKNOWN_FAILED;
}

const struct unknown *flow_bound(struct flow *flow, const struct bound *bound) {
  size_t before = flow->unknowns.count;
  struct unknown *u =
      bound->target == TARGET_WHEN
          ? flow_guard(flow, bound->node->type.role, bound->node, bound->formula, NULL)
          : flow_message(flow, bound->message, bound->target == TARGET_SENT);
  if (bound->target == TARGET_WHEN && flow->unknowns.count > before)
    u->asked = true;
  if (bound->target == TARGET_WHEN && flow->stages != NULL && u->role == flow->stages->role &&
      u->status == UNKNOWN_NEW)
    solve_stage(flow, u);
  alternative_vector ignored = {0};
  flow_solve(flow, u, &ignored);
  vector_clear(&ignored);
  return u;
}

void flow_close(struct flow *flow) {
  for (size_t i = 0; i < flow->unknowns.count; i++) {
    alternative_vector ignored = {0};
    if (flow->unknowns.data[i]->status == UNKNOWN_NEW)
      flow_solve(flow, flow->unknowns.data[i], &ignored);
    vector_clear(&ignored);
  }
}
