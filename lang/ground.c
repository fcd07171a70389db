/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/ground.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ground_table_init(struct ground_table *table) {
  memset(table, 0, sizeof *table);
  arena_init(&table->arena);
}

void ground_table_clear(struct ground_table *table) {
  for (size_t i = 0; i < table->rationals.count; i++)
    rational_clear(table->rationals.data[i]);
  vector_clear(&table->rationals);
  vector_clear(&table->occurrences);
  vector_clear(&table->slots);
  arena_clear(&table->arena);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ (hash >> 29);
}

static uint64_t mix_text(uint64_t hash, const char *text) {
  for (; text != NULL && *text != '\0'; text++)
    hash = mix(hash, (unsigned char)*text);
  return mix(hash, text == NULL);
}

static size_t identity_hash(const char *component, const char *message, const int64_t *indices,
                            size_t count) {
  uint64_t hash = mix_text(mix_text(count, component), message);
  for (size_t i = 0; i < count; i++)
    hash = mix(hash, (uint64_t)indices[i]);
  return (size_t)hash;
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

static void grow_slots(struct ground_table *table) {
  size_t size = table->slots.count == 0 ? 64 : 2 * table->slots.count;
  vector_clear(&table->slots);
  for (size_t i = 0; i < size; i++)
    vector_push(&table->slots, 0);
  for (size_t id = 0; id < table->occurrences.count; id++) {
    const struct occurrence *o = table->occurrences.data[id];
    size_t slot = identity_hash(o->component, o->message, o->indices, o->index_count);
    while (table->slots.data[slot & (size - 1)] != 0)
      slot++;
    table->slots.data[slot & (size - 1)] = id + 1;
  }
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

const struct occurrence *ground_occurrence(struct ground_table *table, const char *component,
                                           const char *message, const int64_t *indices,
                                           size_t index_count) {
  if (2 * table->occurrences.count >= table->slots.count)
    grow_slots(table);
  size_t mask = table->slots.count - 1;
  size_t slot = identity_hash(component, message, indices, index_count) & mask;
  for (; table->slots.data[slot] != 0; slot = (slot + 1) & mask) {
    struct occurrence *known = table->occurrences.data[table->slots.data[slot] - 1];
    if (is_identity(known, component, message, indices, index_count))
      return known;
  }
  struct arena *arena = &table->arena;
  struct occurrence *made = arena_alloc(arena, 1, sizeof *made);
  made->id = table->occurrences.count;
  made->component = arena_text(arena, component, strlen(component));
  made->message = message == NULL ? NULL : arena_text(arena, message, strlen(message));
  made->index_count = index_count;
  made->indices = arena_copy(arena, indices, index_count, sizeof *indices);
  made->label = label(arena, component, message, indices, index_count);
  vector_push(&table->occurrences, made);
  table->slots.data[slot] = made->id + 1;
  return made;
}

static struct ground *node(struct ground_table *table, enum ground_kind kind) {
  struct ground *made = arena_alloc(&table->arena, 1, sizeof *made);
  made->kind = kind;
  return made;
}

static struct ground *node_with_value(struct ground_table *table, enum ground_kind kind,
                                      const struct rational *value) {
  struct ground *made = node(table, kind);
  rational_init(&made->value);
  rational_set(&made->value, value);
  vector_push(&table->rationals, &made->value);
  return made;
}

const struct ground *ground_constant(struct ground_table *table, const struct rational *value) {
  return node_with_value(table, GROUND_CONSTANT, value);
}

const struct ground *ground_term(struct ground_table *table, const struct occurrence *occurrence) {
  struct ground *made = node(table, GROUND_OCCURRENCE);
  made->occurrence = occurrence;
  return made;
}

const struct ground *ground_bare(struct ground_table *table, const char *component) {
  struct ground *made = node(table, GROUND_BARE);
  made->component = arena_text(&table->arena, component, strlen(component));
  return made;
}

const struct ground *ground_scale(struct ground_table *table, const struct rational *factor,
                                  const struct ground *part) {
  struct rational product;
  rational_init(&product);
  rational_set_integer(&product, 1);
  const struct ground *result = part;
  if (part->kind == GROUND_CONSTANT) {
    rational_mul(&product, factor, &part->value);
    result = ground_constant(table, &product);
  } else if (rational_compare(factor, &product) != 0) {
    struct ground *made = node_with_value(table, GROUND_SCALE, factor);
    made->count = 1;
    made->parts = arena_copy(&table->arena, &part, 1, sizeof(const struct ground *));
    result = made;
  }
  rational_clear(&product);
  return result;
}

static size_t flat_count(const struct ground **parts, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++)
    total += parts[i]->kind == GROUND_ADD ? parts[i]->count : 1;
  return total;
}

const struct ground *ground_combine(struct ground_table *table, enum ground_kind kind,
                                    const struct ground **parts, size_t count, int64_t rank) {
  if (count == 1 && kind != GROUND_KTH)
    return parts[0];
  struct ground *made = node(table, kind);
  made->rank = rank;
  made->count = kind == GROUND_ADD ? flat_count(parts, count) : count;
  const struct ground **out = arena_alloc(&table->arena, made->count, sizeof *out);
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    bool nested = kind == GROUND_ADD && parts[i]->kind == GROUND_ADD;
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

struct valuation {
  const struct rational *terms;
  const struct rational *(*bare)(const char *component, void *context);
  void *context;
};

static void value_of(struct rational *result, const struct ground *e, const struct valuation *v);

static void value_of_parts(struct rational *result, const struct ground *e,
                           const struct valuation *v) {
  struct rational *values = mem_alloc(e->count, sizeof *values);
  for (size_t i = 0; i < e->count; i++) {
    rational_init(&values[i]);
    value_of(&values[i], e->parts[i], v);
  }
  if (e->kind == GROUND_ADD) {
    rational_set_integer(result, 0);
    for (size_t i = 0; i < e->count; i++)
      rational_add(result, result, &values[i]);
  } else {
    qsort(values, e->count, sizeof *values, compare_values);
    size_t pick = e->kind == GROUND_MAX   ? e->count - 1
                  : e->kind == GROUND_MIN ? 0
                                          : (size_t)(e->rank - 1);
    rational_set(result, &values[pick]);
  }
  for (size_t i = 0; i < e->count; i++)
    rational_clear(&values[i]);
  mem_free(values);
}

static void value_of(struct rational *result, const struct ground *e, const struct valuation *v) {
  switch (e->kind) {
  case GROUND_CONSTANT:
    rational_set(result, &e->value);
    return;
  case GROUND_OCCURRENCE:
    rational_set(result, &v->terms[e->occurrence->id]);
    return;
  case GROUND_BARE:
    rational_set(result, v->bare(e->component, v->context));
    return;
  case GROUND_SCALE:
    value_of(result, e->parts[0], v);
    rational_mul(result, result, &e->value);
    return;
  case GROUND_ADD:
  case GROUND_MAX:
  case GROUND_MIN:
  case GROUND_KTH:
    value_of_parts(result, e, v);
    return;
  }
}

void ground_value(struct rational *result, const struct ground *expression,
                  const struct rational *terms,
                  const struct rational *(*bare)(const char *component, void *context),
                  void *context) {
  struct valuation valuation = {terms, bare, context};
  value_of(result, expression, &valuation);
}

static void print_parts(struct text *text, const struct ground *e, const char *separator) {
  size_t shown = e->count > 8 ? 6 : e->count;
  for (size_t i = 0; i < shown; i++) {
    if (i != 0)
      text_append(text, separator);
    ground_print(text, e->parts[i]);
  }
  if (shown < e->count) {
    text_format(text, "%s...%s", separator, separator);
    ground_print(text, e->parts[e->count - 1]);
  }
}

/* In the largest unit of which it is a multiple. */
static void print_time(struct text *text, const struct rational *ns) {
  static const char *const units[] = {"ns", "us", "ms", "s"};
  struct rational value, next, thousand;
  rational_init(&value);
  rational_init(&next);
  rational_init(&thousand);
  rational_set(&value, ns);
  rational_set_integer(&thousand, 1000);
  size_t unit = 0;
  while (unit < 3 && rational_sign(&value) != 0) {
    rational_div(&next, &value, &thousand);
    if (!rational_is_integer(&next))
      break;
    rational_set(&value, &next);
    unit++;
  }
  rational_print_short(text, &value);
  text_format(text, " %s", units[unit]);
  rational_clear(&value);
  rational_clear(&next);
  rational_clear(&thousand);
}

void ground_print(struct text *text, const struct ground *e) {
  static const char *const names[] = {[GROUND_MAX] = "max(", [GROUND_MIN] = "min("};
  switch (e->kind) {
  case GROUND_CONSTANT:
    print_time(text, &e->value);
    return;
  case GROUND_OCCURRENCE:
    text_append(text, e->occurrence->label);
    return;
  case GROUND_BARE:
    text_append(text, e->component);
    return;
  case GROUND_SCALE:
    rational_print_short(text, &e->value);
    text_append(text, e->parts[0]->kind == GROUND_ADD ? "*(" : "*");
    ground_print(text, e->parts[0]);
    text_append(text, e->parts[0]->kind == GROUND_ADD ? ")" : "");
    return;
  case GROUND_ADD:
    if (e->count == 0)
      text_append(text, "0");
    print_parts(text, e, " + ");
    return;
  case GROUND_KTH:
    text_format(text, "kth(%" PRId64 ", ", e->rank);
    print_parts(text, e, ", ");
    text_append(text, ")");
    return;
  case GROUND_MAX:
  case GROUND_MIN:
    text_append(text, names[e->kind]);
    print_parts(text, e, ", ");
    text_append(text, ")");
    return;
  }
}
