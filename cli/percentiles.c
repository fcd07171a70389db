/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/percentiles.h"

#include <inttypes.h>

#include "dist/statistics/confidence.h"

const char *dependence_name(enum dependence dependence) {
  return dependence == DEPENDENCE_INDEPENDENT ? "independent" : "unknown";
}

struct interval percentiles_at(const struct percentiles *run, const struct curve *curve,
                               const struct rational *share) {
  const struct calculation *calculation = &run->calculation;
  struct interval i = {.dominates = true};
  uint64_t above = 0, below = 0;
  survival_tail_of_side(&above, share, SIDE_UPPER);
  survival_tail_of_side(&below, share, SIDE_LOWER);
  i.upper_finite = survival_quantile(&i.upper_ns, &curve->bound[SIDE_UPPER], above);
  i.lower_finite = survival_quantile(&i.lower_ns, &curve->bound[SIDE_LOWER], below);
  i.samples_needed = confidence_samples_needed(above, calculation->laws.alpha,
                                               calculation->table.occurrences.count);
  if (run->has_observed) {
    i.observed_finite = sample_quantile(&i.observed_ns, &run->observed, share);
    i.dominates = !i.upper_finite || (i.observed_finite && i.observed_ns <= i.upper_ns);
  }
  return i;
}

void excess_print(struct text *text, const struct excess *excess) {
  struct rational scaled;
  rational_init(&scaled);
  rational_set_integer(&scaled, 10000);
  rational_mul(&scaled, &scaled, &excess->share);
  int64_t hundredths = 0;
  rational_ceil(&hundredths, &scaled);
  text_format(text, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
  rational_clear(&scaled);
}
