/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/hot/clock.h"

#include <math.h>
#include <stdlib.h>

#include "trace/stacks/simulate.h"

enum {
  BINS_MOST = 1 << 19,      /* of shifts that are tried */
  BINS_A_STRETCH = 16,      /* of the median length */
  TRIED_MOST = 4000,        /* samples that are tried at every shift */
  TRIED_LEAST = 300,        /* even if */
  PAIRS_MOST = 100000000,   /* of a sample and a stretch are more */
  FINE_MOST = 20000,        /* samples that decide between two shifts */
  FINE_STEPS = 16,          /* of a bin */
  KINDS = 8,                /* of samples: the most frequent functions, and the rest */
  NEAR = 8 * BINS_A_STRETCH /* bins: shifts that depend on each other */
};

static const double CLEAR = 3;                 /* times what is found elsewhere */
static const double AGREES = 0.8;              /* of the best fit */
static const double BUSY = 0.8, COVERED = 0.9; /* of the time: no shift can be told from another */

/* The stretches of one process and thread, as far as they say it. */
struct clock_place {
  uint32_t process, thread;
  size_t first, count; /* of starts and of ends */
};

/* A sample whose thread has requests. */
struct clock_sample {
  int64_t time;
  uint32_t thread; /* of the profile */
  uint8_t kind;
};

struct clock_fitting {
  const struct stack_profile *profile;
  struct hot_clock *clock;
  VECTOR(struct clock_place) places;
  VECTOR(int64_t) starts, ends; /* by place, each in its own order */
  VECTOR(struct clock_sample) seen;
  VECTOR(uint32_t) matching; /* places of each thread of the profile: */
  size_t *first_of;          /* by thread, and behind the last */
  int64_t first, last;       /* what the requests cover */
  int64_t median;            /* length of a stretch */
  double *usual; /* by thread of the profile: stretches that are open at a random moment */
};

/* --- places --- */

static int by_place(const void *a, const void *b) {
  const struct hot_stretch *x = a, *y = b;
  if (x->process != y->process)
    return x->process < y->process ? -1 : 1;
  return (x->thread > y->thread) - (x->thread < y->thread);
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void find_median(struct clock_fitting *f) {
  size_t count = f->starts.count;
  int64_t *lengths = mem_alloc(count, sizeof *lengths);
  for (size_t i = 0; i < count; i++)
    if (__builtin_sub_overflow(f->ends.data[i], f->starts.data[i], &lengths[i]))
      lengths[i] = INT64_MAX;
  qsort(lengths, count, sizeof *lengths, ascending);
  f->median = lengths[count / 2];
  mem_free(lengths);
}

static void take_stretches(struct clock_fitting *f, const hot_stretches *stretches) {
  struct hot_stretch *sorted = mem_alloc(stretches->count, sizeof *sorted);
  size_t count = 0;
  for (size_t i = 0; i < stretches->count; i++)
    if (!stretches->data[i].waiting && stretches->data[i].end > stretches->data[i].start)
      sorted[count++] = stretches->data[i];
  qsort(sorted, count, sizeof *sorted, by_place);
  f->first = INT64_MAX;
  f->last = INT64_MIN;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || by_place(&sorted[i - 1], &sorted[i]) != 0)
      vector_push(&f->places, (struct clock_place){sorted[i].process, sorted[i].thread, i, 0});
    f->places.data[f->places.count - 1].count++;
    vector_push(&f->starts, sorted[i].start);
    vector_push(&f->ends, sorted[i].end);
    f->first = sorted[i].start < f->first ? sorted[i].start : f->first;
    f->last = sorted[i].end > f->last ? sorted[i].end : f->last;
  }
  mem_free(sorted);
  if (count != 0)
    find_median(f);
  for (size_t i = 0; i < f->places.count; i++) {
    const struct clock_place *place = &f->places.data[i];
    qsort(f->starts.data + place->first, place->count, sizeof(int64_t), ascending);
    qsort(f->ends.data + place->first, place->count, sizeof(int64_t), ascending);
  }
}

static bool is_of(const struct clock_place *place, const struct stack_thread *thread) {
  return (place->process == 0 || thread->process == 0 || place->process == thread->process) &&
         (place->thread == 0 || thread->thread == 0 || place->thread == thread->thread);
}

static const struct stack_thread nobody = {0};

static const struct stack_thread *thread_of(const struct clock_fitting *f, uint32_t thread) {
  return thread < f->profile->threads.count ? &f->profile->threads.data[thread] : &nobody;
}

