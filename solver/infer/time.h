/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Upper bounds of times while they are being derived: sums of addends in a normal form. A sum over
 * a range has one addend, whose index is the running variable itself; `sum k in 0..n (A[k] + B[k])`
 * is two sums. A single occurrence that continues a range is taken into its sum: `A[n + 1]` after
 * `sum k in 0..n (A[k])` makes that `sum k in 0..n + 1 (A[k])`. NULL stands for 0.
 *
 * A mistake here makes no wrong verdict: what is derived is proved afterwards.
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

/* sum v in its role (t), where t mentions v. */
const struct term *time_sum_role(struct term_maker *m, const struct variable *v,
                                 const struct term *t);

/* max v in its role (t): addends without v stay outside. */
const struct term *time_max_over(struct term_maker *m, const struct variable *v,
                                 const struct term *t);

/* The largest of several; common addends stay outside. */
const struct term *time_max(struct term_maker *m, const struct term *const *times, size_t count);

/* Whether a is seen to be at least b: every addend of b is an addend of a, or one of a's addends is
 * a maximum with a branch that has them. False shows nothing. */
bool time_covers(struct term_maker *m, const struct term *a, const struct term *b);

/* t without this addend; t itself when it has none such. */
const struct term *time_without(struct term_maker *m, const struct term *t,
                                const struct term *addend);

/* t with the bare name `C` for each occurrence `C[..]` that has `index` among its indices. */
const struct term *time_without_index(struct term_maker *m, const struct term *t,
                                      const struct term *index);

/* t as users write it. Sums over ranges of equal length become one, with shifted indices; an addend
 * that comes several times is multiplied. */
const struct term *time_written(struct term_maker *m, const struct term *t);

#endif
