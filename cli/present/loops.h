/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` about event logs (cli/question/loops/loops.h) as a document: an object of
 * kind "route" for each route, "route_part" for each part of its latency, "cause" for each cause
 * that is named, "ordinary" for what is none but longer in slow requests, and "loops". And its
 * sentences.
 */
#ifndef CLI_PRESENT_LOOPS_H
#define CLI_PRESENT_LOOPS_H

#include "show/document.h"

struct loops_answer;
struct loops_route;
struct hot_answer;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const loops_kinds[];

/* Initialises the document, of an answer that was found. `hot` may be NULL; `page`: NULL without
 * one. */
void loops_document(struct document *document, const struct loops_answer *answer,
                    const struct hot_answer *hot, const struct document_page *page);

/* Append who is slow, and what can be told of it. */
void loops_slow_say(struct text *text, const struct loops_answer *answer,
                    const struct loops_route *route);
void loops_verdict_say(struct text *text, const struct loops_answer *answer,
                       const struct loops_route *route);

const char *loops_route_name(const struct loops_answer *answer, const struct loops_route *route);

#endif
