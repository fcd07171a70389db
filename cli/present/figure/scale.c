/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const struct time_unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"\xC2\xB5s", 1e3}, {"ns", 1}};
#define UNITS (sizeof units / sizeof *units)

double axis_pixel(const struct axis *axis, double value) {
  double inside = fmin(fmax(value, axis->low), axis->high);
  double share = axis->logarithmic ? log(inside / axis->low) / log(axis->high / axis->low)
                                   : (inside - axis->low) / (axis->high - axis->low);
  return axis->from + share * (axis->to - axis->from);
}

double axis_value(const struct axis *axis, double pixel) {
  double share = (pixel - axis->from) / (axis->to - axis->from);
  return axis->logarithmic ? axis->low * pow(axis->high / axis->low, share)
                           : axis->low + share * (axis->high - axis->low);
}

struct time_unit time_unit_for(double ns) {
  size_t u = 0;
  while (u + 1 < UNITS && ns < 2 * units[u].ns)
    u++;
  return units[u];
}

/* `every` multiples of a power of ten get ticks, and of these the `labelled` labels. */
static size_t logarithmic_ticks(struct tick ticks[TICKS_MAX], const struct axis *axis,
                                double unit) {
  static const double steps[] = {1, 2, 5};
  int first = (int)floor(log10(axis->low / unit)), last = (int)ceil(log10(axis->high / unit));
  size_t per_decade = last - first <= 4 ? 3 : 1;
  int stride = 1 + (last - first) / 12;
  size_t count = 0;
  for (int decade = first; decade <= last; decade += stride)
    for (size_t i = 0; i < per_decade && count < TICKS_MAX; i++) {
      double value = steps[i] * pow(10, decade);
      if (value * unit < axis->low * (1 - 1e-9) || value * unit > axis->high * (1 + 1e-9))
        continue;
      ticks[count] = (struct tick){.value = value * unit};
      snprintf(ticks[count].label, sizeof ticks[count].label, "%.10g", value);
      count++;
    }
  return count;
}

static size_t linear_ticks(struct tick ticks[TICKS_MAX], const struct axis *axis, double unit) {
  double span = (axis->high - axis->low) / unit;
  double power = pow(10, floor(log10(span / 5))), step = power;
  if (span / step > 9)
    step = 2 * power;
  if (span / step > 9)
    step = 5 * power;
  size_t count = 0;
  for (double k = ceil(axis->low / unit / step - 1e-9); count < TICKS_MAX; k++) {
    if (k * step * unit > axis->high + 1e-9 * span * unit)
      break;
    ticks[count] = (struct tick){.value = k * step * unit};
    snprintf(ticks[count].label, sizeof ticks[count].label, "%.10g", k * step + 0.0); /* no "-0" */
    count++;
  }
  return count;
}

size_t axis_ticks(struct tick ticks[TICKS_MAX], const struct axis *axis, double unit) {
  size_t count = axis->logarithmic ? logarithmic_ticks(ticks, axis, unit) : 0;
  return count >= 2 ? count : linear_ticks(ticks, axis, unit);
}

void plot_duration(struct text *out, uint64_t ns, bool up) {
  size_t u = 0;
  while (u + 1 < UNITS && (double)ns < units[u].ns)
    u++;
  uint64_t size = (uint64_t)units[u].ns, step = size == 1 ? 1 : size / 1000;
  uint64_t steps = ns / step + (up && ns % step != 0), per = size / step;
  text_format(out, "%" PRIu64, steps / per);
  if (per != 1)
    text_format(out, ".%03" PRIu64, steps % per);
  text_format(out, " %s", units[u].name);
}
