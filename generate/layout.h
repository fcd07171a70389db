/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines of generated C, at most 100 columns wide where they can be broken.
 *
 * A line is made as a text in which some blanks are marked: they may become line ends. Those of the
 * lowest level are taken first, and of several of one level the last that fits.
 */
#ifndef GENERATE_LAYOUT_H
#define GENERATE_LAYOUT_H

#include "base/text.h"

enum { LAYOUT_WIDTH = 100, LAYOUT_LEVELS = 60 };

/* Appends a blank that may be a line end. */
void layout_break(struct text *line, unsigned level);

/* Appends the line and a newline to `out`, `indent` blanks before it and `continuation` before what
 * did not fit. */
void layout_line(struct text *out, const struct text *line, size_t indent, size_t continuation);

#endif
