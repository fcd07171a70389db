/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/unroll.h"

#include "solver/encode/encode.h"
#include "solver/infer/edge.h"
#include "solver/infer/linear.h"
#include "solver/infer/time.h"
#include "solver/infer/way.h"
#include "solver/infer/work.h"

enum { ROUNDS_MAX = 8 };

struct rounds {
  struct infer_work *w;
  struct term_maker *m;
  const struct model *model;
  const struct action *action;
  const struct term *node;    /* the acting node, in guesses */
  const struct way *way;      /* the only one through the action, */
  replacements after;         /* and what it assigns, over the node */
  const struct term *counter; /* a state that grows by one, */
  int64_t first;              /* from this number */
  replacements value;         /* after so many rounds: of the counter and the times */
};

/* --- which steps ----------------------------------------------------------------------------- */

static const struct term *at_node(struct rounds *r, const struct term *t) {
  struct replacement with = {maker_mention(r->m, r->action->node), r->node};
  return term_replace(r->m, t, &with, 1);
}

static bool sets(const struct block *block, const struct state *state) {
  bool found = false;
  for (size_t i = 0; i < block->count && !found; i++) {
    const struct statement *s = block->statements[i];
    found = s->kind == STATEMENT_IF ? sets(&s->then_block, state) || sets(&s->else_block, state)
                                    : s->kind == STATEMENT_ASSIGN && s->state == state;
  }
  return found;
}

static bool only_here(const struct rounds *r, const struct state *state) {
  bool only = state->role == r->action->role;
  for (size_t i = 0; i < r->model->actions.count && only; i++)
    only =
        r->model->actions.items[i] == r->action || !sets(&r->model->actions.items[i]->body, state);
  return only;
}

/* Whether a time is made of states with known values and of constants alone. */
static bool is_known(const struct rounds *r, const struct term *t) {
  if (t->kind == TERM_STATE) {
    bool found = false;
    for (size_t i = 0; i < r->value.count && !found; i++)
      found = r->value.data[i].from->state == t->state;
    return found;
  }
  bool known = t->variable_count == 0 && t->kind != TERM_VARIABLE && t->kind != TERM_TIME_NODE &&
               t->kind != TERM_NOW && t->message == NULL;
  for (size_t i = 0; i < t->count && known; i++)
    known = is_known(r, t->args[i]);
  return known;
}

/* The counter, if the action has one: c := c + 1, from a number. */
static bool find_counter(struct rounds *r) {
  for (size_t i = 0; i < r->after.count && r->counter == NULL; i++) {
    const struct replacement *a = &r->after.data[i];
    int64_t step = 0;
    if (a->from->kind == TERM_STATE && a->from->type.kind == TYPE_INT &&
        only_here(r, a->from->state) && a->from->state->initial->kind == TERM_INT &&
        integer_difference(r->m, a->to, a->from, &step) && step == 1) {
      r->counter = a->from;
      r->first = a->from->state->initial->integer;
      vector_push(&r->value, (struct replacement){a->from, a->from->state->initial});
    }
  }
  return r->counter != NULL;
}

/* The times that this action alone sets, and of which each value is known from the ones before. */
static void find_times(struct rounds *r) {
  for (size_t i = 0; i < r->after.count; i++) {
    const struct replacement *a = &r->after.data[i];
    if (a->from->kind == TERM_STATE && a->from->type.kind == TYPE_TIME &&
        only_here(r, a->from->state) && is_known(r, a->from->state->initial))
      vector_push(&r->value, (struct replacement){a->from, a->from->state->initial});
  }
  for (size_t before = SIZE_MAX; before != r->value.count;) { /* those that rest on others go */
    before = r->value.count;
    size_t count = 1;
    for (size_t i = 1; i < before; i++) {
      const struct term *to =
          term_replace(r->m, r->value.data[i].from, r->after.data, r->after.count);
      if (is_known(r, to))
        r->value.data[count++] = r->value.data[i];
    }
    r->value.count = count;
  }
}

/* --- how many rounds ------------------------------------------------------------------------- */

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* The number that the counter is compared with, counted from its first; 0: none. */
static int64_t rounds_of_guard(const struct rounds *r, const struct term *t) {
  int64_t most = 0;
  for (size_t i = 0; i < t->count; i++) {
    most = larger(most, rounds_of_guard(r, t->args[i]));
    if (t->count == 2 && t->args[i]->kind == TERM_STATE && t->args[i]->state == r->counter->state &&
        t->args[1 - i]->kind == TERM_INT)
      most = larger(most, t->args[1 - i]->integer - r->first + 1);
  }
  return most;
}

static int64_t count_rounds(const struct rounds *r) {
  int64_t most = 0;
  for (size_t i = 0; i < r->way->sends.count; i++) {
    const struct loss *loss = r->way->sends.data[i].statement->message->loss;
    if (loss != NULL && loss->most->kind == TERM_INT)
      most = larger(most, loss->most->integer + 1);
  }
  for (size_t i = 0; i < r->action->guard_count; i++)
    most = larger(most, rounds_of_guard(r, r->action->guards[i]));
  return most < ROUNDS_MAX ? most : ROUNDS_MAX;
}

/* --- rounds ---------------------------------------------------------------------------------- */

static const struct term *after_rounds(struct rounds *r, const struct term *t) {
  return time_written(r->m, term_replace(r->m, t, r->value.data, r->value.count));
}

static void guess_values(struct rounds *r) {
  const struct term *is[] = {r->counter, r->value.data[0].to};
  const struct term *given = maker_term(r->m, TERM_EQ, TYPE_BOOL, is, 2);
  for (size_t i = 1; i < r->value.count; i++) {
    const struct term *both[] = {r->value.data[i].from, r->value.data[i].to};
    work_guess(r->w, r->value.data[i].from->state->name, "after",
               maker_implies(r->m, given, maker_term(r->m, TERM_EQ, TYPE_BOOL, both, 2)));
  }
}

