/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pairs of measurements of two alternatives, looked at several times while they come in: is one of
 * them better, and by how much?
 *
 * Within a pair the order is drawn, so that, if the alternatives differ by a constant, their
 * difference is as likely to be above it as below by the same amount. Then the signed ranks of
 * Wilcoxon (Biometrics Bulletin 1, 1945) have a law that is known exactly, whatever the law of the
 * measurements, and the Walsh averages (x_i + x_j) / 2, i <= j, in order, hold the constant between
 * the one of rank outside + 1 from below and the one from above (Hodges and Lehmann, Annals of
 * Mathematical Statistics 34, 1963).
 *
 * The looks are planned before, and what may go wrong is divided among them in proportion to the
 * pairs there are by then (alpha spending; Lan and DeMets, Biometrika 70, 1983); what a look cannot
 * use, as ranks are whole numbers, the next one may. So with chance at least 1 - alpha the
 * intervals of all looks hold the constant, whenever one stops and for whatever reason.
 */
#ifndef DIST_STATISTICS_PAIRED_H
#define DIST_STATISTICS_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

enum { PAIRED_LOOKS_MAX = 32, PAIRED_MAX = 500 };

struct paired_look {
  size_t pairs;   /* when to look */
  size_t outside; /* Walsh averages left out at each end */
  bool possible;  /* whether anything can be said with so many */
};

struct paired_plan {
  struct paired_look looks[PAIRED_LOOKS_MAX];
  size_t count;
};

/* Looks at `first` pairs and then about every `step`, the last one at `most`; 1 <= first <= most <=
 * PAIRED_MAX, at most PAIRED_LOOKS_MAX looks, 0 < alpha < 1 of both sides together. */
void paired_plan_make(struct paired_plan *plan, size_t first, size_t step, size_t most,
                      double alpha);

struct paired_interval {
  double least, value, most; /* value: the median of the Walsh averages */
};

/* The differences of a look's pairs, finite; count >= 1. Where nothing can be said least and most
 * are infinite. */
struct paired_interval paired_interval(const double *differences, size_t count,
                                       const struct paired_look *look);

#endif
