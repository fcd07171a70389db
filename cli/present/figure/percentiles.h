/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plot, and the saved law, of what `tailproof percentiles` calculated.
 */
#ifndef CLI_PRESENT_FIGURE_PERCENTILES_H
#define CLI_PRESENT_FIGURE_PERCENTILES_H

#include "show/document.h"
#include "cli/question/percentiles/critical.h"
#include "cli/present/figure/plot.h"

struct percentiles;

struct percentile_plot {
  struct plot plot;
  struct survival band[2]; /* of the observations, by side; a NULL tail: none */
  VECTOR(char *) texts;
  struct critical chain;
};

/* Makes the plot of a finished run, which must outlive it. */
void percentile_plot_init(struct percentile_plot *plot, const struct percentiles *run,
                          const char *typed); /* typed: the command line */
void percentile_plot_clear(struct percentile_plot *plot);

/* Adds to a document: part 0 the curves and what the observations say of them, part 1 what a
 * percentile consists of; `answer`: percentiles (struct document_page). */
void percentiles_figures(struct document *document, const void *answer, size_t part);

/* Draws a run. What can go wrong: see picture_write (page.h). `command`: what was typed. */
enum status percentiles_draw(const struct percentiles *run, const char *path, const char *command,
                             struct text *message);

/* Saves both sides of the run's first curve, without modelled tails, with its ledger. */
enum status percentiles_save(const struct percentiles *run, const char *path, struct text *message);

#endif
