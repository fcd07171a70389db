/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/confidence.h"

#include <math.h>

#include "base/memory.h"
#include "dist/statistics/edges.h"
#include "dist/survival/wide.h"

static uint64_t ceil_share(uint64_t k, uint64_t total, uint64_t scale) {
  return (uint64_t)(((uint128)k * scale + total - 1) / total);
}

static uint64_t floor_share(uint64_t k, uint64_t total, uint64_t scale) {
  return (uint64_t)((uint128)k * scale / total);
}

/* `band` NULL: the sample is the whole truth. The band may be one for more draws or fewer. */
static void fill_upper(struct survival *s, const struct sample *sample, const struct band *band) {
  uint64_t above = sample->total, last_above = UINT64_MAX, tail = SURVIVAL_ONE;
  size_t bin = 0;
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    uint64_t value = grid_value_ns(&s->grid, k);
    for (; bin < sample->count && sample->bins[bin].upper_ns <= value; bin++)
      above -= sample->bins[bin].count;
    if (above != last_above) {
      uint64_t next = band == NULL ? survival_share(SIDE_UPPER, above, sample->total)
                                   : band_tail(band, ceil_share(above, sample->total, band->n));
      tail = next < tail ? next : tail; /* where alpha is tiny, certified chances may rise */
    }
    last_above = above;
    s->tail[k] = tail;
  }
}

/* Between two points of the grid the survival function that is stored belongs to the lower one, so
 * it must hold just before the upper: P(X >= next point). */
static void fill_lower(struct survival *s, const struct sample *sample, const struct band *band) {
  struct sample_bin *bins = edges_by_lower(sample);
  uint64_t greatest = sample->count == 0 ? 0 : bins[sample->count - 1].lower_ns;
  uint64_t reached = sample->total, last_reached = UINT64_MAX, tail = 0;
  size_t bin = 0, points = grid_count(&s->grid);
  for (size_t k = 0; k + 1 < points; k++) {
    uint64_t next = grid_value_ns(&s->grid, k + 1);
    for (; bin < sample->count && bins[bin].lower_ns < next; bin++)
      reached -= bins[bin].count;
    if (next > greatest)
      reached = 0;
    if (reached != last_reached)
      tail = band == NULL ? survival_share(SIDE_LOWER, reached, sample->total)
                          : band_tail(band, floor_share(reached, sample->total, band->n));
    last_reached = reached;
    s->tail[k] = tail;
  }
  s->tail[points - 1] = 0;
  for (size_t k = points - 1; k > 0; k--) /* as above */
    if (s->tail[k - 1] < s->tail[k])
      s->tail[k - 1] = s->tail[k];
  mem_free(bins);
}

static void fill(struct survival *s, const struct sample *sample, const struct band *band) {
  if (s->side == SIDE_UPPER)
    fill_upper(s, sample, band);
  else
    fill_lower(s, sample, band);
}

/* How many of the sample exceed x, for all that is known of it on this side. */
static uint64_t count_above(const struct sample *sample, uint64_t x_ns, enum survival_side side) {
  uint64_t above = sample->total;
  bool some = false; /* a lower edge above x: those beyond are at the greatest of these at least */
  for (size_t i = 0; i < sample->count; i++) {
    const struct sample_bin *bin = &sample->bins[i];
    uint64_t edge = side == SIDE_UPPER ? bin->upper_ns : bin->lower_ns;
    if (edge <= x_ns)
      above -= bin->count;
    else
      some = true;
  }
  return side == SIDE_UPPER || some ? above : 0;
}

uint64_t confidence_above(const struct sample *sample, uint64_t x_ns, uint64_t n, uint64_t alpha,
                          enum confidence_band kind, enum survival_side side) {
  if (sample->total == 0 || n == 0)
    bug("a law from no observation");
  uint64_t above = count_above(sample, x_ns, side);
  if (alpha == 0)
    return survival_share(side, above, sample->total);
  struct band band;
  band_init(&band, side, n, alpha, kind);
  return band_tail(&band, side == SIDE_UPPER ? ceil_share(above, sample->total, n)
                                             : floor_share(above, sample->total, n));
}

void confidence_band_predicted(struct survival *s, const struct sample *sample, uint64_t n,
                               uint64_t alpha, enum confidence_band kind) {
  if (sample->total == 0)
    bug("a law from no observation");
  struct band band;
  band_init(&band, s->side, n, alpha, kind);
  fill(s, sample, &band);
}

void confidence_band(struct survival *s, const struct sample *sample, uint64_t alpha,
                     enum confidence_band kind) {
  if (sample->total == 0 || (alpha != 0 && sample->real == 0))
    bug("a law from no observation");
  if (alpha == 0)
    fill(s, sample, NULL);
  else
    confidence_band_predicted(s, sample, sample->real, alpha, kind);
}

void confidence_survival(struct survival *s, const struct sample *sample, uint64_t alpha) {
  confidence_band(s, sample, alpha, BAND_BOTH);
}

uint64_t confidence_samples_needed_of(uint64_t tail, uint64_t alpha, uint64_t terms,
                                      enum confidence_band kind) {
  if (tail == 0 || alpha == 0 || terms == 0)
    return 0;
  double a = (double)alpha / (double)SURVIVAL_ONE;
  double rest = log1p(-(double)tail / (double)SURVIVAL_ONE) / (double)terms;
  double most = tail >= SURVIVAL_ONE ? 1 : -expm1(rest);
  double high = 1;
  while (high < 1e18 && band_unseen(high, a, kind) > most)
    high *= 2;
  if (high >= 1e18)
    return 0;
  double low = high / 2;
  while (high - low > 0.0005 * high && high - low > 1) {
    double middle = floor((low + high) / 2);
    if (band_unseen(middle, a, kind) > most)
      low = middle;
    else
      high = middle;
  }
  return (uint64_t)high;
}

uint64_t confidence_samples_needed(uint64_t tail, uint64_t alpha, uint64_t terms) {
  return confidence_samples_needed_of(tail, alpha, terms, BAND_BOTH);
}
