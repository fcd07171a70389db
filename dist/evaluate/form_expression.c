/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a ground expression to its form, and a form with an occurrence replaced (form.h).
 */
#include <string.h>

#include "base/hash.h"
#include "dist/evaluate/form.h"
#include "dist/evaluate/form_make.h"

static const struct form *form_of_node(struct form_table *table, const struct expression *e);

static const struct form *form_of_add(struct form_table *table, const struct expression *e) {
  addend_vector addends = {0};
  const struct rational *constant = &table->zero;
  for (size_t i = 0; i < e->count; i++) {
    const struct form *part = form_of_node(table, e->parts[i]);
    constant = form_rational_sum(table, constant, part->constant);
    for (size_t j = 0; j < part->count; j++)
      vector_push(&addends, part->addends[j]);
  }
  const struct form *form = form_sum(table, constant, addends.data, addends.count);
  vector_clear(&addends);
  return form;
}

static const struct form *form_of_parts(struct form_table *table, const struct expression *e) {
  form_vector parts = {0};
  for (size_t i = 0; i < e->count; i++)
    vector_push(&parts, form_of_node(table, e->parts[i]));
  const struct form *form = e->kind == EXPRESSION_MAX ? form_max(table, parts.data, parts.count)
                            : e->kind == EXPRESSION_MIN
                                ? form_min(table, parts.data, parts.count)
                                : form_kth(table, parts.data, parts.count, (size_t)e->rank);
  vector_clear(&parts);
  return form;
}

static const struct form *combine(struct form_table *table, const struct expression *e) {
  if (e->kind == EXPRESSION_ADD)
    return form_of_add(table, e);
  if (e->kind == EXPRESSION_SCALE)
    return form_times(table, form_of_node(table, e->parts[0]), &e->value);
  return form_of_parts(table, e);
}

static const struct form *form_of_node(struct form_table *table, const struct expression *e) {
  if (e->kind == EXPRESSION_CONSTANT)
    return form_sum(table, &e->value, NULL, 0);
  if (e->kind == EXPRESSION_OCCURRENCE)
    return form_single(table, form_occurrence_atom(table, e->occurrence));
  if (e->kind == EXPRESSION_BARE)
    return form_single(table, form_bare_atom(table, e->component));
  uint64_t hash = hash_address(e);
  for (struct index_look look = index_look(&table->known_index, hash); index_next(&look);)
    if (table->known.data[look.row].node == e)
      return table->known.data[look.row].form;
  const struct form *form = combine(table, e);
  index_add(&table->known_index, hash, (uint32_t)table->known.count);
  vector_push(&table->known, (struct known_form){e, form});
  return form;
}

const struct form *form_of(struct form_table *table, const struct expression *expression) {
  return form_of_node(table, expression);
}

struct form_replacement {
  const struct occurrence *occurrence;
  const struct rational *value;
  const struct form **done; /* by atom id: what it becomes */
};

static bool has_occurrence(const struct atom *atom, const struct occurrence *occurrence) {
  for (size_t i = 0; i < atom->id_count; i++)
    if (atom->occurrences[i] == occurrence)
      return true;
  return false;
}

static const struct form *replace(struct form_table *table, const struct form *form,
                                  const struct form_replacement *r);

static const struct form *replace_atom(struct form_table *table, struct atom *atom,
                                       const struct form_replacement *r) {
  if (r->done[atom->id] != NULL)
    return r->done[atom->id];
  const struct form *result;
  if (!has_occurrence(atom, r->occurrence)) {
    result = form_single(table, atom);
  } else if (atom->kind == ATOM_OCCURRENCE) {
    result = form_sum(table, r->value, NULL, 0);
  } else {
    form_vector parts = {0};
    for (size_t i = 0; i < atom->part_count; i++)
      vector_push(&parts, replace(table, atom->parts[i], r));
    result = atom->kind == ATOM_MAX   ? form_max(table, parts.data, parts.count)
             : atom->kind == ATOM_MIN ? form_min(table, parts.data, parts.count)
                                      : form_kth(table, parts.data, parts.count, atom->rank);
    vector_clear(&parts);
  }
  r->done[atom->id] = result;
  return result;
}

static const struct form *replace(struct form_table *table, const struct form *form,
                                  const struct form_replacement *r) {
  addend_vector addends = {0};
  const struct rational *constant = form->constant;
  for (size_t i = 0; i < form->count; i++) {
    const struct rational *coefficient = form->addends[i].coefficient;
    const struct form *part = replace_atom(table, form->addends[i].atom, r);
    constant = form_rational_sum(table, constant,
                                 form_rational_product(table, part->constant, coefficient));
    for (size_t j = 0; j < part->count; j++)
      vector_push(&addends, (struct addend){form_rational_product(
                                                table, part->addends[j].coefficient, coefficient),
                                            part->addends[j].atom});
  }
  const struct form *result = form_sum(table, constant, addends.data, addends.count);
  vector_clear(&addends);
  return result;
}

const struct form *form_with(struct form_table *table, const struct form *form,
                             const struct occurrence *occurrence, const struct rational *value) {
  struct form_replacement r = {occurrence, value, mem_alloc(table->atoms.count, sizeof *r.done)};
  const struct form *result = replace(table, form, &r);
  mem_free(r.done);
  return result;
}
