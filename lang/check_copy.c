/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies of terms. No two binders of a model share a variable, so a copy gets new ones. */
#include "lang/checker.h"

struct copy {
  struct checker *checker;
  VECTOR(const struct variable *) from;
  VECTOR(const struct variable *) to;
};

static const struct variable *image(const struct copy *c, const struct variable *variable) {
  for (size_t i = c->from.count; i-- > 0;)
    if (c->from.data[i] == variable)
      return c->to.data[i];
  return variable;
}

static const struct term *copy(struct copy *c, const struct term *term);

static const struct variable *copy_variable(struct copy *c, const struct variable *variable) {
  struct variable *made = arena_copy(c->checker->arena, variable, 1, sizeof *made);
  made->id = c->checker->model->variable_count++;
  made->set = variable->set == NULL ? NULL : copy(c, variable->set);
  made->low = variable->low == NULL ? NULL : copy(c, variable->low);
  made->high = variable->high == NULL ? NULL : copy(c, variable->high);
  vector_push(&c->from, variable);
  vector_push(&c->to, made);
  return made;
}

/* Does it bind a variable, or mention one that is replaced? Everything else is shared. */
static bool changes(const struct copy *c, const struct term *term) {
  if (term->variable_count != 0 ||
      (term->kind == TERM_VARIABLE && image(c, term->variable) != term->variable))
    return true;
  for (size_t i = 0; i < term->count; i++)
    if (changes(c, term->args[i]))
      return true;
  return false;
}

static const struct term *copy(struct copy *c, const struct term *term) {
  if (!changes(c, term))
    return term;
  struct term *made = arena_copy(c->checker->arena, term, 1, sizeof *made);
  if (term->kind == TERM_VARIABLE)
    made->variable = image(c, term->variable);
  size_t depth = c->from.count;
  made->variables = arena_alloc(c->checker->arena, term->variable_count, sizeof *made->variables);
  made->args = arena_alloc(c->checker->arena, term->count, sizeof *made->args);
  for (size_t i = 0; i < term->variable_count; i++)
    made->variables[i] = copy_variable(c, term->variables[i]);
  for (size_t i = 0; i < term->count; i++)
    made->args[i] = copy(c, term->args[i]);
  c->from.count = c->to.count = depth;
  return made;
}

const struct term *term_copy(struct checker *checker, const struct term *term,
                             const struct variable *const *from, const struct variable *const *to,
                             size_t count) {
  struct copy c = {.checker = checker};
  for (size_t i = 0; i < count; i++) {
    vector_push(&c.from, from[i]);
    vector_push(&c.to, to[i]);
  }
  const struct term *made = copy(&c, term);
  vector_clear(&c.from);
  vector_clear(&c.to);
  return made;
}
