/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/expression.h"

#include "base/duration.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void expression_table_init(struct expression_table *table) {
  memset(table, 0, sizeof *table);
  arena_init(&table->arena);
}

void expression_table_clear(struct expression_table *table) {
  for (size_t i = 0; i < table->rationals.count; i++)
    rational_clear(table->rationals.data[i]);
  vector_clear(&table->rationals);
  vector_clear(&table->occurrences);
  index_clear(&table->index);
  arena_clear(&table->arena);
}

static uint64_t identity_hash(const char *component, const char *message, const int64_t *indices,
                              size_t count) {
  uint64_t hash = hash_string(hash_string(message == NULL, component), message);
  for (size_t i = 0; i < count; i++)
    hash = hash_word(hash, (uint64_t)indices[i]);
  return hash;
}

static bool same_text(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_identity(const struct occurrence *occurrence, const char *component,
                        const char *message, const int64_t *indices, size_t count) {
  return occurrence->index_count == count && same_text(occurrence->component, component) &&
         same_text(occurrence->message, message) &&
         (count == 0 || memcmp(occurrence->indices, indices, count * sizeof *indices) == 0);
}

static const char *label(struct arena *arena, const char *component, const char *message,
                         const int64_t *indices, size_t count) {
  struct text text;
  text_init(&text);
  text_append(&text, component);
  if (message != NULL)
    text_format(&text, "(%s", message);
  for (size_t i = 0; i < count; i++)
    text_format(&text, "%s%" PRId64, i == 0 ? (message ? "(" : "[") : ", ", indices[i]);
  if (count != 0)
    text_append(&text, message ? ")" : "]");
  if (message != NULL)
    text_append(&text, ")");
  const char *result = arena_text(arena, text.data, text.length);
  text_clear(&text);
  return result;
}

static const struct occurrence *find(const struct expression_table *table, const char *component,
                                     const char *message, const int64_t *indices, size_t count,
                                     uint64_t hash) {
  for (struct index_look look = index_look(&table->index, hash); index_next(&look);)
    if (is_identity(table->occurrences.data[look.row], component, message, indices, count))
      return table->occurrences.data[look.row];
  return NULL;
}

const struct occurrence *expression_find(const struct expression_table *table,
                                         const char *component, const char *message,
                                         const int64_t *indices, size_t index_count) {
  return find(table, component, message, indices, index_count,
              identity_hash(component, message, indices, index_count));
}

const struct occurrence *expression_occurrence(struct expression_table *table,
                                               const char *component, const char *message,
                                               const int64_t *indices, size_t index_count) {
  uint64_t hash = identity_hash(component, message, indices, index_count);
  const struct occurrence *known = find(table, component, message, indices, index_count, hash);
  if (known != NULL)
    return known;
  struct arena *arena = &table->arena;
  struct occurrence *made = arena_alloc(arena, 1, sizeof *made);
  made->id = table->occurrences.count;
  made->component = arena_text(arena, component, strlen(component));
  made->message = message == NULL ? NULL : arena_text(arena, message, strlen(message));
  made->index_count = index_count;
  made->indices = arena_copy(arena, indices, index_count, sizeof *indices);
  made->label = label(arena, component, message, indices, index_count);
  index_add(&table->index, hash, (uint32_t)made->id);
  vector_push(&table->occurrences, made);
  return made;
}

static struct expression *node(struct expression_table *table, enum expression_kind kind) {
  struct expression *made = arena_alloc(&table->arena, 1, sizeof *made);
  made->kind = kind;
  return made;
}

static struct expression *node_with_value(struct expression_table *table, enum expression_kind kind,
                                          const struct rational *value) {
  struct expression *made = node(table, kind);
  rational_init(&made->value);
  rational_set(&made->value, value);
  vector_push(&table->rationals, &made->value);
  return made;
}

const struct expression *expression_constant(struct expression_table *table,
                                             const struct rational *value) {
  return node_with_value(table, EXPRESSION_CONSTANT, value);
}

const struct expression *expression_term(struct expression_table *table,
                                         const struct occurrence *occurrence) {
  struct expression *made = node(table, EXPRESSION_OCCURRENCE);
  made->occurrence = occurrence;
  return made;
}

const struct expression *expression_bare(struct expression_table *table, const char *component) {
  struct expression *made = node(table, EXPRESSION_BARE);
  made->component = arena_text(&table->arena, component, strlen(component));
  return made;
}

const struct expression *expression_scale(struct expression_table *table,
                                          const struct rational *factor,
                                          const struct expression *part) {
  struct rational product;
  rational_init(&product);
  rational_set_integer(&product, 1);
  const struct expression *result = part;
  if (part->kind == EXPRESSION_CONSTANT) {
    rational_mul(&product, factor, &part->value);
    result = expression_constant(table, &product);
  } else if (rational_compare(factor, &product) != 0) {
    struct expression *made = node_with_value(table, EXPRESSION_SCALE, factor);
    made->count = 1;
    made->parts = arena_copy(&table->arena, &part, 1, sizeof(const struct expression *));
    result = made;
  }
  rational_clear(&product);
  return result;
}

static size_t flat_count(const struct expression **parts, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++)
    total += parts[i]->kind == EXPRESSION_ADD ? parts[i]->count : 1;
  return total;
}

