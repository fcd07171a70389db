/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/profile/phases.h"
#include "base/hash.h"
#include "trace/stacks/weights.h"

/* The rule of the paper. */
static const double PUBLISHED_THETA = 0.05, PUBLISHED_LAMBDA = 0.8;
enum { PUBLISHED_PATIENCE = 5, PUBLISHED_TOP = 10 };

struct sim_sample {
  uint32_t function;
  bool held;  /* in the half that the ways are held against */
  bool taken; /* of the other half: by the way at hand */
};

struct sim {
  const struct simulate_options *options;
  struct stack_simulation *made;
  struct sim_sample *samples;
  size_t *first; /* of window w: samples first[w] .. first[w + 1] */
  double *held;  /* by function, of the window at hand */
  uint32_t *top; /* the functions that are scored */
  size_t functions, windows, tops;
};

/* A way on its way through the windows. */
struct sim_way {
  struct simulate_way *way;
  double *own;   /* by function: sampled in the window at hand */
  double *shown; /* what the way says of it, as counts */
  double *whole; /* processor time of the whole run, as the way would say */
  double own_total, shown_total, owed, rate, squares, weight, rates;
  struct adapt adapt;
  double *before; /* of the paper's rule: the window before */
  double before_total;
  unsigned quiet;
  struct phases phases; /* of the way that adapts; and the functions of what it took: */
  VECTOR(uint32_t) taken;
};

struct simulate_options simulate_defaults(void) {
  struct simulate_options options = {
      .window = 1000000000, .top = 50, .seed = 1, .cost = 30000, .adapt = adapt_defaults()};
  options.adapt.limits.ceiling = RATE_MAX;
  options.adapt.limits.budget = 1000000000;
  return options;
}

/* ---- the rate of a recording */

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

double simulate_rate(const struct stack_profile *profile) {
  int64_t *last = mem_alloc(profile->threads.count + 1, sizeof *last);
  int64_t *gaps = mem_alloc(profile->samples.count, sizeof *gaps);
  size_t count = 0;
  for (size_t i = 0; i < profile->samples.count; i++) {
    const struct stack_sample *sample = &profile->samples.data[i];
    int64_t *before = &last[sample->thread < profile->threads.count ? sample->thread + 1 : 0];
    if (*before != 0 && sample->time > *before)
      gaps[count++] = sample->time - *before;
    *before = sample->time;
  }
  qsort(gaps, count, sizeof *gaps, ascending);
  double rate = count == 0 ? 0 : 1e9 / (double)gaps[count / 2];
  mem_free(gaps);
  mem_free(last);
  return rate;
}

/* ---- preparation */

static bool is_held(const struct simulate_options *options, size_t sample) {
  return hash_word(options->seed, sample) >> 63 != 0;
}

static int64_t time_of(const struct stack_profile *profile, size_t sample) {
  return profile->samples.data[sample].time;
}

/* The windows that the recording covers to their end. */
static void find_windows(struct sim *sim, const struct stack_profile *profile) {
  size_t count = profile->samples.count;
  int64_t start = time_of(profile, 0), window = sim->options->window;
  sim->windows = (size_t)((time_of(profile, count - 1) - start) / window);
  sim->first = mem_alloc(sim->windows + 1, sizeof *sim->first);
  size_t at = 0;
  for (size_t w = 0; w <= sim->windows; w++) {
    while (at < count && (time_of(profile, at) - start) / window < (int64_t)w)
      at++;
    sim->first[w] = at;
  }
}

static void take_samples(struct sim *sim, const struct stack_profile *profile) {
  struct stack_functions functions;
  stack_functions_find(&functions, profile);
  sim->functions = functions.count;
  sim->samples = mem_alloc(profile->samples.count, sizeof *sim->samples);
  double *own = mem_alloc(functions.count, sizeof *own);
  for (size_t i = 0; i < profile->samples.count; i++) {
    uint32_t function = functions.of_node[profile->samples.data[i].node];
    sim->samples[i] = (struct sim_sample){function, is_held(sim->options, i), false};
    own[function]++;
  }
  sim->top = stack_functions_top(own, functions.count, sim->options->top, &sim->tops);
  mem_free(own);
  stack_functions_clear(&functions);
}

/* ---- one window of a way */

/* Takes as many of the window's samples as its rate says, evenly. */
static void sample_window(struct sim *sim, struct sim_way *w, size_t window) {
  double step = fmin(w->rate / sim->made->rate, 1);
  for (size_t i = sim->first[window]; i < sim->first[window + 1]; i++) {
    sim->samples[i].taken = false;
    if (sim->samples[i].held)
      continue;
    w->owed += step;
    if (w->owed < 1)
      continue;
    w->owed -= 1;
    sim->samples[i].taken = true;
    w->way->samples++;
  }
}

