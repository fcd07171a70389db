/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/distance.h"

#include <math.h>
#include <stdlib.h>

#include "base/vector.h"

/* The difference at a value, and the weight of the observations that have it. */
struct difference {
  double size, weight;
};

static int by_size(const void *left, const void *right) {
  const struct difference *a = left, *b = right;
  return a->size < b->size ? -1 : a->size > b->size;
}

static double share(uint64_t count, const struct sample *sample) {
  return (double)count / (double)sample->total;
}

/* The least size that half of the weight does not exceed. */
static double median_of(struct difference *list, size_t count) {
  double all = 0, sum = 0;
  for (size_t i = 0; i < count; i++)
    all += list[i].weight;
  qsort(list, count, sizeof *list, by_size);
  for (size_t i = 0; i < count; i++)
    if ((sum += list[i].weight) >= all / 2)
      return list[i].size;
  return 0;
}

struct distance distance_of(const struct sample *a, const struct sample *b) {
  struct distance distance = {0};
  VECTOR(struct difference) list = {0};
  uint64_t below_a = 0, below_b = 0;
  for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
    uint64_t x = UINT64_MAX, here_a = 0, here_b = 0;
    if (i < a->count)
      x = a->bins[i].upper_ns;
    if (k < b->count && b->bins[k].upper_ns < x)
      x = b->bins[k].upper_ns;
    if (i < a->count && a->bins[i].upper_ns == x)
      here_a = a->bins[i++].count;
    if (k < b->count && b->bins[k].upper_ns == x)
      here_b = b->bins[k++].count;
    below_a += here_a;
    below_b += here_b;
    struct difference one = {fabs(share(below_a, a) - share(below_b, b)),
                             share(here_a, a) + share(here_b, b)};
    vector_push(&list, one);
    if (one.size > distance.largest) {
      distance.largest = one.size;
      distance.at_ns = x;
    }
  }
  distance.median = median_of(list.data, list.count);
  vector_clear(&list);
  return distance;
}
