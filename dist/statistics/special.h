/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Special functions in floating point: guesses, never promises. The only file that knows GSL.
 */
#ifndef DIST_STATISTICS_SPECIAL_H
#define DIST_STATISTICS_SPECIAL_H

/* The x with P(Beta(a, b) > x) = tail, for a, b > 0 and 0 < tail < 1. */
double special_beta_quantile_above(double tail, double a, double b);

/* The x with P(Beta(a, b) <= x) = tail, for a, b > 0 and 0 < tail < 1. */
double special_beta_quantile_below(double tail, double a, double b);

/* The x with P(Student's t with that many degrees of freedom > x) = tail, for freedom > 0 and
 * 0 < tail < 1. */
double special_student_quantile_above(double tail, double freedom);

#endif
