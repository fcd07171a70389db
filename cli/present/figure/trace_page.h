/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `trace path --plot`: the request that is followed as a waterfall, what waits for what, and the
 * tables of the report. And what the pages of all questions about traces have in common.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_PAGE_H
#define CLI_PRESENT_FIGURE_TRACE_PAGE_H

#include "cli/present/figure/drawing.h"

struct trace_path;

/* Draws an answer with a request: a page has all, another picture the waterfall. What can go wrong:
 * see picture_write (page.h). `command`: what was typed. */
enum status trace_path_draw(const struct trace_path *answer, const char *path, const char *command,
                            struct text *message);

/* A drawing as a figure whose parts the arrow keys go through, each saying what it is. `id` names
 * it, `label` says what it is. */
void page_walk(struct text *out, const struct drawing *drawing, const char *id, const char *label);

/* A drawing with a title above it and lines of small text, some NULL, as a sheet; initialises it.
 */
void sheet_frame(struct drawing *sheet, const struct drawing *drawing, const char *title,
                 const char *const lines[], size_t count);

#endif
