/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * That no message is deferred (lang/model.h): the goals of an action, one for each kind of message
 * that its role receives under a guard which the action may turn true.
 */
#include "solver/prove/deferral.h"

#include <string.h>

#include "base/invariant.h"
#include "solver/encode/urgency.h"
#include "solver/prove/session.h"

bool deferral_matters(const struct model *model) {
  return model->timing == TIMING_ADVANCED || model->queueing != NULL;
}

bool deferral_is_slot(const struct action *action, const struct term *guard) {
  return action->schedule != NULL && guard->kind == TERM_EQ && guard->args[0]->kind == TERM_STATE &&
         guard->args[0]->state == action->schedule->state;
}

static bool receives(const struct action *action, const struct role *role,
                     const struct message *message) {
  return action->role == role && action->message == message && !action->loses;
}

/* --- what a guard reads and what an action assigns -------------------------------------------- */

static bool reads(const struct term *t, const struct state *state) {
  bool found = t->kind == TERM_STATE && t->state == state;
  for (size_t i = 0; i < t->count && !found; i++)
    found = reads(t->args[i], state);
  for (size_t i = 0; i < t->variable_count && !found; i++) {
    const struct variable *v = t->variables[i];
    found = (v->set != NULL && reads(v->set, state)) || (v->low != NULL && reads(v->low, state)) ||
            (v->high != NULL && reads(v->high, state));
  }
  return found;
}

/* What the choices of the action are taken from, if it reads the state, or NULL. */
static const struct term *domain_reading(const struct action *action, const struct state *state) {
  const struct term *found = NULL;
  for (size_t i = 0; i < action->choice_count && found == NULL; i++) {
    const struct variable *v = action->choices[i];
    const struct term *parts[] = {v->set, v->low, v->high};
    for (size_t p = 0; p < sizeof parts / sizeof *parts && found == NULL; p++)
      if (parts[p] != NULL && reads(parts[p], state))
        found = parts[p];
  }
  return found;
}

/* The first guard of an action that receives the message and reads the state, or domain of what it
 * chooses, or NULL. */
static const struct term *guard_reading(const struct model *model, const struct role *role,
                                        const struct message *message, const struct state *state) {
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    for (size_t g = 0; receives(action, role, message) && g < action->guard_count; g++)
      if (!deferral_is_slot(action, action->guards[g]) && reads(action->guards[g], state))
        return action->guards[g];
    const struct term *domain =
        receives(action, role, message) ? domain_reading(action, state) : NULL;
    if (domain != NULL)
      return domain;
  }
  return NULL;
}

/* The first guard that reads what the block assigns; *state gets what. */
static const struct term *guard_touched(const struct model *model, const struct role *role,
                                        const struct message *message, const struct block *block,
                                        const struct state **state) {
  const struct term *guard = NULL;
  for (size_t i = 0; i < block->count && guard == NULL; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_ASSIGN) {
      *state = s->state;
      guard = guard_reading(model, role, message, s->state);
    } else if (s->kind == STATEMENT_IF) {
      guard = guard_touched(model, role, message, &s->then_block, state);
      if (guard == NULL)
        guard = guard_touched(model, role, message, &s->else_block, state);
    }
  }
  return guard;
}

/* --- one guard for all that a node waits for -------------------------------------------------- */

/* The same, but for the acting node: `left` in a, `right` in b. */
static bool alike(const struct term *a, const struct variable *left, const struct term *b,
                  const struct variable *right) {
  bool same = a->kind == b->kind && a->count == b->count && a->integer == b->integer &&
              a->param == b->param && a->state == b->state && a->type.role == b->type.role &&
              a->message == b->message && a->component == b->component && a->variable_count == 0 &&
              b->variable_count == 0 &&
              (a->kind != TERM_TIME || rational_compare(&a->value, &b->value) == 0);
  if (same && a->kind == TERM_VARIABLE)
    same = a->variable == left && b->variable == right;
  for (size_t i = 0; i < a->count && same; i++)
    same = alike(a->args[i], left, b->args[i], right);
  return same;
}

static bool has_guard(const struct action *action, const struct term *guard,
                      const struct variable *node) {
  bool found = false;
  for (size_t i = 0; i < action->guard_count && !found; i++)
    found = alike(guard, node, action->guards[i], action->node);
  return found;
}

/* Whether every action of the role that can wait has all guards of this one: while this one cannot
 * be taken, the node is never free. */
