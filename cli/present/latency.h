/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `whatif latency` (cli/question/latency/latency.h) as text, or as JSON: a line of
 * kind "change" for each change, "predicted" for each percentile, "undecided" for each order that
 * no request decides, and "latency" at the end.
 */
#ifndef CLI_PRESENT_LATENCY_H
#define CLI_PRESENT_LATENCY_H

struct latency_answer;
struct table;
struct text;

void latency_print_text(const struct latency_answer *answer);
void latency_print_json(const struct latency_answer *answer);

/* The percentiles; initialised here. */
void latency_table(struct table *table, const struct latency_answer *answer);

/* Appends where replay and law differ and what the law takes for granted that the replay does not;
 * nothing where they agree. */
void latency_difference_say(struct text *text, const struct latency_answer *answer);

#endif
