/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/estimate.h"

#include <math.h>

#include "cli/question/percentiles/calculation.h"
#include "cli/question/percentiles/reduce.h"
#include "dist/draw/deck.h"
#include "dist/source/joint.h"
#include "dist/statistics/confidence.h"
#include "dist/statistics/limits.h"
#include "dist/survival/combine.h"

/* --- who gets what of the chance of error ----------------------------------------------------- */

static uint64_t chance_of(const struct calculation_request *request) {
  uint64_t chance = 0;
  if (rational_sign(&request->confidence) > 0)
    survival_tail_of(&chance, &request->confidence);
  return request->two_judges ? chance / 2 : chance;
}

/* Matched draws assume that what is measured apart is independent. */
static bool may_draw(const struct calculation *calculation, enum dependence dependence,
                     uint64_t chance) {
  const struct draws *draws = &calculation->draws;
  const struct calculation_request *request = calculation->request;
  if (!draws->made)
    return false;
  if (draws->by_request)
    return true;
  return chance != 0 && dependence == DEPENDENCE_INDEPENDENT && request->together.count == 0 &&
         request->together_each.count == 0;
}

static struct serial order_of(const struct calculation *calculation, const struct rational *share) {
  return draws_serial(&calculation->draws, share);
}

/* Observations of each component without which bands are infinite at this percentile; 0: unknown.
 */
static uint64_t bands_needed(const struct estimate *e, const struct calculation *calculation,
                             const struct rational *share) {
  size_t measured = calculation->laws.measured;
  return measured == 0 ? 0
                       : calculation_samples_needed(calculation, e->dependence, share,
                                                    e->convolution_chance / measured);
}

/* What the draws have of the chance of error at this percentile, if so many observations of each
 * component make so many values; *alone: the convolution has nothing there. By these numbers alone,
 * never by what was observed, nor by what that is worth: a choice by the outcome would cost
 * confidence. */
static uint64_t draws_chance(bool *alone, const struct estimate *e,
                             const struct calculation *calculation, const struct rational *share,
                             uint64_t fewest, uint64_t values) {
  *alone = !e->by_convolution || (e->chance != 0 && bands_needed(e, calculation, share) > fewest &&
                                  values >= limit_needed(share, e->chance));
  return *alone ? e->chance : e->chance - e->convolution_chance;
}

static uint64_t draws_chance_now(bool *alone, const struct estimate *e,
                                 const struct calculation *calculation,
                                 const struct rational *share) {
  return draws_chance(alone, e, calculation, share, calculation_fewest(calculation, NULL),
                      calculation->draws.values.real);
}

/* The greatest number of observations of one component that a value takes. */
static uint64_t draws_most_per_row(const struct calculation *calculation) {
  uint64_t *cards = draws_per_row(&calculation->laws, calculation->expression), most = 1;
  for (size_t i = 0; cards != NULL && i < calculation->laws.entries.count; i++)
    most = cards[i] > most ? cards[i] : most;
  mem_free(cards);
  return most;
}

/* Where a value takes one observation of each component, all of them are in the draws, and the
 * convolution of bands knows nothing more; else it does, and gets as much as they. */
static uint64_t convolution_part(const struct calculation *calculation) {
  return draws_most_per_row(calculation) == 1 ? 16 : 2;
}

/* --- making ----------------------------------------------------------------------------------- */

static enum status convolve(struct estimate *e, struct calculation *calculation) {
  struct laws *laws = &calculation->laws;
  enum status status = calculation_make_bands(calculation, e->convolution_chance);
  laws->use_models = false;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER && status == STATUS_OK; side++)
    status = calculation_evaluate(&e->convolved[side], calculation, (enum survival_side)side,
                                  e->dependence);
  if (status == STATUS_OK && survival_infinity(&e->convolved[SIDE_UPPER]) != 0)
    status = endless_evaluate(&e->truth, calculation, e->dependence);
  if (status != STATUS_OK || calculation->request->tail == TAIL_INFINITE)
    return status;
  e->proved = e->convolved[SIDE_UPPER];
  e->convolved[SIDE_UPPER].tail = NULL;
  laws->use_models = true;
  status = calculation_evaluate(&e->convolved[SIDE_UPPER], calculation, SIDE_UPPER, e->dependence);
  laws->use_models = false;
  return status;
}

