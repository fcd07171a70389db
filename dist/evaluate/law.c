/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/law.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "dist/survival/combine.h"
#include "dist/survival/sum.h"

void law_table_init(struct law_table *table, const struct grid *grid) {
  memset(table, 0, sizeof *table);
  table->grid = *grid;
}

static void law_free(struct law *law) {
  if (law->survival == &law->owned)
    survival_clear(&law->owned);
  rational_clear(&law->value);
  mem_free(law->parts);
  mem_free(law);
}

void law_table_clear(struct law_table *table) {
  for (size_t i = 0; i < table->laws.count; i++)
    law_free(table->laws.data[i]);
  vector_clear(&table->laws);
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ (hash >> 29);
}

static uint64_t hash_of(const struct law *law) {
  struct text text;
  text_init(&text);
  rational_print(&text, &law->value);
  uint64_t hash = mix((uint64_t)law->kind, law->leaf);
  for (size_t i = 0; i < text.length; i++)
    hash = mix(hash, (unsigned char)text.data[i]);
  for (size_t i = 0; i < law->count; i++)
    hash = mix(mix(hash, law->parts[i].law->hash), law->parts[i].count);
  text_clear(&text);
  return hash;
}

static bool is_same(const struct law *a, const struct law *b) {
  if (a->hash != b->hash || a->kind != b->kind || a->leaf != b->leaf || a->count != b->count ||
      rational_compare(&a->value, &b->value) != 0)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->parts[i].law != b->parts[i].law || a->parts[i].count != b->parts[i].count)
      return false;
  return true;
}

static struct law *law_new(enum law_kind kind, const struct law_copies *parts, size_t count) {
  struct law *law = mem_alloc(1, sizeof *law);
  law->kind = kind;
  rational_init(&law->value);
  law->count = count;
  law->parts = mem_alloc(count, sizeof *law->parts);
  if (count != 0)
    memcpy(law->parts, parts, count * sizeof *parts);
  return law;
}

/* The law of this content that the table has; or `law` itself, then to be computed by `compute`. */
static const struct law *intern(struct law_table *table, struct law *law,
                                void (*compute)(struct law *law)) {
  law->hash = hash_of(law);
  for (size_t i = 0; i < table->laws.count; i++)
    if (is_same(table->laws.data[i], law)) {
      law_free(law);
      return table->laws.data[i];
    }
  if (compute != NULL) {
    survival_init(&law->owned, &table->grid);
    law->survival = &law->owned;
    compute(law);
  }
  vector_push(&table->laws, law);
  return law;
}

const struct law *law_leaf(struct law_table *table, size_t leaf, const struct survival *survival) {
  struct law *law = law_new(LAW_LEAF, NULL, 0);
  law->leaf = leaf;
  law->survival = survival;
  law->depth = 1;
  return intern(table, law, NULL);
}

static void compute_scale(struct law *law) {
  const struct law *part = law->parts[0].law;
  survival_scale(&law->owned, part->survival, &law->value);
  law->depth = part->depth + 1;
}

const struct law *law_scale(struct law_table *table, const struct rational *factor,
                            const struct law *part) {
  struct law_copies copies = {part, 1};
  struct law *law = law_new(LAW_SCALE, &copies, 1);
  rational_set(&law->value, factor);
  return intern(table, law, compute_scale);
}

static int compare_copies(const void *left, const void *right) {
  const struct law *a = ((const struct law_copies *)left)->law;
  const struct law *b = ((const struct law_copies *)right)->law;
  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  return (a > b) - (a < b);
}

static size_t merge(struct law_copies *parts, size_t count) {
  if (count == 0)
    return 0;
  qsort(parts, count, sizeof *parts, compare_copies);
  size_t last = 0;
  for (size_t i = 1; i < count; i++) {
    if (parts[i].law == parts[last].law)
      parts[last].count += parts[i].count;
    else
      parts[++last] = parts[i];
  }
  return last + 1;
}

/* A balanced tree: the shorter the chains of roundings, the tighter. */
static unsigned sum_range(struct survival *z, const struct law_copies *parts, size_t count) {
  if (count == 1) {
    survival_add_many(z, parts->law->survival, parts->count);
    return parts->law->depth + sum_many_depth(parts->count);
  }
  struct survival right;
  survival_init(&right, &z->grid);
  unsigned left_depth = sum_range(z, parts, count / 2);
  unsigned right_depth = sum_range(&right, parts + count / 2, count - count / 2);
  survival_add(z, z, &right);
  survival_clear(&right);
  return 1 + (left_depth > right_depth ? left_depth : right_depth);
}

static void compute_sum(struct law *law) {
  if (law->count == 0) {
    survival_constant(&law->owned, &law->value);
    law->depth = 1;
    return;
  }
  law->depth = sum_range(&law->owned, law->parts, law->count);
  if (rational_sign(&law->value) != 0) {
    survival_shift(&law->owned, &law->owned, &law->value);
    law->depth++;
  }
}

const struct law *law_sum(struct law_table *table, const struct rational *constant_ns,
                          struct law_copies *parts, size_t count) {
  count = merge(parts, count);
  if (count == 1 && parts[0].count == 1 && rational_sign(constant_ns) == 0)
    return parts[0].law;
  struct law *law = law_new(LAW_SUM, parts, count);
  rational_set(&law->value, constant_ns);
  return intern(table, law, compute_sum);
}

static void compute_max(struct law *law) {
  struct survival part;
  survival_init(&part, &law->owned.grid);
  for (size_t i = 0; i < law->count; i++) {
    survival_max_many(&part, law->parts[i].law->survival, law->parts[i].count);
    survival_max(&law->owned, &law->owned, &part); /* starts as the constant 0 */
    if (law->parts[i].law->depth > law->depth)
      law->depth = law->parts[i].law->depth;
  }
  survival_clear(&part);
}

const struct law *law_max(struct law_table *table, struct law_copies *parts, size_t count) {
  count = merge(parts, count);
  if (count == 1 && parts[0].count == 1)
    return parts[0].law;
  return intern(table, law_new(LAW_MAX, parts, count), compute_max);
}
