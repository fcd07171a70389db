/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Limits of all percentiles of one series that do not contradict each other: no upper limit is
 * above that of a higher percentile, no lower one below that of a lower percentile.
 *
 * What a series is worth differs by percentile (serial.h), so that p90 may be known from 40
 * independent draws and p95 from 200. But p90 <= p95, so p90 is at most the upper limit of p95,
 * too: the upper limit of a percentile is the least of its own and of those of the levels above it,
 * its lower one the greatest of its own and of those below. The levels are a fixed list
 * (base/order.h), so an answer does not depend on what else is asked. Between two levels a
 * series is worth what it is worth at the level where that is less.
 *
 * The chance of error is not shared between levels. The limit of level s is too low for p <= s only
 * if the share of the series that is not below p's quantile is at most a critical share, which
 * follows from alpha and from what the series is worth at s. These events are about one and the
 * same share, so they are nested, and the least limit errs exactly when the one with the greatest
 * critical share does. Whichever that is, it then errs about its own level as well: with chance at
 * most alpha. That takes for given, as each limit of a dependent series does, that it is worth what
 * it is found to be worth at that level (tests/unit/dist/t-levels.c measures what the estimate
 * costs).
 *
 * Where a level is not settled its limit shows nothing, and those of settled levels still do.
 */
#ifndef DIST_STATISTICS_LEVELS_H
#define DIST_STATISTICS_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/order.h"
#include "base/rational.h"
#include "dist/source/sample.h"
#include "dist/statistics/serial.h"

struct levels;

/* Whether the order of the observations is known, and they are enough, SERIAL_LEAST, for it to show
 * how they depend on each other; or they come from several runs, whose difference shows it. Of
 * fewer no test sees it: limits are those of independent draws, which has to be said. */
bool levels_tell(const struct sample *sample);

/* Of a sample that is finished: by its series, or by what its file says of the order it had; else,
 * and where the order means nothing, of independent draws. The sample may go afterwards. Owned. */
struct levels *levels_new(const struct sample *sample, bool exchangeable);
/* Of an order that is known, of so many observations. Owned. */
struct levels *levels_of_order(const struct source_order *order, uint64_t real);
void levels_free(struct levels *levels);

/* What the series is worth at a share, by itself, and for limits of the whole law. */
struct serial levels_at(struct levels *levels, const struct rational *share);
struct serial levels_overall(struct levels *levels);

/* A percentile lies between, each end with its chance of error. An end that is not settled promises
 * nothing. */
struct level_ends {
  bool upper_finite, upper_settled, lower_settled;
  uint64_t upper_ns, lower_ns; /* lower SAMPLE_NS_MAX: infinite */
};

/* `sample`, which is not empty, has the shares of the observations that were judged; `count` is how
 * many of them there are, sample->real, or another number for a prediction. alpha 0: the sample is
 * the whole truth. */
struct level_ends levels_ends(struct levels *levels, const struct sample *sample,
                              const struct rational *share, uint64_t count, uint64_t alpha);

/* What is to be kept of the order; false where it is not known. */
bool levels_order(struct source_order *order, struct levels *levels, uint64_t real);

/* The answer of a kept order. */
struct serial order_serial(const struct order_worth *worth, uint64_t real);

#endif
