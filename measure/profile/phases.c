/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/phases.h"

#include <string.h>

#include "measure/profile/drifts.h"

/* A change that few samples show may have begun in the windows that were judged together before. */
static size_t first_in_doubt(const struct phases *phases) {
  size_t first = phases->judged;
  for (size_t i = phases->judged; i < phases->untold; i++)
    if (phases->windows.data[i].alone || phases->windows.data[i].border)
      first = phases->untold;
  return first;
}

void phases_add(struct phases *phases, enum adapt_verdict verdict, size_t samples, bool alone) {
  size_t at = phases->windows.count;
  bool changed = verdict == ADAPT_CHANGED;
  vector_push(&phases->windows, (struct phase_window){phases->samples, phases->phase, true, alone});
  phases->samples += samples;
  if (verdict == ADAPT_UNSURE)
    return;
  phases->phase += changed;
  for (size_t i = changed ? first_in_doubt(phases) : phases->untold; i <= at; i++) {
    phases->windows.data[i].phase = phases->phase;
    phases->windows.data[i].border = changed;
  }
  phases->judged = phases->untold;
  phases->untold = at + 1;
}

void phases_clear(struct phases *phases) {
  vector_clear(&phases->windows);
}

struct phase_pool {
  uint32_t phase; /* UINT32_MAX: none */
  size_t window;  /* what it is of: the shares in this window */
  double *shares; /* by function; 0 of none */
};

struct phase_showing {
  const struct phases *phases;
  const uint32_t *function_of;
  size_t functions;
  struct phase_pool now, before;
  const struct drifts *drifts;
  double *filled;         /* the pool that is being filled */
  double *own, own_total; /* counts of the window at hand */
  double *shown;
};

static size_t end_of(const struct phases *phases, size_t window) {
  return window + 1 < phases->windows.count ? phases->windows.data[window + 1].first
                                            : phases->samples;
}

static double count(const struct phase_showing *s, double *counts, size_t window) {
  size_t first = s->phases->windows.data[window].first, end = end_of(s->phases, window);
  for (size_t i = first; i < end; i++)
    counts[s->function_of[i]]++;
  return (double)(end - first);
}

static void add_part(void *context, size_t window, double part) {
  struct phase_showing *s = context;
  const struct phase_window *w = &s->phases->windows.data[window];
  size_t end = end_of(s->phases, window);
  for (size_t i = w->first; i < end; i++)
    s->filled[s->function_of[i]] += part / (double)(end - w->first);
}

/* What is known of a window that is at no border; none if it is SIZE_MAX. */
static void fill(struct phase_showing *s, struct phase_pool *pool, size_t window) {
  bool same = window == pool->window || (window != SIZE_MAX && s->drifts->of[window] <= 0 &&
                                         pool->phase == s->phases->windows.data[window].phase);
  pool->window = window;
  if (same)
    return;
  memset(pool->shares, 0, s->functions * sizeof *pool->shares);
  pool->phase = UINT32_MAX;
  if (window == SIZE_MAX)
    return;
  s->filled = pool->shares;
  if (drifts_parts(s->drifts, window, add_part, s))
    pool->phase = s->phases->windows.data[window].phase;
}

bool phase_is_own(const struct phase_mixture *mixture, uint32_t function) {
  return mixture->alone || (mixture->pool[function] <= 0 && mixture->pool_before[function] <= 0);
}

/* The most likely part of the phase in what both phases may have made of the window. */
static double part_of(const struct phase_showing *s) {
  enum { ROUNDS = 50 };
  double part = 0.5;
  for (int round = 0; round < ROUNDS; round++) {
    double sum = 0, known = 0;
    for (size_t f = 0; f < s->functions; f++) {
      double one = part * s->now.shares[f], other = (1 - part) * s->before.shares[f];
      if (s->own[f] <= 0 || one + other <= 0)
        continue;
      sum += s->own[f] * one / (one + other);
      known += s->own[f];
    }
    part = known > 0 ? sum / known : part;
  }
  return part;
}

static void mix(const struct phase_showing *s, struct phase_mixture *mixture) {
  double own = 0;
  for (uint32_t f = 0; f < s->functions; f++)
    own += s->own[f] > 0 && phase_is_own(mixture, f) ? s->own[f] : 0;
  mixture->own = s->own_total > 0 ? own / s->own_total : 0;
  double part = s->now.phase == UINT32_MAX ? 0 : s->before.phase == UINT32_MAX ? 1 : part_of(s);
  if (s->now.phase == UINT32_MAX && s->before.phase == UINT32_MAX)
    return;
  mixture->now = (1 - mixture->own) * part;
  mixture->past = (1 - mixture->own) * (1 - part);
}

/* As phases_show, of one window. */
static struct phase_mixture show_window(const struct phase_showing *s, size_t at) {
  const struct phase_window *window = &s->phases->windows.data[at];
  struct phase_mixture mixture = {.window = at,
                                  .first = window->first,
                                  .end = end_of(s->phases, at),
                                  .behind = s->now.window,
                                  .before = s->before.window,
                                  .drifts = s->drifts,
                                  .now = 1,
                                  .pool = s->now.shares,
                                  .pool_before = s->before.shares,
                                  .shown = s->shown};
  if (window->border) {
    mixture.now = 0;
    mixture.alone = window->alone && s->own_total > 0;
    mix(s, &mixture);
  }
  for (uint32_t f = 0; f < s->functions; f++) {
    s->shown[f] = mixture.now * s->now.shares[f] + mixture.past * s->before.shares[f];
    if (mixture.own > 0 && s->own[f] > 0 && phase_is_own(&mixture, f))
      s->shown[f] += s->own[f] / s->own_total;
  }
  return mixture;
}

static bool is_inner(const struct phases *phases, size_t window) {
  return !phases->windows.data[window].border;
}

/* The next window that is at no border, this one or one behind it; and the last before it. */
static void find_pools(struct phase_showing *s, size_t at) {
  size_t count = s->phases->windows.count, now = at, before = SIZE_MAX;
  while (now < count && !is_inner(s->phases, now))
    now++;
  for (size_t w = at; w > 0 && before == SIZE_MAX && now != at; w--)
    if (is_inner(s->phases, w - 1))
      before = w - 1;
  fill(s, &s->now, now < count ? now : SIZE_MAX);
  fill(s, &s->before, before);
}

void phases_show(const struct phases *phases, const uint32_t *function_of, size_t functions,
                 void (*show)(void *context, const struct phase_mixture *mixture), void *context) {
  double *room = mem_alloc(4 * functions, sizeof *room);
  struct drifts drifts;
  drifts_find(&drifts, phases, function_of, functions);
  struct phase_showing s = {.phases = phases,
                            .function_of = function_of,
                            .functions = functions,
                            .drifts = &drifts,
                            .now = {UINT32_MAX, SIZE_MAX, room},
                            .before = {UINT32_MAX, SIZE_MAX, room + functions},
                            .own = room + 2 * functions,
                            .shown = room + 3 * functions};
  for (size_t w = 0; w < phases->windows.count; w++) {
    find_pools(&s, w);
    memset(s.own, 0, functions * sizeof *s.own);
    s.own_total = count(&s, s.own, w);
    struct phase_mixture mixture = show_window(&s, w);
    show(context, &mixture);
  }
  drifts_clear(&drifts);
  mem_free(room);
}
