/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builder of forms (form.h), for the files that make them.
 */
#ifndef DIST_EVALUATE_FORM_MAKE_H
#define DIST_EVALUATE_FORM_MAKE_H

#include "dist/evaluate/form.h"

typedef VECTOR(struct addend) addend_vector;
typedef VECTOR(const struct form *) form_vector;

/* Exact results that live as long as the table. */
const struct rational *form_rational_sum(struct form_table *table, const struct rational *x,
                                         const struct rational *y);
const struct rational *form_rational_product(struct form_table *table, const struct rational *x,
                                             const struct rational *y);
const struct rational *form_rational_difference(struct form_table *table, const struct rational *x,
                                                const struct rational *y);
const struct rational *form_rational_quotient(struct form_table *table, const struct rational *x,
                                              const struct rational *y); /* y != 0 */

const struct rational *form_rational_integer(struct form_table *table, int64_t n);

struct atom *form_occurrence_atom(struct form_table *table, const struct occurrence *occurrence);
struct atom *form_bare_atom(struct form_table *table, const char *component);

/* The one atom with these parts, which are sorted by form_compare; for redrawn ones a new one. */
struct atom *form_combined_atom(struct form_table *table, enum atom_kind kind, size_t rank,
                                const struct form *const *parts, size_t count);

const struct form *form_single(struct form_table *table, struct atom *atom);

/* form + other, factor * form, form - other: each addend of `other` is one of `form`'s with the
 * same coefficient. */
const struct form *form_plus(struct form_table *table, const struct form *form,
                             const struct form *other);
const struct form *form_times(struct form_table *table, const struct form *form,
                              const struct rational *factor);
const struct form *form_without(struct form_table *table, const struct form *form,
                                const struct form *other);

/* NULL when the form does not add the atom. */
const struct rational *form_coefficient(const struct form *form, const struct atom *atom);

bool form_same(const struct form *a, const struct form *b); /* redrawn ones never are */
int form_compare(const void *left, const void *right);      /* of const struct form *: by hash */

/* Whether a <= b whatever the values; false may also mean that it was not seen. */
bool form_is_below(struct form_table *table, const struct form *a, const struct form *b);

/* Of the parts of a maximum (minimum): drops those that another one is never below (above). */
void form_drop_needless(struct form_table *table, form_vector *parts, bool is_max);

/* Takes what several parts of a maximum or minimum add out of those parts, until no two parts add
 * the same. */
void form_factor_some(struct form_table *table, form_vector *parts, bool is_max);

#endif
