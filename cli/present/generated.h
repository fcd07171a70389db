/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `generate` as a document: the files that were written, or which contracts of a
 * folder are not what the protocol says now.
 */
#ifndef CLI_PRESENT_GENERATED_H
#define CLI_PRESENT_GENERATED_H

#include "cli/question/generate/generate.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const generated_kinds[];

/* Initialises the document. */
void generated_document(struct document *document, const struct code_answer *answer,
                        const struct code_request *request);

#endif
