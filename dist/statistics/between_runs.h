/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What observations of several runs are worth, from how the runs differ: the only honest measure
 * of what one run cannot show, such as a level that wanders more slowly than a run lasts, another
 * start of the machine, another hour.
 *
 * Runs are taken as independent draws of one law of runs; within a run anything may depend on
 * anything. The share of all observations beyond a threshold is a ratio of two sums over runs, and
 * its variance is estimated by linearisation from the runs' own shares (Cochran, Sampling
 * Techniques, 1977, 6.4). By how much it exceeds that of independent draws, and by how much
 * Student's t with one degree of freedom less than there are runs exceeds the normal law at 1/200,
 * is what the number of observations is divided by (Korn and Graubard, Survey Methodology 24,
 * 1998). So two runs show nothing, three little, and ten cost a quarter in width.
 *
 * Upper and lower limits have their own: a limit has to be right if the truth is where the limit
 * is, so thresholds towards it are looked at as well. Of a threshold that fewer than 8 observations
 * exceed, or do not, nothing is seen: it has what the nearest has that tells.
 */
#ifndef DIST_STATISTICS_BETWEEN_RUNS_H
#define DIST_STATISTICS_BETWEEN_RUNS_H

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "base/order.h"
#include "dist/source/sample.h"

enum { BETWEEN_RUNS_LEAST = 2 };

/* Sets `all`, which is initialised, to what `count` runs observed together, at least
 * BETWEEN_RUNS_LEAST of them, each finished and not empty; its order is what that is worth. Where
 * the runs drift, one after the other in the order in which they are given (few.h, serial.h; from 8
 * on), it is not settled. false, with one line in `message`, where the observations are too many, or
 * a file is given twice; `all` is to be cleared in any case. */
bool between_runs(struct sample *all, const struct sample *runs, size_t count,
                  struct text *message);

/* The same of a sample whose observations are those of `count` runs, one after the other in its
 * series, at least BETWEEN_RUNS_LEAST of them; ends[i] is the place behind the last of run i. The
 * series stays. Nothing is known without one. */
void between_stretches(struct sample *all, const size_t *ends, size_t count);

/* What `then` runs such as these `count` would be worth, were they to differ as these do; `all` is
 * what these observed together. then >= BETWEEN_RUNS_LEAST. */
void between_runs_predict(struct source_order *order, const struct sample *all,
                          const struct sample *runs, size_t count, size_t then);

/* The same of the windows of one run, a sequence whose counts may depend on those before
 * (sample_windows): what all are worth, with the variance of the shares of a stationary series
 * (serial_of_means). A level beyond which there are few clusters is not settled. false, with *order
 * unchanged, where there are not enough windows or observations to tell. */
bool between_windows(struct source_order *order, const struct sample *all);

#endif
