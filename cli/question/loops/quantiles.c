/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/loops/quantiles.h"

#include "dist/statistics/limits.h"
#include "dist/statistics/serial.h"
#include "dist/survival/survival.h"

/* The share and `longer` of `count` more, below 1; false: that is 1 or more. */
static bool add_longer(struct rational *sum, const struct rational *share, uint64_t longer,
                       size_t count) {
  struct rational one;
  rational_init(&one);
  rational_set_integer(&one, 1);
  rational_set_fraction(sum, (int64_t)longer, (int64_t)count);
  rational_add(sum, sum, share);
  bool below = rational_compare(sum, &one) < 0;
  rational_clear(&one);
  return below;
}

static struct loop_quantile quantile_of(const struct sample *sample, const uint64_t *series,
                                        size_t count, const struct rational *share, uint64_t alpha,
                                        uint64_t longer) {
  struct rational beyond;
  struct serial serial = serial_at(series, count, rational_double(share));
  struct loop_quantile q = {
      .upper_ns = QUANTILE_INFINITE, .settled = serial.settled, .drifts = serial.drifts};
  limit_upper(&q.value_ns, sample, share, 1, 0);
  rational_init(&beyond);
  if (add_longer(&beyond, share, longer, count))
    limit_upper(&q.upper_ns, sample, &beyond, serial_worth_upper(&serial, count), alpha);
  rational_clear(&beyond);
  q.lower_ns = limit_lower(sample, share, serial_worth_lower(&serial, count), alpha);
  return q;
}

struct loop_quantile *loop_quantiles(const int64_t *latency, size_t count,
                                     const wanted_list *wanted, const struct rational *confidence,
                                     uint64_t longer) {
  struct loop_quantile *quantiles = mem_alloc(wanted->count, sizeof *quantiles);
  uint64_t *series = mem_alloc(count, sizeof *series), error = 0;
  struct sample sample;
  sample_init(&sample);
  for (size_t i = 0; i < count; i++) {
    series[i] = latency[i] < 0 ? 0 : (uint64_t)latency[i];
    sample_add_range(&sample, series[i], series[i], 1);
  }
  sample_finish(&sample);
  if (rational_sign(confidence) > 0)
    survival_tail_of(&error, confidence);
  for (size_t i = 0; i < wanted->count; i++)
    quantiles[i] = quantile_of(&sample, series, count, &wanted->data[i].share, error / 2, longer);
  sample_clear(&sample);
  mem_free(series);
  return quantiles;
}
