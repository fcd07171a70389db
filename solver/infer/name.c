/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct naming {
  struct term_maker *m;
  const struct model *model;
  VECTOR(const char *) visible; /* bound names, outermost first */
};

#define NAMED(list, name)                                                                          \
  for (size_t i = 0; i < (list).count; i++)                                                        \
    if (strcmp((list).items[i]->name, name) == 0)                                                  \
  return true

static bool is_global(const struct model *model, const char *name) {
  NAMED(model->params, name);
  NAMED(model->roles, name);
  NAMED(model->components, name);
  NAMED(model->messages, name);
  NAMED(model->states, name);
  NAMED(model->enumerations, name);
  for (size_t i = 0; i < model->enumerations.count; i++)
    for (size_t k = 0; k < model->enumerations.items[i]->count; k++)
      if (strcmp(model->enumerations.items[i]->values[k], name) == 0)
        return true;
  return false;
}

static bool is_free(const struct naming *n, const char *name) {
  for (size_t i = 0; i < n->visible.count; i++)
    if (strcmp(n->visible.data[i], name) == 0)
      return false;
  return !is_global(n->model, name);
}

/* A node is called by its role's first letter, an integer k; then j, i, l, ...; then with numbers.
 */
static const char *pick(const struct naming *n, const struct variable *v) {
  char first = v->type.kind == TYPE_NODE && v->type.role != NULL
                   ? (char)tolower((unsigned char)v->type.role->name[0])
                   : 'k';
  char letters[8], name[16];
  snprintf(letters, sizeof letters, "%c%s", first, first == 'k' ? "jil" : "");
  for (unsigned round = 1;; round++)
    for (const char *letter = letters; *letter != '\0'; letter++) {
      if (round == 1)
        snprintf(name, sizeof name, "%c", *letter);
      else
        snprintf(name, sizeof name, "%c%u", *letter, round);
      if (is_free(n, name))
        return arena_text(n->m->arena, name, strlen(name));
    }
}

static const struct term *named(struct naming *n, const struct term *t);

static const struct term *renamed_part(struct naming *n, const struct term *t,
                                       const replacements *with) {
  return t == NULL ? NULL : named(n, term_replace(n->m, t, with->data, with->count));
}

static const struct term *named_binder(struct naming *n, const struct term *t) {
  struct term *made = arena_copy(n->m->arena, t, 1, sizeof *t);
  const struct variable **variables =
      arena_alloc(n->m->arena, t->variable_count, sizeof(struct variable *));
  replacements with = {0};
  size_t outside = n->visible.count;
  for (size_t i = 0; i < t->variable_count; i++) {
    struct variable *v = arena_copy(n->m->arena, t->variables[i], 1, sizeof *v);
    v->id = n->m->variable_count++;
    v->set = renamed_part(n, v->set, &with);
    v->low = renamed_part(n, v->low, &with);
    v->high = renamed_part(n, v->high, &with);
    v->name = pick(n, v);
    vector_push(&n->visible, v->name);
    vector_push(&with,
                (struct replacement){maker_mention(n->m, t->variables[i]), maker_mention(n->m, v)});
    variables[i] = v;
  }
  made->variables = variables;
  made->args = arena_alloc(n->m->arena, t->count, sizeof(struct term *));
  for (size_t i = 0; i < t->count; i++)
    made->args[i] = renamed_part(n, t->args[i], &with);
  n->visible.count = outside;
  vector_clear(&with);
  return made;
}

static const struct term *named(struct naming *n, const struct term *t) {
  if (t->variable_count != 0)
    return named_binder(n, t);
  const struct term **args = arena_alloc(n->m->arena, t->count, sizeof(struct term *));
  for (size_t i = 0; i < t->count; i++)
    args[i] = named(n, t->args[i]);
  struct term *made = arena_copy(n->m->arena, t, 1, sizeof *t);
  made->args = args;
  return made;
}

/* Names of variables that are free in the term are kept, and kept clear of. */
static void note_free(struct naming *n, const struct term *t) {
  if (t->kind == TERM_VARIABLE && t->variable->domain != DOMAIN_RANGE && t->variable->name != NULL)
    vector_push(&n->visible, t->variable->name);
  for (size_t i = 0; i < t->count && t->variable_count == 0; i++)
    note_free(n, t->args[i]);
}

const struct term *infer_name(struct term_maker *m, const struct model *model,
                              const struct term *t) {
  struct naming n = {.m = m, .model = model};
  note_free(&n, t);
  const struct term *result = named(&n, t);
  vector_clear(&n.visible);
  return result;
}
