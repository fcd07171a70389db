/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves as numbers: what a curve of a plot is at given times, and where it ends.
 */
#ifndef CLI_PRESENT_FIGURE_CURVE_H
#define CLI_PRESENT_FIGURE_CURVE_H

#include "cli/present/figure/plot.h"
#include "show/drawing.h"

/* Whether drawing must move the curve up, not down: upper bounds, and observations. */
bool curve_is_upper(const struct plot_curve *curve);

/* Whether it is a side of a band. */
bool curve_is_band(const struct plot_curve *curve);

/* The least time whose tail is at most `tail`; false when it is infinite. */
bool curve_quantile(double *ns, const struct plot_curve *curve, double tail);

/* The share that is infinite. */
double curve_infinity(const struct plot_curve *curve);

/* For the rising times x[0] .. x[count], >= 0, in tails[i] what to draw from x[i] to x[i + 1]: at
 * least the curve everywhere in between, at most for a lower one. */
void curve_trace(double *tails, const struct plot_curve *curve, const double *x, size_t count);

/* Appends where the curve becomes infinite ("infinite beyond p99.93"); false where it does
 * not. */
bool curve_note(struct text *out, const struct plot_curve *curve);

/* Whether the legend names it: of a band with two sides only the upper. */
bool curve_in_legend(const struct plot *plot, const struct plot_curve *curve);

/* How a curve looks. */
enum ink curve_ink(enum plot_kind kind);
enum dash curve_dash(enum plot_kind kind);
double curve_width(enum plot_kind kind);

#endif
