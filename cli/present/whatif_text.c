/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experiment found, as text (whatif.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/throughput/experiment/estimate.h"
#include "cli/present/whatif.h"
#include "show/table.h"
#include "show/wrapped.h"

static const double busy_least = 0.9;

/* As many digits as make sense for a throughput: four at least. */
static int places(double value) {
  return value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

static void add_time(struct table *table, double ns) {
  if (ns <= 0)
    table_cell(table, "unknown");
  else if (ns < 1e6)
    table_cell(table, "%.1f us", ns / 1e3);
  else
    table_cell(table, "%.3f ms", ns / 1e6);
}

static void add_count(struct table *table, uint32_t count) {
  if (count == 0)
    table_cell(table, "unknown");
  else
    table_cell(table, "%u", count);
}

static void columns(struct table *table, const char *const *titles, size_t count) {
  table_init(table);
  for (size_t i = 0; i < count; i++)
    table_column(table, i == 0 ? TABLE_LEFT : TABLE_RIGHT, titles[i]);
}

static void show(struct table *table, size_t indent) {
  table_print(stdout, table, indent);
  table_clear(table);
}

/* Where nobody is busy all the time, something that is not measured limits. */
static void print_limit(const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  uint32_t most = 0;
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct profile_service *known = experiment->profile.services;
    if (known[s].calls > 0 && known[s].busy <= 0)
      return; /* unknown */
    most = known[s].busy > known[most].busy ? s : most;
  }
  double busy = experiment->profile.services[most].busy;
  if (busy >= busy_least)
    return;
  struct text text;
  text_init(&text);
  text_format(
      &text,
      "No service is busy all the time; %s is for %.0f %%. Give the load more users, or look "
      "for what else limits.",
      plan->services[most].name, 100 * busy);
  wrapped_print(text.data, (size_t)printf("  "), 4);
  text_clear(&text);
}

/* Whether it may have more workers than were seen to be busy. */
static bool add_service(struct table *table, const char *name,
                        const struct profile_service *known) {
  bool doubt = known->workers_measured && known->busy < 0.5 && known->calls > 0;
  table_cell(table, "%s", name);
  table_cell(table, "%.4f", known->calls);
  add_time(table, known->work_ns);
  add_count(table, known->workers);
  if (known->busy > 0)
    table_cell(table, "%.0f %%%s", 100 * known->busy, doubt ? " *" : "");
  else
    table_cell(table, "%s", doubt ? "*" : "");
  return doubt;
}

/* Who has no calls is never paused: predictions take it for infinitely fast. */
static void print_uncounted(const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  struct text text;
  text_init(&text);
  for (uint32_t s = 0; s < plan->count; s++)
    if (experiment->profile.services[s].calls <= 0)
      text_format(&text, "%s%s", text.length == 0 ? "" : ", ", plan->services[s].name);
  if (text.length != 0) {
    text_append(&text,
                ": no call was counted, so it never pauses, and predictions take it for "
                "infinitely fast. Count its calls; leave it out if no request waits for it.");
    wrapped_print(text.data, (size_t)printf("  warning: "), 4);
  }
  text_clear(&text);
}

static void print_services(const struct experiment *experiment) {
  static const char *const titles[] = {"service", "calls", "time each", "workers", "busy"};
  const struct experiment_plan *plan = experiment->plan;
  struct table table;
  bool unsure = false;
  columns(&table, titles, sizeof titles / sizeof *titles);
  for (uint32_t s = 0; s < plan->count; s++)
    unsure |= add_service(&table, plan->services[s].name, &experiment->profile.services[s]);
  show(&table, 2);
  if (unsure)
    printf("  * never seen to be busy: it may have more workers; say how many in the plan\n");
  print_limit(experiment);
  print_uncounted(experiment);
  tell_waiting_text(experiment);
  printf("\n");
}

static void print_base(const struct experiment *experiment) {
  const struct throughput_estimate *base = &experiment->cells.data[0].estimate;
  const struct throughput_estimate *rounds = &experiment->cells.data[1].estimate;
  if (base->given)
    printf("  now                    %9.*f requests/s, %.*f to %.*f\n", places(base->value),
           base->value, places(base->value), base->low, places(base->value), base->high);
  if (rounds->given) {
    printf("  rounds without pauses  %9.*f requests/s, %.*f to %.*f", places(rounds->value),
           rounds->value, places(rounds->value), rounds->low, places(rounds->value), rounds->high);
    if (base->given)
      printf(" (%+.1f %%)", 100 * (rounds->value / base->value - 1));
    printf("\n");
  }
  printf("\n");
}

static void add_estimate(struct table *table, const struct cell *cell) {
  const struct throughput_estimate *known = &cell->estimate;
  int p = places(known->value);
  for (size_t i = 0; i < 4 && !known->given; i++)
    table_cell(table, "%s", i == 0 ? "-" : "");
  if (!known->given)
    return;
  table_cell(table, "%.*f", p, known->value);
  table_cell(table, "%.*f .. %.*f", p, known->low, p, known->high);
  if (!known->gain_given) {
    table_cell(table, "-");
    table_cell(table, "%s", "");
    return;
  }
  table_cell(table, "%+.1f %%", 100 * known->gain);
  table_cell(table, "%+.1f .. %+.1f %%", 100 * known->gain_low, 100 * known->gain_high);
}

/* Why there is no estimate, below the table. */
static void print_refusals(const struct experiment *experiment, uint32_t target) {
  for (size_t c = 2; c < experiment->cells.count; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    bool judged = cell->good.count != 0 || !cell->possible;
    if (cell->target != target || cell->estimate.given)
      continue;
    struct text text;
    text_init(&text);
    text_format(&text, "%s%s%s",
                judged               ? "cannot be predicted: "
                : cell->refused != 0 ? "no window could be believed: "
                                     : "",
                cell->estimate.refused, ".");
    size_t column =
        (size_t)(target == PLAN_SERVICES ? printf("    %s: ", cell->change.label)
                                         : printf("    %g %% less: ", cell->level_ppm / 1e4));
    wrapped_print(text.data, column, 6);
    text_clear(&text);
  }
}

static void estimate_columns(struct table *table) {
  static const char *const titles[] = {"requests/s", "between", "gain", "between"};
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(table, TABLE_RIGHT, titles[i]);
}

static void show_under(const char *title, struct table *table, const struct experiment *experiment,
                       uint32_t target) {
  if (table->cells.count != 0) {
    printf("  %s\n", title);
    table_print(stdout, table, 4);
    print_refusals(experiment, target);
    printf("\n");
  }
  table_clear(table);
}

static void print_curve(const struct experiment *experiment, uint32_t target) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_RIGHT, "");
  table_column(&table, TABLE_RIGHT, "saved");
  estimate_columns(&table);
  for (size_t c = 2; c < experiment->cells.count; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    if (cell->target != target)
      continue;
    table_cell(&table, "%g %% less", cell->level_ppm / 1e4);
    table_cell(&table, "%.1f us", (double)cell->pauses.saved_ns / 1e3);
    add_estimate(&table, cell);
  }
  show_under(experiment->plan->services[target].name, &table, experiment, target);
}

