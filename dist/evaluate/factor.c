/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all parts of a maximum, minimum or order statistic share goes outside of it (form.h). This
 * is exact, and leaves less that depends.
 */
#include <stdlib.h>

#include "dist/evaluate/form.h"
#include "dist/evaluate/form_make.h"

/* What every part adds alike. An occurrence that some part adds more of stays where it is: taken
 * out in part, it would be both outside and inside of the maximum. */
static const struct form *common_form(struct form_table *table, const form_vector *parts) {
  const struct form *least = parts->data[0];
  const struct rational *constant = least->constant;
  for (size_t i = 1; i < parts->count; i++) {
    if (rational_compare(parts->data[i]->constant, constant) < 0)
      constant = parts->data[i]->constant;
    if (parts->data[i]->count < least->count)
      least = parts->data[i];
  }
  addend_vector addends = {0};
  for (size_t j = 0; j < least->count; j++) {
    struct addend common = least->addends[j];
    bool everywhere = !common.atom->is_redrawn;
    for (size_t i = 0; i < parts->count && everywhere; i++) {
      const struct rational *other = form_coefficient(parts->data[i], common.atom);
      everywhere = other != NULL && rational_compare(other, common.coefficient) == 0;
    }
    if (everywhere)
      vector_push(&addends, common);
  }
  const struct form *common = form_sum(table, constant, addends.data, addends.count);
  vector_clear(&addends);
  return common;
}

/* Takes out what all parts add, and returns it. */
static const struct form *take_common(struct form_table *table, form_vector *parts) {
  const struct form *common = common_form(table, parts);
  if (common->count != 0 || rational_sign(common->constant) != 0)
    for (size_t i = 0; i < parts->count; i++)
      parts->data[i] = form_without(table, parts->data[i], common);
  return common;
}

/* The coefficient that all addends of all parts have; NULL for none, where one part is redrawn,
 * since a multiple of a bare name is as many draws, and where one has a constant, which would be
 * rounded to the grid before it is multiplied. */
static const struct rational *common_factor(const form_vector *parts) {
  const struct rational *factor = NULL;
  for (size_t i = 0; i < parts->count; i++) {
    if (parts->data[i]->is_redrawn || rational_sign(parts->data[i]->constant) != 0)
      return NULL;
    for (size_t j = 0; j < parts->data[i]->count; j++) {
      const struct rational *coefficient = parts->data[i]->addends[j].coefficient;
      if (factor == NULL)
        factor = coefficient;
      else if (rational_compare(coefficient, factor) != 0)
        return NULL;
    }
  }
  return factor;
}

/* Divides all parts by what they are multiples of; returns that, or 1. */
static const struct rational *take_factor(struct form_table *table, form_vector *parts) {
  const struct rational *factor = common_factor(parts);
  if (factor == NULL || rational_compare(factor, &table->one) == 0)
    return &table->one;
  const struct rational *inverse = form_rational_quotient(table, &table->one, factor);
  for (size_t i = 0; i < parts->count; i++)
    parts->data[i] = form_times(table, parts->data[i], inverse);
  return factor;
}

static bool is_only(const struct form_table *table, const struct form *form, enum atom_kind kind) {
  return form->count == 1 && form->addends[0].atom->kind == kind &&
         rational_sign(form->constant) == 0 &&
         rational_compare(form->addends[0].coefficient, &table->one) == 0;
}

/* Replaces parts that are such a maximum (minimum) themselves by its parts. */
static bool flatten(const struct form_table *table, form_vector *parts, enum atom_kind kind) {
  bool changed = false;
  for (size_t i = 0, count = parts->count; i < count; i++) {
    if (!is_only(table, parts->data[i], kind))
      continue;
    const struct atom *atom = parts->data[i]->addends[0].atom;
    parts->data[i] = atom->parts[0];
    for (size_t j = 1; j < atom->part_count; j++)
      vector_push(parts, atom->parts[j]);
    changed = true;
  }
  return changed;
}

/* Everything that all parts have in common goes outside first, then what some have; a nested
 * maximum is opened last, since it may be what parts have in common. */
static const struct form *extreme(struct form_table *table, form_vector *parts,
                                  enum atom_kind kind) {
  bool is_max = kind == ATOM_MAX;
  const struct form *outside = form_sum(table, &table->zero, NULL, 0);
  do {
    outside = form_plus(table, outside, take_common(table, parts));
    form_drop_needless(table, parts, is_max);
    if (parts->count > 1)
      form_factor_some(table, parts, is_max);
    if (parts->count == 1)
      return form_plus(table, outside, parts->data[0]);
  } while (flatten(table, parts, kind));
  const struct rational *factor = take_factor(table, parts);
  const struct form *inside;
  if (factor != &table->one) {
    inside = extreme(table, parts, kind);
  } else {
    qsort(parts->data, parts->count, sizeof *parts->data, form_compare);
    inside = form_single(table, form_combined_atom(table, kind, 0, parts->data, parts->count));
  }
  return form_plus(table, outside, form_times(table, inside, factor));
}

static const struct form *extreme_of(struct form_table *table, const struct form **parts,
                                     size_t count, enum atom_kind kind) {
  form_vector list = {0};
  for (size_t i = 0; i < count; i++)
    vector_push(&list, parts[i]);
  const struct form *form = extreme(table, &list, kind);
  vector_clear(&list);
  return form;
}

const struct form *form_max(struct form_table *table, const struct form **parts, size_t count) {
  return extreme_of(table, parts, count, ATOM_MAX);
}

const struct form *form_min(struct form_table *table, const struct form **parts, size_t count) {
  return extreme_of(table, parts, count, ATOM_MIN);
}

static bool all_same(const form_vector *parts) {
  for (size_t i = 1; i < parts->count; i++)
    if (!form_same(parts->data[0], parts->data[i]))
      return false;
  return true;
}

/* A part that is 0 is the smallest, whatever the others are. Returns the rank among the rest, 0
 * when the 0 itself is meant. */
static size_t drop_zeros(form_vector *parts, size_t rank) {
  for (size_t i = 0; i < parts->count && rank != 0;) {
    if (parts->data[i]->count == 0 && rational_sign(parts->data[i]->constant) == 0) {
      parts->data[i] = parts->data[--parts->count];
      rank--;
    } else {
      i++;
    }
  }
  return rank;
}

static const struct form *kth_inside(struct form_table *table, form_vector *parts, size_t rank) {
  rank = drop_zeros(parts, rank);
  if (rank == 0)
    return form_sum(table, &table->zero, NULL, 0);
  if (all_same(parts))
    return parts->data[0];
  if (rank == 1)
    return form_min(table, parts->data, parts->count);
  if (rank == parts->count)
    return form_max(table, parts->data, parts->count);
  const struct rational *factor = take_factor(table, parts);
  qsort(parts->data, parts->count, sizeof *parts->data, form_compare);
  struct atom *atom = form_combined_atom(table, ATOM_KTH, rank, parts->data, parts->count);
  return form_times(table, form_single(table, atom), factor);
}

const struct form *form_kth(struct form_table *table, const struct form **parts, size_t count,
                            size_t rank) {
  form_vector list = {0};
  for (size_t i = 0; i < count; i++)
    vector_push(&list, parts[i]);
  const struct form *outside = take_common(table, &list);
  const struct form *form = form_plus(table, outside, kth_inside(table, &list, rank));
  vector_clear(&list);
  return form;
}
