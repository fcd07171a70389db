/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/invariant.h"
#include "dist/evaluate/form_make.h"

void form_table_init(struct form_table *table) {
  memset(table, 0, sizeof *table);
  arena_init(&table->arena);
  rational_init(&table->zero);
  rational_init(&table->one);
  rational_set_integer(&table->one, 1);
}

void form_table_clear(struct form_table *table) {
  for (size_t i = 0; i < table->rationals.count; i++)
    rational_clear(table->rationals.data[i]);
  vector_clear(&table->rationals);
  vector_clear(&table->atoms);
  index_clear(&table->index);
  vector_clear(&table->by_occurrence);
  vector_clear(&table->stamps);
  vector_clear(&table->known);
  index_clear(&table->known_index);
  rational_clear(&table->zero);
  rational_clear(&table->one);
  arena_clear(&table->arena);
}

static struct rational *new_rational(struct form_table *table) {
  struct rational *x = arena_alloc(&table->arena, 1, sizeof *x);
  rational_init(x);
  vector_push(&table->rationals, x);
  return x;
}

const struct rational *form_rational_sum(struct form_table *table, const struct rational *x,
                                         const struct rational *y) {
  if (rational_sign(x) == 0 || rational_sign(y) == 0)
    return rational_sign(x) == 0 ? y : x;
  struct rational *z = new_rational(table);
  rational_add(z, x, y);
  return z;
}

const struct rational *form_rational_product(struct form_table *table, const struct rational *x,
                                             const struct rational *y) {
  if (rational_compare(x, &table->one) == 0 || rational_compare(y, &table->one) == 0)
    return rational_compare(x, &table->one) == 0 ? y : x;
  if (rational_sign(x) == 0 || rational_sign(y) == 0)
    return &table->zero;
  struct rational *z = new_rational(table);
  rational_mul(z, x, y);
  return z;
}

const struct rational *form_rational_difference(struct form_table *table, const struct rational *x,
                                                const struct rational *y) {
  if (rational_sign(y) == 0)
    return x;
  struct rational *z = new_rational(table);
  rational_sub(z, x, y);
  return z;
}

const struct rational *form_rational_quotient(struct form_table *table, const struct rational *x,
                                              const struct rational *y) {
  if (rational_sign(x) == 0 || rational_compare(y, &table->one) == 0)
    return x;
  struct rational *z = new_rational(table);
  rational_div(z, x, y);
  return z;
}

const struct rational *form_rational_integer(struct form_table *table, int64_t n) {
  struct rational *z = new_rational(table);
  rational_set_integer(z, n);
  return z;
}

static uint64_t mix_rational(uint64_t hash, const struct rational *x) {
  int64_t floor = 0; /* only a hash */
  rational_floor(&floor, x);
  return hash_for_order(hash, (uint64_t)floor);
}

static int compare_addends(const void *left, const void *right) {
  size_t a = ((const struct addend *)left)->atom->id, b = ((const struct addend *)right)->atom->id;
  return (a > b) - (a < b);
}

const struct form *form_sum(struct form_table *table, const struct rational *constant,
                            struct addend *addends, size_t addend_count) {
  struct form *form = arena_alloc(&table->arena, 1, sizeof *form);
  form->constant = constant;
  if (addend_count != 0)
    qsort(addends, addend_count, sizeof *addends, compare_addends);
  size_t count = 0;
  for (size_t i = 0; i < addend_count; i++) {
    struct addend *addend = &addends[i], *last = &addends[count - (count != 0)];
    if (rational_sign(addend->coefficient) == 0)
      continue;
    if (count != 0 && last->atom == addend->atom && !addend->atom->is_redrawn)
      last->coefficient = form_rational_sum(table, last->coefficient, addend->coefficient);
    else
      addends[count++] = *addend;
  }
  form->count = count;
  form->addends = arena_copy(&table->arena, addends, count, sizeof *addends);
  form->hash = mix_rational(count, constant);
  for (size_t i = 0; i < count; i++) {
    form->is_redrawn = form->is_redrawn || form->addends[i].atom->is_redrawn;
    form->hash = mix_rational(hash_for_order(form->hash, form->addends[i].atom->id),
                              form->addends[i].coefficient);
  }
  invariant_costly(form_is_valid(form));
  return form;
}

