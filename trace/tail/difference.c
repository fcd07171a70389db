/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/tail/difference.h"

#include <math.h>

#include "dist/statistics/special.h"

/* Of the mean of one side. */
struct side_mean {
  double count;          /* of observations */
  double mean, variance; /* of the mean: an estimate */
  double third;          /* the third central moment of the mean, too */
};

/* By observation, of a side: how far the sum of its requests is from what the mean makes of it. */
static double *deviations_of(const int64_t *values, const struct tail_split *split,
                             enum tail_side side, double mean) {
  double *sums = mem_alloc(split->requests, sizeof *sums);
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == side)
      sums[split->cluster == NULL ? i : split->cluster[i]] += (double)values[i] - mean;
  return sums;
}

static size_t observations_of(const struct tail_split *split, enum tail_side side) {
  size_t count = 0;
  uint8_t *seen = mem_alloc(split->requests, sizeof *seen); /* there are no more clusters */
  for (size_t i = 0; i < split->requests; i++) {
    size_t observation = split->cluster == NULL ? i : split->cluster[i];
    if (split->sides[i] == side && !seen[observation])
      count += seen[observation] = 1;
  }
  mem_free(seen);
  return count;
}

static struct side_mean mean_of(const int64_t *values, const struct tail_split *split,
                                enum tail_side side) {
  struct side_mean s = {0};
  double n = 0, squares = 0, cubes = 0;
  for (size_t i = 0; i < split->requests; i++)
    if (split->sides[i] == side) {
      s.mean += (double)values[i];
      n++;
    }
  s.mean /= n;
  s.count = (double)observations_of(split, side);
  double *sums = deviations_of(values, split, side, s.mean);
  for (size_t i = 0; i < split->requests; i++) {
    squares += sums[i] * sums[i];
    cubes += sums[i] * sums[i] * sums[i];
  }
  mem_free(sums);
  if (s.count >= 2)
    s.variance = squares * s.count / (s.count - 1) / (n * n);
  if (s.count >= 3)
    s.third = cubes * s.count * s.count / (s.count - 1) / (s.count - 2) / (n * n * n);
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