const struct expression *expression_combine(struct expression_table *table,
                                            enum expression_kind kind,
                                            const struct expression **parts, size_t count,
                                            int64_t rank) {
  if (count == 1 && kind != EXPRESSION_KTH)
    return parts[0];
  struct expression *made = node(table, kind);
  made->rank = rank;
  made->count = kind == EXPRESSION_ADD ? flat_count(parts, count) : count;
  const struct expression **out = arena_alloc(&table->arena, made->count, sizeof *out);
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    bool nested = kind == EXPRESSION_ADD && parts[i]->kind == EXPRESSION_ADD;
    if (!nested)
      out[at++] = parts[i];
    for (size_t j = 0; nested && j < parts[i]->count; j++)
      out[at++] = parts[i]->parts[j];
  }
  made->parts = out;
  return made;
}

static int compare_values(const void *a, const void *b) {
  return rational_compare(a, b);
}

struct expression_valuation {
  const struct rational *terms;
  const struct rational *(*bare)(const char *component, void *context);
  void *context;
};

static void value_of(struct rational *result, const struct expression *e,
                     const struct expression_valuation *v);

static void value_of_parts(struct rational *result, const struct expression *e,
                           const struct expression_valuation *v) {
  struct rational *values = mem_alloc(e->count, sizeof *values);
  for (size_t i = 0; i < e->count; i++) {
    rational_init(&values[i]);
    value_of(&values[i], e->parts[i], v);
  }
  if (e->kind == EXPRESSION_ADD) {
    rational_set_integer(result, 0);
    for (size_t i = 0; i < e->count; i++)
      rational_add(result, result, &values[i]);
  } else {
    qsort(values, e->count, sizeof *values, compare_values);
    size_t pick = e->kind == EXPRESSION_MAX   ? e->count - 1
                  : e->kind == EXPRESSION_MIN ? 0
                                              : (size_t)(e->rank - 1);
    rational_set(result, &values[pick]);
  }
  for (size_t i = 0; i < e->count; i++)
    rational_clear(&values[i]);
  mem_free(values);
}

static void value_of(struct rational *result, const struct expression *e,
                     const struct expression_valuation *v) {
  switch (e->kind) {
  case EXPRESSION_CONSTANT:
    rational_set(result, &e->value);
    return;
  case EXPRESSION_OCCURRENCE:
    rational_set(result, &v->terms[e->occurrence->id]);
    return;
  case EXPRESSION_BARE:
    rational_set(result, v->bare(e->component, v->context));
    return;
  case EXPRESSION_SCALE:
    value_of(result, e->parts[0], v);
    rational_mul(result, result, &e->value);
    return;
  case EXPRESSION_ADD:
  case EXPRESSION_MAX:
  case EXPRESSION_MIN:
  case EXPRESSION_KTH:
    value_of_parts(result, e, v);
    return;
  }
}

void expression_value(struct rational *result, const struct expression *expression,
                      const struct rational *terms,
                      const struct rational *(*bare)(const char *component, void *context),
                      void *context) {
  struct expression_valuation valuation = {terms, bare, context};
  value_of(result, expression, &valuation);
}

static void print(struct text *text, const struct expression *e, bool whole);

static void print_parts(struct text *text, const struct expression *e, const char *separator,
                        bool whole) {
  size_t shown = e->count > 8 && !whole ? 6 : e->count;
  for (size_t i = 0; i < shown; i++) {
    if (i != 0)
      text_append(text, separator);
    print(text, e->parts[i], whole);
  }
  if (shown < e->count) {
    text_format(text, "%s...%s", separator, separator);
    print(text, e->parts[e->count - 1], whole);
  }
}

static void print(struct text *text, const struct expression *e, bool whole) {
  static const char *const names[] = {[EXPRESSION_MAX] = "max(", [EXPRESSION_MIN] = "min("};
  switch (e->kind) {
  case EXPRESSION_CONSTANT:
    duration_print_exact(text, &e->value);
    return;
  case EXPRESSION_OCCURRENCE:
    text_append(text, e->occurrence->label);
    return;
  case EXPRESSION_BARE:
    text_append(text, e->component);
    return;
  case EXPRESSION_SCALE:
    rational_print_short(text, &e->value);
    text_append(text, e->parts[0]->kind == EXPRESSION_ADD ? "*(" : "*");
    print(text, e->parts[0], whole);
    text_append(text, e->parts[0]->kind == EXPRESSION_ADD ? ")" : "");
    return;
  case EXPRESSION_ADD:
    if (e->count == 0)
      text_append(text, "0");
    print_parts(text, e, " + ", whole);
    return;
  case EXPRESSION_KTH:
    text_format(text, "kth(%" PRId64 ", ", e->rank);
    print_parts(text, e, ", ", whole);
    text_append(text, ")");
    return;
  case EXPRESSION_MAX:
  case EXPRESSION_MIN:
    text_append(text, names[e->kind]);
    print_parts(text, e, ", ", whole);
    text_append(text, ")");
    return;
  }
}

void expression_print(struct text *text, const struct expression *expression) {
  print(text, expression, false);
}

void expression_print_whole(struct text *text, const struct expression *expression) {
  print(text, expression, true);
}