bool form_is_valid(const struct form *form) {
  bool is_redrawn = false;
  for (size_t i = 0; i < form->count; i++) {
    const struct addend *addend = &form->addends[i], *before = &form->addends[i - (i != 0)];
    if (rational_sign(addend->coefficient) <= 0 || before->atom->id > addend->atom->id ||
        (i != 0 && before->atom == addend->atom && !addend->atom->is_redrawn))
      return false;
    is_redrawn = is_redrawn || addend->atom->is_redrawn;
  }
  return rational_sign(form->constant) >= 0 && form->is_redrawn == is_redrawn;
}

static bool part_is_valid(const struct atom *atom, const struct form *part) {
  return form_is_valid(part) && (!part->is_redrawn || atom->is_redrawn) &&
         (part->count == 0 || part->addends[part->count - 1].atom->id < atom->id);
}

bool atom_is_valid(const struct atom *atom) {
  bool has_parts = atom->kind == ATOM_MAX || atom->kind == ATOM_MIN || atom->kind == ATOM_KTH;
  for (size_t i = 0; i < atom->part_count; i++)
    if (!part_is_valid(atom, atom->parts[i]))
      return false;
  if (atom->kind == ATOM_KTH ? atom->rank <= 1 || atom->rank >= atom->part_count : atom->rank != 0)
    return false;
  return has_parts ? atom->part_count >= 2 : atom->part_count == 0;
}

bool form_same(const struct form *a, const struct form *b) {
  if (a->hash != b->hash || a->count != b->count || a->is_redrawn || b->is_redrawn ||
      rational_compare(a->constant, b->constant) != 0)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->addends[i].atom != b->addends[i].atom ||
        rational_compare(a->addends[i].coefficient, b->addends[i].coefficient) != 0)
      return false;
  return true;
}

int form_compare(const void *left, const void *right) {
  const struct form *a = *(const struct form *const *)left;
  const struct form *b = *(const struct form *const *)right;
  return (a->hash > b->hash) - (a->hash < b->hash);
}

static struct atom *new_atom(struct form_table *table, enum atom_kind kind) {
  struct atom *atom = arena_alloc(&table->arena, 1, sizeof *atom);
  atom->kind = kind;
  atom->id = table->atoms.count;
  vector_push(&table->atoms, atom);
  return atom;
}

struct atom *form_occurrence_atom(struct form_table *table, const struct occurrence *occurrence) {
  while (table->by_occurrence.count <= occurrence->id) {
    vector_push(&table->by_occurrence, NULL);
    vector_push(&table->stamps, 0);
  }
  struct atom **known = &table->by_occurrence.data[occurrence->id];
  if (*known != NULL)
    return *known;
  struct atom *atom = new_atom(table, ATOM_OCCURRENCE);
  atom->occurrence = occurrence;
  atom->id_count = 1;
  atom->occurrences = arena_copy(&table->arena, &occurrence, 1, sizeof occurrence);
  table->by_occurrence.data[occurrence->id] = atom;
  return atom;
}

struct atom *form_bare_atom(struct form_table *table, const char *component) {
  struct atom *atom = new_atom(table, ATOM_BARE);
  atom->component = component;
  atom->is_redrawn = true;
  return atom;
}