static bool guards_all_waits(const struct model *model, const struct action *action) {
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *other = model->actions.items[i];
    bool waits =
        (other->message != NULL && !other->loses) || other->timeout != NULL || other->timer != NULL;
    for (size_t g = 0; waits && other->role == action->role && g < action->guard_count; g++)
      if (!deferral_is_slot(action, action->guards[g]) &&
          !has_guard(other, action->guards[g], action->node))
        return false;
  }
  return true;
}

/* Whether only its guards keep the action from any message of its kind: M(k, k) is not of all, and
 * where it chooses there may be nothing to choose. */
static bool receives_any(const struct action *action) {
  if (action->choice_count != 0)
    return false;
  for (size_t i = 0; i < action->message->field_count; i++) {
    if (action->fields[i] == action->node && (int)i != action->message->receiver_field)
      return false;
    for (size_t k = 0; k < i; k++)
      if (action->fields[k] == action->fields[i])
        return false;
  }
  return true;
}

/* Whether nobody is free while the message cannot be taken. */
static bool waits_while_busy(const struct model *model, const struct message *message) {
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    if (receives(action, action->role, message) && receives_any(action) &&
        guards_all_waits(model, action))
      return true;
  }
  return false;
}

/* --- guards and the clock --------------------------------------------------------------------- */

enum trend { TREND_CONSTANT, TREND_UP, TREND_DOWN, TREND_EITHER };

static enum trend opposite(enum trend t) {
  return t == TREND_UP ? TREND_DOWN : t == TREND_DOWN ? TREND_UP : t;
}

static enum trend together(enum trend a, enum trend b) {
  return a == TREND_CONSTANT || a == b ? b : b == TREND_CONSTANT ? a : TREND_EITHER;
}

static enum trend of_args(const struct term *t, const struct variable *read);

/* How a time, or (false before true) a formula, changes when the clock read grows. */
static enum trend trend_of(const struct term *t, const struct variable *read) {
  if (t->kind == TERM_VARIABLE)
    return t->variable == read ? TREND_UP : TREND_CONSTANT;
  enum trend all = of_args(t, read);
  switch (t->kind) {
  case TERM_ADD:
  case TERM_MAX:
  case TERM_MIN:
  case TERM_AND:
  case TERM_OR:
  case TERM_FORALL:
  case TERM_EXISTS:
    return all;
  case TERM_NOT:
    return opposite(all);
  case TERM_SUB:
  case TERM_GT:
  case TERM_GE:
    return together(trend_of(t->args[0], read), opposite(trend_of(t->args[1], read)));
  case TERM_LT:
  case TERM_LE:
  case TERM_IMPLIES:
    return together(opposite(trend_of(t->args[0], read)), trend_of(t->args[1], read));
  default:
    return all == TREND_CONSTANT ? TREND_CONSTANT : TREND_EITHER;
  }
}

static enum trend of_args(const struct term *t, const struct variable *read) {
  enum trend all = TREND_CONSTANT;
  for (size_t i = 0; i < t->count; i++)
    all = together(all, trend_of(t->args[i], read));
  return all;
}

/* A guard of an action that receives the message which the passage of time may turn true. */
static const struct term *guard_in_time(const struct model *model, const struct role *role,
                                        const struct message *message) {
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    if (!receives(action, role, message) || action->read == NULL)
      continue;
    for (size_t g = 0; g < action->guard_count; g++) {
      enum trend trend = trend_of(action->guards[g], action->read);
      if (trend == TREND_UP || trend == TREND_EITHER)
        return action->guards[g];
    }
  }
  return NULL;
}

/* --- the goals -------------------------------------------------------------------------------- */

/* One message, that the acting node may defer. */
struct deferred {
  struct session *s;
  const struct message *message;
  smt_term *fields;
};

static void rename_fields(struct encoder *e, const struct action *action, const smt_term *values) {
  for (size_t i = 0; i < action->message->field_count; i++)
    encoder_let(e, action->fields[i], values[i]);
}

/* A field that is the acting node, or a variable again, has its value. */
static smt_term fields_agree(struct deferred *d, const struct action *action) {
  struct encoder *e = &d->s->encoder;
  smt_term all = smt_bool(e->smt, true);
  for (size_t i = 0; i < d->message->field_count; i++) {
    smt_term value = e->environment[action->fields[i]->id];
    if (value != d->fields[i])
      all = smt_and2(e->smt, all, smt_equal(e->smt, value, d->fields[i]));
  }
  return all;
}

