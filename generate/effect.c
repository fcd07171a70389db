/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Actions executed symbolically (plan.h). */
#include <string.h>

#include "generate/plan.h"
#include "generate/range.h"
#include "lang/term_same.h"

static const struct type truth = {.kind = TYPE_BOOL};

const struct term *term_made(struct plan_context *context, enum term_kind kind,
                             const struct type *type, const struct term *first,
                             const struct term *second) {
  struct term *term = arena_alloc(context->arena, 1, sizeof *term);
  term->kind = kind;
  term->type = *type;
  term->span = first->span;
  term->count = second == NULL ? 1 : 2;
  term->args = arena_alloc(context->arena, 2, sizeof *term->args);
  term->args[0] = first;
  term->args[1] = second;
  return term;
}

const struct term *term_negated(struct plan_context *context, const struct term *term) {
  return term->kind == TERM_NOT ? term->args[0] : term_made(context, TERM_NOT, &truth, term, NULL);
}

const struct term *term_both(struct plan_context *context, const struct term *a,
                             const struct term *b) {
  if (a == NULL || b == NULL)
    return a == NULL ? b : a;
  return term_made(context, TERM_AND, &truth, a, b);
}

static const struct term *choice(struct plan_context *context, const struct term *condition,
                                 const struct term *yes, const struct term *no) {
  if (yes == no)
    return yes;
  struct term *term = arena_alloc(context->arena, 1, sizeof *term);
  *term = (struct term){.kind = TERM_ITE, .type = yes->type, .span = condition->span, .count = 3};
  term->args = arena_alloc(context->arena, 3, sizeof *term->args);
  term->args[0] = condition;
  term->args[1] = yes;
  term->args[2] = no;
  return term;
}

/* An execution on its way through an action. */
struct walk {
  struct plan_context *context;
  const struct plan_role *plan;
  const struct action *action;
  struct effect *effect;
  const struct term *when; /* the condition under which it is here; NULL: true */
  const struct term **values;
  size_t *sent; /* by the id of a message: how many so far */
};

static const struct term *after(const struct walk *walk, const struct term *term);

static const struct term *copy_args(const struct walk *walk, const struct term *term,
                                    const struct term *(*copy)(const void *, const struct term *),
                                    const void *with) {
  struct arena *arena = walk->context->arena;
  struct term *made = arena_copy(arena, term, 1, sizeof *term);
  made->args = arena_alloc(arena, term->count, sizeof *made->args);
  bool same = true;
  for (size_t i = 0; i < term->count; i++) {
    made->args[i] = copy(with, term->args[i]);
    same = same && made->args[i] == term->args[i];
  }
  return same ? term : made;
}

struct keyed {
  const struct walk *walk;
  const struct term *key;
};

/* An element of a map at another key: if that is the key that was assigned, what was assigned. */
static const struct term *at_key(const void *with, const struct term *term) {
  const struct keyed *keyed = with;
  if (term->kind == TERM_VARIABLE && term->variable == keyed->walk->plan->key)
    return keyed->key;
  const struct term *made = copy_args(keyed->walk, term, at_key, with);
  if (made->kind != TERM_ITE || made == term)
    return made;
  const struct term *test = made->args[0];
  bool same = test->kind == TERM_EQ && term_is_same(test->args[0], test->args[1]);
  return same ? made->args[1] : made;
}

static const struct term *after_any(const void *walk, const struct term *term) {
  return after(walk, term);
}

/* The value of a term in the state so far, over the state before. */
static const struct term *after(const struct walk *walk, const struct term *term) {
  if (term->kind == TERM_MAP_GET && term->args[0]->kind == TERM_STATE) {
    struct keyed keyed = {walk, after(walk, term->args[1])};
    return at_key(&keyed, walk->values[term->args[0]->state->id]);
  }
  if (term->kind == TERM_STATE && term->type.kind != TYPE_MAP)
    return walk->values[term->state->id];
  return copy_args(walk, term, after_any, walk);
}

