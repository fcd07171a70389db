/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of rows (row.h) as observations of a sample.
 */
#ifndef DIST_DRAW_OBSERVED_H
#define DIST_DRAW_OBSERVED_H

#include "dist/evaluate/row.h"
#include "dist/source/sample.h"

/* Adds one observation, also to the series. What is absent may have taken any time; what certainly
 * never ended is beyond. */
void observed_add(struct sample *sample, struct row_value value);

#endif
