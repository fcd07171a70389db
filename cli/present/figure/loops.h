/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tail --plot` of event logs: what slow requests consist of beside the others, route by route; and
 * one request that is followed, with what its loop did meanwhile.
 */
#ifndef CLI_PRESENT_FIGURE_LOOPS_H
#define CLI_PRESENT_FIGURE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "show/document.h"

struct loops_answer;
struct hot_answer;

/* Two stacked bars for each route with slow requests. As wide as `width`; initialise the drawing. */
void loops_bars_draw(struct drawing *drawing, const struct loops_answer *answer, double width);

/* A line for each callback of a request, by its chain, and the loop's line; the same. */
void loops_timeline_draw(struct drawing *drawing, const struct loops_answer *answer, uint32_t chain,
                         double width);

/* What the request spent its time on, one after the other; initialised here. */
void loops_timeline_table(struct table *table, const struct loops_answer *answer, uint32_t chain);

/* Appends which request that is. */
void loops_request_say(struct text *text, const struct loops_answer *answer, uint32_t chain);

/* How busy the loop of the request that is followed was, and what its process used, over time; false,
 * with nothing to clear: the recording does not say. */
bool loops_use_draw(struct drawing *drawing, const struct loops_answer *answer, double width);

/* Adds all of it to a document; `answer`: a loops_answer (struct document_page). */
void loops_figures(struct document *document, const void *answer, size_t part);

/* Draws an answer that was found: a page has all and the tables, another picture the bars. What can
 * go wrong: see picture_write (page.h). `hot` may be NULL; `command`: what was typed. */
enum status loops_draw(const struct loops_answer *answer, const struct hot_answer *hot,
                       const char *path, const char *command, struct text *message);

#endif
