/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/estimate.h"

#include <math.h>
#include <string.h>

#include "dist/statistics/special.h"
#include "measure/throughput/core/predict.h"
#include "measure/throughput/experiment/doubt.h"
#include "measure/throughput/experiment/sizes.h"

static const double tail = 0.025;         /* on each side */
static const double together_least = 0.3; /* of its workers: requests wait for it at times */
enum { FREEDOM_ENOUGH = WINDOW_PARTS };

static double throughput(const struct window *window) {
  return (double)window->requests / ((double)window->window_ns / 1e9);
}

/* --- noise ---------------------------------------------------------------------------------------
 */

static double mean_of(const window_list *list) {
  double sum = 0;
  for (size_t i = 0; i < list->count; i++)
    sum += throughput(&list->data[i]);
  return sum / (double)list->count;
}

static void find_noise(struct experiment *experiment) {
  double between = 0, within = 0;
  uint64_t freedom = 0, count = 0;
  for (size_t c = 0; c < experiment->cells.count; c++) {
    const window_list *list = &experiment->cells.data[c].good;
    double mean = list->count != 0 ? mean_of(list) : 1;
    for (size_t i = 0; i < list->count; i++) {
      const struct window *window = &list->data[i];
      between += pow(throughput(window) / mean - 1, 2);
      within += pow((double)window->noise_ns / (double)window->window_ns, 2);
      count++;
    }
    freedom += list->count > 1 ? list->count - 1 : 0;
  }
  experiment->noise = freedom != 0 ? sqrt(between / (double)freedom) : 0;
  experiment->freedom = freedom;
  if (freedom >= FREEDOM_ENOUGH)
    return;
  experiment->freedom = WINDOW_PARTS - 1;
  if (count != 0)
    experiment->noise = fmax(experiment->noise, sqrt(within / (double)count));
}

/* Half of the interval of the mean of so many windows, as a share of it. */
static double half_width(const struct experiment *experiment, size_t count) {
  return special_student_quantile_above(tail, (double)experiment->freedom) * experiment->noise /
         sqrt((double)count);
}

/* --- one cell ------------------------------------------------------------------------------------
 */

static void say_refused(struct throughput_estimate *estimate, const char *why) {
  memset(estimate, 0, sizeof *estimate);
  snprintf(estimate->refused, sizeof estimate->refused, "%.*s", (int)sizeof estimate->refused - 1,
           why);
}

/* What the changed application would have to be measured for: all windows as one, without pauses of
 * who limits it. What is saved besides may differ between them, as the limit may. */
static struct predict_run all_windows(const window_list *list, uint64_t *whole_ns) {
  struct predict_run run = {0};
  double saved_ps = 0;
  *whole_ns = 0;
  for (size_t i = 0; i < list->count; i++) {
    const struct window *window = &list->data[i];
    *whole_ns += window->window_ns;
    run.window_ns += window->window_ns - window->paused_ns;
    run.requests += window->requests;
    saved_ps += (double)window->saved_ps * (double)window->requests;
  }
  run.saved_ps = run.requests != 0 ? (uint64_t)llround(saved_ps / (double)run.requests) : 0;
  return run;
}

/* By so much what is saved is off, as a share of the prediction: it is a share of a time that was
 * itself measured, in windows without a change that scatter as all do; 0 where the plan states it. */
static double saved_error(const struct cell *cell, const struct experiment *experiment) {
  double grows = cell->estimate.raw / cell->estimate.measured - 1;
  for (uint32_t i = 0; i < cell->change.count; i++)
    if (experiment->plan->services[cell->change.parts[i].service].work_ns == 0)
      return half_width(experiment, experiment->learned + 1) * fmax(grows, 0);
  return 0;
}

/* By an error that is independent of those that the interval has, as a share of the value. */
static void widen(struct throughput_estimate *estimate, double error) {
  double below = hypot(1 - estimate->low / estimate->value, error);
  double above = hypot(estimate->high / estimate->value - 1, error);
  estimate->low = estimate->value * fmax(1 - below, 0);
  estimate->high = estimate->value * (1 + above);
}

