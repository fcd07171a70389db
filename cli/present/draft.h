/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `draft` as a document.
 */
#ifndef CLI_PRESENT_DRAFT_H
#define CLI_PRESENT_DRAFT_H

#include "cli/question/draft/draft.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const draft_kinds[];

/* Initialises the document. */
void draft_document(struct document *document, const struct draft_answer *answer,
                    const struct draft_request *request);

#endif
