/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` about traces and tables (cli/question/tail/tail.h) as a document, and its
 * sentences.
 */
#ifndef CLI_PRESENT_TAIL_H
#define CLI_PRESENT_TAIL_H

#include "cli/question/tail/tail.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const tail_kinds[];

/* Initialises the document, of an answer that was found. `page`: NULL without one. */
void tail_document(struct document *document, const struct tail_answer *answer,
                   const struct document_page *page);

/* Appends who is slow, how slow they are, and what can be told of it. */
void tail_sides_say(struct text *text, const struct tail_answer *answer);
void tail_means_say(struct text *text, const struct tail_answer *answer);
void tail_verdict_say(struct text *text, const struct tail_answer *answer);

#endif