static bool has_requests(const struct clock_fitting *f, size_t thread) {
  return f->first_of[thread + 1] != f->first_of[thread];
}

/* The i-th place in `matching`. */
static const struct clock_place *place_of(const struct clock_fitting *f, size_t i) {
  return &f->places.data[f->matching.data[i]];
}

static uint8_t *find_kinds(const struct stack_profile *profile,
                           const struct stack_functions *functions) {
  double *weights = mem_alloc(functions->count, sizeof *weights);
  uint8_t *kinds = mem_alloc(functions->count, sizeof *kinds);
  size_t count;
  for (size_t i = 0; i < profile->samples.count; i++)
    weights[functions->of_node[profile->samples.data[i].node]]++;
  uint32_t *top = stack_functions_top(weights, functions->count, KINDS - 1, &count);
  for (size_t i = 0; i < count; i++)
    kinds[top[i]] = (uint8_t)(i + 1);
  mem_free(top);
  mem_free(weights);
  return kinds;
}

static void take_samples(struct clock_fitting *f, const struct stack_functions *functions) {
  uint8_t *kinds = find_kinds(f->profile, functions);
  const struct stack_profile *profile = f->profile;
  size_t threads = profile->threads.count;
  f->first_of = mem_alloc(threads + 2, sizeof *f->first_of);
  for (size_t t = 0; t <= threads; t++) {
    for (uint32_t i = 0; i < f->places.count; i++)
      if (is_of(&f->places.data[i], thread_of(f, (uint32_t)t)))
        vector_push(&f->matching, i);
    f->first_of[t + 1] = f->matching.count;
  }
  for (size_t i = 0; i < profile->samples.count; i++) {
    const struct stack_sample *sample = &profile->samples.data[i];
    uint32_t thread = sample->thread < threads ? sample->thread : (uint32_t)threads;
    if (has_requests(f, thread))
      vector_push(&f->seen, (struct clock_sample){sample->time, thread,
                                                  kinds[functions->of_node[sample->node]]});
  }
  mem_free(kinds);
}

/* --- one shift --- */

/* How many are at or before the time. */
static size_t before(const int64_t *times, size_t count, int64_t time) {
  size_t low = 0;
  while (count > 0) {
    size_t half = count / 2;
    if (times[low + half] <= time) {
      low += half + 1;
      count -= half + 1;
    } else
      count = half;
  }
  return low;
}

/* Stretches of the sample's thread that are open at a time. */
static double open_at(const struct clock_fitting *f, uint32_t thread, int64_t time) {
  size_t open = 0;
  for (size_t i = f->first_of[thread]; i < f->first_of[thread + 1]; i++) {
    const struct clock_place *place = place_of(f, i);
    open += before(f->starts.data + place->first, place->count, time) -
            before(f->ends.data + place->first, place->count, time);
  }
  return (double)open;
}

/* Samples of each kind while requests go on: how many, the stretches that are open at them, and
 * those that would be at random moments. */
struct clock_fit {
  double number[KINDS], open[KINDS], usual[KINDS];
};

/* Of stretches that have nothing to do with the samples it is small. */
static double value_of(const struct clock_fit *fit) {
  double value = 0;
  for (size_t k = 0; k < KINDS; k++) {
    double more = fmax(0, fit->open[k] - fit->usual[k]);
    value += fit->number[k] < 1 ? 0 : more * more / fit->number[k];
  }
  return value;
}

static size_t step_of(const struct clock_fitting *f, size_t most) {
  return (f->seen.count + most - 1) / most;
}

/* Of all samples, or one in some, put forward by a shift. */
static double fit_at(const struct clock_fitting *f, int64_t shift, size_t step) {
  struct clock_fit fit = {{0}, {0}, {0}};
  for (size_t i = 0; i < f->seen.count; i += step) {
    const struct clock_sample *seen = &f->seen.data[i];
    int64_t time = seen->time + shift;
    if (time < f->first || time >= f->last)
      continue;
    fit.number[seen->kind]++;
    fit.usual[seen->kind] += f->usual[seen->thread];
    fit.open[seen->kind] += open_at(f, seen->thread, time);
  }
  return value_of(&fit);
}

/* --- all shifts --- */

/* Changes of the numbers of a fit from one shift to the next. */
struct clock_scan {
  float (*number)[KINDS], (*open)[KINDS], (*usual)[KINDS];
  size_t bins;
  int64_t bin, reach;
};