/* The draws as a curve, and whatever is better of both. */
static void add_draws(struct estimate *e, const struct calculation *calculation) {
  uint64_t chance = e->by_convolution ? e->chance - e->convolution_chance : e->chance;
  const struct calculation_request *request = calculation->request;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival curve;
    survival_init_side(&curve, &calculation->laws.grid, (enum survival_side)side);
    draws_curve(&curve, &calculation->draws, chance, request->band);
    if (!e->by_convolution)
      survival_set(&e->bound[side], &curve);
    else if (side == SIDE_UPPER)
      survival_meet(&e->bound[side], &e->bound[side], &curve);
    else
      survival_join(&e->bound[side], &e->bound[side], &curve);
    survival_clear(&curve);
  }
}

/* What it rests on. */
static void explain_draws(const struct estimate *e, struct calculation *calculation) {
  const struct draws *draws = &calculation->draws;
  struct ledger *ledger = &calculation->ledger;
  struct serial serial = order_of(calculation, NULL);
  uint64_t rows = draws->values.real, worth = serial_worth(&serial, rows);
  const struct joint *joint =
      draws->by_request ? calculation->laws.tables.data[draws->table] : NULL;
  bool runs = joint != NULL && joint->run_ends.count != 0;
  if (runs && e->chance != 0)
    ledger_note(
        ledger, LEDGER_DATA,
        "the bound is evaluated for each of the %llu rows of %s and %zu further runs of it, "
        "whatever the dependence of their columns; the runs are independent draws of one "
        "law of runs, and their rows are worth %llu independent ones, or more",
        (unsigned long long)rows, joint->path, joint->run_ends.count - 1,
        (unsigned long long)worth);
  else if (draws->by_request)
    ledger_note(ledger, LEDGER_DATA,
                e->chance == 0 ? "the %llu rows of %s are the whole truth, whatever the dependence "
                                 "of their columns"
                               : "the bound is evaluated for each of the %llu rows of %s, whatever "
                                 "the dependence of their columns; the rows are draws of one law",
                (unsigned long long)rows, joint->path);
  else
    ledger_add(ledger, LEDGER_DIST,
               "matched draws: %llu values of the bound, each from observations that no other "
               "value uses, in random order; %s of the chance of error is theirs, the rest that of "
               "the convolution, or all is theirs where that cannot be finite",
               (unsigned long long)rows, convolution_part(calculation) == 2 ? "half" : "15/16");
  if (e->chance != 0 && worth < rows && !runs)
    ledger_add(ledger, LEDGER_DATA,
               "neighbouring values depend on each other: each percentile is taken from as many "
               "independent ones as these %llu are worth there, at least %llu",
               (unsigned long long)rows, (unsigned long long)worth);
}

enum status estimate_make(struct estimate *e, struct calculation *calculation,
                          enum dependence dependence) {
  *e = (struct estimate){.dependence = dependence, .chance = chance_of(calculation->request)};
  if (e->chance != 0 && calculation->request->two_judges)
    ledger_add(&calculation->ledger, LEDGER_DIST,
               "objectives are judged by the bound and by what was observed; each has half of the "
               "chance of error");
  e->by_draws = may_draw(calculation, dependence, e->chance);
  e->by_convolution = !(e->by_draws && calculation->draws.by_request);
  e->convolution_chance = e->by_draws ? e->chance / convolution_part(calculation) : e->chance;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++)
    survival_init_side(&e->bound[side], &calculation->laws.grid, (enum survival_side)side);
  enum status status = e->by_convolution ? convolve(e, calculation) : STATUS_OK;
  if (status != STATUS_OK)
    return status;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER && e->by_convolution; side++)
    survival_set(&e->bound[side], &e->convolved[side]);
  if (e->by_draws) {
    add_draws(e, calculation);
    explain_draws(e, calculation);
  }
  return STATUS_OK;
}

void estimate_clear(struct estimate *e) {
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    survival_clear(&e->convolved[side]);
    survival_clear(&e->bound[side]);
  }
  survival_clear(&e->proved);
  survival_clear(&e->truth);
}

