/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `percentiles` as JSON (percentiles.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/present/percentiles.h"
#include "cli/question/percentiles/observation.h"
#include "show/ledger.h"
#include "cli/present/missing_time.h"
#include "cli/question/percentiles/percentiles.h"

static void add_number(struct jsonl *line, const char *key, bool finite, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  jsonl_text(line, key, finite ? digits : "infinite");
}

static void print_percentile(const struct percentiles *run, const struct wanted *wanted,
                             const struct curve *curve) {
  static const char *const ways[] = {"convolution", "draws", "requests"};
  const struct percentile *p = percentiles_at(run, curve, &wanted->share);
  const struct interval *i = &p->interval;
  struct jsonl *line = jsonl_new("percentile");
  jsonl_text(line, "bound", run->calculation.bound->name);
  jsonl_text(line, "p", wanted->text);
  jsonl_text(line, "dependence", dependence_name(curve->estimate.dependence));
  add_number(line, "lower_ns", i->lower_finite, i->lower_ns);
  add_number(line, "upper_ns", i->upper_finite, i->upper_ns);
  if (curve->estimate.proved.tail != NULL)
    jsonl_flag(line, "model_based", i->model_based);
  if (i->lower_finite)
    jsonl_text(line, "lower_by", ways[i->lower_way]);
  if (i->upper_finite)
    jsonl_text(line, "upper_by", ways[i->upper_way]);
  jsonl_flag(line, "settled", i->settled);
  if (p->samples_needed != 0)
    add_number(line, "samples_needed", true, p->samples_needed);
  if (p->endless != ENDLESS_NOT)
    jsonl_text(line, "endless", endless_name(p->endless));
  if (run->has_observed) {
    add_number(line, "observed_ns", p->observed_finite, p->observed_ns);
    add_number(line, "observed_lower_ns", p->least_ns < SAMPLE_NS_MAX, p->least_ns);
    add_number(line, "observed_upper_ns", p->most_ns < SAMPLE_NS_MAX, p->most_ns);
    jsonl_text(line, "observation", observation_name(p->observation));
    jsonl_flag(line, "dominates", p->observation == OBSERVATION_DOMINATED);
  }
  jsonl_print(line);
}

static void print_comparison(const struct percentiles *run, const struct curve *curve) {
  const struct comparison *comparison = &curve->comparison;
  bool refuted = comparison->beyond_chance.found && curve->settled;
  const struct excess *excess = refuted ? &comparison->beyond_chance : &comparison->any;
  struct jsonl *line = jsonl_new("comparison");
  jsonl_text(line, "bound", run->calculation.bound->name);
  jsonl_text(line, "dependence", dependence_name(curve->estimate.dependence));
  jsonl_integer(line, "observations", (int64_t)run->observed.total);
  enum observation observation = observation_of_curve(run, curve);
  jsonl_text(line, "observation", observation_name(observation));
  jsonl_flag(line, "dominates", !refuted && observation != OBSERVATION_CANNOT_TELL);
  jsonl_flag(line, "draws_assumed", percentiles_status_of_curve(run, curve) == STATUS_CONDITIONAL);
  if (run->is_paired)
    jsonl_integer(line, "requests_above", (int64_t)run->exceeding);
  if (excess->found) {
    struct text percentile;
    text_init(&percentile);
    excess_print(&percentile, excess);
    jsonl_text(line, "first_percentile", percentile.data);
    add_number(line, "observed_ns", excess->observed_ns != SAMPLE_NS_MAX, excess->observed_ns);
    jsonl_flag(line, "within_chance", !refuted);
    text_clear(&percentile);
  }
  jsonl_print(line);
}

static void print_grid(const struct percentiles *run) {
  const struct grid_choice *choice = &run->calculation.grid;
  bool linear = grid_is_linear(&choice->grid);
  struct jsonl *line = jsonl_new("grid");
  jsonl_text(line, "shape", linear ? "linear" : "log");
  if (linear)
    jsonl_integer(line, "step_ns", INT64_C(1) << choice->grid.shift);
  jsonl_integer(line, "points", (int64_t)grid_count(&choice->grid));
  jsonl_seconds(line, "slack", choice->slack);
  jsonl_print(line);
}

void percentiles_print_json(const struct percentiles *run) {
  for (size_t i = 0; i < run->wanted.count; i++)
    for (size_t c = 0; c < run->curves.count; c++)
      print_percentile(run, &run->wanted.data[i], &run->curves.data[c]);
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++)
    print_comparison(run, &run->curves.data[c]);
  missing_time_print_json(run);
  percentiles_print_answers_json(run);
  print_grid(run);
  ledger_print_json(&run->calculation.ledger);
}