/* A sample is in a stretch at a stretch of shifts. */
static void add_shifts(const struct clock_scan *scan, float (*change)[KINDS], int64_t from,
                       int64_t to, uint8_t kind, float by) {
  if (from > scan->reach || to < -scan->reach)
    return;
  from = from < -scan->reach ? -scan->reach : from;
  to = to > scan->reach ? scan->reach : to;
  change[(size_t)((from + scan->reach + scan->bin / 2) / scan->bin)][kind] += by;
  change[(size_t)((to + scan->reach + scan->bin / 2) / scan->bin)][kind] -= by;
}

static void add_sample(const struct clock_fitting *f, const struct clock_scan *scan,
                       const struct clock_sample *seen) {
  int64_t from = f->first - seen->time, to = f->last - seen->time;
  add_shifts(scan, scan->number, from, to, seen->kind, 1);
  add_shifts(scan, scan->usual, from, to, seen->kind, (float)f->usual[seen->thread]);
  for (size_t i = f->first_of[seen->thread]; i < f->first_of[seen->thread + 1]; i++) {
    const struct clock_place *place = place_of(f, i);
    for (size_t k = place->first; k < place->first + place->count; k++)
      add_shifts(scan, scan->open, f->starts.data[k] - seen->time, f->ends.data[k] - seen->time,
                 seen->kind, 1);
  }
}

/* Sorted starts and sorted ends need not be of the same stretches: the sums are the same. */
static float *values_of(struct clock_scan *scan) {
  float *values = mem_alloc(scan->bins, sizeof *values);
  struct clock_fit fit = {{0}, {0}, {0}};
  for (size_t i = 0; i < scan->bins; i++) {
    for (size_t k = 0; k < KINDS; k++) {
      fit.number[k] += (double)scan->number[i][k];
      fit.open[k] += (double)scan->open[i][k];
      fit.usual[k] += (double)scan->usual[i][k];
    }
    values[i] = (float)value_of(&fit);
  }
  return values;
}

static size_t greatest(const float *values, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    best = values[i] > values[best] ? i : best;
  return best;
}

/* The greatest value far from a shift and from none: what is found by chance. */
static double elsewhere(const struct clock_scan *scan, const float *values, size_t best) {
  size_t none = (size_t)(scan->reach / scan->bin);
  double most = 0;
  for (size_t i = 0; i < scan->bins; i++) {
    size_t a = i > best ? i - best : best - i, b = i > none ? i - none : none - i;
    if (a > NEAR && b > NEAR)
      most = fmax(most, (double)values[i]);
  }
  return most;
}

/* The shift that fits best, to a bin; *clear: no other does nearly so. */
static int64_t try_all(const struct clock_fitting *f, int64_t bin, size_t step, bool *clear,
                       double *noise) {
  struct clock_scan scan = {.bin = bin, .reach = f->clock->reach};
  scan.bins = (size_t)(2 * scan.reach / bin) + 3;
  scan.number = mem_alloc(scan.bins, sizeof *scan.number);
  scan.open = mem_alloc(scan.bins, sizeof *scan.open);
  scan.usual = mem_alloc(scan.bins, sizeof *scan.usual);
  for (size_t i = 0; i < f->seen.count; i += step)
    add_sample(f, &scan, &f->seen.data[i]);
  float *values = values_of(&scan);
  size_t best = greatest(values, scan.bins);
  *noise = elsewhere(&scan, values, best);
  *clear = (double)values[best] > CLEAR * *noise;
  mem_free(values);
  mem_free(scan.number);
  mem_free(scan.open);
  mem_free(scan.usual);
  return (int64_t)best * bin - scan.reach;
}

/* The middle of the shifts near one that fit as well as the best of them, but for one part in 500.
 */
static int64_t refine(const struct clock_fitting *f, int64_t near, int64_t bin, size_t step) {
  enum { STEPS = 4 * FINE_STEPS + 1 };
  double fits[STEPS], best = 0;
  int64_t width = bin / FINE_STEPS + 1, sum = 0, number = 0;
  for (int i = 0; i < STEPS; i++) {
    fits[i] = fit_at(f, near + (i - 2 * FINE_STEPS) * width, step);
    best = fmax(best, fits[i]);
  }
  for (int i = 0; i < STEPS; i++)
    if (fits[i] >= best * (1 - 1.0 / 500)) {
      sum += (i - 2 * FINE_STEPS) * width;
      number++;
    }
  return near + (number == 0 ? 0 : sum / number);
}

/* --- whether there is anything to be seen --- */

