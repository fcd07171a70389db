/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experiment found, as JSON (whatif.h).
 */
#include "base/jsonl.h"
#include "measure/throughput/experiment/estimate.h"
#include "measure/throughput/experiment/journal.h"
#include "cli/present/whatif.h"

static void add_interval(struct jsonl *json, const struct throughput_estimate *known) {
  if (!known->given)
    return;
  jsonl_number(json, "throughput", known->value);
  jsonl_number(json, "low", known->low);
  jsonl_number(json, "high", known->high);
}

static void print_base(const struct cell *cell) {
  struct jsonl *json = jsonl_new("baseline");
  jsonl_flag(json, "rounds", cell->kind == CELL_ROUNDS);
  jsonl_integer(json, "windows", (int64_t)cell->good.count);
  jsonl_text(json, "refused", cell->estimate.given ? NULL : cell->estimate.refused);
  add_interval(json, &cell->estimate);
  jsonl_print(json);
}

static void print_prediction(const struct experiment *experiment, const struct cell *cell) {
  const struct experiment_plan *plan = experiment->plan;
  const struct throughput_estimate *known = &cell->estimate;
  struct jsonl *json = jsonl_new("prediction");
  jsonl_text(json, "change", cell->change.label);
  jsonl_text(json, "target", cell->target < plan->count ? plan->services[cell->target].name : NULL);
  jsonl_number(json, "level", cell->level_ppm / 1e4);
  jsonl_number(json, "saved_ns", (double)cell->pauses.saved_ns);
  jsonl_number(json, "saved_each_ns", (double)cell->pauses.saved_ps / 1e3);
  jsonl_integer(json, "windows", (int64_t)cell->good.count);
  jsonl_text(json, "refused", known->given ? NULL : known->refused);
  add_interval(json, known);
  if (known->given) {
    jsonl_number(json, "raw", known->raw);
    jsonl_number(json, "measured", known->measured);
    jsonl_number(json, "amplification", known->raw / known->measured);
  }
  if (known->gain_given) {
    jsonl_number(json, "gain", known->gain);
    jsonl_number(json, "gain_low", known->gain_low);
    jsonl_number(json, "gain_high", known->gain_high);
  }
  jsonl_print(json);
}

static void print_rank(const struct experiment *experiment, const struct rank *rank, size_t place) {
  struct jsonl *json = jsonl_new("rank");
  jsonl_text(json, "service", experiment->plan->services[rank->target].name);
  jsonl_integer(json, "place", (int64_t)place);
  jsonl_flag(json, "gains", rank->gains);
  if (rank->best != NULL) {
    jsonl_number(json, "level", rank->best->level_ppm / 1e4);
    jsonl_number(json, "each_us", rank->each);
    jsonl_number(json, "each_us_low", rank->each_low);
    jsonl_number(json, "gain_most", rank->most);
  }
  jsonl_print(json);
}

void tell_json(const struct experiment *experiment) {
  struct rank ranks[PLAN_SERVICES];
  if (!experiment->profiled)
    return;
  jsonl_print(journal_profile_json(experiment));
  tell_waiting_json(experiment);
  print_base(&experiment->cells.data[0]);
  print_base(&experiment->cells.data[1]);
  for (size_t c = 2; c < experiment->cells.count; c++)
    print_prediction(experiment, &experiment->cells.data[c]);
  size_t count = estimate_ranks(ranks, experiment);
  for (size_t i = 0; i < count; i++)
    print_rank(experiment, &ranks[i], i + 1);
  struct jsonl *json = jsonl_new("experiment");
  jsonl_text(json, "ended_by", experiment->ended_by);
  jsonl_integer(json, "refused_windows", (int64_t)experiment->refused);
  jsonl_number(json, "noise", experiment->noise);
  jsonl_print(json);
}