static void estimate_cell(struct cell *cell, const struct experiment *experiment) {
  struct throughput_estimate *estimate = &cell->estimate;
  if (!cell->possible && experiment->profiled) {
    say_refused(estimate, cell->why_not);
    return;
  }
  if (cell->good.count == 0) {
    say_refused(estimate, cell->refused != 0 ? cell->last_reason : "not measured");
    return;
  }
  uint64_t low_ns, high_ns, whole_ns;
  struct predict_run run = all_windows(&cell->good, &whole_ns);
  double half = half_width(experiment, cell->good.count), n = (double)run.requests;
  run.noise_ns = (uint64_t)ceil(half * (double)whole_ns);
  if (!predict_window(&run, &low_ns, &high_ns) || low_ns < whole_ns / 64) {
    char why[200];
    snprintf(why, sizeof why,
             "of %.1f us for each request %.1f us are saved, and what is left is not clearly more "
             "than nothing",
             (double)whole_ns / n / 1e3, (double)cell->pauses.saved_ps / 1e6);
    say_refused(estimate, why);
    return;
  }
  *estimate = (struct throughput_estimate){.given = true, .bounded = true};
  estimate->answer = ANSWER_PREDICTED;
  estimate->measured = n / ((double)whole_ns / 1e9);
  estimate->raw = n / (((double)low_ns + (double)high_ns) / 2e9);
  estimate->value = estimate->raw;
  estimate->low = n / (((double)high_ns + (double)run.noise_ns) / 1e9);
  estimate->high = n / (((double)low_ns - (double)run.noise_ns) / 1e9);
  estimate->chance = (estimate->high - estimate->low) / 2 / estimate->value;
  if (cell->kind == CELL_CHANGE)
    widen(estimate, hypot(DOUBT_METHOD, saved_error(cell, experiment)));
}

static void add_all(window_list *list, const window_list *more) {
  for (size_t i = 0; i < more->count; i++)
    vector_push(list, more->data[i]);
}

/* From the middle of two sizes to what both errors leave, as a share of their difference: where all of
 * it is an error that is so many times as large in one as in the other. */
static double beyond_middle(const struct sizes *sizes) {
  double one = (double)sizes->one->batch, other = (double)sizes->other->batch;
  return 0.5 + 1 / (fmax(one, other) / fmin(one, other) - 1);
}

/* Of a change for which rounds of two sizes give the same: by the windows of both. What they differ by
 * is less than can be told from chance, and may be an error of either (sizes.h). */
static void estimate_sizes(struct cell *cell, const struct experiment *experiment) {
  struct sizes sizes = sizes_of(experiment, cell);
  if (sizes.changed != cell || sizes.one->batch == sizes.other->batch ||
      sizes_differ(&sizes.one->estimate, &sizes.other->estimate))
    return;
  double by = fabs(sizes.one->estimate.raw / sizes.other->estimate.raw - 1);
  struct cell both = *cell;
  both.good = (window_list){0};
  add_all(&both.good, &sizes.one->good);
  add_all(&both.good, &sizes.other->good);
  estimate_cell(&both, experiment);
  if (both.estimate.given)
    widen(&both.estimate, beyond_middle(&sizes) * by);
  cell->estimate = both.estimate;
  vector_clear(&both.good);
}

/* --- windows alone ------------------------------------------------------------------------------- */

bool estimate_window(double *predicted, const struct window *window) {
  struct predict_run run = {.window_ns = window->window_ns - window->paused_ns,
                            .requests = window->requests,
                            .saved_ps = window->saved_ps};
  uint64_t low_ns, high_ns;
  if (!predict_window(&run, &low_ns, &high_ns))
    return false;
  *predicted = (double)run.requests / (((double)low_ns + (double)high_ns) / 2e9);
  return true;
}

/* --- curves and gains ----------------------------------------------------------------------------
 */

/* Makes `count` values monotone, as whole numbers up to PREDICT_VALUE_MAX. */
static void make_monotone(double *values[], size_t count) {
  uint64_t whole[PREDICT_LEVELS];
  double most = 0;
  for (size_t i = 0; i < count; i++)
    most = fmax(most, *values[i]);
  double scale = most > 0 ? (PREDICT_VALUE_MAX - 1) / most : 1;
  for (size_t i = 0; i < count; i++)
    whole[i] = (uint64_t)fmax(*values[i] * scale, 0);
  predict_isotonic(whole, (uint32_t)count);
  for (size_t i = 0; i < count; i++)
    *values[i] = (double)whole[i] / scale;
}

static void monotone_curve(struct experiment *experiment, uint32_t target) {
  double start[3] = {0};
  double *values[3][PLAN_LEVELS + 1];
  size_t count = 0;
  const struct throughput_estimate *rounds = &experiment->cells.data[1].estimate;
  if (rounds->given) {
    memcpy(start, (double[]){rounds->value, rounds->low, rounds->high}, sizeof start);
    for (int i = 0; i < 3; i++)
      values[i][0] = &start[i];
    count = 1;
  }
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++) {
    struct cell *cell = &experiment->cells.data[c];
    if (cell->target != target || !cell->estimate.given || cell->estimate.by_ends)
      continue;
    values[0][count] = &cell->estimate.value;
    values[1][count] = &cell->estimate.low;
    values[2][count] = &cell->estimate.high;
    count++;
  }
  for (int i = 0; i < 3 && count > 1; i++)
    make_monotone(values[i], count);
}

