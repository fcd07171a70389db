/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sample's bins in the order of their lower edges.
 */
#ifndef DIST_STATISTICS_EDGES_H
#define DIST_STATISTICS_EDGES_H

#include "dist/source/sample.h"

/* A copy of the bins, lower edges not decreasing; the caller frees it. */
struct sample_bin *edges_by_lower(const struct sample *sample);

#endif
