/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much larger a value is in slow requests, on average. The interval is that of Welch
 * (Biometrika 34, 1947), widened where the values are skewed to hold that of Hall's transformation,
 * too (Annals of Statistics 20, 1992). It takes requests for independent, or, where the
 * split has clusters, clusters (Liang and Zeger, Biometrika 73, 1986). With 20 slow requests of
 * an exponential law it holds the truth as often as it says; of laws with longer tails, less often.
 */
#ifndef TRACE_TAIL_DIFFERENCE_H
#define TRACE_TAIL_DIFFERENCE_H

#include "trace/tail/causes.h"
#include "trace/tail/split.h"

struct tail_difference {
  double slow, rest;              /* means, in ns */
  double difference, least, most; /* with fewer than two on a side the interval is infinite */
};

/* Of values by request, at confidence 1 - level; there are requests on both sides. */
struct tail_difference tail_difference_of(const int64_t *values, const struct tail_split *split,
                                          double level);

#endif
