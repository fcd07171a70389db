/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The variance of the mean of a stationary series, read off its lowest frequencies.
 *
 * The j-th ordinate is (2/n) (sum over i of x_i cos(pi j (i + 1/2) / n))^2 over the variance of one
 * x_i. As long as the memory of the series is short against n / j, ordinates are about independent,
 * each the long-run variance ratio times a chi-square variable with one degree of freedom; the mean
 * of B of them estimates that ratio, and makes Student's t with B degrees of freedom of the
 * studentised mean (Mueller, Journal of Econometrics 141, 2007; Lazarus, Lewis, Stock and Watson,
 * Journal of Business and Economic Statistics 36, 2018). That ratio is what n observations have to
 * be divided by.
 */
#ifndef DIST_STATISTICS_SPECTRUM_H
#define DIST_STATISTICS_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>

enum {
  SPECTRUM_MOST = 128,    /* ordinates */
  SPECTRUM_CELLS = 8192,  /* a longer series is summed in cells, which the lowest do not notice */
  SPECTRUM_NARROWEST = 8, /* ordinates that are averaged at least */
};

struct spectrum {
  size_t count; /* 0: no variance, or too short */
  double ordinates[SPECTRUM_MOST];
};

/* How many neighbours make a cell, and how many full cells n observations have; what remains behind
 * them is less than a cell and left out. */
size_t spectrum_cell_length(size_t n);
size_t spectrum_cell_count(size_t n);

/* From the sums of the cells, for a series of n with this variance. Cells that are 0 cost nothing.
 */
void spectrum_init(struct spectrum *spectrum, const double *cells, size_t n, double variance);

/* The same, with so many ordinates; at most n / 2 and SPECTRUM_MOST, as otherwise n / 8. */
void spectrum_init_up_to(struct spectrum *spectrum, const double *cells, size_t n, double variance,
                         size_t count);

/* The mean of the lowest `count`, of those there are; 1 when there are none. */
double spectrum_mean(const struct spectrum *spectrum, size_t count);

/* By what the variance of the mean exceeds that of independent values, on the safe side.
 * B is doubled, from 8 on, while the mean of B ordinates is not below that of fewer by more than
 * its standard error (the rule of Lepski, Theory of Probability and its Applications 35, 1990), and
 * the mean is widened as Student's t widens a normal limit at 1/200. Not below 1. */
double spectrum_inflation(const struct spectrum *spectrum);

/* The same; where the rule stops early, as memory is long against the series, the greater of it and
 * what half as many ordinates say. The rule notices that the mean has fallen only once it has. */
double spectrum_inflation_safe(const struct spectrum *spectrum);

/* What spectrum_inflation_safe widens, and how many ordinates it is the mean of: the degrees of
 * freedom of Student's t, for limits at any level. At least 1; *freedom is 0 when there are none.
 */
double spectrum_long_run(const struct spectrum *spectrum, size_t *freedom);

/* Whether independent values make ordinates as large as this with chance below `level`: by the sum
 * of the 8 lowest, and of the 64. */
bool spectrum_is_raised(const struct spectrum *spectrum, double level);

/* Whether the first ordinate stands out from the third to the twelfth: the mean moves from one end
 * to the other more than the dependence explains. With chance `level` when it does not. */
bool spectrum_drifts(const struct spectrum *spectrum, double level);

/* Whether the lowest `count` ordinates, of those there are, rise towards the first: what is slower
 * than the series lasts may then move its level as well, and by more than they say. It is the score
 * test of a rise as j^-0.8, that of fractional noise with H = 0.9, against none (Robinson, Journal
 * of the American Statistical Association 89, 1994): independent values seem to rise once in 100
 * series. So does a memory of more than n / count values, however short it is against n, which is
 * level further down and has an end there. So the lowest quarter has to rise too, by a score that
 * one series in seven has by chance, if it has 16 ordinates: noise without bounds rises there. */
bool spectrum_rises(const struct spectrum *spectrum, size_t count);

#endif
