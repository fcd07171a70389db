/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What pictures of traces have in common: lines below each other, with names in a column of their
 * own, bars, and a legend below.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_CHART_H
#define CLI_PRESENT_FIGURE_TRACE_CHART_H

#include "cli/present/figure/chart_names.h"
#include "show/drawing.h"

#define CHART_LINE 19.0 /* height of a line */
#define CHART_BAR 11.0
#define CHART_TEXT 12.0
#define CHART_HEAD 40.0   /* above the lines */
#define CHART_LOOK 24.0   /* there begins what belongs to an axis above them */
#define CHART_FOOT 34.0   /* below them, for the legend */
#define CHART_NAMES 330.0 /* width of a column of names */
#define CHART_VALUE 88.0  /* of a column of durations */

/* The middle of a line. */
double chart_y(size_t line);

double chart_indent(size_t depth);

/* `prefix` and the name, which is shortened where it must be, indented by the depth. `names`: all
 * that stand below each other; NULL: in a column of CHART_NAMES. */
void chart_name(struct drawing *drawing, enum ink ink, size_t line, size_t depth,
                const char *prefix, const char *name, const struct chart_names *names);

/* The same on this line and, where it is long, the next. */
void chart_name_wrapped(struct drawing *drawing, enum ink ink, size_t line, const char *name,
                        const struct chart_names *names);

/* A bar of at least a pixel; `said`: what it stands for. */
void chart_bar(struct drawing *drawing, enum ink ink, double opacity, size_t line, double from,
               double to, const char *said);

/* A line between the middles of two lines, upright; `said` may be NULL. */
void chart_upright(struct drawing *drawing, enum ink ink, enum dash dash, double x, size_t from,
                   size_t to, const char *said);

/* A duration, or with a sign the difference of two, that ends at x. */
void chart_duration(struct drawing *drawing, enum ink ink, double x, size_t line, int64_t ns);

/* How wide an entry of a legend is. */
double chart_legend_width(const char *text);

/* Entries of a legend that begins at x; where the next one may begin. */
double chart_legend_bar(struct drawing *drawing, enum ink ink, double opacity, double x, double y,
                        const char *text);
double chart_legend_line(struct drawing *drawing, enum ink ink, enum dash dash, double x, double y,
                         const char *text);

/* A swatch for each name, in the inks of groups, line after line from y on; the y of the last. */
double chart_legend_groups(struct drawing *drawing, double opacity, double y,
                           const char *const *names, size_t count);

#endif
