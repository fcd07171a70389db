/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/adapt.h"

#include <math.h>
#include <stdlib.h>

/* A threshold above it says that there are too few samples, unless theta itself is above it. */
static const double BLIND = 0.1;

struct adapt_options adapt_defaults(void) {
  return (struct adapt_options){
      .theta = 0.05,
      .noise = 3,
      .top = 10,
      .limits = {.floor = 20, .ceiling = 999, .budget = 10000000, .shrink = 200, .patience = 0}};
}

void adapt_init(struct adapt *adapt, const struct adapt_options *options) {
  *adapt = (struct adapt){.options = *options};
  adapt->rate.rate = rate_affordable(&options->limits, 0, 0);
}

void adapt_clear(struct adapt *adapt) {
  vector_clear(&adapt->phase);
  vector_clear(&adapt->recent);
}

/* ---- divergence */

struct ranked {
  double count;
  size_t function;
};

static int descending(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return (x->function > y->function) - (x->function < y->function);
}

/* Marks the `top` functions with the greatest counts; of equal ones the first. */
static void mark_top(bool *marks, struct ranked *ranked, const double *counts, size_t functions,
                     unsigned top) {
  size_t count = 0;
  for (size_t i = 0; i < functions; i++)
    if (counts[i] > 0)
      ranked[count++] = (struct ranked){counts[i], i};
  qsort(ranked, count, sizeof *ranked, descending);
  for (size_t i = 0; i < count && i < top; i++)
    marks[ranked[i].function] = true;
}

/* p ln(p / m), and 0 of nothing. */
static double part(double p, double m) {
  return p > 0 ? p * log(p / m) : 0;
}

static double term(double p, double q) {
  double m = (p + q) / 2;
  return (part(p, m) + part(q, m)) / 2;
}

static double sum_of(const double *counts, size_t functions) {
  double sum = 0;
  for (size_t i = 0; i < functions; i++)
    sum += counts[i];
  return sum;
}

double adapt_divergence(const double *a, const double *b, size_t functions, unsigned top,
                        size_t *kinds) {
  struct ranked *ranked = mem_alloc(functions, sizeof *ranked);
  bool *marks = mem_alloc(functions, sizeof *marks);
  mark_top(marks, ranked, a, functions, top);
  mark_top(marks, ranked, b, functions, top);
  double all_a = sum_of(a, functions), all_b = sum_of(b, functions);
  double other_a = 0, other_b = 0, sum = 0;
  *kinds = 0;
  for (size_t i = 0; i < functions; i++) {
    if (marks[i])
      sum += term(a[i] / all_a, b[i] / all_b);
    other_a += marks[i] ? 0 : a[i] / all_a;
    other_b += marks[i] ? 0 : b[i] / all_b;
    *kinds += marks[i];
  }
  *kinds += other_a + other_b > 0;
  mem_free(marks);
  mem_free(ranked);
  return sum + term(other_a, other_b);
}

/* ---- windows */

static void add_counts(adapt_counts *sum, const double *counts, size_t functions) {
  while (sum->count < functions)
    vector_push(sum, 0);
  for (size_t i = 0; i < functions; i++)
    sum->data[i] += counts[i];
}

/* The recent windows become part of the phase, or the beginning of the next one. */
static void take_recent(struct adapt *adapt, bool begin) {
  if (begin) {
    adapt->phase.count = 0;
    adapt->phase_total = 0;
  }
  add_counts(&adapt->phase, adapt->recent.data, adapt->recent.count);
  adapt->phase_total += adapt->recent_total;
  adapt->recent.count = 0;
  adapt->recent_total = 0;
}

static double threshold_of(const struct adapt *adapt, double phase, double recent) {
  double chance = ((double)adapt->functions - 1) / 8 * (1 / phase + 1 / recent);
  return fmax(adapt->options.theta, adapt->options.noise * chance);
}

static bool is_blind(const struct adapt *adapt, double threshold) {
  return threshold > fmax(BLIND, adapt->options.theta);
}

static enum adapt_verdict judge(struct adapt *adapt) {
  if (adapt->recent_total <= 0)
    return ADAPT_UNSURE;
  if (adapt->phase_total <= 0)
    return ADAPT_SAME;
  while (adapt->phase.count < adapt->recent.count)
    vector_push(&adapt->phase, 0);
  adapt->divergence = adapt_divergence(adapt->phase.data, adapt->recent.data, adapt->recent.count,
                                       adapt->options.top, &adapt->functions);
  adapt->threshold = threshold_of(adapt, adapt->phase_total, adapt->recent_total);
  if (adapt->divergence > adapt->threshold)
    return ADAPT_CHANGED;
  if (is_blind(adapt, adapt->threshold))
    return ADAPT_UNSURE;
  return ADAPT_SAME;
}

/* So few samples do not make a phase known. */
static bool tell_little(const struct adapt *adapt, double samples) {
  return is_blind(adapt, threshold_of(adapt, samples / 2, INFINITY));
}

/* What is known of the phase once a window is judged. After a change the few samples of a slow
 * window, of which a part is from before it, are no beginning: the next window is. */
static void settle(struct adapt *adapt) {
  bool changed = adapt->verdict == ADAPT_CHANGED;
  if (adapt->verdict == ADAPT_UNSURE && !tell_little(adapt, adapt->phase_total))
    return;
  if (changed && tell_little(adapt, adapt->recent_total)) {
    adapt->recent.count = 0;
    adapt->recent_total = 0;
  }
  take_recent(adapt, changed);
}

/* Where nothing can be told the rate stays, unless it has become too dear. */
static void step(struct adapt *adapt, uint32_t cost, uint32_t load) {
  const struct rate_limits *limits = &adapt->options.limits;
  uint32_t most = rate_affordable(limits, cost, load);
  if (adapt->verdict != ADAPT_UNSURE)
    rate_step(&adapt->rate, limits, adapt->verdict == ADAPT_CHANGED, cost, load);
  else if (adapt->rate.rate > most)
    adapt->rate.rate = most;
}

enum adapt_verdict adapt_window(struct adapt *adapt, const double *counts, size_t functions,
                                uint32_t cost, uint32_t load) {
  add_counts(&adapt->recent, counts, functions);
  adapt->recent_total += sum_of(counts, functions);
  adapt->verdict = judge(adapt);
  settle(adapt);
  step(adapt, cost < RATE_COST_MAX ? cost : RATE_COST_MAX,
       load < RATE_LOAD_MAX ? load : RATE_LOAD_MAX);
  return adapt->verdict;
}