static void print_changes(const struct experiment *experiment) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  estimate_columns(&table);
  for (size_t c = 2; c < experiment->cells.count; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    if (cell->target != PLAN_SERVICES)
      continue;
    table_cell(&table, "%s", cell->change.label);
    add_estimate(&table, cell);
  }
  show_under("change", &table, experiment, PLAN_SERVICES);
}

static void add_rank(struct table *table, const struct experiment *experiment,
                     const struct rank *rank, size_t place) {
  bool ranked = rank->best != NULL && rank->gains;
  if (ranked)
    table_cell(table, "%zu.", place);
  else
    table_cell(table, "%s", "");
  table_cell(table, "%s", experiment->plan->services[rank->target].name);
  if (rank->best == NULL)
    table_cell(table, "nothing can be said");
  else if (!rank->gains)
    table_cell(table, "no gain seen; at most %.1f %%", 100 * fmax(rank->most, 0));
  else
    table_cell(
        table,
        "%+.3g requests/s for each us saved in a call, at least %+.3g (%g %% less: %+.1f %%)",
        rank->each, rank->each_low, rank->best->level_ppm / 1e4, 100 * rank->best->estimate.gain);
}

static void print_ranks(const struct experiment *experiment) {
  static const char *const titles[] = {"", "", ""};
  struct rank ranks[PLAN_SERVICES];
  size_t count = estimate_ranks(ranks, experiment);
  if (count == 0)
    return;
  struct table table;
  table_init(&table);
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, TABLE_LEFT, titles[i]);
  for (size_t i = 0; i < count; i++)
    add_rank(&table, experiment, &ranks[i], i + 1);
  printf("  Which service first:\n");
  show(&table, 2);
  printf("\n");
}

/* Answers that were errors count like others: so few that windows were believed. */
static void print_errors(const struct experiment *experiment) {
  uint32_t entry = experiment->plan->entry;
  uint64_t errors = 0;
  bool seen = experiment->first.sees_answers[entry];
  for (size_t c = 0; c < experiment->cells.count; c++)
    for (size_t i = 0; i < experiment->cells.data[c].good.count; i++) {
      const struct window *window = &experiment->cells.data[c].good.data[i];
      seen = seen || window->sees_answers[entry];
      errors += window->errors[entry];
    }
  const char *name = experiment->plan->services[entry].name;
  if (!seen)
    printf("  Whether %s answered with errors is not known: only a proxy sees answers.\n", name);
  else if (errors != 0)
    printf("  %" PRIu64 " answers of %s were errors; they count as requests.\n", errors, name);
}

static void print_basis(const struct experiment *experiment) {
  size_t windows = 0;
  struct text text;
  text_init(&text);
  for (size_t c = 0; c < experiment->cells.count; c++)
    windows += experiment->cells.data[c].good.count;
  text_format(&text, "%zu windows", windows);
  if (experiment->refused != 0)
    text_format(&text, ", and %zu that were refused", experiment->refused);
  text_format(&text,
              "; one scatters by %.1f %%. Intervals: 95 %%, if that is chance and the services are "
              "what the plan says.",
              100 * experiment->noise);
  wrapped_print(text.data, (size_t)printf("  "), 2);
  print_errors(experiment);
  if (experiment->ended_by != NULL)
    printf("  Ended early, by %s; --journal and --resume go on.\n", experiment->ended_by);
  text_clear(&text);
}

void tell_text(const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  if (!experiment->profiled)
    return;
  printf("%s: requests enter at %s\n\n", plan->path, plan->services[plan->entry].name);
  print_services(experiment);
  print_base(experiment);
  for (uint32_t s = 0; s < plan->count; s++)
    print_curve(experiment, s);
  print_changes(experiment);
  print_ranks(experiment);
  print_basis(experiment);
}
