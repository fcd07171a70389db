/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `whatif latency --plot`: the latencies that were recorded, and those replayed with the changes,
 * as distribution and tail; and those observed after the real change, where there are such.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_WHATIF_H
#define CLI_PRESENT_FIGURE_TRACE_WHATIF_H

#include "show/document.h"

struct latency_answer;
struct loops_whatif;

/* Add both panels to a document; `answer`: a latency_answer, or a loops_whatif (struct
 * document_page). */
void latency_figures(struct document *document, const void *answer, size_t part);
void loops_whatif_figures(struct document *document, const void *answer, size_t part);

/* Draws an answer that was found. What can go wrong: see picture_write (page.h). `command`: what
 * was typed. */
enum status latency_draw(const struct latency_answer *answer, const char *path, const char *command,
                         struct text *message);

/* The same of event logs (cli/question/loops/whatif.h). */
enum status loops_whatif_draw(const struct loops_whatif *answer, const char *path,
                              const char *command, struct text *message);

#endif
