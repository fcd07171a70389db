/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/scope.h"

#include <inttypes.h>
#include <stdlib.h>

#include "solver/encode/encode.h"
#include "lang/instantiate.h"
#include "solver/judge/interpreter.h"

enum { VALUE_MAX = 5, TRIED_MAX = 50000, QUERY_LIMIT_MS = 1000 };
static const int64_t SOLVED_MAX = INT64_C(1) << 55, NODES_MAX = INT64_C(1) << 40;

struct ranked {
  int64_t *values;
  int64_t rank;
  size_t serial;
};
typedef VECTOR(struct ranked) ranking;

static int compare_ranked(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int64_t rank(const int64_t *values, size_t count, enum scope_order order) {
  int64_t total = 0;
  for (size_t i = 0; i < count; i++)
    total += order == SCOPE_SMALLEST_FIRST ? values[i] : llabs(values[i] - 2);
  return total;
}

/* The next vector in the odometer 0 .. largest; false after the last. */
static bool advance(int64_t *values, size_t count, int64_t largest) {
  for (size_t i = 0; i < count; i++) {
    if (values[i]++ < largest)
      return true;
    values[i] = 0;
  }
  return false;
}

static bool is_scope(const struct model *model, const int64_t *values) {
  struct text message;
  text_init(&message);
  struct interpreter *interpreter = interpreter_new(model, values, &message);
  text_clear(&message);
  interpreter_free(interpreter);
  return interpreter != NULL;
}

static void limit_families(struct smt *smt, struct encoder *e, int64_t most) {
  for (size_t i = 0; i < e->model->roles.count; i++) {
    smt_term size = encode_role_size(e, e->model->roles.items[i]);
    smt_assert(smt, smt_le(smt, smt_int(smt, 1), size));
    smt_assert(smt, smt_le(smt, size, smt_int(smt, most)));
  }
}

/* Values below the limit that satisfy the assumptions over parameters, with families of at most
 * `most` nodes, found by the solver. */
static bool solve(int64_t *values, const struct model *model, int64_t limit, int64_t most) {
  struct smt *smt = smt_new();
  struct encoder e;
  encoder_init(&e, smt, model, NULL, model->variable_count);
  for (size_t i = 0; i < model->assumptions.count; i++)
    smt_assert(smt, encode(&e, model->assumptions.items[i]->formula, NULL));
  limit_families(smt, &e, most);
  for (size_t i = 0; i < e.axioms.count; i++)
    smt_assert(smt, e.axioms.data[i]);
  smt_term *params = arena_alloc(&e.arena, model->params.count, sizeof(smt_term));
  for (size_t i = 0; i < model->params.count; i++) {
    struct term mention = {.kind = TERM_PARAM, .param = model->params.items[i]};
    params[i] = encode(&e, &mention, NULL);
    smt_assert(smt, smt_le(smt, params[i], smt_int(smt, limit)));
    smt_assert(smt, smt_le(smt, smt_int(smt, -limit), params[i]));
  }
  bool found = smt_check(smt, QUERY_LIMIT_MS, false, NULL) == SMT_SAT;
  for (size_t i = 0; found && i < model->params.count; i++)
    found = smt_value_int(smt, params[i], &values[i]);
  encoder_clear(&e);
  smt_free(smt);
  return found;
}

/* Values as small as raising the limit finds them. */
static bool solve_small(int64_t *values, const struct model *model, int64_t most) {
  bool found = false;
  for (int64_t limit = 8; limit <= SOLVED_MAX && !found; limit *= limit <= 4096 ? 2 : 64)
    found = solve(values, model, limit, most);
  return found;
}

/* No parameters from 0 to VALUE_MAX will do: one scope with larger ones. */
static void add_solved(struct scopes *scopes, const struct model *model) {
  int64_t *values = mem_alloc(model->params.count, sizeof *values);
  if (solve_small(values, model, FAMILY_SIZE_MAX) && is_scope(model, values))
    vector_push(&scopes->items, values);
  else
    mem_free(values);
}

/* Up to `most` of those with all values from 0 to `largest`. */
static void add_small(struct scopes *scopes, const struct model *model, enum scope_order order,
                      int64_t largest, size_t most) {
  size_t count = model->params.count;
  ranking all = {0};
  int64_t *values = mem_alloc(count, sizeof *values);
  do {
    int64_t *kept = mem_alloc(count, sizeof *kept);
    for (size_t i = 0; i < count; i++)
      kept[i] = values[i];
    vector_push(&all, (struct ranked){kept, rank(values, count, order), all.count});
  } while (all.count < TRIED_MAX && advance(values, count, largest));
  qsort(all.data, all.count, sizeof *all.data, compare_ranked);
  for (size_t i = 0; i < all.count; i++) {
    if (scopes->items.count < most && is_scope(model, all.data[i].values))
      vector_push(&scopes->items, all.data[i].values);
    else
      mem_free(all.data[i].values);
  }
  vector_clear(&all);
  mem_free(values);
}

void scopes_init(struct scopes *scopes, const struct model *model, enum scope_order order,
                 size_t most) {
  *scopes = (struct scopes){.param_count = model->params.count};
  add_small(scopes, model, order, VALUE_MAX, most);
  if (scopes->items.count == 0)
    add_solved(scopes, model);
}

/* Whether the scope has a parameter with a value that none of those chosen has. */
static bool is_new(const struct scopes *all, const bool *chosen, const int64_t *values) {
  for (size_t p = 0; p < all->param_count; p++) {
    bool seen = false;
    for (size_t i = 0; i < all->items.count && !seen; i++)
      seen = chosen[i] && all->items.data[i][p] == values[p];
    if (!seen)
      return true;
  }
  return false;
}

/* Few nodes first, then small values. */
static int64_t rank_of_size(const struct model *model, const int64_t *values) {
  int64_t nodes = 0, size;
  for (size_t i = 0; i < model->roles.count; i++)
    nodes += role_size(&size, model, model->roles.items[i], values) ? size : 0;
  return nodes * 1000 + rank(values, model->params.count, SCOPE_SMALLEST_FIRST);
}

/* Fills the empty list with those chosen, the smallest first. */
static void take_chosen(struct scopes *scopes, const struct model *model, struct scopes *all,
                        const bool *chosen) {
  ranking kept = {0};
  for (size_t i = 0; i < all->items.count; i++) {
    int64_t *values = all->items.data[i];
    if (chosen[i])
      vector_push(&kept, (struct ranked){values, rank_of_size(model, values), i});
    else
      mem_free(values);
  }
  qsort(kept.data, kept.count, sizeof *kept.data, compare_ranked);
  for (size_t i = 0; i < kept.count; i++)
    vector_push(&scopes->items, kept.data[i].values);
  vector_clear(&kept);
  vector_clear(&all->items);
}

void scopes_cover(struct scopes *scopes, const struct model *model, int64_t largest, size_t few) {
  *scopes = (struct scopes){.param_count = model->params.count};
  struct scopes all = *scopes;
  add_small(&all, model, SCOPE_TWO_FIRST, largest, SIZE_MAX);
  if (all.items.count == 0) {
    scopes_init(scopes, model, SCOPE_SMALLEST_FIRST, 1);
    return;
  }
  bool *chosen = mem_alloc(all.items.count, sizeof *chosen);
  size_t count = 0;
  for (size_t i = 0; i < all.items.count; i++)
    count += chosen[i] = i == 0 || is_new(&all, chosen, all.items.data[i]);
  for (size_t i = 0; i < all.items.count && count < few; i++) {
    count += !chosen[i];
    chosen[i] = true;
  }
  take_chosen(scopes, model, &all, chosen);
  mem_free(chosen);
}

void scopes_clear(struct scopes *scopes) {
  for (size_t i = 0; i < scopes->items.count; i++)
    mem_free(scopes->items.data[i]);
  vector_clear(&scopes->items);
}

static const struct role *too_large(const struct model *model, const int64_t *values) {
  int64_t size;
  for (size_t i = 0; i < model->roles.count; i++)
    if (!role_size(&size, model, model->roles.items[i], values) || size > FAMILY_SIZE_MAX)
      return model->roles.items[i];
  return NULL;
}

static void print_refused(struct text *text, const struct model *model, const int64_t *values) {
  const struct role *role = too_large(model, values);
  if (role == NULL) {
    text_append(text, "with ");
    scope_print(text, model, values);
    text_append(text, ": ");
    interpreter_free(interpreter_new(model, values, text));
    return;
  }
  text_format(text, "the assumptions give %s more than %d nodes (", role->name, FAMILY_SIZE_MAX);
  scope_print(text, model, values);
  text_append(text, "), the most that executions are tried with; let them allow fewer nodes too");
}

void scopes_explain_none(struct text *text, const struct model *model) {
  int64_t *values = mem_alloc(model->params.count, sizeof *values);
  if (solve_small(values, model, NODES_MAX))
    print_refused(text, model, values);
  else
    text_append(text, "no parameters were found that the assumptions allow");
  mem_free(values);
}

void scope_print(struct text *text, const struct model *model, const int64_t *scope) {
  for (size_t i = 0; i < model->params.count; i++)
    text_format(text, "%s%s=%" PRId64, i == 0 ? "" : ", ", model->params.items[i]->name, scope[i]);
  if (model->params.count == 0)
    text_append(text, "no parameters");
}
