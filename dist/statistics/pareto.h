/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The generalised Pareto law with shape xi and scale s > 0: P(Y > y) = (1 + xi y / s)^(-1 / xi),
 * exp(-y / s) for xi = 0, and 0 where the base is not positive. Fits in floating point.
 */
#ifndef DIST_STATISTICS_PARETO_H
#define DIST_STATISTICS_PARETO_H

#include <stddef.h>

struct excess_group {
  double value; /* >= 0, increasing */
  double count;
};

struct pareto {
  double shape, scale;
};

double pareto_tail(struct pareto law, double y);

/* The most likely scale for this shape >= -1/2: the root of an equation that falls in the scale.
 * The values are not all 0. */
double pareto_scale(double shape, const struct excess_group *groups, size_t count);

double pareto_log_likelihood(struct pareto law, const struct excess_group *groups, size_t count);

/* The most likely law with a shape from -1/2, where maximum likelihood is regular, to 1. */
struct pareto pareto_fit(const struct excess_group *groups, size_t count);

/* The greatest (direction 1) or least (-1) shape from -1/2 to 1 whose best log likelihood is at
 * least `level`, on that side of `fit`; 1 or -1/2 when all are. */
double pareto_shape_limit(struct pareto fit, int direction, double level,
                          const struct excess_group *groups, size_t count);

/* The greatest scale of this shape with a log likelihood of at least `level`. */
double pareto_scale_limit(double shape, double level, const struct excess_group *groups,
                          size_t count);

#endif
