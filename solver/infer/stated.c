/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/stated.h"

#include "lang/owner.h"
#include "solver/encode/encode.h"
#include "solver/infer/joined.h"
#include "solver/infer/linear.h"
#include "solver/infer/rest.h"
#include "solver/infer/time.h"
#include "solver/infer/unroll.h"
#include "solver/infer/work.h"

/* One way to read a bound, with variables of its own. */
struct reading {
  struct infer_work *w;
  struct term_maker *m;
  const struct bound *bound;
  replacements with;        /* of the bound's variables, and of parameters */
  conditions waits;         /* who waits in a set for what is under way */
  const struct term *clock; /* times count from it instead; NULL: from what the bound says */
};

/* --- guesses --------------------------------------------------------------------------------- */

static void guess(struct reading *r, const char *about, const char *kind,
                  const struct term *formula) {
  formula = maker_close(r->m, formula);
  for (size_t i = 0; i < r->w->guesses.count; i++)
    if (term_equal(r->w->guesses.data[i]->formula, formula))
      return;
  work_guess(r->w, about, kind, formula);
}

static const struct term *in_reading(const struct reading *r, const struct term *t) {
  return term_replace(r->m, t, r->with.data, r->with.count);
}

static const struct term **from_args(const struct reading *r) {
  const struct message *from = r->bound->from;
  const struct term **args = arena_alloc(r->m->arena, from->field_count, sizeof *args);
  for (size_t i = 0; i < from->field_count; i++)
    args[i] = in_reading(r, r->bound->from_args[i]);
  return args;
}

/* start + time, with no brackets. */
static const struct term *later(struct term_maker *m, const struct term *start,
                                const struct term *time) {
  if (time == NULL)
    return start;
  if (time->kind == TERM_ADD)
    return later(m, later(m, start, time->args[0]), time->args[1]);
  return maker_pair(m, TERM_ADD, TYPE_TIME, start, time);
}

/* `time` after what the bound counts from. */
static const struct term *since(const struct reading *r, const struct term *time) {
  const struct message *from = r->bound->from;
  struct term_maker *m = r->m;
  if (r->clock != NULL)
    return later(m, r->clock, time);
  if (from == NULL)
    return time == NULL ? maker_zero(m) : time;
  const struct term **args = from_args(r);
  const struct term *delay = maker_message(m, TERM_DELAY, from, from->delay, args);
  const struct term *start = maker_message(m, TERM_TIME_MESSAGE, from, NULL, args);
  const struct term *rest = time == NULL ? NULL : time_without(m, time, delay);
  if (rest == time || (rest != NULL && term_equal(rest, time)))
    start = maker_pair(m, TERM_SUB, TYPE_TIME, start, delay);
  return later(m, start, rest);
}

/* Every variable of the time is one of the formula. */
static bool says_all(const struct reading *r, const struct term *formula, const struct term *time) {
  struct variable_list free = term_free_variables(r->m->arena, time);
  bool all = true;
  for (size_t i = 0; i < free.count; i++)
    all = all && term_mentions(formula, free.items[i]);
  return all;
}

/* Where the formula leaves out of which message the bound counts, that it was sent. */
static const struct term *with_start(const struct reading *r, const struct term *formula,
                                     const struct term *time) {
  if (r->bound->from == NULL || r->clock != NULL || says_all(r, formula, time))
    return formula;
  return maker_and(r->m, formula,
                   maker_message(r->m, TERM_SENT, r->bound->from, NULL, from_args(r)));
}

/* The message of this delay is delivered by then. */
static void guess_delivery(struct reading *r, const struct term *delay, const struct term *time) {
  struct term_maker *m = r->m;
  const struct message *message = delay->message;
  if (message == r->bound->from || message->pacer != NULL)
    return;
  time = since(r, time);
  const struct term *sent = maker_message(m, TERM_SENT, message, NULL, delay->args);
  const struct term *when = maker_message(m, TERM_TIME_MESSAGE, message, NULL, delay->args);
  const struct term *in_time = maker_at_most(m, when, time);
  for (size_t i = 0; i < r->waits.count && !says_all(r, sent, time); i++) {
    const struct term *waiting = maker_and(m, r->waits.data[i], sent);
    if (says_all(r, waiting, time))
      guess(r, message->name, "joined", maker_implies(m, waiting, in_time));
  }
  const struct term *event = with_start(r, sent, time);
  if (says_all(r, event, time))
    guess(r, message->name, "by", maker_implies(m, event, in_time));
}

