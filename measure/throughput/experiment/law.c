/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/law.h"

#include <math.h>

#include "dist/statistics/special.h"
#include "measure/throughput/experiment/doubt.h"
#include "measure/throughput/experiment/sizes.h"

static const double loop_least = 0.9;    /* of its time: a thread that is busy all the time */
static const double alone_least = 0.9;   /* of a service's processor time: all its work */
static const double full_least = 0.9;    /* of the processors */
static const double paused_least = 0.85; /* of what a change would save */
static const double tail = 0.025;        /* on each side */
enum { WINDOWS_LEAST = 3 };

double law_loop(double busy, double each, double share) {
  return busy / (each * (1 - share));
}

double law_processors(double of, double each, double saved) {
  return saved < each ? of / (each - saved) : INFINITY;
}

/* --- one loop --------------------------------------------------------------------------------- */

struct loop_sums {
  size_t count;
  double sum, squares; /* of processor time for each request, in s */
};

static double share_of(const struct cell *cell, uint32_t service) {
  for (uint32_t i = 0; i < cell->change.count; i++)
    if (cell->change.parts[i].service == service)
      return cell->change.parts[i].share_ppm / (double)PLAN_PPM;
  return 0;
}

static bool adds_workers(const struct cell *cell) {
  for (uint32_t i = 0; i < cell->change.count; i++)
    if (cell->change.parts[i].workers != 0)
      return true;
  return false;
}

static bool is_loop(const struct window *window, uint32_t service) {
  const struct processor_share *share = &window->use.services[service];
  return window->use.known && share->thread >= loop_least &&
         share->thread >= alone_least * share->all;
}

/* The mean of its thread's time in the windows of a cell; 0 where one of them is not known or the
 * thread was not busy all the time. */
static double busy_in(const struct cell *cell, uint32_t service) {
  double sum = 0;
  for (size_t i = 0; i < cell->good.count; i++) {
    if (!is_loop(&cell->good.data[i], service))
      return 0;
    sum += cell->good.data[i].use.services[service].thread;
  }
  return cell->good.count != 0 ? sum / (double)cell->good.count : 0;
}

static void add_cell(struct loop_sums *sums, const struct cell *cell, uint32_t service) {
  for (size_t i = 0; i < cell->good.count; i++) {
    const struct window *window = &cell->good.data[i];
    if (!is_loop(window, service))
      continue;
    double each = window->use.services[service].thread * (double)window->window_ns / 1e9 /
                  (double)window->requests;
    sums->count++;
    sums->sum += each;
    sums->squares += each * each;
  }
}

/* Whether the others pause for about as long as the loop would work less: for a share of the time
 * between two requests. With less a limit of theirs would not show. */
static bool stands_for(const struct cell *cell, double share, double now) {
  return (double)cell->pauses.saved_ps / 1e12 * now >= paused_least * share;
}

static void take_loop(struct utilization_law *law, const struct experiment *experiment,
                      const struct cell *cell, uint32_t service, double now) {
  struct loop_sums sums = {0};
  double before = busy_in(&experiment->cells.data[BASE_CELL], service);
  const struct cell *seen = sizes_smaller(experiment, cell) ? sizes_of(experiment, cell).one : cell;
  double then = busy_in(seen, service);
  for (size_t c = 0; c < experiment->cells.count; c++)
    add_cell(&sums, &experiment->cells.data[c], service);
  if (before <= 0 || then <= 0 || sums.count < WINDOWS_LEAST ||
      !stands_for(cell, share_of(cell, service), now))
    return;
  double n = (double)sums.count, each = sums.sum / n;
  double variance = fmax(sums.squares - n * each * each, 0) / (n - 1);
  double chance = special_student_quantile_above(tail, n - 1) * sqrt(variance / n) / each;
  double value = law_loop(then, each, share_of(cell, service));
  if (law->known && value >= law->value)
    return;
  double half = hypot(chance, DOUBT_METHOD);
  *law = (struct utilization_law){.known = true,
                                  .loop = service,
                                  .low = value * fmax(1 - half, 0),
                                  .value = value,
                                  .high = value * (1 + half),
                                  .now = law_loop(before, each, 0)};
}

/* --- all processors --------------------------------------------------------------------------- */

double law_needed(const struct experiment *experiment, const struct cell *cell) {
  const struct processor_use *use = &experiment->profile.use;
  double all = use->load.all;
  for (uint32_t s = 0; s < experiment->plan->count; s++)
    all += use->services[s].all * (1 - share_of(cell, s)) + use->pokers[s].all;
  return all;
}

static void take_processors(struct utilization_law *law, const struct experiment *experiment,
                            const struct cell *cell, double now) {
  const struct processor_use *use = &experiment->profile.use;
  double saved = 0, own = law_needed(experiment, cell);
  for (uint32_t s = 0; s < experiment->plan->count; s++)
    saved += use->services[s].all * share_of(cell, s);
  own += saved;
  /* whose processors are not seen, of processes that begin and end, belongs to nobody */
  if (!use->known || own + use->outside.all < full_least * use->count || !(own > 0) || !(now > 0))
    return;
  double same = law_processors(own, own / now, saved / now);
  double full = law_processors(fmax(use->count - use->outside.all, own), own / now, saved / now);
  *law = (struct utilization_law){.known = isfinite(full),
                                  .loop = PLAN_SERVICES,
                                  .low = same * (1 - DOUBT_METHOD),
                                  .value = sqrt(same * full),
                                  .high = full * (1 + DOUBT_METHOD)};
}

void law_find(struct utilization_law *law, const struct experiment *experiment,
              const struct cell *cell, double now) {
  *law = (struct utilization_law){0};
  if (adds_workers(cell))
    return;
  for (uint32_t s = 0; s < experiment->plan->count; s++)
    take_loop(law, experiment, cell, s, now);
  if (!law->known)
    take_processors(law, experiment, cell, now);
}
