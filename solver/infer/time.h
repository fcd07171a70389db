/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Upper bounds of times while they are being derived: sums of addends in a normal form, in which
 * sums over ranges have one addend each, indexed by the running variable itself, and have taken in
 * the single occurrences that continue them. NULL stands for 0. Nothing here needs to be right:
 * what is derived is proved afterwards.
 */
#ifndef SOLVER_INFER_TIME_H
#define SOLVER_INFER_TIME_H

#include "solver/infer/linear.h"

const struct term *time_plus(struct term_maker *m, const struct term *a, const struct term *b);

/* In normal form again, after something in it was replaced. */
const struct term *time_tidy(struct term_maker *m, const struct term *t);

/* sum k in low..high (t) */
const struct term *time_sum(struct term_maker *m, const struct variable *k, const struct term *low,
                            const struct term *high, const struct term *t);

/* max v in its role (t): addends without v stay outside. */
const struct term *time_max_over(struct term_maker *m, const struct variable *v,
                                 const struct term *t);

/* The largest of several; common addends stay outside. */
const struct term *time_max(struct term_maker *m, const struct term *const *times, size_t count);

/* Whether a is at least b as far as can be seen: every addend of b is one of a's, or they are among
 * what a takes a maximum of. */
bool time_covers(struct term_maker *m, const struct term *a, const struct term *b);

/* t without this addend; t itself when it has none such. */
const struct term *time_without(struct term_maker *m, const struct term *t,
                                const struct term *addend);

/* With the bare names of occurrences that have this in an index. */
const struct term *time_without_index(struct term_maker *m, const struct term *t,
                                      const struct term *index);

/* As users write it: sums over equally long ranges are one, with shifted indices, and what is added
 * several times is multiplied. */
const struct term *time_written(struct term_maker *m, const struct term *t);

#endif
