/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experiment found, as text (whatif.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/present/column.h"
#include "measure/throughput/experiment/estimate.h"
#include "cli/present/whatif.h"

static const double busy_least = 0.9;

/* As many digits as make sense for a throughput: four at least. */
static int places(double value) {
  return value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
}

static void print_time(double ns) {
  if (ns <= 0)
    printf("  %12s", "unknown");
  else if (ns < 1e6)
    printf("  %9.1f us", ns / 1e3);
  else
    printf("  %9.3f ms", ns / 1e6);
}

static void print_count(uint32_t count) {
  if (count == 0)
    printf("  %8s", "unknown");
  else
    printf("  %8u", count);
}

static int name_width(const struct experiment_plan *plan) {
  int width = 8;
  for (uint32_t s = 0; s < plan->count; s++)
    column_fit(&width, plan->services[s].name);
  return width;
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
  if (busy < busy_least)
    printf(
        "  No service is busy all the time; %s is for %.0f %%. Give the load more users, or look "
        "for what else limits.\n",
        plan->services[most].name, 100 * busy);
}

static void print_services(const struct experiment *experiment) {
  const struct experiment_plan *plan = experiment->plan;
  int width = name_width(plan);
  bool unsure = false;
  printf("  %-*s     calls     time each   workers    busy\n", width, "service");
  for (uint32_t s = 0; s < plan->count; s++) {
    const struct profile_service *known = &experiment->profile.services[s];
    printf("  %-*s  %8.4f", width, plan->services[s].name, known->calls);
    print_time(known->work_ns);
    print_count(known->workers);
    if (known->busy > 0)
      printf("  %4.0f %%", 100 * known->busy);
    bool doubt = known->workers_measured && known->busy < 0.5 && known->calls > 0;
    printf("%s\n", doubt ? " *" : "");
    unsure = unsure || doubt;
  }
  if (unsure)
    printf("  * never seen to be busy: it may have more workers; say how many in the plan\n");
  print_limit(experiment);
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

static void print_estimate(const struct cell *cell) {
  const struct throughput_estimate *known = &cell->estimate;
  if (!known->given) {
    bool judged = cell->good.count != 0 || !cell->possible;
    const char *what = judged               ? "cannot be predicted: "
                       : cell->refused != 0 ? "no window could be believed: "
                                            : "";
    printf("  %s%s\n", what, known->refused);
    return;
  }
  int p = places(known->value);
  printf("  %10.*f  %10.*f .. %-10.*f %+7.1f %%  %+6.1f .. %+.1f %%\n", p, known->value, p,
         known->low, p, known->high, 100 * known->gain, 100 * known->gain_low,
         100 * known->gain_high);
}

static const char head[] = "  requests/s         between             gain          between\n";

/* A name that does not fit has a line of its own. */
static void print_heading(const char *name) {
  bool fits = strlen(name) <= 24;
  if (!fits)
    printf("  %s\n", name);
  printf("  %-24s%s", fits ? name : "", head);
}

static void print_curve(const struct experiment *experiment, uint32_t target) {
  bool any = false;
  for (size_t c = 2; c < experiment->cells.count; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    if (cell->target != target)
      continue;
    if (!any)
      print_heading(experiment->plan->services[target].name);
    any = true;
    printf("    %4g %% less", cell->level_ppm / 1e4);
    printf("%9.1f us", (double)cell->pauses.saved_ns / 1e3);
    print_estimate(cell);
  }
  if (any)
    printf("\n");
}

static void print_changes(const struct experiment *experiment) {
  bool any = false;
  int width = 22;
  for (size_t c = 2; c < experiment->cells.count; c++)
    if (experiment->cells.data[c].target == PLAN_SERVICES)
      column_fit(&width, experiment->cells.data[c].change.label);
  for (size_t c = 2; c < experiment->cells.count; c++) {
    const struct cell *cell = &experiment->cells.data[c];
    if (cell->target != PLAN_SERVICES)
      continue;
    if (!any)
      printf("  %-*s%s", width + 2, "change", head);
    any = true;
    printf("    %-*s", width, cell->change.label);
    print_estimate(cell);
  }
  if (any)
    printf("\n");
}

static void print_rank(const struct experiment *experiment, const struct rank *rank, size_t place,
                       int width) {
  const char *name = experiment->plan->services[rank->target].name;
  if (rank->best == NULL) {
    printf("     %-*s  nothing can be said\n", width, name);
    return;
  }
  if (!rank->gains) {
    printf("     %-*s  no gain seen; at most %.1f %%\n", width, name, 100 * fmax(rank->most, 0));
    return;
  }
  printf("  %zu. %-*s  %+.3g requests/s for each us saved in a call, at least %+.3g (%g %% less: "
         "%+.1f %%)\n",
         place, width, name, rank->each, rank->each_low, rank->best->level_ppm / 1e4,
         100 * rank->best->estimate.gain);
}

static void print_ranks(const struct experiment *experiment) {
  struct rank ranks[PLAN_SERVICES];
  size_t count = estimate_ranks(ranks, experiment);
  if (count == 0)
    return;
  printf("  Which service first:\n");
  for (size_t i = 0; i < count; i++)
    print_rank(experiment, &ranks[i], i + 1, name_width(experiment->plan));
  printf("\n");
}

static void print_basis(const struct experiment *experiment) {
  size_t windows = 0;
  for (size_t c = 0; c < experiment->cells.count; c++)
    windows += experiment->cells.data[c].good.count;
  printf("  %zu windows", windows);
  if (experiment->refused != 0)
    printf(", and %zu that were refused", experiment->refused);
  printf("; one scatters by %.1f %%. Intervals: 95 %%, if that is chance and the services are what "
         "the plan says.\n",
         100 * experiment->noise);
  if (experiment->ended_by != NULL)
    printf("  Ended early, by %s; --journal and --resume go on.\n", experiment->ended_by);
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
