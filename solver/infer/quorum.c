/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/quorum.h"

#include "base/text.h"
#include "lang/print.h"
#include "solver/encode/encode.h"
#include "solver/infer/linear.h"
#include "solver/infer/work.h"

enum { RANKS_MAX = 4 };

struct rank_tried {
  const struct role *role;
  const struct term *rank;
};

struct ranks {
  struct term_maker *m;
  VECTOR(struct rank_tried) items;
};

/* --- what is counted ------------------------------------------------------------------------- */

static void add_rank(struct ranks *ranks, const struct role *role, const struct term *rank) {
  rank = integer_tidy(ranks->m, rank);
  for (size_t i = 0; i < ranks->items.count; i++)
    if (ranks->items.data[i].role == role && term_equal(ranks->items.data[i].rank, rank))
      return;
  if (ranks->items.count < RANKS_MAX && !(rank->kind == TERM_INT && rank->integer < 1))
    vector_push(&ranks->items, (struct rank_tried){role, rank});
}

static bool is_open(const struct term *t, const void *context) {
  (void)context;
  return t->kind == TERM_VARIABLE;
}

/* |S| on one side, parameters on the other: the number that is compared with, and the next, since
 * it may be asked for before the last one is added, or after. */
static void compare(struct ranks *ranks, const struct term *t) {
  struct linear sum;
  linear_of(&sum, ranks->m, t->args[0]);
  linear_add(&sum, ranks->m, t->args[1], -1);
  const struct linear_part *size = NULL;
  struct linear rest = {.constant = 0};
  for (size_t i = 0; i < sum.parts.count; i++)
    if (sum.parts.data[i].atom->kind == TERM_CARDINALITY && size == NULL)
      size = &sum.parts.data[i];
  if (size != NULL && (size->coefficient == 1 || size->coefficient == -1)) {
    rest.constant = -size->coefficient * sum.constant;
    for (size_t i = 0; i < sum.parts.count; i++)
      if (&sum.parts.data[i] != size)
        linear_add(&rest, ranks->m, sum.parts.data[i].atom,
                   -size->coefficient * sum.parts.data[i].coefficient);
    const struct term *number = linear_term(ranks->m, &rest);
    const struct role *role = size->atom->args[0]->type.role;
    if (!term_reads_state(number) && !term_has_part(number, is_open, NULL) && role->count != NULL) {
      add_rank(ranks, role, number);
      add_rank(ranks, role, integer_plus(ranks->m, number, 1));
    }
  }
  linear_clear(&rest);
  linear_clear(&sum);
}

static bool look(const struct term *t, const void *context) {
  bool comparison = t->kind == TERM_EQ || t->kind == TERM_NE || t->kind == TERM_LT ||
                    t->kind == TERM_LE || t->kind == TERM_GT || t->kind == TERM_GE;
  if (comparison && t->args[0]->type.kind == TYPE_INT)
    compare((struct ranks *)(uintptr_t)context, t);
  return false;
}

static void look_at_block(struct ranks *ranks, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    if (s->kind != STATEMENT_IF)
      continue;
    term_has_part(s->condition, look, ranks);
    look_at_block(ranks, &s->then_block);
    look_at_block(ranks, &s->else_block);
  }
}

static void find_ranks(struct ranks *ranks, const struct model *model) {
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *a = model->actions.items[i];
    look_at_block(ranks, &a->body);
    for (size_t k = 0; k < a->guard_count; k++)
      term_has_part(a->guards[k], look, ranks);
  }
  for (size_t i = 0; i < model->bounds.count; i++)
    if (model->bounds.items[i]->target == TARGET_WHEN)
      term_has_part(model->bounds.items[i]->formula, look, ranks);
}

/* --- with the k-th for the last --------------------------------------------------------------- */

static const struct term *kth_for(struct term_maker *m, const struct term *max,
                                  const struct term *rank) {
  const struct variable *v = max->variables[0];
  struct variable *w = maker_variable(m, v->name, v->type);
  struct replacement with = {maker_mention(m, v), maker_mention(m, w)};
  const struct term *args[] = {term_replace(m, max->args[0], &with, 1), rank};
  const struct variable *bound = w;
  struct term *made = maker_term(m, TERM_KTH_OVER, TYPE_TIME, args, 2);
  made->variable_count = 1;
  made->variables = arena_copy(m->arena, &bound, 1, sizeof bound);
  return made;
}

static bool is_maximum(const struct term *t, const struct rank_tried *tried) {
  return t->kind == TERM_MAX_OVER && t->variables[0]->domain == DOMAIN_ROLE &&
         t->variables[0]->type.role == tried->role;
}