/* Stretches open at a random moment on a thread. */
static double usual(const struct clock_fitting *f, uint32_t thread) {
  double time = 0;
  for (size_t i = f->first_of[thread]; i < f->first_of[thread + 1]; i++) {
    const struct clock_place *place = place_of(f, i);
    for (size_t k = place->first; k < place->first + place->count; k++)
      time += (double)(f->ends.data[k] - f->starts.data[k]);
  }
  return time / (double)(f->last - f->first);
}

/* How much of the time the threads that requests executed on were running. */
static double busy_part(const struct clock_fitting *f, double worth) {
  double weight = 0, threads = 0, rate = worth > 0 ? 0 : simulate_rate(f->profile);
  int64_t first = f->seen.data[0].time, last = f->seen.data[f->seen.count - 1].time;
  for (size_t t = 0; t < f->profile->threads.count; t++)
    if (has_requests(f, t)) {
      threads++;
      weight += (double)f->profile->threads.data[t].weight;
    }
  double time = worth > 0 ? weight * worth : rate > 0 ? (double)f->seen.count * 1e9 / rate : 0;
  return last == first || threads == 0 ? 1 : time / ((double)(last - first) * threads);
}

static void find_usual(struct clock_fitting *f) {
  size_t threads = f->profile->threads.count + 1;
  f->usual = mem_alloc(threads, sizeof *f->usual);
  for (size_t t = 0; t < threads; t++)
    f->usual[t] = has_requests(f, t) ? usual(f, (uint32_t)t) : 0;
}

static void count_inside(struct clock_fitting *f, int64_t shift, uint64_t *samples,
                         uint64_t *inside, double *covered) {
  *samples = *inside = 0;
  *covered = 0;
  for (size_t i = 0; i < f->seen.count; i++) {
    const struct clock_sample *seen = &f->seen.data[i];
    int64_t time = seen->time + shift;
    if (time < f->first || time >= f->last)
      continue;
    ++*samples;
    *inside += open_at(f, seen->thread, time) > 0;
    *covered += f->usual[seen->thread];
  }
  *covered /= *samples == 0 ? 1 : (double)*samples;
}

static void find_shift(struct clock_fitting *f, double worth) {
  struct hot_clock *clock = f->clock;
  int64_t start = f->seen.data[0].time, end = f->seen.data[f->seen.count - 1].time;
  int64_t back = end - f->first, forth = f->last - start;
  int64_t bin = f->median / BINS_A_STRETCH + 1;
  size_t tried = PAIRS_MOST / (f->starts.count + 1), step;
  tried = tried > TRIED_MOST ? TRIED_MOST : tried < TRIED_LEAST ? TRIED_LEAST : tried;
  step = step_of(f, tried);
  clock->reach = back > forth ? back : forth;
  if (clock->reach / bin > BINS_MOST / 2)
    clock->reach = bin * (BINS_MOST / 2);
  bool clear;
  double noise, covered;
  int64_t shift = try_all(f, bin, step, &clear, &noise);
  bool nowhere = !clear && fit_at(f, 0, step) <= noise;
  clock->seen = !nowhere;
  step = step_of(f, FINE_MOST);
  clock->shift = refine(f, shift, bin, step);
  clock->apart = clear && fit_at(f, 0, step) < AGREES * fit_at(f, clock->shift, step);
  uint64_t samples, inside;
  count_inside(f, clock->shift, &samples, &inside, &covered);
  clock->share = samples == 0 ? 0 : (double)inside / (double)samples;
  clock->random = nowhere && covered < COVERED && busy_part(f, worth) < BUSY;
}

/* Differences of what no clock shows are beyond 64 bits. */
static bool are_moments(const struct clock_fitting *f) {
  const int64_t most = INT64_MAX / 4;
  return f->first > -most && f->last < most && f->seen.data[0].time > -most &&
         f->seen.data[f->seen.count - 1].time < most;
}

void hot_clock_find(struct hot_clock *clock, const hot_stretches *stretches,
                    const struct stack_profile *profile, const struct stack_functions *functions,
                    double worth) {
  *clock = (struct hot_clock){0};
  struct clock_fitting f = {.profile = profile, .clock = clock};
  double covered;
  take_stretches(&f, stretches);
  take_samples(&f, functions);
  if (f.last > f.first && f.seen.count != 0 && are_moments(&f)) {
    find_usual(&f);
    count_inside(&f, 0, &clock->samples, &clock->inside, &covered);
    if (f.seen.count >= HOT_CLOCK_LEAST)
      find_shift(&f, worth);
  }
  vector_clear(&f.places);
  vector_clear(&f.starts);
  vector_clear(&f.ends);
  vector_clear(&f.seen);
  vector_clear(&f.matching);
  mem_free(f.first_of);
  mem_free(f.usual);
}