/* --- timers ---------------------------------------------------------------------------------- */

static bool is_constant(const struct term *t, const void *component) {
  return t->kind == TERM_BARE && t->component == component;
}

static bool is_set_with(const struct block *block, const struct state *state,
                        const struct component *constant) {
  bool found = false;
  for (size_t i = 0; i < block->count && !found; i++) {
    const struct statement *s = block->statements[i];
    found = s->kind == STATEMENT_IF ? is_set_with(&s->then_block, state, constant) ||
                                          is_set_with(&s->else_block, state, constant)
                                    : s->kind == STATEMENT_ASSIGN && s->state == state &&
                                          term_has_part(s->value, is_constant, constant);
  }
  return found;
}

/* A node of the role that the time speaks of, or any. */
static const struct term *a_node(struct reading *r, const struct role *role,
                                 const struct term *time) {
  struct variable_list free = term_free_variables(r->m->arena, time);
  for (size_t i = 0; i < free.count; i++)
    if (free.items[i]->type.kind == TYPE_NODE && free.items[i]->type.role == role)
      return maker_mention(r->m, free.items[i]);
  struct type type = {.kind = TYPE_NODE, .role = role};
  return maker_role_node(r->m, role, role->count == NULL ? NULL : maker_variable(r->m, "i", type));
}

/* `value` of the node, a time, is no later than `time` where the guard holds. */
static void guess_value(struct reading *r, const char *about, const struct term *value,
                        const struct term *guard, const struct term *time) {
  if (guard == NULL || !says_all(r, guard, time))
    guard = r->bound->from == NULL || r->clock != NULL
                ? guard
                : maker_and(r->m, guard,
                            maker_message(r->m, TERM_SENT, r->bound->from, NULL, from_args(r)));
  if (guard != NULL && says_all(r, guard, time))
    guess(r, about, "by", maker_implies(r->m, guard, maker_at_most(r->m, value, time)));
}

/* The state is no later than `time` while the guard holds (NULL: ever); and the clock is not. */
static void guess_state(struct reading *r, const struct state *state, const struct term *node,
                        const struct term *guard, const struct term *time) {
  struct term *value = maker_term(r->m, TERM_STATE, TYPE_TIME, &node, 1);
  value->state = state;
  guess_value(r, state->name, value, guard, time);
  if (guard != NULL)
    guess_value(r, state->role->name, maker_clock(r->m, node), guard, time);
}

/* A state set with the constant is no later than `time`: while a step waits for it, while somebody
 * does who has joined a set of its node, and ever. */
static void guess_timers(struct reading *r, const struct component *constant,
                         const struct term *time) {
  const struct model *model = &r->w->inference->model;
  time = since(r, time);
  for (size_t s = 0; s < model->states.count; s++) {
    const struct state *state = model->states.items[s];
    bool set = false;
    for (size_t i = 0; i < model->actions.count && state->type.kind == TYPE_TIME && !set; i++)
      set = model->actions.items[i]->role == state->role &&
            is_set_with(&model->actions.items[i]->body, state, constant);
    if (!set || state->hidden)
      continue;
    const struct term *node = a_node(r, state->role, time);
    guess_state(r, state, node, NULL, time);
    for (size_t i = 0; i < r->waits.count && r->clock == NULL; i++)
      if (r->waits.data[i]->args[1]->state->role == state->role)
        guess_state(r, state, node, r->waits.data[i], time);
    for (size_t i = 0; i < model->actions.count; i++) {
      const struct action *a = model->actions.items[i];
      if (a->role == state->role && a->timer != NULL && a->choice_count == 0)
        guess_state(r, state, node, action_untimed_guard(r->m, a, node), time);
    }
  }
}

/* --- reading --------------------------------------------------------------------------------- */

static void read_part(struct reading *r, const struct term *t, const struct term *before);