/* Counts of what was taken of a window. */
static void count_window(const struct sim *sim, struct sim_way *w, size_t window) {
  memset(w->own, 0, sim->functions * sizeof *w->own);
  w->own_total = 0;
  for (size_t i = sim->first[window]; i < sim->first[window + 1]; i++)
    if (sim->samples[i].taken) {
      w->own[sim->samples[i].function]++;
      w->own_total++;
    }
}

static void show(const struct sim *sim, struct sim_way *w, const double *counts, double total) {
  if (total <= 0)
    return;
  for (size_t f = 0; f < sim->functions; f++)
    w->shown[f] = counts[f] / total;
  w->shown_total = 1;
}

/* Counts of the half that the ways are held against; returns how many, and how many there were to
 * choose from. */
static double hold_window(struct sim *sim, size_t window, double *offered) {
  memset(sim->held, 0, sim->functions * sizeof *sim->held);
  double held = 0;
  for (size_t i = sim->first[window]; i < sim->first[window + 1]; i++)
    if (sim->samples[i].held) {
      sim->held[sim->samples[i].function]++;
      held++;
    }
  *offered = (double)(sim->first[window + 1] - sim->first[window]) - held;
  return held;
}

static void score_window(struct sim *sim, struct sim_way *w, size_t window) {
  double offered, held = hold_window(sim, window, &offered);
  if (w->shown_total > 0)
    for (size_t f = 0; f < sim->functions; f++)
      w->whole[f] += w->shown[f] * (held + offered);
  if (held < 2 || offered == 0)
    return;
  double sum = 0;
  for (size_t t = 0; t < sim->tops; t++) {
    double p = sim->held[sim->top[t]] / held, d = w->shown[sim->top[t]] - p;
    sum += d * d - p * (1 - p) / (held - 1);
  }
  w->squares += held * sum / (double)sim->tops;
  w->weight += held;
}

/* ---- the next rate */

static double published_divergence(const struct sim *sim, const struct sim_way *w) {
  size_t kinds;
  return adapt_divergence(w->before, w->own, sim->functions, PUBLISHED_TOP, &kinds);
}

static void next_published(const struct sim *sim, struct sim_way *w) {
  if (w->own_total <= 0)
    return;
  if (w->before_total > 0 && published_divergence(sim, w) > PUBLISHED_THETA) {
    w->rate = fmin(w->rate / PUBLISHED_LAMBDA, sim->made->rate);
    w->quiet = 0;
    w->way->changes++;
  } else if (++w->quiet > PUBLISHED_PATIENCE) {
    w->rate = fmax(w->rate * PUBLISHED_LAMBDA, sim->options->adapt.limits.floor);
  }
  memcpy(w->before, w->own, sim->functions * sizeof *w->own);
  w->before_total = w->own_total;
}

static uint32_t load_of(const struct sim *sim, size_t window) {
  double busy = (double)(sim->first[window + 1] - sim->first[window]) / (2 * sim->made->rate);
  return (uint32_t)fmin(busy * 1e12 / (double)sim->options->window, RATE_LOAD_MAX);
}

/* A window that was sampled at half the full rate or more can speak for itself. */
static void place_window(const struct sim *sim, struct sim_way *w, size_t window) {
  double offered = (double)(sim->first[window + 1] - sim->first[window]) / 2;
  for (size_t i = sim->first[window]; i < sim->first[window + 1]; i++)
    if (sim->samples[i].taken)
      vector_push(&w->taken, sim->samples[i].function);
  phases_add(&w->phases, w->adapt.verdict, (size_t)w->own_total, w->own_total >= offered / 2);
}

static void next_adaptive(struct sim *sim, struct sim_way *w, size_t window) {
  struct adapt *adapt = &w->adapt;
  struct simulate_window row = {.start = (int64_t)window * sim->options->window,
                                .rate = (uint32_t)w->rate,
                                .samples = (uint32_t)w->own_total};
  row.verdict =
      adapt_window(adapt, w->own, sim->functions, sim->options->cost, load_of(sim, window));
  row.divergence = adapt->divergence;
  row.threshold = adapt->threshold;
  place_window(sim, w, window);
  w->way->changes += row.verdict == ADAPT_CHANGED;
  vector_push(&sim->made->course, row);
  w->rate = fmin(adapt->rate.rate, sim->made->rate);
}

static void step_way(struct sim *sim, struct sim_way *w, size_t window) {
  w->rates += w->rate;
  sample_window(sim, w, window);
  count_window(sim, w, window);
  if (w->way->kind == SIMULATE_ADAPTIVE) {
    next_adaptive(sim, w, window);
    return;
  }
  show(sim, w, w->own, w->own_total);
  if (w->way->kind == SIMULATE_PUBLISHED)
    next_published(sim, w);
  score_window(sim, w, window);
}

/* ---- phases */

struct sim_scoring {
  struct sim *sim;
  struct sim_way *way;
};

static void score_mixture(void *context, const struct phase_mixture *mixture) {
  const struct sim_scoring *scoring = context;
  struct sim_way *w = scoring->way;
  memcpy(w->shown, mixture->shown, scoring->sim->functions * sizeof *w->shown);
  w->shown_total = 1;
  score_window(scoring->sim, w, mixture->window);
}

