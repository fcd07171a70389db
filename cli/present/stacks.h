/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `profile show` and `profile diff` as documents.
 */
#ifndef CLI_PRESENT_STACKS_H
#define CLI_PRESENT_STACKS_H

#include "cli/question/stacks/show.h"
#include "show/document.h"

/* Of which kinds their objects are; NULL behind the last. */
extern const struct object_kind *const stacks_kinds[], *const change_kinds[];

/* Initialise the document, with the `top` functions; 0: all. */
void stacks_document(struct document *document, const struct show_answer *answer, size_t top);
void change_document(struct document *document, const struct change_answer *answer, size_t top);

/* A sentence of both, for pictures. */
void show_say(struct text *text, const struct show_answer *answer);
void change_say(struct text *text, const struct change_answer *answer);

#endif
