/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tail --plot`: what each cause adds to slow requests, beside what it adds to the others.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_TAIL_H
#define CLI_PRESENT_FIGURE_TRACE_TAIL_H

#include "show/page.h"

struct tail_answer;

/* Two bars for each cause, the largest difference first; initialises the drawing. */
void tail_bars_draw(struct drawing *drawing, const struct tail_answer *answer, double width);

/* The answer, which was found, with them: a page has the tables of the report too. `command`: what
 * was typed. */
struct picture tail_picture(const struct tail_answer *answer, const char *command);

#endif