/* The occurrences of all parts, each once. */
static void collect_occurrences(struct form_table *table, struct atom *atom) {
  VECTOR(const struct occurrence *) found = {0};
  size_t stamp = ++table->stamp;
  for (size_t i = 0; i < atom->part_count; i++)
    for (size_t j = 0; j < atom->parts[i]->count; j++) {
      const struct atom *inner = atom->parts[i]->addends[j].atom;
      for (size_t k = 0; k < inner->id_count; k++) {
        size_t id = inner->occurrences[k]->id;
        if (table->stamps.data[id] != stamp)
          vector_push(&found, inner->occurrences[k]);
        table->stamps.data[id] = stamp;
      }
    }
  atom->id_count = found.count;
  atom->occurrences = arena_copy(&table->arena, found.data, found.count, sizeof *found.data);
  vector_clear(&found);
}

static bool has_content(const struct atom *atom, enum atom_kind kind, size_t rank,
                        const struct form *const *parts, size_t count) {
  if (atom->kind != kind || atom->rank != rank || atom->part_count != count)
    return false;
  for (size_t i = 0; i < count; i++)
    if (!form_same(atom->parts[i], parts[i]))
      return false;
  return true;
}

struct atom *form_combined_atom(struct form_table *table, enum atom_kind kind, size_t rank,
                                const struct form *const *parts, size_t count) {
  bool is_redrawn = false;
  uint64_t hash = hash_for_order(hash_for_order((uint64_t)kind, rank), count);
  for (size_t i = 0; i < count; i++) {
    is_redrawn = is_redrawn || parts[i]->is_redrawn;
    hash = hash_for_order(hash, parts[i]->hash);
  }
  for (struct index_look look = index_look(&table->index, hash); !is_redrawn && index_next(&look);)
    if (has_content(table->atoms.data[look.row], kind, rank, parts, count))
      return table->atoms.data[look.row];
  struct atom *atom = new_atom(table, kind);
  atom->hash = hash;
  atom->rank = rank;
  atom->is_redrawn = is_redrawn;
  atom->part_count = count;
  atom->parts = arena_copy(&table->arena, parts, count, sizeof *parts);
  invariant_costly(atom_is_valid(atom));
  collect_occurrences(table, atom);
  if (!is_redrawn)
    index_add(&table->index, hash, (uint32_t)atom->id);
  return atom;
}

const struct form *form_single(struct form_table *table, struct atom *atom) {
  struct addend addend = {&table->one, atom};
  return form_sum(table, &table->zero, &addend, 1);
}

const struct form *form_plus(struct form_table *table, const struct form *form,
                             const struct form *other) {
  addend_vector addends = {0};
  for (size_t i = 0; i < form->count; i++)
    vector_push(&addends, form->addends[i]);
  for (size_t i = 0; i < other->count; i++)
    vector_push(&addends, other->addends[i]);
  const struct form *sum =
      form_sum(table, form_rational_sum(table, form->constant, other->constant), addends.data,
               addends.count);
  vector_clear(&addends);
  return sum;
}

const struct form *form_times(struct form_table *table, const struct form *form,
                              const struct rational *factor) {
  addend_vector addends = {0};
  for (size_t i = 0; i < form->count; i++)
    vector_push(&addends,
                (struct addend){form_rational_product(table, form->addends[i].coefficient, factor),
                                form->addends[i].atom});
  const struct form *product = form_sum(table, form_rational_product(table, form->constant, factor),
                                        addends.data, addends.count);
  vector_clear(&addends);
  return product;
}

const struct rational *form_coefficient(const struct form *form, const struct atom *atom) {
  size_t low = 0, high = form->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (form->addends[middle].atom->id < atom->id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < form->count && form->addends[low].atom == atom ? form->addends[low].coefficient
                                                              : NULL;
}

const struct form *form_without(struct form_table *table, const struct form *form,
                                const struct form *other) {
  addend_vector addends = {0};
  for (size_t i = 0; i < form->count; i++)
    if (form_coefficient(other, form->addends[i].atom) == NULL)
      vector_push(&addends, form->addends[i]);
  const struct form *rest =
      form_sum(table, form_rational_difference(table, form->constant, other->constant),
               addends.data, addends.count);
  vector_clear(&addends);
  return rest;
}