/* Every maximum over the role that is part of no other, nor of anything that binds a variable: what
 * stands for it elsewhere would speak of that variable. */
static void find_maxima(replacements *with, struct term_maker *m, const struct term *t,
                        const struct rank_tried *tried) {
  if (is_maximum(t, tried))
    vector_push(with, (struct replacement){t, kth_for(m, t, tried->rank)});
  for (size_t i = 0; i < t->count && t->variable_count == 0; i++)
    find_maxima(with, m, t->args[i], tried);
}

/* The k-th for each of the outermost maxima, in their places; the term itself when it has none. */
static const struct term *in_place(struct term_maker *m, const struct term *t,
                                   const struct rank_tried *tried) {
  if (is_maximum(t, tried))
    return kth_for(m, t, tried->rank);
  const struct term **args = arena_alloc(m->arena, t->count, sizeof *args);
  bool changed = false;
  for (size_t i = 0; i < t->count; i++) {
    args[i] = in_place(m, t->args[i], tried);
    changed = changed || args[i] != t->args[i];
  }
  if (!changed)
    return t;
  struct term *made = arena_copy(m->arena, t, 1, sizeof *t);
  made->args = args;
  return made;
}

/* NULL: it has no such maximum. */
static const struct term *with_rank(struct term_maker *m, const struct term *t,
                                    const struct rank_tried *tried) {
  const struct term *made = in_place(m, t, tried);
  return made == t ? NULL : made;
}

/* What was found as if every message could wait: in a search by order of time one that does not
 * wait may still be overtaken by as much. */
struct found {
  invariant_vector guesses;
  VECTOR(const struct term *) expressions; /* by number in the inference's bounds; NULL: none */
};

static void find_with_waits(struct infer_work *w, struct found *found) {
  work_save(w, &w->guesses);
  work_follow_waits(w);
  for (size_t i = 0; i < w->guesses.count; i++)
    vector_push(&found->guesses, w->guesses.data[i]);
  for (size_t i = 0; i < w->inference->bounds.count; i++)
    vector_push(&found->expressions, w->inference->bounds.data[i].bound->expression);
  work_restore(w);
}

static bool has_formula(const struct infer_work *w, const struct term *formula) {
  for (size_t i = 0; i < w->guesses.count; i++)
    if (term_equal(w->guesses.data[i]->formula, formula))
      return true;
  return false;
}

static void guess_again(struct infer_work *w, const char *about, const char *kind,
                        const struct term *formula) {
  if (formula != NULL && !has_formula(w, formula))
    work_guess(w, about, kind, formula);
}

/* What the larger bound did not need the smaller one may. */
static void take_all(struct infer_work *w) {
  for (size_t i = 0; i < w->all.count; i++)
    if (!work_has_guess(w, w->all.data[i]))
      vector_push(&w->guesses, w->all.data[i]);
}

/* Whether all is proved with another expression for the bound and the guesses added; else nothing
 * has changed but what is saved. */
static bool settle(struct infer_work *w, size_t which, const struct term *expression) {
  work_express(w, which, expression);
  work_tell(w, "smaller bounds by a quorum", w->guesses.count);
  if (work_keep_needed(w) && !work_is_ended(w))
    return true;
  work_restore(w);
  return false;
}

/* With waits where members of the quorum are waited for, and nowhere else. */
static bool improve_inside(struct infer_work *w, size_t which, const struct term *with_waits,
                           const struct rank_tried *tried) {
  struct term_maker *m = &w->maker;
  const struct term *old = w->inference->bounds.data[which].bound->expression;
  replacements maxima = {0}, waits = {0};
  find_maxima(&maxima, m, old, tried);
  find_maxima(&waits, m, with_waits, tried);
  bool better = false;
  if (maxima.count == 1 && waits.count == 1) {
    struct replacement with = {maxima.data[0].from, waits.data[0].to};
    work_save(w, &w->guesses);
    take_all(w);
    for (size_t i = 0, count = w->guesses.count; i < count; i++) {
      const struct invariant *guess = w->guesses.data[i];
      guess_again(w, guess->name, "kth", term_replace(m, guess->formula, &with, 1));
    }
    better = settle(w, which, term_replace(m, old, &with, 1));
  }
  vector_clear(&maxima);
  vector_clear(&waits);
  return better;
}