static const struct term *variable_term(struct plan_context *context,
                                        const struct variable *variable) {
  struct term *term = arena_alloc(context->arena, 1, sizeof *term);
  *term = (struct term){.kind = TERM_VARIABLE, .type = variable->type, .variable = variable};
  return term;
}

/* The variable before the action: itself; of a map its element at the key. */
static const struct term *before(const struct walk *walk, const struct state *state,
                                 const struct variable *node) {
  struct plan_context *context = walk->context;
  struct term *term = arena_alloc(context->arena, 1, sizeof *term);
  const struct term *self = variable_term(context, node);
  *term = (struct term){.kind = TERM_STATE, .type = state->type, .state = state, .count = 1};
  term->args = arena_copy(context->arena, &self, 1, sizeof self);
  if (state->type.kind != TYPE_MAP)
    return term;
  return term_made(context, TERM_MAP_GET, state->type.element, term,
                   variable_term(context, walk->plan->key));
}

/* What a guard says an integer of the message is, where that is in a known range: k == index(r). */
static const struct term *equal_by_guard(const struct walk *walk, const struct term *guard,
                                         const struct variable *variable) {
  if (guard->kind == TERM_AND) {
    for (size_t i = 0; i < guard->count; i++) {
      const struct term *equal = equal_by_guard(walk, guard->args[i], variable);
      if (equal != NULL)
        return equal;
    }
    return NULL;
  }
  for (size_t i = 0; guard->kind == TERM_EQ && i < 2; i++) {
    const struct term *side = guard->args[i], *other = guard->args[1 - i];
    if (side->kind == TERM_VARIABLE && side->variable == variable &&
        (other->kind == TERM_INDEX || other->kind == TERM_INT))
      return other;
  }
  return NULL;
}

/* The number, with what guards say of integers of the message in their place. */
static const struct term *guarded(const struct walk *walk, const struct term *value) {
  const struct action *action = walk->action;
  if (value->kind == TERM_VARIABLE && value->type.kind == TYPE_INT) {
    for (size_t i = 0; i < action->guard_count; i++) {
      const struct term *equal = equal_by_guard(walk, action->guards[i], value->variable);
      if (equal != NULL)
        return equal;
    }
  }
  if (value->kind != TERM_ADD && value->kind != TERM_SUB)
    return value;
  struct term *copy = arena_copy(walk->context->arena, value, 1, sizeof *value);
  copy->args = arena_copy(walk->context->arena, value->args, value->count, sizeof *value->args);
  for (size_t i = 0; i < value->count; i++)
    copy->args[i] = guarded(walk, value->args[i]);
  return copy;
}

static void check_range(struct walk *walk, const struct term *value) {
  if (value->type.kind != TYPE_INT && value->type.kind != TYPE_TIME)
    return;
  struct number_range range = range_of(walk->context->model, value);
  if (!range.known)
    plan_refuse(walk->context, value->span,
                "this number may not fit in 64 bits, in which it is computed; split it into "
                "several actions");
  for (size_t i = 0; i < walk->effect->checks.count; i++)
    if (walk->effect->checks.data[i].value == value &&
        walk->effect->checks.data[i].when == walk->when)
      return;
  struct number_range narrow = range_of(walk->context->model, guarded(walk, value));
  for (size_t i = 0; i < walk->action->guard_count; i++)
    range_limit(&narrow, walk->context->model, value, walk->action->guards[i]);
  if (walk->when != NULL)
    range_limit(&narrow, walk->context->model, value, walk->when);
  if (!range_is_stored(&narrow, value->type.kind))
    vector_push(&walk->effect->checks, (struct effect_check){walk->when, value});
}

static void walk_assign(struct walk *walk, const struct statement *s) {
  if (s->state->ghost)
    return;
  const struct term *value = after(walk, s->value), **place = &walk->values[s->state->id];
  check_range(walk, value);
  if (s->key != NULL) {
    const struct term *hit =
        term_made(walk->context, TERM_EQ, &truth, variable_term(walk->context, walk->plan->key),
                  after(walk, s->key));
    value = choice(walk->context, hit, value, *place);
  }
  *place = value;
}

