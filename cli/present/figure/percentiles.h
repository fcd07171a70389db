/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plot, and the saved law, of what `tailproof percentiles` calculated.
 */
#ifndef CLI_PRESENT_FIGURE_PERCENTILES_H
#define CLI_PRESENT_FIGURE_PERCENTILES_H

#include "show/document.h"

struct percentiles;

/* Adds to a document: part 0 the curves and what the observations say of them, part 1 what a
 * percentile consists of; `answer`: percentiles (struct document_page). */
void percentiles_figures(struct document *document, const void *answer, size_t part);

/* Draws a run. What can go wrong: see picture_write (page.h). `command`: what was typed. */
enum status percentiles_draw(const struct percentiles *run, const char *path, const char *command,
                             struct text *message);

/* Saves both sides of the run's first curve, without modelled tails, with its ledger. */
enum status percentiles_save(const struct percentiles *run, const char *path, struct text *message);

#endif