static bool improve(struct infer_work *w, size_t which, const struct found *found,
                    const struct rank_tried *tried) {
  const struct term *old = found->expressions.data[which];
  const struct term *now = w->inference->bounds.data[which].bound->expression;
  const struct term *expression = old == NULL ? NULL : with_rank(&w->maker, old, tried);
  if (expression == NULL)
    return false;
  if (improve_inside(w, which, old, tried))
    return true;
  if (term_equal(old, now) || work_is_ended(w))
    return false;
  work_save(w, &w->guesses);
  for (size_t i = 0; i < found->guesses.count; i++) {
    const struct invariant *guess = found->guesses.data[i];
    guess_again(w, guess->name, "kth", with_rank(&w->maker, guess->formula, tried));
    guess_again(w, guess->name, "waits", guess->formula);
  }
  return settle(w, which, expression);
}

/* Every maximum of several times that is no part of a binder: the least of them, where whichever
 * comes first is enough. */
static void find_branches(replacements *with, struct term_maker *m, const struct term *t) {
  if (t->kind == TERM_MAX) {
    struct replacement one = {t, maker_term(m, TERM_MIN, TYPE_TIME, t->args, t->count)};
    vector_push(with, one);
    return;
  }
  for (size_t i = 0; i < t->count && t->variable_count == 0; i++)
    find_branches(with, m, t->args[i]);
}

static bool try_least(struct infer_work *w, size_t which) {
  const struct term *old = w->inference->bounds.data[which].bound->expression;
  replacements with = {0};
  find_branches(&with, &w->maker, old);
  bool better = false;
  if (with.count == 1) {
    work_save(w, &w->guesses);
    take_all(w);
    for (size_t i = 0, count = w->guesses.count; i < count; i++)
      guess_again(w, w->guesses.data[i]->name, "min",
                  term_replace(&w->maker, w->guesses.data[i]->formula, with.data, 1));
    better = settle(w, which, term_replace(&w->maker, old, with.data, 1));
  }
  vector_clear(&with);
  return better;
}

/* Whether the bound waits for the last of some role. */
static bool waits_for_all(const struct term *t) {
  bool found = t->kind == TERM_MAX_OVER && t->variables[0]->domain == DOMAIN_ROLE;
  for (size_t i = 0; i < t->count && !found; i++)
    found = waits_for_all(t->args[i]);
  return found;
}

static bool is_about(struct infer_work *w, const struct term *expression,
                     const struct rank_tried *tried) {
  return expression != NULL && with_rank(&w->maker, expression, tried) != NULL;
}

/* Whether the work ahead of some message is known. */
static bool works_ahead(const struct infer_work *w) {
  bool found = false;
  for (size_t i = 0; i < w->relations.count; i++)
    found = found || w->relations.data[i].ahead != NULL;
  return found;
}

/* Tries the ranks for a bound; what to say when none is proved. */
static void try_ranks(struct infer_work *w, size_t which, const struct found *found,
                      const struct ranks *ranks) {
  struct text text;
  text_init(&text);
  const struct term *old = w->inference->bounds.data[which].bound->expression;
  size_t count = 0;
  bool better = false;
  for (size_t k = 0; k < ranks->items.count && !better && !work_is_ended(w); k++) {
    const struct rank_tried *tried = &ranks->items.data[k];
    if (!is_about(w, old, tried) || which >= found->expressions.count)
      continue;
    text_append(&text, count++ == 0 ? "kth(" : ", kth(");
    print_term(&text, &w->inference->model, tried->rank);
    text_format(&text, ", .. in %s ..)", tried->role->name);
    better = improve(w, which, found, tried);
  }
  if (count != 0)
    text_append(&text, ", not proved");
  else
    text_append(&text, waits_for_all(old) ? "kth, but no members of a set are counted"
                                          : "kth, but nothing waits for all of a role");
  if (!works_ahead(w))
    text_append(&text, "; sums, but no node works on numbered messages in their order");
  if (!better)
    w->inference->bounds.data[which].tried =
        arena_text(w->maker.arena, text_get(&text), text.length);
  text_clear(&text);
}

void quorums_try(struct infer_work *w) {
  struct ranks ranks = {.m = &w->maker};
  struct found found = {0};
  find_ranks(&ranks, &w->inference->model);
  if (ranks.items.count != 0 && w->inference->bounds.count != 0)
    find_with_waits(w, &found);
  for (size_t i = 0; i < w->inference->bounds.count && !work_is_ended(w); i++)
    if (w->inference->bounds.data[i].bound->expression != NULL) {
      try_ranks(w, i, &found, &ranks);
      try_least(w, i);
    }
  vector_clear(&found.guesses);
  vector_clear(&found.expressions);
  vector_clear(&ranks.items);
}
