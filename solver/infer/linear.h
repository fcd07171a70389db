/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * INT terms as sums: constant + coefficient * atom + ..., where an atom is whatever is no + or -.
 * The position of a first or last node is a number. Atoms with coefficient 0 are left out.
 */
#ifndef SOLVER_INFER_LINEAR_H
#define SOLVER_INFER_LINEAR_H

#include "solver/infer/term.h"

struct linear_part {
  const struct term *atom;
  int64_t coefficient;
};

struct linear {
  int64_t constant;
  VECTOR(struct linear_part) parts; /* owned */
};

void linear_of(struct linear *sum, struct term_maker *m, const struct term *t);
void linear_clear(struct linear *sum);

/* sum += factor * t */
void linear_add(struct linear *sum, struct term_maker *m, const struct term *t, int64_t factor);
int64_t linear_coefficient(const struct linear *sum, const struct term *atom);
/* Sets the coefficient of the atom to 0. */
void linear_remove(struct linear *sum, const struct term *atom);

/* As a term: atoms first, then the constant. */
const struct term *linear_term(struct term_maker *m, const struct linear *sum);

/* a + constant, simplified; whether a - b is a known number. */
const struct term *integer_plus(struct term_maker *m, const struct term *a, int64_t constant);
bool integer_difference(struct term_maker *m, const struct term *a, const struct term *b,
                        int64_t *difference);

/* The term with every INT part in it simplified. */
const struct term *integer_tidy(struct term_maker *m, const struct term *t);

#endif
