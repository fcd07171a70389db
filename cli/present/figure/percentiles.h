/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plot, and the saved law, of what `tailproof percentiles` calculated.
 */
#ifndef CLI_PRESENT_FIGURE_PERCENTILES_H
#define CLI_PRESENT_FIGURE_PERCENTILES_H

#include "show/page.h"

struct percentiles;

/* The answer with its curves, and what a percentile consists of. `command`: what was typed. */
struct picture percentiles_picture(const struct percentiles *run, const char *command);

/* Saves both sides of the run's first curve, without modelled tails, with its ledger. */
enum status percentiles_save(const struct percentiles *run, const char *path, struct text *message);

#endif
