/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plot as one HTML page, with the ledger. It fetches nothing: style and script are in it, and a
 * content security policy forbids the rest. Light or dark as the reader's system is.
 */
#ifndef CLI_PRESENT_FIGURE_HTML_H
#define CLI_PRESENT_FIGURE_HTML_H

#include "cli/present/figure/plot.h"

void report_html(struct text *out, const struct plot *plot);

#endif