/* What the next round sends, which starts when its timer is due. */
static void guess_sends(struct rounds *r) {
  struct term_maker *m = r->m;
  const struct term *due = after_rounds(r, at_node(r, r->action->timer));
  if (!is_known(r, due))
    return;
  for (size_t i = 0; i < r->way->sends.count; i++) {
    const struct way_send *sent = &r->way->sends.data[i];
    const struct message *message = sent->statement->message;
    const struct term **args = arena_alloc(m->arena, message->field_count, sizeof *args);
    bool counted = false;
    for (size_t k = 0; k < message->field_count; k++) {
      const struct term *arg = at_node(r, sent->args[k]);
      counted = counted || term_contains(arg, r->counter);
      args[k] = integer_tidy(m, term_replace(m, arg, r->value.data, r->value.count));
    }
    struct flow flow = {.m = m, .model = r->model};
    const struct term *time = due;
    for (size_t k = 0; k < r->action->cost_count; k++)
      time = time_plus(m, time, flow_bare(&flow, r->action->costs[k]->component));
    time = time_plus(m, time, maker_message(m, TERM_DELAY, message, message->delay, args));
    if (counted && sent->statement->variable_count == 0)
      work_guess(
          r->w, message->name, "in",
          maker_implies(
              m, maker_message(m, TERM_SENT, message, NULL, args),
              maker_at_most(m, maker_message(m, TERM_TIME_MESSAGE, message, NULL, args), time)));
  }
}

static void next_round(struct rounds *r) {
  replacements next = {0};
  for (size_t i = 0; i < r->value.count; i++) {
    const struct term *from = r->value.data[i].from;
    const struct term *to = term_replace(r->m, from, r->after.data, r->after.count);
    to = term_replace(r->m, to, r->value.data, r->value.count);
    to = from->type.kind == TYPE_TIME ? time_written(r->m, to) : integer_tidy(r->m, to);
    vector_push(&next, (struct replacement){from, to});
  }
  vector_clear(&r->value);
  r->value = next;
}

static void unroll(struct infer_work *w, const struct action *action, const struct way *way) {
  struct term_maker *m = &w->maker;
  struct type type = {.kind = TYPE_NODE, .role = action->role};
  struct rounds r = {.w = w, .m = m, .model = &w->inference->model, .action = action, .way = way};
  r.node = maker_role_node(m, action->role,
                           action->role->count == NULL ? NULL : maker_variable(m, "i", type));
  for (size_t i = 0; i < way->after.count; i++)
    vector_push(&r.after, (struct replacement){at_node(&r, way->after.data[i].from),
                                               at_node(&r, way->after.data[i].to)});
  if (find_counter(&r)) {
    find_times(&r);
    int64_t rounds = r.value.count > 1 ? count_rounds(&r) : 0;
    for (int64_t i = 0; i < rounds; i++) {
      guess_values(&r);
      guess_sends(&r);
      next_round(&r);
    }
  }
  vector_clear(&r.value);
  vector_clear(&r.after);
}

/* --- some message ---------------------------------------------------------------------------- */

static const struct term *some_pending(const struct term *t) {
  while (t->kind == TERM_FORALL)
    t = t->args[0];
  if (t->kind == TERM_IMPLIES)
    t = t->args[1];
  return t->kind == TERM_EXISTS && t->args[0]->kind == TERM_PENDING ? t : NULL;
}

static void guess_some(struct infer_work *w, const struct term *formula, const struct term *some,
                       const struct term *time) {
  struct term_maker *m = &w->maker;
  const struct term *pending = some->args[0];
  const struct term *when =
      maker_message(m, TERM_TIME_MESSAGE, pending->message, NULL, pending->args);
  struct term *made = arena_copy(m->arena, some, 1, sizeof *made);
  const struct term *both = maker_and(m, pending, maker_at_most(m, when, time));
  made->args = arena_copy(m->arena, &both, 1, sizeof both);
  struct replacement with = {some, made};
  work_guess(w, pending->message->name, "comes", term_replace(m, formula, &with, 1));
}

static const struct term *guess_sums(struct infer_work *w, const struct term *formula,
                                     const struct term *some, const struct term *before,
                                     const struct term *t) {
  if (t->kind == TERM_ADD)
    return guess_sums(w, formula, some, guess_sums(w, formula, some, before, t->args[0]),
                      t->args[1]);
  before = before == NULL ? t : maker_pair(&w->maker, TERM_ADD, TYPE_TIME, before, t);
  guess_some(w, formula, some, before);
  return before;
}

static void guess_somes(struct infer_work *w, const struct invariant *invariant) {
  const struct model *model = &w->inference->model;
  const struct term *some = invariant->timing ? NULL : some_pending(invariant->formula);
  for (size_t i = 0; i < model->bounds.count && some != NULL; i++) {
    const struct bound *bound = model->bounds.items[i];
    bool asked = w->options->only == NULL || w->options->only->id == bound->id;
    if (asked && bound->expression != NULL && bound->from == NULL && bound->variable_count == 0)
      guess_sums(w, invariant->formula, some, NULL, bound->expression);
  }
}

void unroll_guess(struct infer_work *w) {
  const struct model *model = &w->inference->model;
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    way_vector ways = {0};
    if (action->timer == NULL || action->choice_count != 0 || action->schedule != NULL)
      continue;
    ways_make(&ways, &w->maker, action);
    if (ways.count == 1)
      unroll(w, action, &ways.data[0]);
    ways_clear(&ways);
  }
  for (size_t i = 0; i < w->kept.count; i++)
    guess_somes(w, w->kept.data[i]);
}
