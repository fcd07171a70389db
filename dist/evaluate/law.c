/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/law.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "dist/evaluate/law_make.h"
#include "dist/survival/sum.h"

void law_table_init(struct law_table *table, const struct grid *grid, enum survival_side side) {
  memset(table, 0, sizeof *table);
  table->grid = *grid;
  table->side = side;
}

static void law_free(struct law *law) {
  rational_clear(&law->value);
  mem_free(law->parts);
  mem_free(law->set_sizes);
  mem_free(law);
}

void law_table_clear(struct law_table *table) {
  for (size_t i = 0; i < table->laws.count; i++)
    law_free(table->laws.data[i]);
  vector_clear(&table->laws);
  index_clear(&table->index);
}

static uint64_t hash_of(const struct law *law) {
  uint64_t hash = hash_for_order(hash_for_order((uint64_t)law->kind, law->leaf), law->rank);
  if (rational_sign(&law->value) != 0) {
    struct text text;
    text_init(&text);
    rational_print(&text, &law->value);
    for (size_t i = 0; i < text.length; i++)
      hash = hash_for_order(hash, (unsigned char)text.data[i]);
    text_clear(&text);
  }
  for (size_t i = 0; i < law->count; i++)
    hash = hash_for_order(hash_for_order(hash, law->parts[i].law->hash), law->parts[i].count);
  for (size_t i = 0; i < law->set_count; i++)
    hash = hash_for_order(hash, law->set_sizes[i]);
  return hash;
}

static bool is_same(const struct law *a, const struct law *b) {
  if (a->hash != b->hash || a->kind != b->kind || a->leaf != b->leaf || a->rank != b->rank ||
      a->count != b->count || a->set_count != b->set_count ||
      rational_compare(&a->value, &b->value) != 0)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->parts[i].law != b->parts[i].law || a->parts[i].count != b->parts[i].count)
      return false;
  for (size_t i = 0; i < a->set_count; i++)
    if (a->set_sizes[i] != b->set_sizes[i])
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

static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t copies_of(const struct law *law) {
  uint64_t count = 0;
  for (size_t i = 0; i < law->count; i++)
    count = plus(count, law->parts[i].count);
  return count;
}

static void set_slack_of_sum(struct law *law) {
  bool is_joint = law->kind == LAW_JOINT_SUM, has_constant = rational_sign(&law->value) != 0;
  size_t(*order)[2] = mem_alloc(law->count, sizeof *order);
  unsigned deepest = law->depth;
  law->steps = law->count == 0 || has_constant;
  for (size_t i = 0; i < law->count; i++)
    law->steps = plus(law->steps, times(law->parts[i].law->steps, law->parts[i].count));
  law->depth = is_joint         ? deepest + sum_many_depth(copies_of(law))
               : law->count > 0 ? law_sum_order(order, law->parts, law->count)
                                : 0;
  law->depth += law->count == 0 || has_constant;
  mem_free(order);
}

/* One rounding for what is measured, one more for each operation that moves values. */
static void set_slack(struct law *law) {
  law->depth = law->kind == LAW_LEAF;
  law->steps = law->depth;
  for (size_t i = 0; i < law->count && (i == 0 || law->kind != LAW_BETTER); i++) {
    const struct law *part = law->parts[i].law;
    law->depth = part->depth > law->depth ? part->depth : law->depth;
    law->steps = part->steps > law->steps ? part->steps : law->steps;
  }
  if (law->kind == LAW_SCALE) {
    int64_t factor = INT64_MAX;
    rational_ceil(&factor, &law->value);
    law->depth++;
    law->steps = plus(times(law->steps, (uint64_t)factor), 1);
  }
  if (law->kind == LAW_SUM || law->kind == LAW_JOINT_SUM)
    set_slack_of_sum(law);
}

/* The law of this content that the table has; or `law` itself. */
static const struct law *intern(struct law_table *table, struct law *law) {
  law->hash = hash_of(law);
  for (struct index_look look = index_look(&table->index, law->hash); index_next(&look);)
    if (is_same(table->laws.data[look.row], law)) {
      law_free(law);
      return table->laws.data[look.row];
    }
  set_slack(law);
  law->id = table->laws.count;
  index_add(&table->index, law->hash, (uint32_t)law->id);
  vector_push(&table->laws, law);
  return law;
}

struct law *law_part_of_sums(struct law_table *table, const struct law_copies *parts,
                             size_t count) {
  struct law *law = law_new(LAW_SUM, parts, count);
  law->id = table->laws.count;
  vector_push(&table->laws, law);
  return law;
}

