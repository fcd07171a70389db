/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model of what lies beyond the largest observation: a generalised Pareto tail, peaks over a
 * threshold (Balkema and de Haan 1974, Pickands 1975). It is an extrapolation. Nothing proves it,
 * and every percentile that depends on it must say so.
 *
 *   threshold
 *     the greatest edge with at least min(n / 10, n^(2/3), 4000) observations above it
 *   fit
 *     maximum likelihood, the scale profiled out (pareto.h), with the shape kept at -1/2 or above,
 *     where maximum likelihood is regular
 *   inflation
 *     the chance of exceeding the threshold is a certified bound at alpha / 2. At each point the
 *     tail is the largest of all pairs of shape and scale whose log likelihood is within
 *     -ln(alpha / 2) of the best: the joint likelihood region (half the chi-square quantile with
 *     two degrees of freedom), which is asymptotic, not exact
 *   data first
 *     the modelled tail is raised by one factor until it lies above the certified band wherever
 *     there are observations. Up to the largest of these the band stays; beyond it the smaller of
 *     band and model counts
 */
#ifndef DIST_STATISTICS_TAIL_MODEL_H
#define DIST_STATISTICS_TAIL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "dist/source/sample.h"
#include "dist/survival/survival.h"

enum { TAIL_MODEL_LEAST = 50 }; /* exceedances */

struct tail_model {
  uint64_t threshold_ns, largest_ns; /* the largest observation */
  uint64_t exceedances;
  double shape, scale_ns; /* the best fit */
  double shape_most;      /* the largest shape in the likelihood region, below 1 */
  double factor;          /* by which the inflated tail was raised to lie above the band, >= 1 */
  uint64_t tail;          /* quantiles at a tail below this one depend on the model */
};

/* Replaces what the band says beyond the largest observation. *s is an upper band of this sample
 * (confidence.h), 0 < alpha < 10^18 is the model's own. False when no tail can be fitted: *s is as
 * before and `text` gets why and the remedy. True: `text` gets one sentence for the ledger, which
 * starts with "model-based, not proved". `path` names the sample in both.
 *
 * Whether a percentile of a bound depends on models: evaluate it with and without them; it does
 * where the two differ. */
bool tail_model_apply(struct survival *s, struct tail_model *model, const struct sample *sample,
                      uint64_t alpha, const char *path, struct text *text);

#endif