static const struct term *plus(struct reading *r, const struct term *a, const struct term *b) {
  return a == NULL ? b : maker_pair(r->m, TERM_ADD, TYPE_TIME, a, b);
}

/* What stands before, with `p` for the owner of v where v is one of those that belong to p. */
static const struct term *of_owner(struct reading *r, const struct variable *v,
                                   const struct term *member, const struct term *t) {
  if (t == NULL || v->domain != DOMAIN_SET || v->set->kind != TERM_OWNED_SET ||
      v->set->args[0]->kind != TERM_VARIABLE)
    return t;
  const struct role *owner = v->set->args[0]->type.role;
  struct term *made = maker_term(r->m, TERM_OWNER, TYPE_NODE, &member, 1);
  made->type.role = owner;
  struct replacement with = {v->set->args[0], made};
  return term_replace(r->m, t, &with, 1);
}

static const struct term *part_of_sum(struct reading *r, const struct term *sum,
                                      const struct term *low, const struct term *high) {
  const struct variable *v = sum->variables[0];
  const struct variable *k = maker_range(r->m, v->name, low, high);
  struct replacement with = {maker_mention(r->m, v), maker_mention(r->m, k)};
  const struct term *body = term_replace(r->m, sum->args[0], &with, 1);
  struct term *made = maker_term(r->m, TERM_SUM_OVER, TYPE_TIME, &body, 1);
  made->variable_count = 1;
  made->variables = arena_copy(r->m->arena, &k, 1, sizeof k);
  return made;
}

static void read_binder(struct reading *r, const struct term *t, const struct term *before) {
  const struct variable *v = t->variables[0];
  const struct term *one = maker_mention(r->m, maker_variable(r->m, v->name, v->type));
  struct replacement with = {maker_mention(r->m, v), one};
  const struct term *body = term_replace(r->m, t->args[0], &with, 1);
  if (t->kind == TERM_SUM_OVER && v->domain == DOMAIN_RANGE && v->type.kind == TYPE_INT) {
    const struct term *below = part_of_sum(r, t, v->low, integer_plus(r->m, one, -1));
    const struct term *above = part_of_sum(r, t, integer_plus(r->m, one, 1), v->high);
    read_part(r, body, plus(r, before, below));
    read_part(r, body, plus(r, before, above));
  } else if (t->kind != TERM_SUM_OVER) {
    read_part(r, of_owner(r, v, one, body), of_owner(r, v, one, before));
  }
}

static const struct term *read_sum(struct reading *r, const struct term *t,
                                   const struct term *before) {
  if (t->kind == TERM_ADD && t->type.kind == TYPE_TIME)
    return read_sum(r, t->args[1], read_sum(r, t->args[0], before));
  read_part(r, t, before);
  return plus(r, before, t);
}

/* A part of the expression, and what stands before it (NULL: nothing). */
static void read_part(struct reading *r, const struct term *t, const struct term *before) {
  if (t->kind == TERM_ADD)
    read_sum(r, t, before);
  else if (t->kind == TERM_SUB)
    read_part(r, t->args[0], before);
  else if (t->kind == TERM_MAX || t->kind == TERM_MIN)
    for (size_t i = 0; i < t->count; i++)
      read_part(r, t->args[i], before);
  else if (t->variable_count == 1)
    read_binder(r, t, before);
  else if (t->kind == TERM_DELAY && t->component->kind == COMPONENT_DELAY)
    guess_delivery(r, t, plus(r, before, t));
  else if (t->kind == TERM_BARE && t->component->kind == COMPONENT_CONSTANT)
    guess_timers(r, t->component, plus(r, before, t));
}

/* --- joining --------------------------------------------------------------------------------- */

/* Who waits for the event, or for a message on the way to it. */
static void find_waits(struct reading *r, const struct term *t) {
  const struct model *model = &r->w->inference->model;
  if (t->kind == TERM_DELAY && t->component->kind == COMPONENT_DELAY)
    joined_conditions(&r->waits, r->m, model, t->message, t->args);
  for (size_t i = 0; i < t->count && t->variable_count == 0; i++)
    find_waits(r, t->args[i]);
}

