/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/term.h"

#include "solver/encode/encode.h"

struct term *maker_term(struct term_maker *m, enum term_kind kind, enum type_kind type,
                        const struct term *const *args, size_t count) {
  struct term *t = arena_alloc(m->arena, 1, sizeof *t);
  t->kind = kind;
  t->type.kind = type;
  t->count = count;
  t->args = arena_copy(m->arena, args, count, sizeof(struct term *));
  return t;
}

const struct term *maker_pair(struct term_maker *m, enum term_kind kind, enum type_kind type,
                              const struct term *a, const struct term *b) {
  return maker_term(m, kind, type, (const struct term *[]){a, b}, 2);
}

const struct term *maker_not(struct term_maker *m, const struct term *a) {
  return maker_term(m, TERM_NOT, TYPE_BOOL, &a, 1);
}

const struct term *maker_implies(struct term_maker *m, const struct term *a, const struct term *b) {
  return a == NULL ? b : maker_pair(m, TERM_IMPLIES, TYPE_BOOL, a, b);
}

const struct term *maker_and(struct term_maker *m, const struct term *a, const struct term *b) {
  if (a == NULL || b == NULL)
    return a == NULL ? b : a;
  return maker_pair(m, TERM_AND, TYPE_BOOL, a, b);
}

const struct term *maker_at_most(struct term_maker *m, const struct term *a, const struct term *b) {
  return maker_pair(m, TERM_LE, TYPE_BOOL, a, b);
}

const struct term *maker_integer(struct term_maker *m, int64_t value) {
  struct term *t = maker_term(m, TERM_INT, TYPE_INT, NULL, 0);
  t->integer = value;
  return t;
}

const struct term *maker_zero(struct term_maker *m) {
  struct term *t = maker_term(m, TERM_TIME, TYPE_TIME, NULL, 0);
  t->value = *m->zero;
  return t;
}

struct variable *maker_variable(struct term_maker *m, const char *name, struct type type) {
  struct variable *v = arena_alloc(m->arena, 1, sizeof *v);
  v->name = name;
  v->type = type;
  v->id = m->variable_count++;
  v->domain = type.kind == TYPE_NODE  ? DOMAIN_ROLE
              : type.kind == TYPE_INT ? DOMAIN_INT
                                      : DOMAIN_NONE;
  return v;
}

const struct variable *maker_range(struct term_maker *m, const char *name, const struct term *low,
                                   const struct term *high) {
  struct variable *v = maker_variable(m, name, (struct type){.kind = TYPE_INT});
  v->domain = DOMAIN_RANGE;
  v->low = low;
  v->high = high;
  return v;
}

const struct term *maker_mention(struct term_maker *m, const struct variable *v) {
  struct term *t = maker_term(m, TERM_VARIABLE, v->type.kind, NULL, 0);
  t->type = v->type;
  t->variable = v;
  return t;
}

const struct term *maker_message(struct term_maker *m, enum term_kind kind,
                                 const struct message *message, const struct component *component,
                                 const struct term *const *args) {
  bool time = kind == TERM_TIME_MESSAGE || kind == TERM_DELAY || kind == TERM_PACED;
  struct term *t = maker_term(m, kind, time ? TYPE_TIME : TYPE_BOOL, args, message->field_count);
  t->message = message;
  t->component = component;
  if (kind == TERM_RECEIVER)
    t->type = (struct type){.kind = TYPE_NODE, .role = message->receiver};
  return t;
}

const struct term *maker_clock(struct term_maker *m, const struct term *node) {
  return maker_term(m, TERM_TIME_NODE, TYPE_TIME, &node, 1);
}

const struct term *maker_role_node(struct term_maker *m, const struct role *role,
                                   const struct variable *v) {
  if (role->count != NULL)
    return maker_mention(m, v);
  struct term *t = maker_term(m, TERM_NODE, TYPE_NODE, NULL, 0);
  t->type.role = role;
  return t;
}

/* The formula for each value of a variable that nothing in the language quantifies over. */
static const struct term *for_each_value(struct term_maker *m, const struct variable *v,
                                         const struct term *formula) {
  bool truth = v->type.kind == TYPE_BOOL;
  size_t count = truth ? 2 : v->type.enumeration->count;
  const struct term *all = NULL;
  for (size_t i = 0; i < count; i++) {
    struct term *value = maker_term(m, truth ? TERM_BOOL : TERM_ENUM, v->type.kind, NULL, 0);
    value->type = v->type;
    value->integer = (int64_t)i;
    struct replacement with = {maker_mention(m, v), value};
    all = maker_and(m, all, maker_close(m, term_replace(m, formula, &with, 1)));
  }
  return all;
}

const struct term *maker_close(struct term_maker *m, const struct term *formula) {
  struct variable_list free = term_free_variables(m->arena, formula);
  if (free.count == 0)
    return formula;
  for (size_t i = 0; i < free.count; i++)
    if (free.items[i]->type.kind == TYPE_BOOL || free.items[i]->type.kind == TYPE_ENUM)
      return for_each_value(m, free.items[i], formula);
  struct term *all = maker_term(m, TERM_FORALL, TYPE_BOOL, &formula, 1);
  all->variable_count = free.count;
  all->variables = free.items;
  return all;
}

