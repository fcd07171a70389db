/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `profile`, as text and as JSON, on stdout; without its ledger.
 */
#ifndef CLI_PRESENT_PROFILE_H
#define CLI_PRESENT_PROFILE_H

#include "show/table.h"
#include "cli/question/profile/profile.h"

/* The `top` functions that most samples were in; 0: all. */
void profile_print_text(const struct profile_answer *answer, size_t top);
void profile_print_json(const struct profile_answer *answer, size_t top);

/* Appends how much was sampled and lost. */
void profile_head_say(struct text *text, const struct profile_answer *answer);

/* The functions, initialised here; 0: all. */
void profile_table(struct table *table, const struct profile_answer *answer, size_t top);

/* Appends a function's name as tables have it, and the program or library that it is in. */
void profile_function_say(struct text *text, const struct stack_profile *profile, uint32_t frame);
void profile_module_say(struct text *text, const struct stack_profile *profile, uint32_t frame);

#endif