static void set_slack_below(struct law_table *table, const struct law *law, bool *is_done) {
  if (is_done[law->id])
    return;
  is_done[law->id] = true;
  for (size_t i = 0; i < law->count; i++)
    set_slack_below(table, law->parts[i].law, is_done);
  set_slack(table->laws.data[law->id]);
}

void law_set_slack_again(struct law_table *table, const struct law *law) {
  bool *is_done = mem_alloc(table->laws.count, sizeof *is_done);
  set_slack_below(table, law, is_done);
  mem_free(is_done);
}

const struct law *law_leaf(struct law_table *table, size_t leaf, const struct survival *survival) {
  struct law *law = law_new(LAW_LEAF, NULL, 0);
  law->leaf = leaf;
  law->leaf_survival = survival;
  return intern(table, law);
}

const struct law *law_scale(struct law_table *table, const struct rational *factor,
                            const struct law *part) {
  struct law_copies copies = {part, 1};
  struct law *law = law_new(LAW_SCALE, &copies, 1);
  rational_set(&law->value, factor);
  return intern(table, law);
}

static int compare_copies(const void *left, const void *right) {
  const struct law *a = ((const struct law_copies *)left)->law;
  const struct law *b = ((const struct law_copies *)right)->law;
  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
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

const struct law *law_sum(struct law_table *table, const struct rational *constant_ns,
                          struct law_copies *parts, size_t count) {
  count = merge(parts, count);
  if (count == 1 && parts[0].count == 1 && rational_sign(constant_ns) == 0)
    return parts[0].law;
  /* A constant is added last, so that sums that differ in it alone have one convolution. */
  bool is_shift = count > 0 && rational_sign(constant_ns) != 0;
  struct law_copies inner = {NULL, 1};
  if (is_shift) {
    inner.law = count == 1 && parts[0].count == 1 ? parts[0].law
                                                  : intern(table, law_new(LAW_SUM, parts, count));
    parts = &inner;
    count = 1;
  }
  struct law *law = law_new(LAW_SUM, parts, count);
  rational_set(&law->value, constant_ns);
  return intern(table, law);
}

const struct law *law_combine(struct law_table *table, enum law_kind kind, struct law_copies *parts,
                              size_t count, uint64_t rank) {
  count = merge(parts, count);
  if (count == 1 && parts[0].count == 1)
    return parts[0].law;
  struct law *law = law_new(kind, parts, count);
  law->rank = kind == LAW_KTH || kind == LAW_JOINT_KTH ? rank : 0;
  return intern(table, law);
}

const struct law *law_better(struct law_table *table, const struct law *const *bounds,
                             size_t count) {
  if (count == 1)
    return bounds[0];
  struct law *law = law_new(LAW_BETTER, NULL, 0);
  law->parts = mem_resize(law->parts, count, sizeof *law->parts);
  law->count = count;
  for (size_t i = 0; i < count; i++)
    law->parts[i] = (struct law_copies){bounds[i], 1};
  return intern(table, law);
}

const struct law *law_mix(struct law_table *table, const struct law *const *laws,
                          const uint64_t *weights, size_t count) {
  VECTOR(struct law_copies) parts = {0};
  for (size_t i = 0; i < count; i++)
    vector_push(&parts, (struct law_copies){laws[i], weights[i]});
  struct law *law = law_new(LAW_MIX, parts.data, merge(parts.data, parts.count));
  vector_clear(&parts);
  return intern(table, law);
}

const struct law *law_counted(struct law_table *table, struct law_copies *alone, size_t alone_count,
                              const struct law *const *order_laws, const size_t *set_sizes,
                              size_t set_count, uint64_t rank) {
  VECTOR(struct law_copies) parts = {0};
  alone_count = merge(alone, alone_count);
  for (size_t i = 0; i < alone_count; i++)
    vector_push(&parts, alone[i]);
  for (size_t i = 0, at = 0; i < set_count; i++)
    for (size_t j = 0; j < set_sizes[i]; j++)
      vector_push(&parts, (struct law_copies){order_laws[at++], 1});
  struct law *law = law_new(LAW_COUNTED, parts.data, parts.count);
  law->rank = rank;
  law->set_count = set_count;
  law->set_sizes = mem_alloc(set_count, sizeof *law->set_sizes);
  memcpy(law->set_sizes, set_sizes, set_count * sizeof *set_sizes);
  vector_clear(&parts);
  return intern(table, law);
}
