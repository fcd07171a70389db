/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `tailproof percentiles` calculates, and how it is shown. Every percentile is an interval:
 * the bound's percentile is in it.
 */
#ifndef CLI_CALCULATE_PERCENTILES_H
#define CLI_CALCULATE_PERCENTILES_H

#include "cli/calculate/calculation.h"
#include "cli/calculate/improve.h"
#include "cli/calculate/percentile_list.h"
#include "cli/calculate/slo.h"
#include "dist/source/sample.h"
#include "dist/statistics/compare.h"

/* Both bounds of the law of the bound's value, under one assumption on dependence. */
struct curve {
  enum dependence dependence;
  struct survival bound[2];     /* by side; the upper one with modelled tails, if there are any */
  struct survival proved;       /* then: the upper one without them; else without an array */
  struct comparison comparison; /* with the observations, if there are any */
};

#define CURVES_MAX 2

/* One objective on one curve. */
struct slo_result {
  size_t slo, curve;
  enum slo_state state;
  improvement_list improvements; /* unless it is met */
};

/* --above: a time. */
struct above {
  const char *text;
  struct rational ns;
};

struct percentiles {
  const struct options *options;
  struct calculation calculation;
  wanted_list wanted;
  VECTOR(struct curve) curves; /* at least one */
  struct sample observed;
  bool has_observed;
  slo_list slos;
  VECTOR(struct slo_result) results;
  VECTOR(struct above) above;
  size_t chosen; /* the percentile that the contributions are to, an index of wanted */
  contribution_list contributions; /* to the first curve */
};

struct interval {
  bool lower_finite, upper_finite;
  uint64_t lower_ns, upper_ns;
  uint64_t samples_needed; /* of each component, for an upper end that is finite; 0: no number */
  bool model_based;        /* the upper end rests on a modelled tail */
  bool observed_finite, dominates; /* dominates: also when nothing was observed */
  uint64_t observed_ns;
};

struct interval percentiles_at(const struct percentiles *run, const struct curve *curve,
                               const struct rational *share);

/* Appends where the excess is, in percent: "97.14", rounded up. */
void excess_print(struct text *text, const struct excess *excess);

/* "independent", "unknown" */
const char *dependence_name(enum dependence dependence);

/* Bounds of the chance that the bound's value exceeds a time, in units of 10^-18. */
struct chance {
  uint64_t lower, upper;
  bool model_based; /* the upper one rests on a modelled tail */
};
struct chance percentiles_above(const struct curve *curve, const struct rational *ns);

/* Appends a chance in units of 10^-18 in four digits, rounded to the side. */
void chance_print(struct text *text, uint64_t chance, enum survival_side side);

/* Reads --slo, --above and --contributions; STATUS_USAGE after one line on stderr. */
enum status percentiles_read_questions(struct percentiles *run);
/* Judges every objective on every curve, and looks for what would make it hold. */
enum status percentiles_answer(struct percentiles *run);
void percentiles_clear_questions(struct percentiles *run);

/* The reason of a verdict, as a sentence: "p99.9 is at most 4.1 ms". */
void slo_explain(struct text *text, const struct percentiles *run, const struct slo_result *result);

void percentiles_print_answers_text(const struct percentiles *run);
void percentiles_print_answers_json(const struct percentiles *run);

void percentiles_print_text(const struct percentiles *run);
void percentiles_print_json(const struct percentiles *run);

#endif