/* ---- ways */

/* How far the top functions of the whole run are from what all samples say. */
static double error_of_top(const struct sim *sim, const struct sim_way *w) {
  double *all = mem_alloc(sim->functions, sizeof *all), sum = 0;
  for (size_t i = sim->first[0]; i < sim->first[sim->windows]; i++)
    all[sim->samples[i].function]++;
  for (size_t t = 0; t < sim->tops; t++) {
    double truth = all[sim->top[t]];
    sum += truth > 0 ? fabs(w->whole[sim->top[t]] - truth) / truth : 0;
  }
  mem_free(all);
  return sum / (double)sim->tops;
}

static void way_init(struct sim_way *w, const struct sim *sim, struct simulate_way *way) {
  *w = (struct sim_way){.way = way,
                        .rate = way->kind == SIMULATE_FIXED ? way->rate : sim->made->rate};
  struct adapt_options options = sim->options->adapt;
  uint32_t full = (uint32_t)fmin(ceil(sim->made->rate), RATE_MAX);
  if (options.limits.ceiling > full)
    options.limits.ceiling = full;
  if (options.limits.floor > options.limits.ceiling)
    options.limits.floor = options.limits.ceiling;
  adapt_init(&w->adapt, &options);
  double **arrays[] = {&w->own, &w->shown, &w->whole, &w->before};
  for (size_t i = 0; i < 4; i++)
    *arrays[i] = mem_alloc(sim->functions, sizeof(double));
}

static void way_clear(struct sim_way *w) {
  adapt_clear(&w->adapt);
  phases_clear(&w->phases);
  vector_clear(&w->taken);
  mem_free(w->own);
  mem_free(w->shown);
  mem_free(w->whole);
  mem_free(w->before);
}

static void run_way(struct sim *sim, struct simulate_way way) {
  struct sim_way w;
  way_init(&w, sim, &way);
  for (size_t window = 0; window < sim->windows; window++)
    step_way(sim, &w, window);
  if (way.kind == SIMULATE_ADAPTIVE)
    phases_show(&w.phases, w.taken.data, sim->functions, score_mixture,
                &(struct sim_scoring){sim, &w});
  way.rate = w.rates / (double)sim->windows;
  way.squared = w.weight > 0 ? w.squares / w.weight : 0;
  way.top_error = error_of_top(sim, &w);
  way_clear(&w);
  vector_push(&sim->made->ways, way);
}

static void run_ways(struct sim *sim) {
  static const double parts[] = {0.5, 0.25, 0.124, 0.06, 0.03, 0.01};
  run_way(sim, (struct simulate_way){.kind = SIMULATE_FULL});
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    run_way(sim, (struct simulate_way){.kind = SIMULATE_FIXED, .rate = parts[i] * sim->made->rate});
  run_way(sim, (struct simulate_way){.kind = SIMULATE_PUBLISHED});
  run_way(sim, (struct simulate_way){.kind = SIMULATE_ADAPTIVE});
  const struct simulate_way *full = &sim->made->ways.data[0];
  for (size_t i = 0; i < sim->made->ways.count; i++) {
    struct simulate_way *way = &sim->made->ways.data[i];
    way->spent = (double)way->samples / (double)full->samples;
    way->relative = full->squared > 0 ? way->squared / full->squared : NAN;
  }
}

static size_t windows_with_samples(const struct sim *sim) {
  size_t count = 0;
  for (size_t w = 0; w < sim->windows; w++)
    count += sim->first[w + 1] - sim->first[w] >= 4;
  return count;
}

static enum simulate_failure run(struct sim *sim, const struct stack_profile *profile) {
  find_windows(sim, profile);
  if (windows_with_samples(sim) < SIMULATE_LEAST || sim->made->rate <= 0)
    return SIMULATE_SHORT;
  take_samples(sim, profile);
  sim->held = mem_alloc(sim->functions, sizeof *sim->held);
  sim->made->windows = sim->windows;
  sim->made->functions = sim->functions;
  run_ways(sim);
  return SIMULATE_OK;
}

enum simulate_failure simulate(struct stack_simulation *simulation,
                               const struct stack_profile *profile,
                               const struct simulate_options *options) {
  *simulation = (struct stack_simulation){.samples = profile->samples.count};
  if (profile->samples.count == 0)
    return SIMULATE_UNTIMED;
  simulation->rate = (options->rate > 0    ? options->rate
                      : profile->rate != 0 ? profile->rate
                                           : simulate_rate(profile)) /
                     2;
  struct sim sim = {.options = options, .made = simulation};
  enum simulate_failure failure = run(&sim, profile);
  mem_free(sim.samples);
  mem_free(sim.first);
  mem_free(sim.held);
  mem_free(sim.top);
  return failure;
}

void simulation_clear(struct stack_simulation *simulation) {
  vector_clear(&simulation->ways);
  vector_clear(&simulation->course);
}