/* The errors of both throughputs are independent. */
static void find_gain(struct throughput_estimate *estimate,
                      const struct throughput_estimate *start) {
  if (!estimate->bounded || !start->given)
    return;
  estimate->gain_bounded = true;
  estimate->gain_low = estimate->low / start->value - 1;
  estimate->gain_high = estimate->high / start->value - 1;
  if (!estimate->given)
    return;
  /* the chance of a law is in both throughputs: its own is enough */
  bool law = estimate->base > 0;
  double half = law ? 0 : (start->high - start->low) / 2 / start->value;
  double below = hypot((estimate->value - estimate->low) / estimate->value, half);
  double above = hypot((estimate->high - estimate->value) / estimate->value, half);
  double ratio = estimate->value / (law ? estimate->base : start->value);
  estimate->gain_given = true;
  estimate->gain = ratio - 1;
  estimate->gain_low = ratio * (1 - below) - 1;
  estimate->gain_high = ratio * (1 + above) - 1;
}

void estimate_all(struct experiment *experiment) {
  find_noise(experiment);
  for (size_t c = 0; c < experiment->cells.count; c++)
    estimate_cell(&experiment->cells.data[c], experiment);
  sizes_want(experiment);
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++)
    estimate_sizes(&experiment->cells.data[c], experiment);
  doubt_all(experiment);
  for (uint32_t s = 0; s < experiment->plan->count; s++)
    monotone_curve(experiment, s);
  const struct cell *cells = experiment->cells.data;
  const struct throughput_estimate *start =
      cells[1].estimate.given ? &cells[1].estimate : &cells[0].estimate;
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++)
    find_gain(&experiment->cells.data[c].estimate, start);
}

bool estimate_says_nothing(const struct experiment *experiment) {
  bool asked = experiment->cells.count > FIRST_CHANGE;
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++)
    if (experiment->cells.data[c].estimate.answer != ANSWER_CANNOT_TELL)
      return false;
  return asked;
}

/* --- which first ---------------------------------------------------------------------------------
 */

/* Of the levels that are predicted, or that surely gain: the largest that all others, too, may have.
 */
static struct rank rank_of(const struct experiment *experiment, uint32_t target) {
  struct rank rank = {.target = target, .most = -1};
  const struct cell *cells = experiment->cells.data;
  double start = cells[1].estimate.given ? cells[1].estimate.value : cells[0].estimate.value;
  for (size_t c = FIRST_CHANGE; c < experiment->checks; c++) {
    const struct cell *cell = &cells[c];
    const struct throughput_estimate *known = &cell->estimate;
    if (cell->target != target || !known->gain_bounded || cell->pauses.saved_ps == 0)
      continue;
    rank.most = fmax(rank.most, known->gain_high);
    rank.bounded = true;
    if ((!known->gain_given && known->gain_low <= 0) ||
        (rank.best != NULL && known->gain_low <= rank.best->estimate.gain_low))
      continue;
    double saved_us = (double)cell->pauses.saved_ps / 1e6;
    rank.best = cell;
    rank.each_low = known->gain_low * start / saved_us;
    rank.each = known->gain_given ? known->gain * start / saved_us : rank.each_low;
    rank.gains = known->gain_low > 0;
  }
  return rank;
}

/* Gains come first, then what may gain more, then what nothing is known of. */
static bool is_before(const struct rank *a, const struct rank *b) {
  if (a->gains != b->gains)
    return a->gains;
  if (a->gains)
    return a->best->estimate.gain_low > b->best->estimate.gain_low;
  return a->most > b->most;
}

size_t estimate_ranks(struct rank ranks[PLAN_SERVICES], const struct experiment *experiment) {
  size_t count = 0;
  for (uint32_t s = 0; s < experiment->plan->count; s++) {
    bool any = false;
    for (size_t c = FIRST_CHANGE; c < experiment->checks; c++)
      any = any || experiment->cells.data[c].target == s;
    if (!any)
      continue;
    struct rank rank = rank_of(experiment, s);
    size_t place = count++;
    for (; place > 0 && is_before(&rank, &ranks[place - 1]); place--)
      ranks[place] = ranks[place - 1];
    ranks[place] = rank;
  }
  return count;
}

/* --- two that limit at the same throughput ------------------------------------------------------- */

size_t estimate_together(uint32_t targets[PLAN_SERVICES], const struct experiment *experiment) {
  struct rank ranks[PLAN_SERVICES];
  size_t count = estimate_ranks(ranks, experiment), found = 0;
  for (size_t i = 0; i < count; i++) {
    const struct profile_service *known = &experiment->profile.services[ranks[i].target];
    if (ranks[i].gains)
      return 0;
    if (ranks[i].target != experiment->plan->entry && known->busy >= together_least)
      targets[found++] = ranks[i].target;
  }
  return found >= 2 ? found : 0;
}