/* Whether the action's guards let it receive the message, for some choice, were the step's start
 * the clock read. */
static smt_term takes(struct deferred *d, const struct action *action, const struct symbolic *at) {
  struct session *s = d->s;
  struct encoder *e = &s->encoder;
  size_t count = d->message->field_count;
  uint64_t balance = e->balance;
  smt_term *saved = arena_alloc(&e->arena, count + 2, sizeof *saved);
  for (size_t i = 0; i < count; i++)
    saved[i] = e->environment[action->fields[i]->id];
  saved[count] = e->environment[action->node->id];
  rename_fields(e, action, d->fields);
  encoder_let(e, action->node, s->transition.node);
  if (action->read != NULL)
    saved[count + 1] = encoder_let(e, action->read, s->transition.start);
  smt_term all = fields_agree(d, action);
  for (size_t g = 0; g < action->guard_count; g++)
    if (!deferral_is_slot(action, action->guards[g]) && !urgency_is_open(action, action->guards[g]))
      all = smt_and2(e->smt, all, encode(e, action->guards[g], at));
  all = smt_and2(e->smt, all, urgency_some_choice(e, action, at));
  if (action->read != NULL)
    encoder_let(e, action->read, saved[count + 1]);
  for (size_t i = 0; i < count; i++)
    encoder_let(e, action->fields[i], saved[i]);
  encoder_let(e, action->node, saved[count]);
  invariant(e->balance == balance);
  return all;
}

static smt_term is_takeable(struct deferred *d, const struct symbolic *at) {
  const struct model *model = d->s->proof->properties.model;
  smt_term any = smt_bool(d->s->smt, false);
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    if (receives(action, d->s->action->role, d->message))
      any = smt_or2(d->s->smt, any, takes(d, action, at));
  }
  return any;
}

/* That no message of the kind which was there when the step started becomes takeable by it. */
static smt_term never_deferred(struct session *s, const struct message *m) {
  struct encoder *e = &s->encoder;
  struct smt *smt = s->smt;
  struct deferred d = {.s = s, .message = m};
  d.fields = arena_alloc(&e->arena, m->field_count, sizeof *d.fields);
  smt_term inside = smt_bool(smt, true);
  for (size_t i = 0; i < m->field_count; i++) {
    const struct variable *v = encoder_variable(e, m->fields[i].name, &m->fields[i].type);
    d.fields[i] = encode_fresh(e, v);
    inside = smt_and2(smt, inside, encode_in_domain(e, v, d.fields[i], s->before));
  }
  smt_term receiver = symbolic_receiver(e, s->before, m, d.fields);
  smt_term delivery = symbolic_delivery(e, s->before, m, d.fields);
  smt_term facts[] = {inside,
                      symbolic_sent(e, s->before, m, d.fields),
                      smt_not(smt, symbolic_gone(e, s->after, m, d.fields)),
                      smt_equal(smt, receiver, s->transition.node),
                      smt_lt(smt, delivery, s->transition.start),
                      smt_not(smt, is_takeable(&d, s->before)),
                      is_takeable(&d, s->after)};
  return smt_not(smt, smt_and(smt, facts, sizeof facts / sizeof *facts));
}

void session_add_deferral_goals(struct session *s) {
  const struct model *model = s->proof->properties.model;
  if (!deferral_matters(model))
    return;
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *m = model->messages.items[i];
    const struct state *state = NULL;
    const struct term *guard = guard_touched(model, s->action->role, m, &s->action->body, &state);
    struct obligation o = {.kind = OBLIGATION_DEFERRAL, .message = m, .state = state};
    if (guard == NULL || waits_while_busy(model, m) ||
        (s->place.only != NULL && s->place.only->message != m))
      continue;
    o.span = guard->span;
    session_begin_goals(s);
    session_add_goal(s, o, never_deferred(s, m), NULL, 0);
  }
}

/* In the first state's session: the guards that time alone may turn true. */
void session_add_timed_guard_goals(struct session *s) {
  const struct model *model = s->proof->properties.model;
  for (size_t i = 0; deferral_matters(model) && i < model->messages.count; i++) {
    const struct message *m = model->messages.items[i];
    const struct term *guard = guard_in_time(model, m->receiver, m);
    if (guard == NULL)
      continue;
    struct obligation o = {.kind = OBLIGATION_DEFERRAL, .message = m, .span = guard->span};
    session_begin_goals(s);
    session_add_goal(s, o, smt_bool(s->smt, false), NULL, 0);
  }
}