/* --- percentiles ------------------------------------------------------------------------------ */

static bool quantile_of(uint64_t *ns, const struct survival *law, const struct rational *share) {
  uint64_t tail = 0;
  survival_tail_of_side(&tail, share, law->side);
  return survival_quantile(ns, law, tail);
}

static void use_convolution(struct interval *i, const struct estimate *e,
                            const struct rational *share, bool modelled) {
  const struct survival *upper =
      !modelled && e->proved.tail != NULL ? &e->proved : &e->convolved[SIDE_UPPER];
  i->upper_finite = quantile_of(&i->upper_ns, upper, share);
  i->lower_finite = quantile_of(&i->lower_ns, &e->convolved[SIDE_LOWER], share);
  uint64_t proved_ns = i->upper_ns;
  if (modelled && e->proved.tail != NULL)
    i->model_based = i->upper_finite &&
                     (!quantile_of(&proved_ns, &e->proved, share) || proved_ns != i->upper_ns);
}

static void use_draws(struct interval *i, const struct estimate *e,
                      const struct calculation *calculation, const struct rational *share) {
  const struct draws *draws = &calculation->draws;
  enum estimate_way way = draws->by_request ? WAY_REQUESTS : WAY_DRAWS;
  bool alone = false;
  uint64_t chance = draws_chance_now(&alone, e, calculation, share);
  struct level_ends ends = draws_ends(draws, share, draws->values.real, chance);
  if (alone)
    *i = (struct interval){.lower_finite = true};
  i->upper_settled = ends.upper_settled;
  i->lower_settled = ends.lower_settled;
  if (ends.upper_finite && (!i->upper_finite || ends.upper_ns < i->upper_ns)) {
    i->upper_finite = true;
    i->upper_ns = ends.upper_ns;
    i->upper_way = way;
    i->model_based = false;
  }
  if (i->lower_finite && ends.lower_ns >= i->lower_ns) {
    i->lower_ns = ends.lower_ns;
    i->lower_way = way;
    i->lower_finite = ends.lower_ns < SAMPLE_NS_MAX;
  }
}

struct interval estimate_at(const struct estimate *e, const struct calculation *calculation,
                            const struct rational *share, bool modelled) {
  bool settled = laws_are_settled(&calculation->laws);
  struct interval i = {.lower_finite = true, .upper_settled = settled, .lower_settled = settled};
  if (e->by_convolution)
    use_convolution(&i, e, share, modelled);
  if (e->by_draws)
    use_draws(&i, e, calculation, share);
  i.settled = i.upper_settled && i.lower_settled;
  return i;
}

enum endless estimate_endless(const struct estimate *e, const struct calculation *calculation,
                              const struct rational *share) {
  uint64_t ns = 0, tail = 0;
  if (estimate_at(e, calculation, share, true).upper_finite)
    return ENDLESS_NOT;
  if (e->by_draws &&
      (!limit_upper(&ns, &calculation->draws.values, share, 1, 0) || ns >= SAMPLE_NS_MAX))
    return ENDLESS_BEYOND;
  survival_tail_of_side(&tail, share, SIDE_UPPER);
  return e->by_draws ? ENDLESS_NOT : endless_reason(calculation, &e->truth, tail);
}

/* --- what if ---------------------------------------------------------------------------------- */

/* The band of the entry with its latencies changed. */
static void scale_law(struct survival *law, const struct law_entry *entry,
                      const struct draws_change *change) {
  if (change->removed)
    return;
  struct rational factor;
  rational_init(&factor);
  rational_set_fraction(&factor, (int64_t)change->numerator, (int64_t)change->denominator);
  survival_scale(law, &entry->band[SIDE_UPPER], &factor);
  rational_clear(&factor);
}

/* That of the sums of rows in which it is a column. */
static void change_rows(struct survival *law, const struct calculation *calculation,
                        const struct law_entry *entry, const struct draws_change *change) {
  struct sample sample;
  sample_init(&sample);
  reduce_rows(&sample, &calculation->laws, entry, change);
  confidence_band_predicted(law, &sample, law_entry_worth(entry), calculation->laws.alpha,
                            calculation->request->band);
  sample_clear(&sample);
}