/* The single node that does this step, or takes a message after this wait; NULL: none, or several. */
static const struct role *worker_of(const struct model *model, const struct term *t) {
  const struct role *found = NULL;
  if (t->kind == TERM_DELAY && t->component->kind == COMPONENT_QUEUEING)
    return t->message->receiver->count == NULL ? t->message->receiver : NULL;
  if (t->kind != TERM_OCCURRENCE && t->kind != TERM_BARE)
    return NULL;
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *a = model->actions.items[i];
    for (size_t k = 0; k < a->cost_count; k++) {
      if (a->costs[k]->component != t->component)
        continue;
      if (a->role->count != NULL || (found != NULL && found != a->role))
        return NULL;
      found = a->role;
    }
  }
  return found;
}

/* Reads what comes after `step`, which was `met` before t or not. *after: what was read since.
 * Returns whether it is met now. */
static bool read_after(struct reading *r, const struct term *t, const struct term *step, bool met,
                       const struct term **after) {
  if (t->kind == TERM_ADD && t->type.kind == TYPE_TIME) {
    met = read_after(r, t->args[0], step, met, after);
    return read_after(r, t->args[1], step, met, after);
  }
  if (met) {
    read_part(r, t, *after);
    *after = plus(r, *after, t);
  }
  return met || t == step;
}

/* What comes after each step of a single node, counted from that node's clock: who joins, joins
 * there. */
static void read_steps(struct reading *r, const struct term *all, const struct term *t) {
  if (t->kind == TERM_ADD && t->type.kind == TYPE_TIME) {
    read_steps(r, all, t->args[0]);
    read_steps(r, all, t->args[1]);
  } else {
    const struct role *role = worker_of(&r->w->inference->model, t);
    const struct term *after = NULL;
    if (role == NULL)
      return;
    r->clock = maker_clock(r->m, maker_role_node(r->m, role, NULL));
    read_after(r, all, t, false, &after);
    r->clock = NULL;
  }
}

static void read_joins(struct reading *r, const struct term *expression) {
  const struct bound *bound = r->bound;
  const struct term **args = arena_alloc(r->m->arena, bound->arg_count, sizeof *args);
  for (size_t i = 0; i < bound->arg_count; i++)
    args[i] = in_reading(r, bound->args[i]);
  if (bound->target != TARGET_WHEN)
    joined_conditions(&r->waits, r->m, &r->w->inference->model, bound->message, args);
  find_waits(r, expression);
  if (r->waits.count != 0)
    read_steps(r, expression, expression);
}

static void read_with(struct infer_work *w, const struct bound *bound, const struct term *parameter,
                      const struct term *value) {
  struct term_maker *m = &w->maker;
  struct reading r = {.w = w, .m = m, .bound = bound};
  for (size_t i = 0; i < bound->variable_count; i++) {
    const struct variable *v = bound->variables[i];
    vector_push(&r.with,
                (struct replacement){maker_mention(m, v),
                                     maker_mention(m, maker_variable(m, v->name, v->type))});
  }
  if (parameter != NULL)
    vector_push(&r.with, (struct replacement){parameter, value});
  const struct term *expression = in_reading(&r, bound->expression);
  if (bound->from != NULL)
    read_joins(&r, expression);
  read_part(&r, expression, NULL);
  if (bound->from != NULL) { /* what is counted from was sent at 0 or later */
    const struct term **args = from_args(&r);
    const struct term *delay = maker_message(m, TERM_DELAY, bound->from, bound->from->delay, args);
    const struct term *when = maker_message(m, TERM_TIME_MESSAGE, bound->from, NULL, args);
    guess(&r, bound->from->name, "start",
          maker_implies(m, maker_message(m, TERM_SENT, bound->from, NULL, args),
                        maker_at_most(m, delay, when)));
  }
  vector_clear(&r.waits);
  vector_clear(&r.with);
}

