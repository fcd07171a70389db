/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two panels of a plot, and the whole sheet of an SVG or PNG file.
 */
#ifndef CLI_PRESENT_FIGURE_PANEL_H
#define CLI_PRESENT_FIGURE_PANEL_H

#include "cli/present/figure/plot.h"
#include "show/drawing.h"
#include "cli/present/figure/scale.h"
#include "show/document.h"

enum panel_kind {
  PANEL_BODY, /* the distribution function, linear */
  PANEL_TAIL, /* the survival function, logarithmic */
};

const char *panel_heading(enum panel_kind kind);

struct panel_axes {
  struct axis time, share; /* in ns; P(latency <= t), or the tail */
  struct time_unit unit;   /* of the labels */
};

/* Draws a panel with its axes and labels into the box. */
struct panel_axes panel_draw(struct drawing *drawing, const struct plot *plot, enum panel_kind kind,
                             double x, double y, double width, double height);

/* Adds both panels, the legend and the curves as a table to a document; identifiers begin with the
 * prefix. */
void plot_figures(struct document *document, const struct plot *plot, const char *prefix);
/* Adds what a percentile consists of: contributions, samples, the slowest chain, components. */
void plot_figures_below(struct document *document, const struct plot *plot);

/* Draws the names of the curves, and what there is to say about them, from y on; how far down. */
double legend_draw(struct drawing *drawing, const struct plot *plot, double x, double y);

/* Draws a bar for each of the first `most` contributions into the width; how far down. */
double parts_draw(struct drawing *drawing, const struct plot *plot, double x, double y,
                  double width, size_t most);

/* Draws a piece of the curve's line as the legend shows it. */
void panel_swatch(struct drawing *drawing, enum plot_kind kind, double x, double y, double width);

/* A document's head, the panels, the legend, the first table of the document's section, and what a
 * percentile consists of; initialises the sheet. */
void sheet_draw(struct drawing *sheet, const struct document *document, const struct plot *plot,
                const char *section);

/* What the picture shows, in words, for who cannot see it. */
void plot_describe(struct text *out, const struct plot *plot);

/* "12.346 ms", "infinite", or "" when it is not given. */
void plot_value(struct text *out, const struct plot_value *value, bool up);

#endif
