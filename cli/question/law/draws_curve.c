/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A survival function from draws of a bound's value (draws.h). It has limits at a few percentiles,
 * each with its share of the chance of error.
 */
#include "cli/question/law/draws.h"
#include "dist/statistics/confidence.h"

/* Percentages, in hundredths. */
static const int64_t places[] = {100,  500,  1000, 2500, 5000, 7500, 9000,
                                 9500, 9800, 9900, 9950, 9990, 9995, 9999};
enum { PLACES = sizeof places / sizeof *places };

/* From the limit on, no more exceed than beyond the share. */
static void lower_tail(struct survival *curve, uint64_t limit_ns, uint64_t tail) {
  for (size_t k = grid_count(&curve->grid); k-- > 0;) {
    if (grid_value_ns(&curve->grid, k) < limit_ns)
      return;
    curve->tail[k] = tail < curve->tail[k] ? tail : curve->tail[k];
  }
}

/* Before the limit, no fewer. */
static void raise_tail(struct survival *curve, uint64_t limit_ns, uint64_t tail) {
  for (size_t k = 0; k < grid_count(&curve->grid) && survival_threshold(curve, k) < limit_ns; k++)
    curve->tail[k] = tail > curve->tail[k] ? tail : curve->tail[k];
}

static void add_limit(struct survival *curve, const struct draws *draws,
                      const struct rational *share, uint64_t chance) {
  uint64_t tail = 0;
  struct level_ends ends = draws_ends(draws, share, draws->values.real, chance);
  survival_tail_of_side(&tail, share, curve->side == SIDE_UPPER ? SIDE_LOWER : SIDE_UPPER);
  if (curve->side == SIDE_LOWER)
    raise_tail(curve, ends.lower_ns, tail);
  else if (ends.upper_finite)
    lower_tail(curve, ends.upper_ns, tail);
}

/* Limits at a few percentiles, each with its part of the chance of error and with what the values
 * are worth there: a tail may be known better than the body. */
static void fill_by_limits(struct survival *curve, const struct draws *draws, uint64_t chance) {
  for (size_t k = 0; k < grid_count(&curve->grid); k++)
    curve->tail[k] = curve->side == SIDE_UPPER ? SURVIVAL_ONE : 0;
  for (size_t i = 0; i < PLACES; i++) {
    struct rational share;
    rational_init(&share);
    rational_set_fraction(&share, places[i], 10000);
    add_limit(curve, draws, &share, chance / PLACES);
    rational_clear(&share);
  }
}

void draws_curve(struct survival *curve, const struct draws *draws, uint64_t chance,
                 enum confidence_band kind) {
  struct serial serial = draws_serial(draws, NULL);
  if (chance == 0)
    confidence_band(curve, &draws->values, 0, kind);
  else if (draws->by_request && serial.inflation > 1)
    fill_by_limits(curve, draws, chance);
  else
    confidence_band_predicted(curve, &draws->values, serial_worth(&serial, draws->values.real),
                              chance, kind);
}
