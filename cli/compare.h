/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bound's law held against end-to-end observations.
 */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "dist/sample.h"
#include "dist/survival.h"

/* Whether the law dominates the empirical law of the sample everywhere. If not, *share gets the
 * first place, as a share of the observations (0 .. 1), from which on an observed quantile exceeds
 * the law's, and *observed_ns that observation. */
bool compare_curve(const struct survival *law, const struct sample *sample, struct rational *share,
                   uint64_t *observed_ns);

#endif
