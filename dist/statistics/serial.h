/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a series of observations that depend on their neighbours is worth. Of 7404 commits of a
 * database whose slow stretches take hundreds of commits, p50 is known about as well as from 100
 * independent ones, and an upper limit of p99 as from 825. Bands and limits of independent draws
 * are then taken of that smaller number.
 *
 * The series is taken to be stationary: it may have memory, but its law does not move. What is
 * estimated is the variance of a share of the observations, against that of independent ones, from
 * the lowest frequencies (spectrum.h), upper and lower tail looked at by themselves:
 *
 *   tests      lag-1 correlation of ranks (Wald and Wolfowitz 1943), low frequencies of ranks and
 *              of the threshold asked for, and how many of the most extreme 8, 16, 32, ... are
 *              neighbours (Poisson). Independent draws fail one of them less than once in 1000
 *              series, and are then worth less than they are; else they are worth what they are.
 *   inflation  spectrum_inflation_safe of whether an observation exceeds the threshold; of fewer
 *              than 60 exceedances it also counts what a lower threshold with 60 says. A limit has
 *              to be right if the truth is where the limit is, and there the variance may be
 *              another: so thresholds between are looked at as well, on the side of the limit.
 *   bursts     where a tail beyond the threshold consists of few clusters, their number is known
 *              only as a Poisson count is: the inflation leaves room for its upper limit. Where the
 *              limit is there are more of them, so the variance is greater there, by as much.
 *   settled    not, if the mean rank or the threshold drifts (1/1000 of stationary series seem to),
 *              if the series is worth fewer than 40 independent observations, or if bursts of
 *              which there are fewer than 5 matter to the threshold.
 *   copies     where each value stands there k times, or a multiple of that, the rows are there k
 *              times, and are worth n / k at most.
 *   wanders    the ordinates of the ranks, or of the threshold, rise towards the lowest. No test of
 *              one series sees all that wanders more slowly than it lasts.
 *
 * Limits made with it hold asymptotically. Tests show their coverage on series with short and long
 * memory, regimes and stalls (tests/unit/dist/t-serial.c); nothing proves it. What a series has not
 * shown, a stall of which there was none, it cannot say.
 */
#ifndef DIST_STATISTICS_SERIAL_H
#define DIST_STATISTICS_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SERIAL_LEAST = 64
}; /* observations to be judged as above; of fewer, few.h says whether they
                             * may be independent, and if not, they are not settled */

struct serial {
  bool known;       /* the order is known and long enough to judge; false: inflation is 1, and
                     * nothing was tested */
  bool dependent;   /* a test shows that neighbours depend */
  bool settled;     /* false: drift, or dependence that lasts too long for a series of this length:
                     * no number can be promised, so no verdict may rest on these observations. True
                     * where nothing was tested */
  bool drifts;      /* it is not settled because its level moves, and not (only) because what
                     * depends lasts too long, or comes in too few bursts */
  bool wanders;     /* its level may move by what is slower than the series lasts (spectrum_rises):
                     * limits are of this run, and promise nothing of another */
  double inflation; /* >= 1: n observations are worth n / inflation independent ones. 1 unless
                     * dependent */
  double inflation_upper, inflation_lower; /* of serial_at: enough for an upper limit alone, and for
                                            * a lower one; inflation is the greater */
};

/* Of whether the values exceed the sample's own quantile at `share`, 0 < share < 1: for limits of
 * that quantile. `series` holds the values in the order they were made. About n log n steps, and as
 * long as 10^7 multiplications. */
struct serial serial_at(const uint64_t *series, size_t count, double share);

/* Of the whole law: the worst over the mean rank and over thresholds in body and tails that are
 * exceeded, and not exceeded, by at least 60: for bands that hold at all points. Settled if the
 * deciles and quartiles are: of the tails, bands for so few say little. */
struct serial serial_overall(const uint64_t *series, size_t count);

/* A series that is judged once, for many questions; it may go afterwards. NULL when there are fewer
 * than FEW_LEAST: the answers to NULL are those of an order that is not known. Owned. */
struct serial_series;
struct serial_series *serial_series_new(const uint64_t *series, size_t count);
void serial_series_free(struct serial_series *series);
struct serial serial_series_at(struct serial_series *series, double share);
struct serial serial_series_overall(struct serial_series *series);

/* Of the mean of any sequence of finite numbers, e.g. of products of ranks (for tests of
 * correlation). Large outliers hide dependence. */
struct serial serial_of(const double *values, size_t count);

/* Of numbers each of which is of many neighbours, so that few of them, 16 at least, tell: no test
 * asks first whether they depend on each other, which it would see too seldom. */
struct serial serial_of_means(const double *values, size_t count);

/* Of independent draws, or of observations whose order is not known. */
struct serial serial_independent(void);

/* floor(real / inflation), 1 to real; real >= 1. */
uint64_t serial_worth(const struct serial *serial, uint64_t real);

/* The same for an upper limit alone, and for a lower one. */
uint64_t serial_worth_upper(const struct serial *serial, uint64_t real);
uint64_t serial_worth_lower(const struct serial *serial, uint64_t real);

#endif
