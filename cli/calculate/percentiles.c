/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calculate/percentiles.h"

#include <inttypes.h>
#include <math.h>

#include "dist/statistics/confidence.h"

const char *dependence_name(enum dependence dependence) {
  return dependence == DEPENDENCE_INDEPENDENT ? "independent" : "unknown";
}

/* What may depend on each other in any way may be unseen one at a time, so that the chances add up.
 * No number where a law is written (it may never be finite) or drawn anew with every mention. */
static uint64_t samples_needed(const struct calculation *calculation, const struct curve *curve,
                               uint64_t above) {
  const struct options *options = calculation->options;
  uint64_t terms = calculation->table.occurrences.count, alpha = calculation->laws.alpha;
  if (options->fresh || options->laws.count != 0 || terms == 0)
    return 0;
  bool adds_up = curve->dependence == DEPENDENCE_UNKNOWN || options->together.count != 0 ||
                 options->together_each.count != 0;
  return adds_up ? confidence_samples_needed_of(above / terms, alpha, 1, options->band)
                 : confidence_samples_needed_of(above, alpha, terms, options->band);
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
  i.samples_needed = samples_needed(calculation, curve, above);
  uint64_t proved_ns = i.upper_ns;
  if (curve->proved.tail != NULL)
    i.model_based = i.upper_finite && (!survival_quantile(&proved_ns, &curve->proved, above) ||
                                       proved_ns != i.upper_ns);
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

struct chance percentiles_above(const struct curve *curve, const struct rational *ns) {
  int64_t floor = 0, ceil = 0;
  bool fits = rational_floor(&floor, ns) && rational_ceil(&ceil, ns);
  if (!fits)
    floor = ceil = INT64_MAX;
  struct chance chance = {.lower = survival_tail(&curve->bound[SIDE_LOWER], (uint64_t)ceil),
                          .upper = survival_tail(&curve->bound[SIDE_UPPER], (uint64_t)floor)};
  chance.model_based =
      curve->proved.tail != NULL && survival_tail(&curve->proved, (uint64_t)floor) != chance.upper;
  return chance;
}

void chance_print(struct text *text, uint64_t chance, enum survival_side side) {
  uint64_t unit = SURVIVAL_ONE; /* 10^-digits */
  int digits = 0;
  for (; chance / unit < 1000 && unit > 1; unit /= 10)
    digits++;
  uint64_t mantissa = chance / unit + (side == SIDE_UPPER && chance % unit != 0);
  text_format(text, "%.4g", (double)mantissa / pow(10, digits));
}
