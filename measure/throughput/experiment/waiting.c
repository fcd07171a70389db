/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/waiting.h"

static const double busy_least = 0.9;     /* "all the time" */
static const double scatter_least = 0.02; /* relative; with less nothing is seen to change */
static const double correlation_least = 0.9;
enum { WINDOWS_LEAST = 4 };

struct sums {
  size_t count;
  double x, y, xx, yy, xy;
};

static void add(struct sums *sums, double x, double y) {
  sums->count++;
  sums->x += x;
  sums->y += y;
  sums->xx += x * x;
  sums->yy += y * y;
  sums->xy += x * y;
}

/* Whether y is seen to change as x does, by between half and twice as much. */
static bool go_together(const struct sums *sums) {
  double n = (double)sums->count;
  if (sums->count < WINDOWS_LEAST)
    return false;
  double xx = sums->xx - sums->x * sums->x / n, yy = sums->yy - sums->y * sums->y / n;
  double xy = sums->xy - sums->x * sums->y / n;
  double scatter = scatter_least * sums->x / n;
  return xx > n * scatter * scatter && xy > 0 &&
         xy * xy >= correlation_least * correlation_least * xx * yy && xy >= 0.5 * xx &&
         xy <= 2 * xx;
}

static bool change_together(const struct window *const *windows, size_t count, uint32_t s,
                            uint32_t other, double calls) {
  struct sums sums = {0};
  for (size_t i = 0; i < count; i++) {
    const struct window *w = windows[i];
    if (w->ended[s] != 0 && w->ended[other] != 0 && w->busy_ns[s] != 0 && w->busy_ns[other] != 0)
      add(&sums, calls * (double)w->busy_ns[other] / (double)w->ended[other],
          (double)w->busy_ns[s] / (double)w->ended[s]);
  }
  return go_together(&sums);
}

static bool seems_busy(const struct profile_service *known) {
  return known->workers_measured && known->workers > 1 && known->busy >= busy_least;
}

enum waiting waiting_of(uint32_t *neighbour, const struct experiment_plan *plan,
                        const struct profile *profile, const struct window *const *windows,
                        size_t count, uint32_t s) {
  const struct profile_service *known = &profile->services[s];
  if (plan->services[s].work_ns != 0 || known->work_alone || !(known->work_ns > 0) ||
      !(known->calls > 0))
    return WAITING_NONE;
  if (plan->services[s].proxy != NULL || plan->services[s].relay != NULL)
    return WAITING_PROXY;
  for (uint32_t other = 0; other < plan->count; other++) {
    const struct profile_service *called = &profile->services[other];
    double calls = called->calls / known->calls;
    bool near = (plan->services[s].neighbours >> other & 1) != 0 && called->work_ns > 0;
    if (other == s || !near || !(calls > 0) || known->work_ns < calls * called->work_ns)
      continue;
    *neighbour = other;
    if (change_together(windows, count, s, other, calls))
      return WAITING_TOGETHER;
    if (plan->services[other].work_ns == 0 && seems_busy(known) && seems_busy(called))
      return WAITING_BUSY;
  }
  return WAITING_NONE;
}
