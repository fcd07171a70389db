/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `profile`, as a document.
 */
#ifndef CLI_PRESENT_PROFILE_H
#define CLI_PRESENT_PROFILE_H

#include "show/document.h"
#include "cli/question/profile/profile.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const profile_kinds[];

/* Initialises the document, with the `top` functions that most samples were in; 0: all. */
void profile_document(struct document *document, const struct profile_answer *answer, size_t top);

/* Appends how much was sampled and lost. */
void profile_head_say(struct text *text, const struct profile_answer *answer);

/* Appends a function's name as tables have it, and the program or library that it is in. */
void profile_function_say(struct text *text, const struct stack_profile *profile, uint32_t frame);
void profile_module_say(struct text *text, const struct stack_profile *profile, uint32_t frame);

#endif
