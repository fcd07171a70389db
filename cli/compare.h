/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bound's law held against end-to-end observations.
 */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "dist/sample.h"
#include "dist/survival.h"

/* Whether each observed quantile, at 1/N, 2/N, ... for N observations, is at most the law's. If not,
 * *share gets the first place i/N where it is not, and *observed_ns that observation. */
bool compare_curve(const struct survival *law, const struct sample *sample, struct rational *share,
                   uint64_t *observed_ns);

#endif
