/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Special functions in floating point: guesses, never promises. The only file that knows GSL.
 */
#ifndef DIST_STATISTICS_SPECIAL_H
#define DIST_STATISTICS_SPECIAL_H

#include <stddef.h>
#include <stdint.h>

/* P(Beta(a, b) > x) and P(Beta(a, b) < x) for 0 <= x <= 1. */
double special_beta_above(double x, double a, double b);
double special_beta_below(double x, double a, double b);

/* The x with P(Beta(a, b) > x) = tail, for a, b > 0 and 0 < tail < 1. */
double special_beta_quantile_above(double tail, double a, double b);

/* The x with P(Beta(a, b) <= x) = tail, for a, b > 0 and 0 < tail < 1. */
double special_beta_quantile_below(double tail, double a, double b);

/* The x with P(Student's t with that many degrees of freedom > x) = tail, for freedom > 0 and
 * 0 < tail < 1. */
double special_student_quantile_above(double tail, double freedom);

/* P(Student's t with that many degrees of freedom > x), for freedom > 0. */
double special_student_above(double x, double freedom);

/* P(chi-square with that many degrees of freedom > x), for freedom > 0. */
double special_chi_square_above(double x, double freedom);

/* P(Poisson(mean) >= count), for mean > 0. */
double special_poisson_from(size_t count, double mean);

/* The mean at which P(Poisson(mean) <= count) = tail, for count >= 0 (the gamma law between whole
 * numbers) and 0 < tail < 1. */
double special_poisson_upper(double tail, double count);

/* P(Binomial(n, p) <= k), and P(Binomial(n, p) >= k). */
double special_binomial_to(uint64_t k, double p, uint64_t n);
double special_binomial_from(uint64_t k, double p, uint64_t n);

/* P(at least k of `draws` without replacement are marked), `marked` of marked + plain being so, and
 * draws <= marked + plain: the one-sided exact test of Fisher. */
double special_hypergeometric_from(uint64_t k, uint64_t marked, uint64_t plain, uint64_t draws);

#endif
