/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/match.h"

#include <string.h>

void match_init(struct match *match, struct term_maker *m, const struct term *const *formals,
                size_t formal_count) {
  memset(match, 0, sizeof *match);
  match->m = m;
  match->formals = formals;
  match->formal_count = formal_count;
}

void match_copy(struct match *match, const struct match *from) {
  match_init(match, from->m, from->formals, from->formal_count);
  match->impossible = from->impossible;
  for (size_t i = 0; i < from->solved.count; i++)
    vector_push(&match->solved, from->solved.data[i]);
  for (size_t i = 0; i < from->conditions.count; i++)
    vector_push(&match->conditions, from->conditions.data[i]);
}

void match_clear(struct match *match) {
  vector_clear(&match->solved);
  vector_clear(&match->conditions);
}

static bool is_formal(const struct match *match, const struct term *t) {
  for (size_t i = 0; i < match->formal_count; i++)
    if (term_equal(match->formals[i], t))
      return true;
  return false;
}

static bool is_unknown(const struct match *match, const struct term *t) {
  return t->kind == TERM_STATE || (t->kind == TERM_VARIABLE && !is_formal(match, t));
}

/* A binder on the way to a part, and whether it binds the variable. */
struct inside {
  const struct inside *outer;
  const struct term *binder;
};

static bool is_bound(const struct inside *in, const struct variable *v) {
  for (; in != NULL; in = in->outer)
    for (size_t i = 0; i < in->binder->variable_count; i++)
      if (in->binder->variables[i] == v)
        return true;
  return false;
}

static const struct term *open_part(const struct match *match, const struct term *t,
                                    const struct inside *in) {
  if (is_unknown(match, t) && !(t->kind == TERM_VARIABLE && is_bound(in, t->variable)))
    return t;
  const struct term *found = NULL;
  for (size_t i = 0; i < t->variable_count && found == NULL; i++) {
    const struct variable *v = t->variables[i];
    const struct term *const parts[] = {v->set, v->low, v->high};
    for (size_t p = 0; p < 3 && found == NULL; p++)
      found = parts[p] == NULL ? NULL : open_part(match, parts[p], in);
  }
  struct inside here = {in, t};
  for (size_t i = 0; i < t->count && found == NULL; i++)
    found = open_part(match, t->args[i], t->variable_count == 0 ? in : &here);
  return found;
}

const struct term *match_open(const struct match *match, const struct term *t) {
  return open_part(match, t, NULL);
}

const struct term *match_apply(struct match *match, const struct term *t) {
  return integer_tidy(match->m, term_replace(match->m, t, match->solved.data, match->solved.count));
}

static void solve(struct match *match, const struct term *unknown, const struct term *value) {
  if (term_contains(value, unknown))
    return;
  struct replacement made = {unknown, value};
  for (size_t i = 0; i < match->solved.count; i++)
    match->solved.data[i].to =
        integer_tidy(match->m, term_replace(match->m, match->solved.data[i].to, &made, 1));
  vector_push(&match->solved, made);
}

static void condition(struct match *match, const struct term *what, const struct term *value) {
  struct replacement made = {what, value};
  if (match_open(match, value) == NULL && !term_contains(value, what))
    vector_push(&match->conditions, made);
}

/* atom == the rest of an equation `sum == 0` */
static const struct term *rest_of(struct match *match, const struct linear *sum,
                                  const struct linear_part *part) {
  struct linear rest = {.constant = -part->coefficient * sum->constant};
  for (size_t i = 0; i < sum->parts.count; i++)
    if (&sum->parts.data[i] != part)
      linear_add(&rest, match->m, sum->parts.data[i].atom,
                 -part->coefficient * sum->parts.data[i].coefficient);
  const struct term *value = linear_term(match->m, &rest);
  linear_clear(&rest);
  return value;
}

static void equal_integers(struct match *match, const struct term *a, const struct term *b) {
  struct linear sum;
  linear_of(&sum, match->m, a);
  linear_add(&sum, match->m, b, -1);
  if (sum.parts.count == 0 && sum.constant != 0)
    match->impossible = true;
  const struct linear_part *best = NULL;
  for (size_t i = 0; i < sum.parts.count; i++) {
    const struct linear_part *part = &sum.parts.data[i];
    if (part->coefficient != 1 && part->coefficient != -1)
      continue;
    bool unknown = is_unknown(match, part->atom);
    if (unknown ||
        (best == NULL && (is_formal(match, part->atom) || part->atom->kind == TERM_PARAM)))
      best = part;
    if (unknown)
      break;
  }
  if (best != NULL && is_unknown(match, best->atom))
    solve(match, best->atom, rest_of(match, &sum, best));
  else if (best != NULL)
    condition(match, best->atom, rest_of(match, &sum, best));
  linear_clear(&sum);
}

static bool is_end(const struct term *t) {
  return t->kind == TERM_FIRST || t->kind == TERM_LAST;
}

static bool equal_one_way(struct match *match, const struct term *a, const struct term *b) {
  if (is_unknown(match, a)) {
    solve(match, a, b);
    return true;
  }
  if ((a->kind == TERM_NEXT || a->kind == TERM_PREV) && is_unknown(match, a->args[0])) {
    struct term *back =
        maker_term(match->m, a->kind == TERM_NEXT ? TERM_PREV : TERM_NEXT, TYPE_NODE, &b, 1);
    back->type = a->type;
    solve(match, a->args[0], back);
    return true;
  }
  return false;
}

static void equal_others(struct match *match, const struct term *a, const struct term *b) {
  if (equal_one_way(match, a, b) || equal_one_way(match, b, a))
    return;
  if (is_end(a) && is_end(b) && a->kind != b->kind) { /* a family of one */
    equal_integers(match, a->type.role->count, maker_integer(match->m, 1));
    return;
  }
  bool literal = a->kind == TERM_BOOL || a->kind == TERM_ENUM;
  if (literal && a->kind == b->kind)
    match->impossible = match->impossible || a->integer != b->integer;
  else if (is_formal(match, a))
    condition(match, a, b);
  else if (is_formal(match, b))
    condition(match, b, a);
}

void match_equal(struct match *match, const struct term *a, const struct term *b) {
  a = match_apply(match, a);
  b = match_apply(match, b);
  if (term_equal(a, b) || a->type.kind == TYPE_SET || a->type.kind == TYPE_MAP)
    return;
  if (a->type.kind == TYPE_INT)
    equal_integers(match, a, b);
  else if (a->type.kind != TYPE_TIME)
    equal_others(match, a, b);
}

void match_formula(struct match *match, const struct term *formula) {
  if (formula->kind == TERM_AND) {
    match_formula(match, formula->args[0]);
    match_formula(match, formula->args[1]);
  } else if (formula->kind == TERM_EQ || formula->kind == TERM_IFF) {
    match_equal(match, formula->args[0], formula->args[1]);
  } else if (formula->kind == TERM_BOOL) {
    match->impossible = match->impossible || formula->integer == 0;
  } else if (formula->kind == TERM_NOT && formula->args[0]->kind == TERM_BOOL) {
    match->impossible = match->impossible || formula->args[0]->integer != 0;
  } else if (formula->kind == TERM_NOT && formula->args[0]->kind == TERM_NOT) {
    match_formula(match, formula->args[0]->args[0]);
  }
}
