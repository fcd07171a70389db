/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which variables a term mentions, whether it reads the state, and the key that equal texts share
 * (encode.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "solver/encode/symbolic.h"

bool term_has_part(const struct term *t, bool (*test)(const struct term *, const void *),
                   const void *context) {
  if (test(t, context))
    return true;
  for (size_t i = 0; i < t->count; i++)
    if (term_has_part(t->args[i], test, context))
      return true;
  for (size_t i = 0; i < t->variable_count; i++) {
    const struct variable *v = t->variables[i];
    if ((v->set != NULL && term_has_part(v->set, test, context)) ||
        (v->low != NULL && term_has_part(v->low, test, context)) ||
        (v->high != NULL && term_has_part(v->high, test, context)))
      return true;
  }
  return false;
}

static bool is_state_reader(const struct term *t, const void *context) {
  (void)context;
  return t->kind == TERM_STATE ||
         (t->kind >= TERM_SENT && t->kind <= TERM_ORDER && t->kind != TERM_BEGAN);
}

bool term_reads_state(const struct term *t) {
  return term_has_part(t, is_state_reader, NULL);
}

static bool is_happening(const struct term *t, const void *context) {
  return t->kind != TERM_STATE && is_state_reader(t, context);
}

static bool is_state(const struct term *t, const void *state) {
  return t->kind == TERM_STATE && t->state == state;
}

const struct symbolic *term_seen_state(const struct term *t, const struct symbolic *at) {
  if (!term_reads_state(t))
    return NULL;
  if (term_has_part(t, is_happening, NULL))
    return at;
  while (at->before != NULL &&
         (at->kind != SYMBOLIC_ASSIGN || !term_has_part(t, is_state, at->state)))
    at = at->before;
  return at;
}

static bool is_variable(const struct term *t, const void *variable) {
  return t->kind == TERM_VARIABLE && t->variable == variable;
}

bool term_mentions(const struct term *t, const struct variable *variable) {
  return term_has_part(t, is_variable, variable);
}

static bool is_began(const struct term *t, const void *context) {
  (void)context;
  return t->kind == TERM_BEGAN;
}

bool term_mentions_began(const struct term *t) {
  return term_has_part(t, is_began, NULL);
}

void term_key_context(struct text *key, const struct encoder *e, const struct term *t,
                      const struct symbolic *state) {
  text_format(key, "%p %p ", (const void *)(term_reads_state(t) ? state : NULL),
              (const void *)(term_mentions_began(t) ? e->began : NULL));
}

struct collection {
  VECTOR(const struct variable *) found, hidden;
};

static bool listed(const struct variable *const *items, size_t count, const struct variable *v) {
  for (size_t i = 0; i < count; i++)
    if (items[i] == v)
      return true;
  return false;
}

static void collect(struct collection *c, const struct term *t);

/* Ids are unique, so a variable bound anywhere inside is never free as well: it is enough to hide
 * each binder's variables once seen, before looking at its body. */
static void hide(struct collection *c, const struct variable *const *variables, size_t count) {
  for (size_t i = 0; i < count; i++)
    vector_push(&c->hidden, variables[i]);
}

static void collect_domains(struct collection *c, const struct variable *const *variables,
                            size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct variable *v = variables[i];
    if (v->set != NULL)
      collect(c, v->set);
    if (v->low != NULL)
      collect(c, v->low);
    if (v->high != NULL)
      collect(c, v->high);
  }
}

static void collect(struct collection *c, const struct term *t) {
  hide(c, t->variables, t->variable_count);
  if (t->kind == TERM_VARIABLE && !listed(c->hidden.data, c->hidden.count, t->variable) &&
      !listed(c->found.data, c->found.count, t->variable))
    vector_push(&c->found, t->variable);
  for (size_t i = 0; i < t->count; i++)
    collect(c, t->args[i]);
  collect_domains(c, t->variables, t->variable_count);
}

static struct variable_list listed_in(struct arena *arena, struct collection *c) {
  struct variable_list list = {c->found.count, NULL};
  list.items = arena_copy(arena, c->found.data, c->found.count, sizeof *c->found.data);
  vector_clear(&c->found);
  vector_clear(&c->hidden);
  return list;
}

struct variable_list term_free_variables(struct arena *arena, const struct term *t) {
  struct collection c = {0};
  collect(&c, t);
  return listed_in(arena, &c);
}

struct variable_list send_free_variables(struct arena *arena, const struct statement *send) {
  struct collection c = {0};
  hide(&c, send->variables, send->variable_count);
  for (size_t i = 0; i < send->arg_count; i++)
    collect(&c, send->args[i]);
  if (send->to != NULL)
    collect(&c, send->to);
  collect_domains(&c, send->variables, send->variable_count);
  return listed_in(arena, &c);
}

static bool is_only_node(const struct type *type) {
  return type->kind == TYPE_NODE && type->role->count == NULL;
}

struct variable_list term_free_open(struct arena *arena, const struct term *t, bool open) {
  struct variable_list list = term_free_variables(arena, t);
  size_t count = 0;
  for (size_t i = 0; i < list.count; i++)
    if (is_only_node(&list.items[i]->type) != open)
      list.items[count++] = list.items[i];
  list.count = count;
  return list;
}

struct variable_list term_free_but(struct arena *arena, const struct term *t,
                                   const struct variable *variable) {
  struct variable_list all = term_free_variables(arena, t);
  struct variable_list rest = {0, arena_alloc(arena, all.count, sizeof *rest.items)};
  for (size_t i = 0; i < all.count; i++)
    if (all.items[i] != variable)
      rest.items[rest.count++] = all.items[i];
  return rest;
}

void term_key(struct text *key, const struct term *t, const struct variable *variable,
              const struct variable_list *free) {
  bool variable_of_it = t->kind == TERM_VARIABLE && t->variable != variable &&
                        !listed(free->items, free->count, t->variable);
  if (is_only_node(&t->type) && (t->kind == TERM_NODE || variable_of_it)) {
    text_format(key, "(only %s)", t->type.role->name);
    return;
  }
  text_format(key, "(%d", (int)t->kind);
  if (t->kind == TERM_VARIABLE) {
    size_t place = 0;
    while (place < free->count && free->items[place] != t->variable)
      place++;
    if (t->variable == variable)
      text_append(key, " $");
    else if (place < free->count)
      text_format(key, " #%zu:%d", place, (int)t->variable->type.kind);
    else
      text_format(key, " bound%zu", t->variable->id);
  }
  text_format(key, " %" PRId64 " %p %p %p %p", t->integer, (const void *)t->param,
              (const void *)t->state, (const void *)t->message, (const void *)t->component);
  if (t->kind == TERM_TIME)
    rational_print(key, &t->value);
  if (t->type.kind == TYPE_NODE || t->type.kind == TYPE_SET)
    text_append(key, t->type.role->name);
  for (size_t i = 0; i < t->variable_count; i++)
    text_format(key, " bind%zu", t->variables[i]->id);
  for (size_t i = 0; i < t->count; i++)
    term_key(key, t->args[i], variable, free);
  text_append(key, ")");
}
