/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The percentiles, one by one, and the exit code that they and the objectives lead to
 * (percentiles.h).
 */
#include "cli/question/percentiles/percentiles.h"

#include <inttypes.h>
#include <math.h>

#include "cli/question/percentiles/observation.h"

const char *dependence_name(enum dependence dependence) {
  return dependence == DEPENDENCE_INDEPENDENT ? "independent" : "unknown";
}

/* --- percentiles ------------------------------------------------------------------------------ */

static const struct percentile *known(const struct curve *curve, const struct rational *share) {
  for (size_t i = 0; i < curve->percentiles.count; i++)
    if (rational_compare(&curve->percentiles.data[i].share, share) == 0)
      return &curve->percentiles.data[i];
  return NULL;
}

static void find(struct percentiles *run, struct curve *curve, const struct rational *share) {
  if (known(curve, share) != NULL)
    return;
  const struct calculation *calculation = &run->calculation;
  const struct estimate *estimate = &curve->estimate;
  struct percentile p = {0};
  rational_init(&p.share);
  rational_set(&p.share, share);
  p.interval = estimate_at(estimate, calculation, share, true);
  p.proved = estimate_at(estimate, calculation, share, false);
  p.endless = estimate_endless(estimate, calculation, share);
  if (p.endless == ENDLESS_NOT)
    p.samples_needed = estimate_needed(estimate, calculation, share);
  if (run->has_observed)
    observation_judge(&p, run, estimate);
  vector_push(&curve->percentiles, p);
}

/* Appends "p50, p99" for the percentiles whose end is of the way; false when none is. */
static bool print_of_way(struct text *text, const struct percentiles *run,
                         const struct curve *curve, enum estimate_way way) {
  size_t before = text->length;
  for (size_t i = 0; i < run->wanted.count; i++) {
    const struct interval *at = &known(curve, &run->wanted.data[i].share)->interval;
    if (at->upper_finite && at->upper_way == way)
      text_format(text, "%sp%s", text->length == before ? "" : ", ", run->wanted.data[i].text);
  }
  return text->length != before;
}

/* Where both ways were taken, which of them gave the smaller upper ends. */
static void add_ways(struct percentiles *run, const struct curve *curve) {
  struct text draws, convolution;
  text_init(&draws);
  text_init(&convolution);
  bool by_draws = print_of_way(&draws, run, curve, WAY_DRAWS);
  bool by_convolution = print_of_way(&convolution, run, curve, WAY_CONVOLUTION);
  if (by_draws || by_convolution)
    ledger_add(&run->calculation.ledger, LEDGER_DIST, "`at most` is %s%s%s%s%s%s",
               by_draws ? "from matched draws for " : "", by_draws ? draws.data : "",
               by_draws && by_convolution ? ", " : "",
               by_convolution ? "from the convolution for " : "",
               by_convolution ? convolution.data : "", ", the smaller of both");
  text_clear(&draws);
  text_clear(&convolution);
}

void percentiles_find(struct percentiles *run) {
  observation_pair(run);
  for (size_t c = 0; c < run->curves.count; c++) {
    struct curve *curve = &run->curves.data[c];
    for (size_t i = 0; i < run->wanted.count; i++)
      find(run, curve, &run->wanted.data[i].share);
    for (size_t i = 0; i < run->slos.count; i++)
      find(run, curve, &run->slos.data[i].percentile.share);
    if (run->has_observed)
      observation_compare(run, curve);
    if (curve->estimate.by_draws && curve->estimate.by_convolution)
      add_ways(run, curve);
  }
}

const struct percentile *percentiles_at(const struct percentiles *run, const struct curve *curve,
                                        const struct rational *share) {
  (void)run;
  const struct percentile *found = known(curve, share);
  if (found == NULL)
    bug("a percentile that nobody asked for");
  return found;
}

/* --- the exit code ---------------------------------------------------------------------------- */

const struct slo_result *percentiles_decisive(const struct percentiles *run, size_t slo) {
  const struct slo_result *best = NULL;
  for (size_t i = 0; i < run->results.count; i++) {
    const struct slo_result *result = &run->results.data[i];
    if (result->slo != slo)
      continue;
    enum status status = slo_status(result->state);
    if (best == NULL || status == STATUS_OK || status == STATUS_REFUTED)
      best = result;
  }
  return best;
}

static enum status status_of_slo(const struct percentiles *run, size_t slo) {
  const struct slo_result *decisive = percentiles_decisive(run, slo);
  return decisive == NULL ? STATUS_UNKNOWN : slo_status(decisive->state);
}

