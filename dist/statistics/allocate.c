/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/allocate.h"

#include <math.h>

#include "dist/survival/wide.h"

static uint64_t start_of(const struct plan_component *c) {
  return c->least > c->samples ? c->least : c->samples;
}

uint64_t allocate_least(const struct plan_component *components, size_t count) {
  uint128 sum = 0;
  for (size_t i = 0; i < count; i++) {
    const struct plan_component *c = &components[i];
    sum += (uint128)(start_of(c) - c->samples) * c->cost_ns;
    if (sum > UINT64_MAX)
      return UINT64_MAX;
  }
  return (uint64_t)sum;
}

/* How many observations of c the multiplier asks for beyond its start. */
static double share(const struct plan_component *c, double weight, double exponent,
                    double log_multiplier) {
  if (weight <= 0)
    return 0;
  double size = exp((log(weight) - log((double)c->cost_ns) - log_multiplier) / (1 + exponent));
  return fmax(0, size - (double)start_of(c));
}

static double cost_of(const struct plan_component *components, size_t count, const double *weights,
                      double exponent, double log_multiplier) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum +=
        (double)components[i].cost_ns * share(&components[i], weights[i], exponent, log_multiplier);
  return sum;
}

/* What was rounded off goes to the components in the order of their weights, then to whichever it
 * still buys one of. */
static void spend_rest(uint64_t *samples, const struct plan_component *components, size_t count,
                       uint64_t rest_ns, const double *weights) {
  for (;;) {
    size_t best = count;
    for (size_t i = 0; i < count; i++)
      if (components[i].cost_ns <= rest_ns && (best == count || weights[i] > weights[best]))
        best = i;
    if (best == count)
      return;
    samples[best] += rest_ns / components[best].cost_ns;
    rest_ns %= components[best].cost_ns;
  }
}

bool allocate(uint64_t *samples, const struct plan_component *components, size_t count,
              uint64_t budget_ns, const double *weights, double exponent) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    samples[i] = start_of(&components[i]);
    any = any || weights[i] > 0;
  }
  if (!any)
    return false;
  uint64_t rest = budget_ns - allocate_least(components, count);
  double low = -2000, high = 2000; /* of the multiplier's logarithm; the cost falls in it */
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (cost_of(components, count, weights, exponent, middle) > (double)rest)
      low = middle;
    else
      high = middle;
  }
  for (size_t i = 0; i < count; i++) {
    double wanted = floor(share(&components[i], weights[i], exponent, high));
    uint64_t most = rest / components[i].cost_ns;
    uint64_t more = wanted < (double)most ? (uint64_t)wanted : most;
    samples[i] += more;
    rest -= more * components[i].cost_ns;
  }
  spend_rest(samples, components, count, rest, weights);
  return true;
}
