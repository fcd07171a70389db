/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pieces of the page that cli/present/figure/html.c writes; private to it.
 */
#ifndef CLI_PRESENT_FIGURE_HTML_PARTS_H
#define CLI_PRESENT_FIGURE_HTML_PARTS_H

#include "cli/present/figure/plot.h"

/* Both panels, legend and table of the curves; identifiers begin with the prefix. */
void report_html_figures(struct text *out, const struct plot *plot, const char *prefix);
void report_html_verdicts(struct text *out, const struct plot *plot);
void report_html_sources(struct text *out, const struct plot *plot);
void report_html_percentiles(struct text *out, const struct plot *plot);
void report_html_contributions(struct text *out, const struct plot *plot);

#endif
