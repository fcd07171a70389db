/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail`, as text and as JSON, on stdout; without its ledger. And its sentences and
 * tables, of which pages are made too.
 */
#ifndef CLI_PRESENT_TAIL_H
#define CLI_PRESENT_TAIL_H

#include <stdbool.h>

#include "show/table.h"
#include "cli/question/tail/tail.h"

/* `full`: all causes, groups and tags, not only those that matter. */
void tail_print_text(const struct tail_answer *answer, bool full);
void tail_print_json(const struct tail_answer *answer);

/* Appends who is slow, how slow they are, and what can be told of it. */
void tail_sides_say(struct text *text, const struct tail_answer *answer);
void tail_means_say(struct text *text, const struct tail_answer *answer);
void tail_verdict_say(struct text *text, const struct tail_answer *answer);

/* Tables, initialised here: the causes; those of TAIL_ONE; groups; and tags. */
void tail_causes_table(struct table *table, const struct tail_answer *answer, bool full);
void tail_one_table(struct table *table, const struct tail_answer *answer, bool full);
void tail_groups_table(struct table *table, const struct tail_answer *answer, bool full);
void tail_tags_table(struct table *table, const struct tail_answer *answer, bool full);

#endif
