/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tail --plot`: what each cause adds to slow requests, beside what it adds to the others.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_TAIL_H
#define CLI_PRESENT_FIGURE_TRACE_TAIL_H

#include "show/document.h"

struct tail_answer;

/* Two bars for each cause, the largest difference first; initialises the drawing. */
void tail_bars_draw(struct drawing *drawing, const struct tail_answer *answer, double width);

/* Adds them to a document; `answer`: a tail_answer (struct document_page). */
void tail_figures(struct document *document, const void *answer, size_t part);

/* Draws an answer that was found: a page has the tables of the report too. What can go wrong: see
 * picture_write (page.h). `command`: what was typed. */
enum status tail_draw(const struct tail_answer *answer, const char *path, const char *command,
                      struct text *message);

#endif
