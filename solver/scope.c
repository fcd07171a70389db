/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/scope.h"

#include <stdlib.h>

#include "solver/interpreter.h"

enum { VALUE_MAX = 5, TRIED_MAX = 50000 };

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

/* The next vector in the odometer 0 .. VALUE_MAX; false after the last. */
static bool advance(int64_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (values[i]++ < VALUE_MAX)
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

void scopes_init(struct scopes *scopes, const struct model *model, enum scope_order order,
                 size_t most) {
  size_t count = model->params.count;
  *scopes = (struct scopes){.param_count = count};
  ranking all = {0};
  int64_t *values = mem_alloc(count, sizeof *values);
  do {
    int64_t *kept = mem_alloc(count, sizeof *kept);
    for (size_t i = 0; i < count; i++)
      kept[i] = values[i];
    vector_push(&all, (struct ranked){kept, rank(values, count, order), all.count});
  } while (all.count < TRIED_MAX && advance(values, count));
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

void scopes_clear(struct scopes *scopes) {
  for (size_t i = 0; i < scopes->items.count; i++)
    mem_free(scopes->items.data[i]);
  vector_clear(&scopes->items);
}
