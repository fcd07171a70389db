/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/difference.h"

#include <math.h>

#include "dist/statistics/special.h"

/* Of the mean of one side. */
struct side_mean {
  double count, mean, variance; /* of the mean: an estimate */
  double third;                 /* the third central moment of the mean, too */
};

static struct side_mean mean_of(const int64_t *values, const struct tail_split *split,
                                enum tail_side side) {
  struct side_mean s = {0};
  double squares = 0, cubes = 0;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == side) {
      s.mean += (double)values[i];
      s.count++;
    }
  s.mean /= s.count;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == side) {
      double d = (double)values[i] - s.mean;
      squares += d * d;
      cubes += d * d * d;
    }
  if (s.count >= 2)
    s.variance = squares / (s.count - 1) / s.count;
  if (s.count >= 3)
    s.third = cubes / (s.count - 1) / (s.count - 2) / s.count;
  return s;
}

/* Hall's cubic transformation makes the studentised mean nearly symmetric; this is its inverse. */
static double skewed(double t, double skewness) {
  if (fabs(skewness) < 1e-6)
    return t;
  return 3 / skewness * (cbrt(1 + skewness * (t - skewness / 6)) - 1);
}

struct tail_difference tail_difference_of(const int64_t *values, const struct tail_split *split,
                                          double level) {
  struct side_mean slow = mean_of(values, split, TAIL_SLOW);
  struct side_mean rest = mean_of(values, split, TAIL_REST);
  struct tail_difference d = {slow.mean, rest.mean, slow.mean - rest.mean, -INFINITY, INFINITY};
  if (slow.count < 2 || rest.count < 2)
    return d;
  double variance = slow.variance + rest.variance, below = 0, t = 0, skewness = 0;
  below = slow.variance * slow.variance / (slow.count - 1) +
          rest.variance * rest.variance / (rest.count - 1);
  if (below > 0) {
    t = special_student_quantile_above(level / 2, variance * variance / below);
    skewness = (slow.third - rest.third) / (variance * sqrt(variance));
  }
  d.least = d.difference - sqrt(variance) * fmax(t, skewed(t, skewness));
  d.most = d.difference + sqrt(variance) * fmax(t, -skewed(-t, skewness));
  return d;
}
