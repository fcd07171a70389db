/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof percentiles` calculates, and how it is shown. Every percentile is an interval:
 * the bound's percentile is in it.
 */
#ifndef CLI_PERCENTILES_H
#define CLI_PERCENTILES_H

#include "cli/calculation.h"
#include "cli/percentile_list.h"
#include "dist/source/sample.h"
#include "dist/statistics/compare.h"

/* Both bounds of the law of the bound's value, under one assumption on dependence. */
struct curve {
  enum dependence dependence;
  struct survival bound[2];     /* by side */
  struct comparison comparison; /* with the observations, if there are any */
};

#define CURVES_MAX 2

struct percentiles {
  const struct options *options;
  struct calculation calculation;
  wanted_list wanted;
  VECTOR(struct curve) curves; /* at least one */
  struct sample observed;
  bool has_observed;
};

struct interval {
  bool lower_finite, upper_finite;
  uint64_t lower_ns, upper_ns;
  uint64_t samples_needed; /* of each component, for an upper end that is finite; 0: no number */
  bool observed_finite, dominates; /* dominates: also when nothing was observed */
  uint64_t observed_ns;
};

struct interval percentiles_at(const struct percentiles *run, const struct curve *curve,
                               const struct rational *share);

/* Appends where the excess is, in percent: "97.14", rounded up. */
void excess_print(struct text *text, const struct excess *excess);

/* "independent", "unknown" */
const char *dependence_name(enum dependence dependence);

void percentiles_print_text(const struct percentiles *run);
void percentiles_print_json(const struct percentiles *run);

#endif