enum status percentiles_status_of_curve(const struct percentiles *run, const struct curve *curve) {
  enum observation observation = observation_of_curve(run, curve);
  enum status status = observation_status(observation);
  bool by_request = run->is_paired && run->not_within == 0; /* then the order says nothing */
  bool assumed = run->bound_assumes_draws || run->observed_assumes_draws;
  bool wanders = run->bound_wanders || run->observed_wanders;
  if (status == STATUS_UNKNOWN || by_request)
    return status;
  return assumed ? STATUS_CONDITIONAL : wanders ? STATUS_OF_RUN : status;
}

enum status percentiles_status(const struct percentiles *run) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < run->slos.count; i++)
    status = status_worst(status, status_of_slo(run, i));
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++)
    status = status_worst(status, percentiles_status_of_curve(run, &run->curves.data[c]));
  return status;
}

/* --- texts ------------------------------------------------------------------------------------ */

void excess_print(struct text *text, const struct excess *excess) {
  struct rational scaled;
  rational_init(&scaled);
  rational_set_integer(&scaled, 10000);
  rational_mul(&scaled, &scaled, &excess->share);
  int64_t hundredths = 0;
  rational_ceil(&hundredths, &scaled);
  text_format(text, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
  rational_clear(&scaled);
}

enum { SHARE_PARTS = 1000000000 };
enum side_of_time { NOT_ABOVE, SURELY_ABOVE };

/* Whether the percentile is surely on that side of the time. */
static bool is_on(enum side_of_time side, const struct percentiles *run,
                  const struct estimate *estimate, int64_t parts, uint64_t ns, bool *modelled) {
  struct rational share;
  rational_init(&share);
  rational_set_fraction(&share, parts, SHARE_PARTS);
  struct interval i = estimate_at(estimate, &run->calculation, &share, true);
  rational_clear(&share);
  *modelled = i.model_based;
  return side == NOT_ABOVE ? i.upper_finite && i.upper_ns <= ns
                           : !i.lower_finite || i.lower_ns > ns;
}

/* By the percentiles: what exceeds p99 happens at most once in a hundred times. So a chance agrees
 * with each objective and each row of the table. */
static struct chance above_by_percentiles(const struct percentiles *run,
                                          const struct estimate *estimate, uint64_t floor_ns,
                                          uint64_t ceil_ns) {
  struct chance chance = {.upper = SURVIVAL_ONE};
  int64_t within = 0, above = SHARE_PARTS; /* is_on(NOT_ABOVE), is_on(SURELY_ABOVE) */
  bool modelled = false;
  for (int64_t step = SHARE_PARTS / 2 + 1; step > 0; step = step == 1 ? 0 : (step + 1) / 2) {
    if (within + step < SHARE_PARTS &&
        is_on(NOT_ABOVE, run, estimate, within + step, floor_ns, &modelled)) {
      within += step;
      chance.model_based = modelled;
    }
    if (above - step > 0 && is_on(SURELY_ABOVE, run, estimate, above - step, ceil_ns, &modelled))
      above -= step;
  }
  chance.upper = SURVIVAL_ONE - (uint64_t)within * (SURVIVAL_ONE / SHARE_PARTS);
  chance.lower = SURVIVAL_ONE - (uint64_t)above * (SURVIVAL_ONE / SHARE_PARTS);
  return chance;
}

struct chance percentiles_above(const struct percentiles *run, const struct curve *curve,
                                const struct rational *ns) {
  const struct estimate *estimate = &curve->estimate;
  int64_t floor = 0, ceil = 0;
  bool fits = rational_floor(&floor, ns) && rational_ceil(&ceil, ns);
  if (!fits)
    floor = ceil = INT64_MAX;
  if (estimate->by_draws && estimate->chance != 0)
    return above_by_percentiles(run, estimate, (uint64_t)floor, (uint64_t)ceil);
  struct chance chance = {.lower = survival_tail(&estimate->bound[SIDE_LOWER], (uint64_t)ceil),
                          .upper = survival_tail(&estimate->bound[SIDE_UPPER], (uint64_t)floor)};
  chance.model_based = estimate->proved.tail != NULL &&
                       survival_tail(&estimate->proved, (uint64_t)floor) != chance.upper;
  return chance;
}

void chance_print(struct text *text, uint64_t chance, enum survival_side side) {
  uint64_t unit = SURVIVAL_ONE; /* 10^-digits */
  int digits = 0;
  for (; chance / unit < 1000 && unit > 1; unit /= 10)
    digits++;
  uint64_t mantissa = chance / unit + (side == SIDE_UPPER && chance % unit != 0);
  text_format(text, "%.4g", (double)mantissa / pow(10, digits));
}
