/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/curve.h"

#include <math.h>

#define ONE ((double)SURVIVAL_ONE)

bool curve_is_upper(const struct plot_curve *curve) {
  return curve->kind != PLOT_LOWER && curve->kind != PLOT_BAND_LOWER &&
         curve->kind != PLOT_FIRST_LOWER;
}

bool curve_is_band(const struct plot_curve *curve) {
  return curve->kind == PLOT_BAND_UPPER || curve->kind == PLOT_BAND_LOWER ||
         curve->kind == PLOT_FIRST_UPPER || curve->kind == PLOT_FIRST_LOWER;
}

bool curve_quantile(double *ns, const struct plot_curve *curve, double tail) {
  if (curve->sample == NULL) {
    uint64_t x = 0;
    bool finite = survival_quantile(&x, curve->survival, (uint64_t)(tail * ONE));
    *ns = (double)x;
    return finite;
  }
  const struct sample *sample = curve->sample;
  double limit = tail * (double)sample->total * (1 + 1e-12); /* 1 - 0.9 is less than 0.1 */
  uint64_t above = sample->total;
  for (size_t i = 0; i < sample->count; i++) {
    above -= sample->bins[i].count;
    *ns = (double)sample->bins[i].upper_ns;
    if ((double)above <= limit)
      return true;
  }
  return false;
}

double curve_infinity(const struct plot_curve *curve) {
  if (curve->sample != NULL)
    return (double)curve->sample->beyond / (double)curve->sample->total;
  return (double)survival_infinity(curve->survival) / ONE;
}

static void trace_sample(double *tails, const struct sample *sample, const double *x,
                         size_t count) {
  uint64_t above = sample->total;
  size_t bin = 0;
  for (size_t i = 0; i < count; i++) {
    for (; bin < sample->count && (double)sample->bins[bin].upper_ns <= x[i]; bin++)
      above -= sample->bins[bin].count;
    tails[i] = (double)above / (double)sample->total;
  }
}

void curve_trace(double *tails, const struct plot_curve *curve, const double *x, size_t count) {
  if (curve->sample != NULL) {
    trace_sample(tails, curve->sample, x, count);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    /* times went through logarithms: a little outward */
    double at = curve_is_upper(curve) ? floor(x[i] * (1 - 1e-12)) : ceil(x[i + 1] * (1 + 1e-12));
    tails[i] = (double)survival_tail(curve->survival, (uint64_t)fmin(at, 9e18)) / ONE;
  }
}

bool curve_in_legend(const struct plot *plot, const struct plot_curve *curve) {
  for (size_t i = 0; i < plot->curves.count; i++)
    if ((curve->kind == PLOT_BAND_LOWER && plot->curves.data[i].kind == PLOT_BAND_UPPER) ||
        (curve->kind == PLOT_FIRST_LOWER && plot->curves.data[i].kind == PLOT_FIRST_UPPER))
      return false;
  return true;
}

static const struct {
  enum ink ink;
  enum dash dash;
  double width;
} looks[PLOT_KINDS] = {
    [PLOT_UPPER] = {INK_UPPER, DASH_NONE, 2.4},
    [PLOT_LOWER] = {INK_LOWER, DASH_LONG, 1.4},
    [PLOT_UNKNOWN] = {INK_UNKNOWN, DASH_SHORT, 1.8},
    [PLOT_OBSERVED] = {INK_OBSERVED, DASH_NONE, 1.8},
    [PLOT_BAND_UPPER] = {INK_OBSERVED, DASH_NONE, 0.8},
    [PLOT_BAND_LOWER] = {INK_OBSERVED, DASH_NONE, 0.8},
    [PLOT_FIRST] = {INK_UPPER, DASH_LONG, 1.8},
    [PLOT_FIRST_UPPER] = {INK_UPPER, DASH_NONE, 0.8},
    [PLOT_FIRST_LOWER] = {INK_UPPER, DASH_NONE, 0.8},
};

bool curve_note(struct text *out, const struct plot_curve *curve) {
  double infinity = curve_infinity(curve);
  if (infinity <= 0 || !curve_is_upper(curve) || curve_is_band(curve))
    return false;
  if (infinity >= 1) {
    text_append(out, "infinite at every percentile");
    return true;
  }
  double places = fmax(1, ceil(-log10(infinity)) - 1), power = pow(10, places);
  text_format(out, "infinite beyond p%.*f", (int)places,
              floor(100 * (1 - infinity) * power) / power);
  return true;
}

enum ink curve_ink(enum plot_kind kind) {
  return looks[kind].ink;
}

enum dash curve_dash(enum plot_kind kind) {
  return looks[kind].dash;
}

double curve_width(enum plot_kind kind) {
  return looks[kind].width;
}
