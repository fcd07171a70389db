/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/sizes.h"

#include "measure/throughput/experiment/slowing.h"

#include <math.h>

static const double loop_least = 0.9;        /* of its time: a thread that is busy all the time */
static const double alike = 0.04;            /* what rounds of two sizes may differ by */
static const double pause_least_ns = 500000; /* of a round */

/* Of the pause of a round, for one request of the leader. */
static double each_of(const struct experiment *experiment, const struct cell *cell) {
  double calls = experiment->profile.services[cell->pauses.leader].calls;
  return calls > 0 ? (double)cell->pauses.saved_ps / 1e3 / calls : 0;
}

bool sizes_blocked(const struct experiment *experiment, const struct cell *cell, uint64_t batch) {
  uint32_t leader = cell->pauses.leader;
  const struct profile *profile = &experiment->profile;
  const struct knee_service *knee = &profile->knee[leader];
  double calls = slowing_calls(profile, experiment->plan, leader);
  bool loop = profile->use.services[leader].thread >= loop_least; /* does others meanwhile */
  return calls > 0 && !loop && knee->alone_ns > 0 && knee->waiting > knee->at_work &&
         (double)batch * each_of(experiment, cell) > knee->alone_ns / calls;
}

uint64_t sizes_second(const struct experiment *experiment, const struct cell *cell,
                      uint64_t first) {
  double each_ns = each_of(experiment, cell);
  double least = each_ns > 0 ? ceil(pause_least_ns / each_ns) : INFINITY;
  double batch = fmax((double)(first / SIZES_FACTOR), fmax(least, 1));
  return batch < (double)first ? (uint64_t)batch : 0;
}

bool sizes_differ(const struct throughput_estimate *a, const struct throughput_estimate *b) {
  double by = fabs(a->raw / b->raw - 1);
  return by > hypot(hypot(a->chance, b->chance), alike);
}

static bool is_measured(const struct cell *cell) {
  return cell != NULL && cell->estimate.measured > 0;
}

static struct sizes sizes_at(const struct experiment *experiment, size_t change) {
  const struct cell *cell = &experiment->cells.data[change];
  const struct cell *check = experiment_check(experiment, change);
  const struct cell *second = experiment_second(experiment, change);
  if (!is_measured(cell) || !is_measured(check))
    return (struct sizes){0};
  if (cell->starved && is_measured(second))
    return (struct sizes){.changed = cell, .one = check, .other = second};
  return (struct sizes){.changed = cell, .one = cell, .other = check};
}

struct sizes sizes_of(const struct experiment *experiment, const struct cell *cell) {
  size_t own = (size_t)(cell - experiment->cells.data);
  for (size_t c = own; c < experiment->checks; c++) {
    const struct cell *other = &experiment->cells.data[c];
    if (other != cell && (other->target == PLAN_SERVICES || other->target != cell->target))
      continue;
    struct sizes sizes = sizes_at(experiment, c);
    bool same = other == cell || sizes.one == other; /* else this one's size was not looked at */
    if (sizes.changed != NULL && same)
      return sizes;
  }
  return (struct sizes){0};
}

bool sizes_smaller(const struct experiment *experiment, const struct cell *cell) {
  struct sizes sizes = sizes_of(experiment, cell);
  return sizes.changed == cell && sizes.one != cell &&
         !sizes_differ(&sizes.one->estimate, &sizes.other->estimate);
}

/* A quarter gives more, and can be divided again. */
static bool is_starved(const struct experiment *experiment, const struct cell *cell,
                       const struct cell *check) {
  if (!is_measured(cell) || !is_measured(check) || check->batch >= cell->batch ||
      sizes_second(experiment, cell, check->batch) == 0)
    return false;
  return sizes_blocked(experiment, cell, check->batch) ||
         (check->estimate.raw > cell->estimate.raw &&
          sizes_differ(&cell->estimate, &check->estimate));
}

void sizes_want(struct experiment *experiment) {
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++) {
    struct cell *cell = &experiment->cells.data[c];
    struct cell *check = experiment_check(experiment, c);
    struct cell *second = experiment_second(experiment, c);
    bool above = false; /* one that has agreed, or is to be measured */
    for (size_t d = c + 1; d < experiment->checks && cell->target != PLAN_SERVICES; d++) {
      const struct cell *other = &experiment->cells.data[d];
      const struct cell *tried = experiment_check(experiment, d);
      if (other->target != cell->target || !is_measured(other))
        continue;
      above = above || !is_measured(tried) || !sizes_differ(&other->estimate, &tried->estimate);
    }
    check->wanted = is_measured(cell) && !above;
    cell->starved = second != NULL && check->wanted && is_starved(experiment, cell, check);
    if (second != NULL)
      second->wanted = cell->starved;
  }
}