/* What a step sends where the event has the parameter: a state of a single node. */
static void read_with_states(struct infer_work *w, const struct bound *bound, size_t field,
                             const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind == STATEMENT_IF) {
      read_with_states(w, bound, field, &s->then_block);
      read_with_states(w, bound, field, &s->else_block);
    }
    if (s->kind == STATEMENT_SEND && s->message == bound->message &&
        s->args[field]->kind == TERM_STATE && s->args[field]->state->role->count == NULL) {
      struct term *value = arena_copy(w->maker.arena, s->args[field], 1, sizeof *value);
      const struct term *node = maker_role_node(&w->maker, s->args[field]->state->role, NULL);
      value->args = arena_copy(w->maker.arena, &node, 1, sizeof node);
      read_with(w, bound, bound->args[field], value);
    }
  }
}

/* As it stands; and a parameter that the event names may be any number. */
static void read_bound(struct infer_work *w, const struct bound *bound) {
  const struct model *model = &w->inference->model;
  read_with(w, bound, NULL, NULL);
  for (size_t i = 0; bound->target != TARGET_WHEN && i < bound->arg_count; i++) {
    const struct term *p = bound->args[i];
    if (p->kind != TERM_PARAM || p->type.kind != TYPE_INT)
      continue;
    read_with(w, bound, p, maker_mention(&w->maker, maker_variable(&w->maker, "i", p->type)));
    for (size_t k = 0; k < model->actions.count; k++)
      read_with_states(w, bound, i, &model->actions.items[k]->body);
  }
}

size_t stated_guess(struct infer_work *w) {
  const struct model *model = &w->inference->model;
  size_t before = w->guesses.count;
  for (size_t i = 0; i < model->bounds.count && !work_is_ended(w); i++) {
    const struct bound *bound = model->bounds.items[i];
    bool asked = w->options->only == NULL || w->options->only->id == bound->id;
    if (asked && bound->expression != NULL && (bound->from == NULL || bound->from->pacer == NULL))
      read_bound(w, bound);
  }
  return w->guesses.count - before;
}

/* Those of the relations that no random execution breaks, with names of their own. */
static void guess_idle(struct infer_work *w, const relations *idle) {
  size_t first = w->guesses.count;
  work_sift(w, idle);
  size_t count = w->guesses.count - first;
  const struct invariant **sifted =
      arena_copy(w->maker.arena, w->guesses.data + first, count, sizeof *sifted);
  w->guesses.count = first;
  for (size_t i = 0; i < count; i++)
    work_guess(w, "rest", "since", sifted[i]->formula);
}

/* Whether all is proved with the guesses and what the bounds say; `fully`: in as much time as a
 * verification has. */
static bool try_with(struct infer_work *w, const invariant_vector *more, const relations *idle,
                     bool fully) {
  w->guesses.count = 0;
  for (size_t i = 0; i < w->facts.count; i++)
    vector_push(&w->guesses, w->facts.data[i]);
  for (size_t i = 0; i < more->count; i++)
    if (!work_has_guess(w, more->data[i]))
      vector_push(&w->guesses, more->data[i]);
  guess_idle(w, idle);
  stated_guess(w);
  unroll_guess(w);
  work_tell(w, "what the bounds say of the way", w->guesses.count);
  return work_keep_needed(w) || (fully && !work_is_ended(w) && work_is_proved(w));
}

static bool is_kth(const struct term *t, const void *context) {
  (void)context;
  return t->kind == TERM_KTH_OVER;
}

/* Whether a bound has a k-th smallest, which is hard to prove. */
static bool counts_members(const struct infer_work *w) {
  const struct model *model = &w->inference->model;
  bool found = false;
  for (size_t i = 0; i < model->bounds.count && !found; i++)
    found = model->bounds.items[i]->expression != NULL &&
            term_has_part(model->bounds.items[i]->expression, is_kth, NULL);
  return found;
}

bool stated_try(struct infer_work *w) {
  relations idle = {0};
  rest_relations(&idle, &w->maker, &w->inference->model);
  joined_relations(&idle, &w->maker, &w->inference->model);
  bool hard = counts_members(w);
  bool all = try_with(w, &w->orders, &idle, !hard);
  w->patient = hard;
  if (hard && !all && !work_is_ended(w))
    all = try_with(w, &w->orders, &idle, true);
  w->patient = false;
  if (!all && !work_is_ended(w))
    all = try_with(w, &w->all, &idle, true);
  vector_clear(&idle);
  return all;
}
