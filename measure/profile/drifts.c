/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/drifts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a phase the most frequent functions tell how fast it drifts; all others count as one. */
enum { KINDS = 11 };

/* The drifts that are tried beside 0: powers of 4 from 4^-9 to 4. */
enum { SLOWEST = -9, FASTEST = 1 };

static size_t end_of(const struct phases *phases, size_t window) {
  return window + 1 < phases->windows.count ? phases->windows.data[window + 1].first
                                            : phases->samples;
}

static double samples_of(const struct phases *phases, size_t window) {
  return (double)(end_of(phases, window) - phases->windows.data[window].first);
}

/* Windows first .. end - 1 of one phase, none at its border. */
struct stretch {
  const struct phases *phases;
  size_t first, end;
  const uint32_t *kind_of; /* of a function */
  const uint32_t *function_of;
  double shares[KINDS]; /* of the phase */
};

struct kind {
  double count;
  uint32_t function;
};

static int descending(const void *a, const void *b) {
  const struct kind *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return (x->function > y->function) - (x->function < y->function);
}

static void count_kinds(const struct stretch *s, size_t window, double counts[KINDS]) {
  memset(counts, 0, KINDS * sizeof *counts);
  for (size_t i = s->phases->windows.data[window].first; i < end_of(s->phases, window); i++)
    counts[s->kind_of[s->function_of[i]]]++;
}

/* Fills kind_of and the shares; `kinds` has room for all functions. */
static void find_kinds(struct stretch *s, struct kind *kinds, uint32_t *kind_of, size_t functions) {
  double total = 0;
  for (uint32_t f = 0; f < functions; f++) {
    kinds[f] = (struct kind){0, f};
    kind_of[f] = KINDS - 1;
  }
  size_t first = s->phases->windows.data[s->first].first;
  for (size_t i = first; i < end_of(s->phases, s->end - 1); i++, total++)
    kinds[s->function_of[i]].count++;
  qsort(kinds, functions, sizeof *kinds, descending);
  s->kind_of = kind_of;
  memset(s->shares, 0, sizeof s->shares);
  for (uint32_t f = 0; f < functions; f++) {
    uint32_t kind = f < KINDS - 1 ? f : KINDS - 1;
    kind_of[kinds[f].function] = kind;
    s->shares[kind] += total > 0 ? kinds[f].count / total : 0;
  }
}

/* -2 log likelihood of a local-level model, but for a constant: each window is foretold by those
 * before it. */
static double unlikeliness(const struct stretch *s, double drift) {
  double known[KINDS], precision = 0, sum = 0;
  for (size_t w = s->first; w < s->end; w++) {
    double n = samples_of(s->phases, w), counts[KINDS];
    precision = precision / (1 + drift * precision);
    if (n <= 0)
      continue;
    count_kinds(s, w, counts);
    double variance = precision > 0 ? 1 / precision + 1 / n : 0;
    for (size_t k = 0, free = 0; k < KINDS; k++) {
      double share = counts[k] / n;
      if (precision <= 0) {
        known[k] = share;
      } else if (s->shares[k] > 0) {
        sum += (share - known[k]) * (share - known[k]) / (s->shares[k] * variance);
        sum += free++ == 0 ? 0 : log(variance);
        known[k] += (share - known[k]) * n / (precision + n);
      }
    }
    precision += n;
  }
  return sum;
}

static double find_drift(const struct stretch *s) {
  double best = 0, least = unlikeliness(s, 0);
  for (int e = SLOWEST; e <= FASTEST; e++) {
    double tried = unlikeliness(s, pow(4, e));
    if (tried < least) {
      least = tried;
      best = pow(4, e);
    }
  }
  return best;
}

/* What the windows on either side tell of each. */
static void spread(struct drifts *drifts, const struct stretch *s, double drift) {
  double told = 0;
  for (size_t w = s->first; w < s->end; w++) {
    drifts->of[w] = drift;
    drifts->before[w] = told / (1 + drift * told);
    told = drifts->before[w] + samples_of(s->phases, w);
  }
  told = 0;
  for (size_t w = s->end; w > s->first; w--) {
    drifts->behind[w - 1] = told / (1 + drift * told);
    told = drifts->behind[w - 1] + samples_of(s->phases, w - 1);
  }
}

static bool continues(const struct phases *phases, size_t first, size_t window) {
  return window < phases->windows.count && !phases->windows.data[window].border &&
         phases->windows.data[window].phase == phases->windows.data[first].phase;
}

void drifts_find(struct drifts *drifts, const struct phases *phases, const uint32_t *function_of,
                 size_t functions) {
  size_t count = phases->windows.count;
  *drifts = (struct drifts){.phases = phases,
                            .of = mem_alloc(count, sizeof(double)),
                            .before = mem_alloc(count, sizeof(double)),
                            .behind = mem_alloc(count, sizeof(double))};
  struct kind *kinds = mem_alloc(functions, sizeof *kinds);
  uint32_t *kind_of = mem_alloc(functions, sizeof *kind_of);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first; continues(phases, first, end);)
      end++;
    struct stretch s = {.phases = phases, .first = first, .end = end, .function_of = function_of};
    if (end > first) {
      find_kinds(&s, kinds, kind_of, functions);
      spread(drifts, &s, find_drift(&s));
    }
    end += end == first;
  }
  mem_free(kinds);
  mem_free(kind_of);
}

void drifts_clear(struct drifts *drifts) {
  mem_free(drifts->of);
  mem_free(drifts->before);
  mem_free(drifts->behind);
}

bool drifts_parts(const struct drifts *drifts, size_t window,
                  void (*add)(void *context, size_t window, double part), void *context) {
  static const double LEAST = 1e-6;
  const struct phases *phases = drifts->phases;
  double n = samples_of(phases, window);
  double all = drifts->before[window] + n + drifts->behind[window];
  if (all <= 0)
    return false;
  if (n > 0)
    add(context, window, n / all);
  double rest = drifts->before[window] / all;
  for (size_t w = window; rest > LEAST && w > 0 && continues(phases, window, w - 1); w--) {
    double own = samples_of(phases, w - 1), told = drifts->before[w - 1] + own;
    if (own > 0)
      add(context, w - 1, rest * own / told);
    rest *= told > 0 ? drifts->before[w - 1] / told : 1;
  }
  rest = drifts->behind[window] / all;
  for (size_t w = window + 1; rest > LEAST && continues(phases, window, w); w++) {
    double own = samples_of(phases, w), told = drifts->behind[w] + own;
    if (own > 0)
      add(context, w, rest * own / told);
    rest *= told > 0 ? drifts->behind[w] / told : 1;
  }
  return true;
}
