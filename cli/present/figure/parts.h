/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Smaller pictures of a plot: what was measured of each component, on common axes, and the chain of
 * occurrences that makes the bound, one after the other.
 */
#ifndef CLI_PRESENT_FIGURE_PARTS_H
#define CLI_PRESENT_FIGURE_PARTS_H

#include "show/drawing.h"
#include "cli/present/figure/plot.h"

#define COMPONENT_WIDTH 284.0
#define COMPONENT_HEIGHT 176.0

/* Whether there is anything to draw of it. */
bool component_is_measured(const struct plot_source *source);

/* How much takes longer than t, of one component; initialises the drawing. */
void component_draw(struct drawing *drawing, const struct plot *plot,
                    const struct plot_source *source);

/* A bar for each link of the plot's chain, which has one; initialises the drawing. */
void chain_draw(struct drawing *drawing, const struct plot *plot, double width);

#endif
