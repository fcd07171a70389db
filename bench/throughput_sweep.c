/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predicted against true throughput over all published configurations, in virtual time, beside the
 * predictor that nothing changes and the published error.
 *
 *   throughput_sweep [--batch N] [--window N] [--warmup N] [--families] [--exact]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/simulator/whatif.h"

static struct {
  uint64_t batch, window, warmup;
  bool families, exact;
  double work_noise;
} options = {.batch = 100, .window = 6000, .warmup = 3000, .work_noise = 0.2};

struct errors {
  double squares, null_squares, least, most;
  int count, refused;
};

static void errors_add(struct errors *errors, double truth, double predicted, double baseline) {
  if (predicted <= 0) {
    errors->refused++;
    return;
  }
  double error = 100 * (predicted - truth) / truth, null = 100 * (baseline - truth) / truth;
  errors->least = errors->count == 0 || error < errors->least ? error : errors->least;
  errors->most = errors->count == 0 || error > errors->most ? error : errors->most;
  errors->squares += error * error;
  errors->null_squares += null * null;
  errors->count++;
}

static void errors_merge(struct errors *into, const struct errors *errors) {
  if (errors->count == 0)
    return;
  into->least = into->count == 0 || errors->least < into->least ? errors->least : into->least;
  into->most = into->count == 0 || errors->most > into->most ? errors->most : into->most;
  into->squares += errors->squares;
  into->null_squares += errors->null_squares;
  into->count += errors->count;
  into->refused += errors->refused;
}

static void errors_row(const char *name, const struct errors *errors, const char *target) {
  double n = errors->count > 0 ? errors->count : 1;
  char measured[32];
  snprintf(measured, sizeof measured, "%.2f %%", sqrt(errors->squares / n));
  printf("%-58s %14s   %s; %+.2f..%+.2f %%, no change: %.2f %%, %d of %d refused\n", name, measured,
         target, errors->least, errors->most, sqrt(errors->null_squares / n), errors->refused,
         errors->count + errors->refused);
}

/* Dynamic graphs need more: their draws alone are an error of 1 / sqrt(calls). */
static bool dynamic(const struct graph *graph) {
  for (int e = 0; e < graph->edges_used; e++)
    if (graph->edges[e].to_percent - graph->edges[e].from_percent < 100)
      return true;
  return false;
}

/* Ten levels, 10 to 100 % of the target's work. */
static void levels(struct sim_setting *setting, int target, struct errors *errors) {
  double calls[GRAPH_SERVICES];
  struct sim_result result;
  uint64_t factor = dynamic(setting->graph) ? 10 : 1;
  setting->warmup = options.warmup;
  setting->window = options.window * factor;
  setting->noise = options.work_noise;
  if (!options.exact)
    setting->errors = sim_usual_errors();
  measure_calls(setting, calls);
  struct change none = {{0}, {0}};
  double baseline = truth(setting, &none);
  for (int level = 1; level <= 10; level++) {
    struct change change = none;
    change.saved_ns[target] = setting->services[target].work_ns * level / 10;
    setting->seed++;
    double t = truth(setting, &change);
    setting->seed++;
    double p = predicted(setting, calls, &change, options.batch, &result);
    errors_add(errors, t, p, baseline);
    if (getenv("SWEEP_LEVELS"))
      printf("  %3d %% truth %9.1f predicted %9.1f %+6.2f rounds %llu\n", level * 10, t, p,
             100 * (p - t) / t, (unsigned long long)result.rounds);
  }
}

static void configure(struct sim_setting *setting, const struct configuration *c,
                      const struct graph *graph, uint64_t seed) {
  sim_plain(setting, graph, c->work_us, 2);
  setting->at_once = c->at_once;
  setting->connections = c->connections;
  setting->message_ns = strcmp(c->protocol, "http") == 0 ? 100000 : 60000;
  setting->seed = seed * 1000;
}

static void sweep(void) {
  struct errors all = {0}, one = {0}, family = {0};
  const struct configuration *c;
  for (size_t i = 0; (c = configuration_at(i)) != NULL; i++) {
    struct graph graph;
    struct sim_setting setting;
    family_graph(family_find(c->family), &graph);
    configure(&setting, c, &graph, i + 1);
    one = (struct errors){0};
    levels(&setting, c->target, &one);
    errors_merge(&all, &one);
    errors_merge(&family, &one);
    if (options.families) {
      char name[96];
      snprintf(name, sizeof name, "  %s %s %s target %d", c->family, c->protocol,
               c->at_once ? "at once" : "in turn", c->target);
      errors_row(name, &one, "");
    }
  }
  errors_row("108 configurations, 10 levels: error of prediction, RMSE", &all,
             "<= 1.0 % (published 1.89 %)");
}

int main(int count, char **arguments) {
  for (int i = 1; i < count; i++) {
    uint64_t *number = strcmp(arguments[i], "--batch") == 0    ? &options.batch
                       : strcmp(arguments[i], "--window") == 0 ? &options.window
                       : strcmp(arguments[i], "--warmup") == 0 ? &options.warmup
                                                               : NULL;
    if (number != NULL && i + 1 < count)
      *number = strtoull(arguments[++i], NULL, 10);
    else if (strcmp(arguments[i], "--families") == 0)
      options.families = true;
    else if (strcmp(arguments[i], "--exact") == 0)
      options.exact = true;
  }
  sweep();
}