/* Which laws a change is in: the entry's own, or those of its table's rows. */
static bool is_changed(const struct laws *laws, size_t entry, const struct draws_change *change) {
  const struct law_entry *changed = laws->entries.data[change->entry];
  if (!changed->is_covered)
    return draws_changes(change, entry);
  const struct law_entry *rows = laws->entries.data[entry];
  return rows->rows_of != NULL && rows->table == changed->table;
}

static enum status try_convolution(bool *finite, uint64_t *ns, const struct estimate *e,
                                   struct calculation *calculation, const struct rational *share,
                                   const struct draws_change *change) {
  struct laws *laws = &calculation->laws;
  enum status status = calculation_make_bands(calculation, e->convolution_chance);
  if (status != STATUS_OK)
    return status;
  struct survival upper, *changed = mem_alloc(laws->entries.count, sizeof *changed);
  for (size_t i = 0; i < laws->entries.count; i++) {
    struct law_entry *entry = laws->entries.data[i];
    if (!is_changed(laws, i, change))
      continue;
    survival_init(&changed[i], &laws->grid);
    if (entry->rows_of != NULL && laws->alpha != 0)
      change_rows(&changed[i], calculation, entry, change);
    else
      scale_law(&changed[i], entry, change);
    entry->instead[SIDE_UPPER] = &changed[i];
  }
  status = calculation_try(&upper, calculation, SIDE_UPPER, e->dependence);
  *finite = status == STATUS_OK && quantile_of(ns, &upper, share);
  survival_clear(&upper);
  for (size_t i = 0; i < laws->entries.count; i++) {
    laws->entries.data[i]->instead[SIDE_UPPER] = NULL;
    survival_clear(&changed[i]);
  }
  mem_free(changed);
  return status;
}

/* The changed values are worth what they are themselves: a component that goes may be what hid how
 * the others depend on their past. */
static bool try_draws(uint64_t *ns, const struct calculation *calculation,
                      const struct rational *share, uint64_t chance,
                      const struct draws_change *change) {
  struct draws draws;
  draws_make(&draws, &calculation->laws, calculation->expression, change);
  struct level_ends ends = {0};
  if (draws.made)
    ends = draws_ends(&draws, share, draws.values.real, chance);
  *ns = ends.upper_ns;
  draws_clear(&draws);
  return ends.upper_finite;
}

bool estimate_try(uint64_t *ns, const struct estimate *e, struct calculation *calculation,
                  const struct rational *share, const struct draws_change *change,
                  enum status *status) {
  uint64_t drawn_ns = 0, alone_ns = 0;
  bool finite = false, drawn = false, alone = false;
  if (e->by_draws) {
    uint64_t chance = draws_chance_now(&alone, e, calculation, share);
    drawn = try_draws(&drawn_ns, calculation, share, chance, change);
  }
  *status = STATUS_OK;
  if (e->by_convolution && !alone)
    *status = try_convolution(&finite, &alone_ns, e, calculation, share, change);
  *ns = finite && (!drawn || alone_ns < drawn_ns) ? alone_ns : drawn_ns;
  return *status == STATUS_OK && (finite || drawn);
}

/* --- independence ----------------------------------------------------------------------------- */

size_t estimate_parts(const struct estimate *e, const struct calculation *calculation) {
  if (e->dependence == DEPENDENCE_UNKNOWN || !e->by_convolution)
    return 1;
  return calculation_parts(calculation);
}

/* By the way that needs fewer: draws of a file that feeds several occurrences come in equal parts.
 * They have all of the chance of error where that many are too few for bands, as far as that can be
 * said beforehand. */
uint64_t estimate_needed(const struct estimate *e, const struct calculation *calculation,
                         const struct rational *share) {
  if (e->chance == 0)
    return 0;
  uint64_t bands = e->by_convolution ? bands_needed(e, calculation, share) : 0, drawn = 0;
  if (e->by_draws) {
    bool halved = e->by_convolution && bands == 0;
    uint64_t most = draws_most_per_row(calculation);
    uint64_t chance = halved ? e->chance - e->convolution_chance : e->chance;
    drawn = e->by_convolution ? limit_needed(share, chance)
                              : limit_needed_of(&calculation->draws.values, share, chance);
    drawn = drawn > UINT64_MAX / most ? 0 : drawn * most;
  }
  return drawn == 0 || (bands != 0 && bands < drawn) ? bands : drawn;
}

