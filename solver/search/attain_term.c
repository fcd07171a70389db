/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/attain_term.h"

#include <string.h>

#include "lang/instantiate.h"
#include "lang/print.h"
#include "solver/judge/interpreter.h"
#include "solver/search/attain.h"
#include "solver/search/explore.h"

/* --- from the text ---------------------------------------------------------------------------- */

static bool is_leaf(const struct term *t) {
  return t->kind == TERM_OCCURRENCE || t->kind == TERM_DELAY || t->kind == TERM_BARE;
}

/* A copy of the expression with `zero` for one mention of a time. Only what is above it is copied;
 * binders stay the same, which does no harm as long as parameters are given. */
static const struct term *replaced(struct attainment *at, const struct term *t,
                                   const struct term *leaf) {
  if (t == leaf)
    return &at->zero;
  const struct term *result = t;
  for (size_t i = 0; i < t->count && !is_leaf(t); i++) {
    const struct term *arg = replaced(at, t->args[i], leaf);
    if (arg == t->args[i])
      continue;
    struct term *made = arena_alloc(&at->arena, 1, sizeof *made);
    const struct term **args = arena_alloc(&at->arena, t->count, sizeof(struct term *));
    memcpy(args, t->args, t->count * sizeof(struct term *));
    args[i] = arg;
    *made = *t;
    made->args = args;
    result = made;
  }
  return result;
}

static void add_term(struct attainment *at, const struct term *leaf, bool is_addend) {
  struct text label;
  text_init(&label);
  print_term(&label, at->model, leaf);
  struct attain_term term = {.label = text_take(&label),
                             .leaf = leaf,
                             .without =
                                 is_addend ? NULL : replaced(at, at->bound->expression, leaf),
                             .charged = leaf->component->kind == COMPONENT_CONSTANT};
  vector_push(&at->terms, term);
}

/* What is subtracted makes the bound no larger, so nobody asks whether it is needed. */
static void add_terms(struct attainment *at, const struct term *t, bool taken, bool is_addend) {
  if (is_leaf(t)) {
    if (!taken)
      add_term(at, t, is_addend);
    return;
  }
  for (size_t i = 0; i < t->count; i++)
    add_terms(at, t->args[i], taken != (t->kind == TERM_SUB && i == 1),
              is_addend && t->kind == TERM_ADD);
}

void attain_terms_init(struct attainment *at) {
  add_terms(at, at->bound->expression, false, true);
}

/* --- at given parameters ---------------------------------------------------------------------- */

/* A bound with more terms is that of a request with a large number, which no short execution tells
 * much of. */
enum { GROUND_TERMS_MAX = 4096 };

const struct expression *attain_ground(const struct attainment *at, struct interpreter *in,
                                       const struct path *path, const struct term *expression) {
  size_t count = in->model->params.count;
  bool *given = mem_alloc(count, sizeof *given);
  for (size_t i = 0; i < count; i++)
    given[i] = true;
  struct bound bound = *at->bound;
  bound.expression = expression;
  struct text ignored;
  text_init(&ignored);
  const struct expression *made = NULL;
  bound_instantiate_within(&made, &in->table, in->model, &bound, path->binding.data, in->params,
                           given, NULL, GROUND_TERMS_MAX, &ignored);
  text_clear(&ignored);
  mem_free(given);
  return made;
}

static const struct component *component_named(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->components.count; i++)
    if (strcmp(model->components.items[i]->name, name) == 0)
      return model->components.items[i];
  bug("no component %s", name);
}

static void add_part(attain_parts *parts, struct attain_part part) {
  for (size_t i = 0; i < parts->count; i++) {
    struct attain_part *known = &parts->data[i];
    if (known->occurrence == part.occurrence && known->component == part.component) {
      known->mentions++;
      return;
    }
  }
  part.mentions = 1;
  vector_push(parts, part);
}

void attain_parts_add(attain_parts *parts, const struct model *model, const struct expression *g) {
  if (g->kind == EXPRESSION_BARE)
    add_part(parts, (struct attain_part){.component = component_named(model, g->component)});
  else if (g->kind == EXPRESSION_OCCURRENCE)
    add_part(parts,
             (struct attain_part){.occurrence = g->occurrence,
                                  .component = component_named(model, g->occurrence->component)});
  else if (g->kind != EXPRESSION_SCALE || rational_sign(&g->value) != 0)
    for (size_t i = 0; i < g->count; i++)
      attain_parts_add(parts, model, g->parts[i]);
}
