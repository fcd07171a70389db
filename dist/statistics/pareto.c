/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/pareto.h"

#include <math.h>

enum { STEPS = 45 };
static const double shape_least = -0.5, shape_most = 1;

static int is_exponential(double shape) {
  return fabs(shape) < 1e-7;
}

double pareto_tail(struct pareto law, double y) {
  if (is_exponential(law.shape))
    return exp(-y / law.scale);
  double base = 1 + law.shape * y / law.scale;
  return base <= 0 ? 0 : exp(-log(base) / law.shape);
}

double pareto_log_likelihood(struct pareto law, const struct excess_group *groups, size_t count) {
  double sum = 0, total = 0;
  for (size_t i = 0; i < count; i++) {
    double y = groups[i].value / law.scale;
    if (1 + law.shape * y <= 0)
      return -INFINITY;
    sum += groups[i].count *
           (is_exponential(law.shape) ? y : (1 + 1 / law.shape) * log1p(law.shape * y));
    total += groups[i].count;
  }
  return -total * log(law.scale) - sum;
}

static double mean_of(const struct excess_group *groups, size_t count) {
  double sum = 0, total = 0;
  for (size_t i = 0; i < count; i++) {
    sum += groups[i].count * groups[i].value;
    total += groups[i].count;
  }
  return sum / total;
}

/* The derivative of the log likelihood in the scale has the sign of this: the mean of
 * (1 + shape) y / (scale + shape y), less 1. */
static double slope(double shape, double scale, const struct excess_group *groups, size_t count) {
  double sum = 0, total = 0;
  for (size_t i = 0; i < count; i++) {
    double y = groups[i].value;
    sum += groups[i].count * (1 + shape) * y / (scale + shape * y);
    total += groups[i].count;
  }
  return sum / total - 1;
}

double pareto_scale(double shape, const struct excess_group *groups, size_t count) {
  double end = shape < 0 ? -shape * groups[count - 1].value : 0;
  double low = end, high = end + mean_of(groups, count);
  for (int i = 0; i < 200 && slope(shape, high, groups, count) > 0; i++) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < STEPS; i++) {
    double middle = low + (high - low) / 2;
    if (slope(shape, middle, groups, count) > 0)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static double best_at(double shape, const struct excess_group *groups, size_t count) {
  struct pareto law = {shape, pareto_scale(shape, groups, count)};
  return pareto_log_likelihood(law, groups, count);
}

struct pareto pareto_fit(const struct excess_group *groups, size_t count) {
  enum { PLACES = 24 };
  double step = (shape_most - shape_least) / PLACES, best = -INFINITY, at = 0;
  for (int i = 0; i <= PLACES; i++) {
    double shape = shape_least + i * step, value = best_at(shape, groups, count);
    if (value > best) {
      best = value;
      at = shape;
    }
  }
  double low = fmax(at - step, shape_least), high = fmin(at + step, shape_most);
  for (int i = 0; i < 24; i++) {
    double third = (high - low) / 3;
    if (best_at(low + third, groups, count) < best_at(high - third, groups, count))
      low += third;
    else
      high -= third;
  }
  double shape = low + (high - low) / 2;
  return (struct pareto){shape, pareto_scale(shape, groups, count)};
}

double pareto_shape_limit(struct pareto fit, int direction, double level,
                          const struct excess_group *groups, size_t count) {
  double inside = fit.shape, outside = direction > 0 ? shape_most : shape_least;
  if (best_at(outside, groups, count) >= level)
    return outside;
  for (int i = 0; i < 24; i++) {
    double middle = inside + (outside - inside) / 2;
    if (best_at(middle, groups, count) >= level)
      inside = middle;
    else
      outside = middle;
  }
  return outside;
}

double pareto_scale_limit(double shape, double level, const struct excess_group *groups,
                          size_t count) {
  double inside = pareto_scale(shape, groups, count), outside = 2 * inside;
  for (int i = 0; i < 200; i++) {
    if (pareto_log_likelihood((struct pareto){shape, outside}, groups, count) < level)
      break;
    inside = outside;
    outside *= 2;
  }
  for (int i = 0; i < STEPS; i++) {
    double middle = inside + (outside - inside) / 2;
    if (pareto_log_likelihood((struct pareto){shape, middle}, groups, count) >= level)
      inside = middle;
    else
      outside = middle;
  }
  return outside;
}
