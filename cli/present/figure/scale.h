/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Axes: from a value to its pixel and back, units of time, and where the ticks stand.
 */
#ifndef CLI_PRESENT_FIGURE_SCALE_H
#define CLI_PRESENT_FIGURE_SCALE_H

#include "show/drawing.h"

double axis_pixel(const struct axis *axis, double value); /* values outside: at the nearer end */
double axis_value(const struct axis *axis, double pixel);

struct time_unit {
  const char *name; /* "ns", "µs", "ms", "s" */
  double ns;
};

/* The largest unit in which the time is at least 2; ns when there is none. */
struct time_unit time_unit_for(double ns);

#define TICKS_MAX 24

struct tick {
  double value;
  char label[32]; /* empty: a minor tick, without one */
};

/* Round values on the axis, which is in units of `unit`; at most TICKS_MAX; how many. */
size_t axis_ticks(struct tick ticks[TICKS_MAX], const struct axis *axis, double unit);

/* A duration such as "12.346 ms", rounded up or down: as duration_print_upper, with "µs". */
void plot_duration(struct text *out, uint64_t ns, bool up);

#endif
