/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/runs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "dist/statistics/allocate.h"

static uint64_t start_of(const struct plan_component *c) {
  return c->least > c->samples ? c->least : c->samples;
}

/* Sets the minimums; returns what is left of the budget. */
static uint64_t start(uint64_t *runs, const struct plan_component *components, size_t count,
                      uint64_t budget_ns) {
  for (size_t i = 0; i < count; i++)
    runs[i] = start_of(&components[i]);
  return budget_ns - allocate_least(components, count);
}

double runs_error(const double *spreads, const uint64_t *runs, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += runs[i] == 0 ? (spreads[i] > 0 ? INFINITY : 0) : spreads[i] / sqrt((double)runs[i]);
  return sum;
}

/* What a further run gains for each ns. */
static double gain(double spread, uint64_t runs, uint64_t cost_ns) {
  double before = runs == 0 ? 2 * spread : spread / sqrt((double)runs);
  return (before - spread / sqrt((double)runs + 1)) / (double)cost_ns;
}

/* Runs of what gains most, as long as they fit; of many that cost little several at a time. */
static void spend_rest(uint64_t *runs, const struct plan_component *components,
                       const double *spreads, size_t count, uint64_t rest_ns) {
  for (;;) {
    size_t best = count;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
      double here = gain(spreads[i], runs[i], components[i].cost_ns);
      if (components[i].cost_ns <= rest_ns && here > most) {
        most = here;
        best = i;
      }
    }
    if (best == count)
      return;
    uint64_t more = runs[best] / 1024 + 1, fits = rest_ns / components[best].cost_ns;
    more = more < fits ? more : fits;
    runs[best] += more;
    rest_ns -= more * components[best].cost_ns;
  }
}

/* The share of `rest_ns`, which pays for all runs of what is free, by the closed form. */
static double ideal(const struct plan_component *c, double spread, double sum, double rest_ns) {
  return sum > 0 ? rest_ns * pow(spread / (double)c->cost_ns, 2.0 / 3.0) / sum : 0;
}

/* The active set: whatever the closed form gives less than its minimum leaves the free ones. */
static void solve(double *wanted, const struct plan_component *components, const double *spreads,
                  size_t count, uint64_t rest_ns) {
  bool *fixed = mem_alloc(count, sizeof *fixed);
  for (bool again = true; again;) {
    double sum = 0, budget = (double)rest_ns;
    again = false;
    for (size_t i = 0; i < count; i++)
      if (!fixed[i]) {
        double cost = (double)components[i].cost_ns;
        sum += pow(spreads[i], 2.0 / 3.0) * cbrt(cost);
        budget += (double)start_of(&components[i]) * cost;
      }
    for (size_t i = 0; i < count; i++) {
      if (fixed[i])
        continue;
      wanted[i] = ideal(&components[i], spreads[i], sum, budget);
      if (wanted[i] < (double)start_of(&components[i]))
        fixed[i] = again = true;
    }
    for (size_t i = 0; i < count; i++)
      wanted[i] = fixed[i] ? (double)start_of(&components[i]) : wanted[i];
  }
  mem_free(fixed);
}

static void take_better(uint64_t *runs, uint64_t *other, const struct plan_component *components,
                        const double *spreads, size_t count, uint64_t budget_ns) {
  uint64_t spent = 0;
  for (size_t i = 0; i < count; i++)
    spent += (other[i] - components[i].samples) * components[i].cost_ns;
  spend_rest(other, components, spreads, count, budget_ns - spent);
  if (runs_error(spreads, other, count) < runs_error(spreads, runs, count))
    memcpy(runs, other, count * sizeof *runs);
}

void runs_allocate(uint64_t *runs, const struct plan_component *components, const double *spreads,
                   size_t count, uint64_t budget_ns) {
  uint64_t rest = start(runs, components, count, budget_ns);
  double *wanted = mem_alloc(count, sizeof *wanted);
  uint64_t *other = mem_alloc(count, sizeof *other);
  solve(wanted, components, spreads, count, rest);
  for (size_t i = 0; i < count; i++) {
    double extra = floor(wanted[i]) - (double)runs[i];
    uint64_t most = rest / components[i].cost_ns;
    uint64_t more = extra <= 0 ? 0 : extra < (double)most ? (uint64_t)extra : most;
    runs[i] += more;
    rest -= more * components[i].cost_ns;
  }
  spend_rest(runs, components, spreads, count, rest);
  runs_round_robin(other, components, count, budget_ns);
  take_better(runs, other, components, spreads, count, budget_ns);
  runs_equal_time(other, components, count, budget_ns);
  take_better(runs, other, components, spreads, count, budget_ns);
  mem_free(wanted);
  mem_free(other);
}

void runs_round_robin(uint64_t *runs, const struct plan_component *components, size_t count,
                      uint64_t budget_ns) {
  uint64_t rest = start(runs, components, count, budget_ns), round = 0;
  for (size_t i = 0; i < count; i++)
    round = components[i].cost_ns > UINT64_MAX - round ? UINT64_MAX : round + components[i].cost_ns;
  for (size_t i = 0; i < count; i++)
    runs[i] += rest / round;
}

void runs_equal_time(uint64_t *runs, const struct plan_component *components, size_t count,
                     uint64_t budget_ns) {
  uint64_t rest = start(runs, components, count, budget_ns);
  for (size_t i = 0; i < count; i++)
    runs[i] += rest / count / components[i].cost_ns;
}