/* --- predictions ------------------------------------------------------------------------------ */

/* Values of the bound that so many observations give. */
static uint64_t predicted_values(const struct calculation *calculation, const uint64_t *samples) {
  uint64_t *cards = draws_per_row(&calculation->laws, calculation->expression);
  uint64_t values = UINT64_MAX;
  for (size_t i = 0; cards != NULL && i < calculation->laws.entries.count; i++) {
    const struct law_entry *entry = calculation->laws.entries.data[i];
    if (cards[i] == 0 || entry->compose != NULL)
      continue;
    uint64_t dealt = entry->table == TABLE_NONE && samples[i] > DECK_MAX ? DECK_MAX : samples[i];
    values = dealt / cards[i] < values ? dealt / cards[i] : values;
  }
  mem_free(cards);
  return values == UINT64_MAX ? 0 : values;
}

static void predict_draws(struct predicted *predicted, const struct estimate *e,
                          const struct calculation *calculation, const struct rational *share,
                          const uint64_t *samples) {
  const struct draws *draws = &calculation->draws;
  uint64_t values = predicted_values(calculation, samples);
  double worth = (double)values / order_of(calculation, share).inflation_upper;
  bool alone = false;
  uint64_t fewest = calculation_fewest(calculation, samples);
  uint64_t chance = draws_chance(&alone, e, calculation, share, fewest, values);
  if (worth < 1)
    return;
  if (alone)
    *predicted = (struct predicted){.unseen = 1};
  double unseen = -expm1(log((double)chance / (double)SURVIVAL_ONE) / worth);
  predicted->unseen = fmin(predicted->unseen, unseen);
  struct level_ends ends = draws_ends(draws, share, values, chance);
  if (!ends.upper_finite)
    return;
  if (!predicted->finite || ends.upper_ns < predicted->ns)
    predicted->ns = ends.upper_ns;
  predicted->finite = true;
}

enum status estimate_predict(struct predicted *predicted, const struct estimate *e,
                             struct calculation *calculation, const struct rational *share,
                             const uint64_t *samples) {
  *predicted = (struct predicted){.unseen = 1};
  if (e->by_convolution) {
    struct ledger unused;
    struct survival upper;
    ledger_init(&unused);
    enum status status = laws_make_bands(&calculation->laws, e->convolution_chance, samples,
                                         &unused, &calculation->message);
    ledger_clear(&unused);
    if (status != STATUS_OK)
      return status;
    status = calculation_try(&upper, calculation, SIDE_UPPER, e->dependence);
    predicted->finite = status == STATUS_OK && quantile_of(&predicted->ns, &upper, share);
    predicted->unseen = (double)survival_infinity(&upper) / (double)SURVIVAL_ONE;
    survival_clear(&upper);
    if (status != STATUS_OK)
      return status;
  }
  if (e->by_draws)
    predict_draws(predicted, e, calculation, share, samples);
  return STATUS_OK;
}

bool estimate_spread(struct interval *spread, const struct estimate *e,
                     const struct calculation *calculation, uint64_t predicted_ns) {
  const struct sample *values = &calculation->draws.values;
  if (!calculation->draws.made || e->chance == 0)
    return false;
  uint64_t above = sample_count_above(values, predicted_ns);
  struct rational share;
  rational_init(&share);
  rational_set_fraction(&share, (int64_t)(values->total - above), (int64_t)values->total);
  struct level_ends ends = draws_ends(&calculation->draws, &share, values->real, e->chance);
  *spread = (struct interval){.settled = ends.upper_settled && ends.lower_settled,
                              .lower_finite = true,
                              .lower_ns = ends.lower_ns,
                              .upper_finite = ends.upper_finite,
                              .upper_ns = ends.upper_ns};
  rational_clear(&share);
  return true;
}