/* Which variable bound in one term stands for which in the other; innermost first. */
struct bound_pair {
  const struct bound_pair *outer;
  const struct variable *a, *b;
};

static bool same_variable(const struct variable *a, const struct variable *b,
                          const struct bound_pair *pairs) {
  for (; pairs != NULL; pairs = pairs->outer)
    if (pairs->a == a || pairs->b == b)
      return pairs->a == a && pairs->b == b;
  return a == b;
}

static bool equal_under(const struct term *a, const struct term *b, const struct bound_pair *pairs);

static bool same_part(const struct term *a, const struct term *b, const struct bound_pair *pairs) {
  return a == NULL || b == NULL ? a == b : equal_under(a, b, pairs);
}

/* The bodies, with the variables from the i-th on still to be paired. */
static bool equal_bodies(const struct term *a, const struct term *b, size_t i,
                         const struct bound_pair *pairs) {
  if (i < a->variable_count) {
    const struct variable *v = a->variables[i], *w = b->variables[i];
    struct bound_pair pair = {pairs, v, w};
    return v->domain == w->domain && v->type.kind == w->type.kind && v->type.role == w->type.role &&
           same_part(v->set, w->set, pairs) && same_part(v->low, w->low, pairs) &&
           same_part(v->high, w->high, pairs) && equal_bodies(a, b, i + 1, &pair);
  }
  for (size_t j = 0; j < a->count; j++)
    if (!equal_under(a->args[j], b->args[j], pairs))
      return false;
  return true;
}

static bool equal_under(const struct term *a, const struct term *b,
                        const struct bound_pair *pairs) {
  if (a == b && pairs == NULL)
    return true;
  if (a->kind != b->kind || a->count != b->count || a->integer != b->integer ||
      !same_variable(a->variable, b->variable, pairs) || a->state != b->state ||
      a->param != b->param || a->message != b->message || a->component != b->component ||
      a->variable_count != b->variable_count || a->type.role != b->type.role)
    return false;
  if (a->kind == TERM_TIME && rational_compare(&a->value, &b->value) != 0)
    return false;
  return equal_bodies(a, b, 0, pairs);
}

bool term_equal(const struct term *a, const struct term *b) {
  return equal_under(a, b, NULL);
}

static const struct term *bound_again(struct term_maker *m, const struct term *t,
                                      const struct replacement *list, size_t count) {
  struct term *made = arena_copy(m->arena, t, 1, sizeof *t);
  const struct variable **variables =
      arena_alloc(m->arena, t->variable_count, sizeof(struct variable *));
  replacements inner = {0};
  for (size_t i = 0; i < count; i++)
    vector_push(&inner, list[i]);
  for (size_t i = 0; i < t->variable_count; i++) {
    const struct variable *from = t->variables[i];
    struct variable *to = arena_copy(m->arena, from, 1, sizeof *from);
    to->id = m->variable_count++;
    to->set = from->set == NULL ? NULL : term_replace(m, from->set, inner.data, inner.count);
    to->low = from->low == NULL ? NULL : term_replace(m, from->low, inner.data, inner.count);
    to->high = from->high == NULL ? NULL : term_replace(m, from->high, inner.data, inner.count);
    variables[i] = to;
    struct replacement renamed = {maker_mention(m, from), maker_mention(m, to)};
    vector_push(&inner, renamed);
  }
  made->variables = variables;
  made->args = arena_alloc(m->arena, t->count, sizeof(struct term *));
  for (size_t i = 0; i < t->count; i++)
    made->args[i] = term_replace(m, t->args[i], inner.data, inner.count);
  vector_clear(&inner);
  return made;
}

const struct term *term_replace(struct term_maker *m, const struct term *t,
                                const struct replacement *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (term_equal(t, list[i].from))
      return list[i].to;
  if (t->variable_count != 0)
    return bound_again(m, t, list, count);
  const struct term **args = arena_alloc(m->arena, t->count, sizeof(struct term *));
  bool changed = false;
  for (size_t i = 0; i < t->count; i++) {
    args[i] = term_replace(m, t->args[i], list, count);
    changed = changed || args[i] != t->args[i];
  }
  if (!changed)
    return t;
  struct term *made = arena_copy(m->arena, t, 1, sizeof *t);
  made->args = args;
  return made;
}

bool term_is_constant_time(const struct term *t) {
  if (t->kind == TERM_STATE || t->kind == TERM_VARIABLE || t->kind == TERM_TIME_NODE)
    return false;
  for (size_t i = 0; i < t->count; i++)
    if (!term_is_constant_time(t->args[i]))
      return false;
  return true;
}

bool term_contains(const struct term *t, const struct term *part) {
  if (term_equal(t, part))
    return true;
  for (size_t i = 0; i < t->count; i++)
    if (term_contains(t->args[i], part))
      return true;
  for (size_t i = 0; i < t->variable_count; i++) {
    const struct variable *v = t->variables[i];
    if ((v->set != NULL && term_contains(v->set, part)) ||
        (v->low != NULL && term_contains(v->low, part)) ||
        (v->high != NULL && term_contains(v->high, part)))
      return true;
  }
  return false;
}
