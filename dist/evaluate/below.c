/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether one form can never exceed another (form_make.h). What another part covers is dropped
 * from a maximum or minimum, which is exact.
 */
#include <stdlib.h>

#include "dist/evaluate/form.h"
#include "dist/evaluate/form_make.h"

/* Pairs of parts are compared in every way up to so many parts, and only addend by addend beyond.
 */
enum { PARTS_FOR_ALL_PAIRS = 32, STEPS = 100, DEPTH = 6 };

/* b adds all that a adds. */
static bool is_covered(const struct form *a, const struct form *b) {
  if (a->is_redrawn || a->count > b->count || rational_compare(a->constant, b->constant) > 0)
    return false;
  for (size_t i = 0; i < a->count; i++) {
    const struct rational *other = form_coefficient(b, a->addends[i].atom);
    if (other == NULL || rational_compare(a->addends[i].coefficient, other) > 0)
      return false;
  }
  return true;
}

/* What b less `without` does not cover of a: a <= (b - without) + x whenever this is <= x. */
static const struct form *uncovered(struct form_table *table, const struct form *a,
                                    const struct form *b, const struct atom *without) {
  addend_vector addends = {0};
  for (size_t i = 0; i < a->count; i++) {
    const struct addend *addend = &a->addends[i];
    const struct rational *other =
        addend->atom == without ? NULL : form_coefficient(b, addend->atom);
    if (other == NULL)
      vector_push(&addends, *addend);
    else if (rational_compare(addend->coefficient, other) > 0)
      vector_push(&addends,
                  (struct addend){form_rational_difference(table, addend->coefficient, other),
                                  addend->atom});
  }
  bool more = rational_compare(a->constant, b->constant) > 0;
  const struct form *rest = form_sum(
      table, more ? form_rational_difference(table, a->constant, b->constant) : &table->zero,
      addends.data, addends.count);
  vector_clear(&addends);
  return rest;
}

static bool has_occurrence(const struct form *form, const struct occurrence *occurrence) {
  for (size_t i = 0; i < form->count; i++)
    for (size_t j = 0; j < form->addends[i].atom->id_count; j++)
      if (form->addends[i].atom->occurrences[j] == occurrence)
        return true;
  return false;
}

/* Each occurrence of a is in b, going by the first. */
static bool may_be_below(const struct form *a, const struct form *b) {
  for (size_t i = 0; i < a->count; i++)
    if (a->addends[i].atom->id_count != 0 && !has_occurrence(b, a->addends[i].atom->occurrences[0]))
      return false;
  return true;
}

/* Through a maximum in b, one of whose parts is enough. */
static bool is_below(struct form_table *table, const struct form *a, const struct form *b,
                     int depth, int *steps) {
  if (is_covered(a, b))
    return true;
  if (depth == 0 || a->is_redrawn || --*steps < 0 || !may_be_below(a, b))
    return false;
  for (size_t i = 0; i < b->count; i++) {
    const struct atom *atom = b->addends[i].atom;
    if (atom->kind != ATOM_MAX || rational_compare(b->addends[i].coefficient, &table->one) != 0)
      continue;
    const struct form *rest = uncovered(table, a, b, atom);
    for (size_t j = 0; j < atom->part_count; j++)
      if (is_below(table, rest, atom->parts[j], depth - 1, steps))
        return true;
  }
  return false;
}

bool form_is_below(struct form_table *table, const struct form *a, const struct form *b) {
  int steps = STEPS;
  return is_below(table, a, b, DEPTH, &steps);
}

static void drop_by_pairs(struct form_table *table, const form_vector *parts, bool *is_dropped,
                          bool is_max) {
  for (size_t i = 0; i < parts->count; i++)
    for (size_t j = 0; j < parts->count && !is_dropped[i]; j++) {
      if (j == i || is_dropped[j])
        continue;
      const struct form *low = parts->data[is_max ? i : j], *high = parts->data[is_max ? j : i];
      is_dropped[i] = form_is_below(table, low, high);
    }
}

struct atom_place {
  size_t atom, part;
};
typedef VECTOR(struct atom_place) place_vector;

static int compare_places(const void *left, const void *right) {
  const struct atom_place *a = left, *b = right;
  if (a->atom != b->atom)
    return a->atom < b->atom ? -1 : 1;
  return (a->part > b->part) - (a->part < b->part);
}

static size_t first_place(const place_vector *places, size_t atom) {
  size_t low = 0, high = places->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (places->data[middle].atom < atom)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The rarest of the form's atoms: where its mentions begin, and how many there are. */
static size_t rarest(const place_vector *places, const struct form *form, size_t *count) {
  size_t best = 0;
  *count = SIZE_MAX;
  for (size_t j = 0; j < form->count; j++) {
    size_t id = form->addends[j].atom->id, first = first_place(places, id);
    size_t number = first_place(places, id + 1) - first;
    if (number < *count) {
      best = first;
      *count = number;
    }
  }
  return best;
}

/* What covers a part adds its rarest atom, too. */
static void drop_by_atom(const form_vector *parts, const place_vector *places, size_t low,
                         bool *is_dropped, bool is_max) {
  size_t count, first = rarest(places, parts->data[low], &count);
  bool is_constant = parts->data[low]->count == 0;
  if (is_constant)
    count = parts->count;
  for (size_t i = 0; i < count && !is_dropped[low]; i++) {
    size_t high = is_constant ? i : places->data[first + i].part;
    if (high == low || is_dropped[high] || !is_covered(parts->data[low], parts->data[high]))
      continue;
    is_dropped[is_max ? low : high] = true;
  }
}

void form_drop_needless(struct form_table *table, form_vector *parts, bool is_max) {
  bool *is_dropped = mem_alloc(parts->count, sizeof *is_dropped);
  if (parts->count <= PARTS_FOR_ALL_PAIRS) {
    drop_by_pairs(table, parts, is_dropped, is_max);
  } else {
    place_vector places = {0};
    for (size_t i = 0; i < parts->count; i++)
      for (size_t j = 0; j < parts->data[i]->count; j++)
        vector_push(&places, (struct atom_place){parts->data[i]->addends[j].atom->id, i});
    if (places.count != 0)
      qsort(places.data, places.count, sizeof *places.data, compare_places);
    for (size_t i = 0; i < parts->count; i++)
      if (!is_dropped[i])
        drop_by_atom(parts, &places, i, is_dropped, is_max);
    vector_clear(&places);
  }
  size_t count = 0;
  for (size_t i = 0; i < parts->count; i++)
    if (!is_dropped[i])
      parts->data[count++] = parts->data[i];
  parts->count = count;
  mem_free(is_dropped);
}
