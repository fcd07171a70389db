/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/candidate_term.h"

#include <stdio.h>
#include <string.h>

#include "lang/owner.h"
#include "solver/encode/encode.h"

static const struct type boolean = {.kind = TYPE_BOOL};

struct term *make_term(struct maker *m, enum term_kind kind, struct type type,
                       const struct term *const *args, size_t count) {
  struct term *t = arena_alloc(&m->c->arena, 1, sizeof *t);
  t->kind = kind;
  t->type = type;
  t->count = count;
  t->args = arena_copy(&m->c->arena, args, count, sizeof *args);
  return t;
}

const struct term *make_not(struct maker *m, const struct term *a) {
  return make_term(m, TERM_NOT, boolean, &a, 1);
}

const struct term *make_pair(struct maker *m, enum term_kind kind, const struct term *a,
                             const struct term *b) {
  return make_term(m, kind, boolean, (const struct term *[]){a, b}, 2);
}

const struct term *make_fact(struct maker *m, enum term_kind kind, const struct message *message,
                             const struct component *component, const struct term *const *args,
                             size_t count) {
  struct type type = {.kind = kind == TERM_TIME_MESSAGE ? TYPE_TIME : TYPE_BOOL};
  struct term *t = make_term(m, kind, type, args, count);
  t->message = message;
  t->component = component;
  return t;
}

const struct term *make_mention(struct maker *m, const struct variable *v) {
  struct term *t = make_term(m, TERM_VARIABLE, v->type, NULL, 0);
  t->variable = v;
  return t;
}

const struct variable *make_variable(struct maker *m, const char *name, struct type type) {
  struct variable *v = arena_alloc(&m->c->arena, 1, sizeof *v);
  v->name = name;
  v->type = type;
  v->id = m->c->variable_count++;
  v->domain = type.kind == TYPE_NODE  ? DOMAIN_ROLE
              : type.kind == TYPE_INT ? DOMAIN_INT
                                      : DOMAIN_NONE;
  return v;
}

/* forall free variables of the formula. */
void add_candidate(struct maker *m, const struct term *formula) {
  struct variable_list free = term_free_variables(&m->c->arena, formula);
  if (free.count != 0) {
    struct term *all = make_term(m, TERM_FORALL, boolean, &formula, 1);
    all->variable_count = free.count;
    all->variables = free.items;
    formula = all;
  }
  char name[32];
  snprintf(name, sizeof name, "generated.%zu", m->c->items.count + 1);
  struct invariant *made = arena_alloc(&m->c->arena, 1, sizeof *made);
  made->name = arena_text(&m->c->arena, name, strlen(name));
  made->id = m->c->items.count;
  made->formula = formula;
  vector_push(&m->c->items, made);
}

const struct variable *renamed(struct maker *m, const struct variable *v) {
  for (size_t i = 0; i < m->renaming.count; i++)
    if (m->renaming.data[i].from == v)
      return m->renaming.data[i].to;
  struct rename made = {v, make_variable(m, v->name, v->type)};
  vector_push(&m->renaming, made);
  return made.to;
}

/* From here on; a binder may be copied more than once, each time with variables of its own. */
static void rename_to(struct maker *m, const struct variable *from, const struct variable *to) {
  for (size_t i = 0; i < m->renaming.count; i++)
    if (m->renaming.data[i].from == from) {
      m->renaming.data[i].to = to;
      return;
    }
  struct rename made = {from, to};
  vector_push(&m->renaming, made);
}

static bool is_same_term(const struct term *a, const struct term *b) {
  if (a->kind != b->kind || a->count != b->count || a->integer != b->integer ||
      a->variable != b->variable || a->state != b->state || a->param != b->param)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (!is_same_term(a->args[i], b->args[i]))
      return false;
  return true;
}

/* Binders are renamed like everything else, and so is what their domains mention: a variable of
 * the action left in a domain would be bound by the invariant and lose its value in the step. */
static const struct variable **copy_binders(struct maker *m, const struct term *t,
                                            const struct term *part,
                                            const struct term *replacement) {
  const struct variable **made = arena_alloc(&m->c->arena, t->variable_count, sizeof *made);
  for (size_t i = 0; i < t->variable_count; i++) {
    const struct variable *from = t->variables[i];
    struct variable *to = arena_copy(&m->c->arena, from, 1, sizeof *from);
    to->id = m->c->variable_count++;
    to->set = from->set == NULL ? NULL : copy_term(m, from->set, part, replacement);
    to->low = from->low == NULL ? NULL : copy_term(m, from->low, part, replacement);
    to->high = from->high == NULL ? NULL : copy_term(m, from->high, part, replacement);
    rename_to(m, from, to);
    made[i] = to;
  }
  return made;
}

/* The acting node, where something else tells it: what belongs to it and is sent to, or the field
 * that names the receiver of the message it receives. */
static const struct term *told_by_field(struct maker *m, const struct term *t) {
  const struct action *action = m->action;
  if (action == NULL || t->kind != TERM_VARIABLE || t->variable != action->node)
    return NULL;
  if (m->owned != NULL) {
    const struct term *one = make_mention(m, renamed(m, m->owned));
    return make_term(m, TERM_OWNER, t->type, &one, 1);
  }
  if (action->message == NULL || action->message->receiver_field < 0)
    return NULL;
  const struct variable *field = action->fields[action->message->receiver_field];
  if (field->type.role == action->role)
    return NULL;
  const struct term *named = make_mention(m, renamed(m, field));
  return make_term(m, role_conversion(field->type.role, action->role), t->type, &named, 1);
}

const struct term *make_acting(struct maker *m) {
  const struct term *node = make_mention(m, m->action->node);
  return copy_term(m, node, NULL, NULL);
}

/* A copy with the action's variables renamed, and with every part that equals `part` (may be NULL)
 * replaced. */
const struct term *copy_term(struct maker *m, const struct term *t, const struct term *part,
                             const struct term *replacement) {
  if (part != NULL && is_same_term(t, part))
    return replacement;
  const struct term *told = told_by_field(m, t);
  if (told != NULL)
    return told;
  struct term *made = arena_copy(&m->c->arena, t, 1, sizeof *t);
  if (t->kind == TERM_VARIABLE)
    made->variable = renamed(m, t->variable);
  if (t->variable_count != 0)
    made->variables = copy_binders(m, t, part, replacement);
  made->args = arena_alloc(&m->c->arena, t->count, sizeof *made->args);
  for (size_t i = 0; i < t->count; i++)
    made->args[i] = copy_term(m, t->args[i], part, replacement);
  return made;
}

const struct term **copy_terms(struct maker *m, const struct term *const *terms, size_t count,
                               const struct term *part, const struct term *replacement) {
  const struct term **made = arena_alloc(&m->c->arena, count, sizeof *made);
  for (size_t i = 0; i < count; i++)
    made[i] = copy_term(m, terms[i], part, replacement);
  return made;
}
