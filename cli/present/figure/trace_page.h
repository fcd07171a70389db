/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `trace path --plot`: the request that is followed as a waterfall, what waits for what, and the
 * tables of the report.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_PAGE_H
#define CLI_PRESENT_FIGURE_TRACE_PAGE_H

#include "show/document.h"

struct trace_path;

enum { PATH_PAGE_ROWS = 500 }; /* steps and parts that a page has at most */

/* Adds the request, or what waits for what, to a document; `answer`: a trace_path (struct
 * document_page). */
void trace_path_figures(struct document *document, const void *answer, size_t part);

/* Draws an answer with a request: a page has all, another picture the waterfall. What can go wrong:
 * see picture_write (page.h). `command`: what was typed. */
enum status trace_path_draw(const struct trace_path *answer, const char *path, const char *command,
                            struct text *message);

#endif