static int varying_field(const struct statement *s) {
  for (size_t i = 0; s->variable_count != 0 && i < s->arg_count; i++)
    if (s->args[i]->kind == TERM_VARIABLE && s->args[i]->variable == s->variables[0])
      return (int)i;
  return -1;
}

static const struct term *domain_of(const struct walk *walk, const struct variable *variable) {
  if (variable->domain == DOMAIN_SET)
    return after(walk, variable->set);
  struct term *all = arena_alloc(walk->context->arena, 1, sizeof *all);
  *all =
      (struct term){.kind = TERM_ROLE_SET, .type = {.kind = TYPE_SET, .role = variable->type.role}};
  return all;
}

static void walk_send(struct walk *walk, const struct statement *s) {
  struct effect_send send = {.statement = s,
                             .number = walk->sent[s->message->id]++,
                             .varying = varying_field(s),
                             .when = walk->when};
  send.args = arena_alloc(walk->context->arena, s->arg_count, sizeof *send.args);
  for (size_t i = 0; i < s->arg_count; i++) {
    send.args[i] = after(walk, s->args[i]);
    check_range(walk, send.args[i]);
  }
  if (send.varying >= 0)
    send.set = domain_of(walk, s->variables[0]);
  send.to = s->to == NULL ? NULL : after(walk, s->to);
  vector_push(&walk->effect->sends, send);
}

static void walk_block(struct walk *walk, const struct block *block);

static struct walk walk_branch(const struct walk *walk, const struct term *condition) {
  const struct model *model = walk->context->model;
  struct walk branch = *walk;
  branch.when = term_both(walk->context, walk->when, condition);
  branch.values =
      arena_copy(walk->context->arena, walk->values, model->states.count, sizeof *walk->values);
  branch.sent =
      arena_copy(walk->context->arena, walk->sent, model->messages.count, sizeof *walk->sent);
  return branch;
}

static void walk_if(struct walk *walk, const struct statement *s) {
  const struct model *model = walk->context->model;
  const struct term *condition = after(walk, s->condition);
  struct walk yes = walk_branch(walk, condition);
  struct walk no = walk_branch(walk, term_negated(walk->context, condition));
  walk_block(&yes, &s->then_block);
  walk_block(&no, &s->else_block);
  for (size_t i = 0; i < model->states.count; i++)
    walk->values[i] = choice(walk->context, condition, yes.values[i], no.values[i]);
  for (size_t i = 0; i < model->messages.count; i++)
    walk->sent[i] = yes.sent[i] > no.sent[i] ? yes.sent[i] : no.sent[i];
}

static void walk_block(struct walk *walk, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_ASSIGN)
      walk_assign(walk, s);
    else if (s->kind == STATEMENT_SEND)
      walk_send(walk, s);
    else
      walk_if(walk, s);
  }
}

void effect_make(struct effect *effect, struct plan_context *context, const struct plan_role *plan,
                 const struct action *action) {
  const struct model *model = context->model;
  *effect = (struct effect){0};
  struct walk walk = {.context = context, .plan = plan, .action = action, .effect = effect};
  walk.values = arena_alloc(context->arena, model->states.count, sizeof *walk.values);
  for (size_t i = 0; i < plan->state_count; i++)
    walk.values[plan->states[i]->id] = before(&walk, plan->states[i], action->node);
  walk.sent = arena_alloc(context->arena, model->messages.count, sizeof *walk.sent);
  walk_block(&walk, &action->body);
  effect->values = walk.values;
}

void effect_clear(struct effect *effect) {
  vector_clear(&effect->sends);
  vector_clear(&effect->checks);
}

bool effect_keeps(const struct effect *effect, const struct state *state) {
  const struct term *value = effect->values[state->id];
  if (value->kind == TERM_MAP_GET)
    value = value->args[0];
  return value->kind == TERM_STATE && value->state == state;
}
