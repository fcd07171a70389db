/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `whatif latency` (cli/question/latency/latency.h) as text, or as JSON: a line of
 * kind "change" for each change, "predicted" for each percentile, "undecided" for each order that
 * no request decides, and "latency" at the end.
 */
#ifndef CLI_PRESENT_LATENCY_H
#define CLI_PRESENT_LATENCY_H

#include <stdint.h>

struct jsonl;
struct latency_answer;
struct latency_range;
struct table;
struct text;

void latency_print_text(const struct latency_answer *answer);
void latency_print_json(const struct latency_answer *answer);

/* The percentiles; initialised here. */
void latency_table(struct table *table, const struct latency_answer *answer);

/* Appends where replay and law differ and what the law takes for granted that the replay does not;
 * nothing where they agree. */
void latency_difference_say(struct text *text, const struct latency_answer *answer);

/* What was measured of the change (cli/present/latency_confirmed.c); nothing where nothing was. */
void latency_confirmed_print_text(const struct latency_answer *answer);
void latency_confirmed_print_json(const struct latency_answer *answer);

/* A time, or "infinite"; "12.1 to 12.2 ms", the unit once where both have the same. */
void latency_append(struct text *text, uint64_t ns);
void latency_append_between(struct text *text, uint64_t lower_ns, uint64_t upper_ns);

/* Its values, in digits or "infinite". */
void latency_add_range(struct jsonl *line, const char *key, const struct latency_range *range);

#endif
