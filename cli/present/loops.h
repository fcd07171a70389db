/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` about event logs (cli/question/loops/loops.h) as text, and as JSON: a line
 * of kind "route" for each route, "part" for each part of its latency, "cause" for each cause that
 * is named, "ordinary" for what is none but longer in slow requests, and "loops" at the end. And
 * its sentences and tables, of which pages are made too.
 */
#ifndef CLI_PRESENT_LOOPS_H
#define CLI_PRESENT_LOOPS_H

#include <stdbool.h>

#include "show/table.h"

struct loops_answer;
struct loops_route;

/* `full`: all routes and all parts of their latencies. */
void loops_print_text(const struct loops_answer *answer, bool full);
void loops_print_json(const struct loops_answer *answer);

/* Tables, initialised here: percentiles of all routes; what a route's latency consists of; its
 * causes. */
void loops_routes_table(struct table *table, const struct loops_answer *answer, bool intervals);
void loops_parts_table(struct table *table, const struct loops_answer *answer,
                       const struct loops_route *route, bool full);
void loops_causes_table(struct table *table, const struct loops_answer *answer,
                        const struct loops_route *route);

/* Append who is slow, and what can be told of it. */
void loops_slow_say(struct text *text, const struct loops_answer *answer,
                    const struct loops_route *route);
void loops_verdict_say(struct text *text, const struct loops_answer *answer,
                       const struct loops_route *route);

const char *loops_route_name(const struct loops_answer *answer, const struct loops_route *route);

#endif
