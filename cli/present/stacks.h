/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `profile show` and `profile diff`, as text and as JSON; without their
 * ledgers.
 */
#ifndef CLI_PRESENT_STACKS_H
#define CLI_PRESENT_STACKS_H

#include "show/table.h"
#include "cli/question/stacks/show.h"

/* The `top` functions; 0: all. */
void show_print_text(const struct show_answer *answer, size_t top);
void show_print_json(const struct show_answer *answer, size_t top);
void change_print_text(const struct change_answer *answer, size_t top);
void change_print_json(const struct change_answer *answer, size_t top);

/* Parts of both, for pictures: a sentence, and the table. */
void show_say(struct text *text, const struct show_answer *answer);
void show_table(struct table *table, const struct show_answer *answer, size_t top);
void change_say(struct text *text, const struct change_answer *answer);
void change_table(struct table *table, const struct change_answer *answer, size_t top);

#endif
