/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the windows of an experiment say.
 *
 * The throughput of one window scatters by a standard deviation that is taken to be the same share
 * of it everywhere: it is pooled over all cells (sum of squared differences to each cell's own
 * mean, over the number of windows less the number of cells), since two or three windows of one
 * cell tell little alone; where that is less than what the parts within the windows scatter by, the
 * latter counts. The interval of a cell's throughput follows with Student's t. It is carried over
 * to the prediction end by end, n / (W (1 +- h) - paused - n * saved)
 * (measure/throughput/experiment/window_judge.h), so that the amplification of the error is part of
 * it. All windows of a cell are taken as one (sum of requests, sum of times), which predict_window
 * judges: what is not clearly positive is refused.
 *
 * To the interval of a prediction comes by what the method itself is wrong (DOUBT_METHOD), and by
 * what the time is whose share is saved, which windows without a change have said that scatter, too:
 * an error e of it is one of e * D / (T - D), for D saved of the T that a request took. What
 * contradicts a prediction, and what is left of it then: measure/throughput/experiment/doubt.h.
 *
 * A curve cannot fall when more time is saved: raw predictions of a target, with rounds without
 * pauses as its beginning, are made monotone by predict_isotonic, and so are the ends; but not two ends
 * near each other that stand for a number, which hold as they are.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_ESTIMATE_H
#define MEASURE_THROUGHPUT_EXPERIMENT_ESTIMATE_H

#include "measure/throughput/experiment/experiment.h"

/* Fills the estimates of all cells, and the experiment's noise. */
void estimate_all(struct experiment *experiment);

/* Whether it was asked about changes and can predict none of them. */
bool estimate_says_nothing(const struct experiment *experiment);

/* The prediction of one window alone, without its noise; false when it is refused. */
bool estimate_window(double *predicted, const struct window *window);

/* One target, and how much it gains at best: of its levels, which are the same for all targets, the
 * one whose lower end of the gain is largest. */
struct rank {
  uint32_t target;
  const struct cell *best; /* NULL: whether it gains cannot be told */
  bool gains;              /* its lower end is above 0 */
  bool bounded;            /* `most` is there */
  double each, each_low;   /* requests/s for each us that a user request takes less of its time */
  double most;             /* the largest upper end of the gain */
};

/* Best first; how many. */
size_t estimate_ranks(struct rank ranks[PLAN_SERVICES], const struct experiment *experiment);

/* Targets of which none gains alone, and for each of which requests wait at times: two or more that
 * limit at the same throughput do so. How many; 0: there are none. */
size_t estimate_together(uint32_t targets[PLAN_SERVICES], const struct experiment *experiment);

#endif
