/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `check`, `certify` and `generate` as documents.
 */
#ifndef CLI_PRESENT_PROTOCOLS_H
#define CLI_PRESENT_PROTOCOLS_H

#include "cli/question/certify/certify.h"
#include "cli/question/certify/recheck.h"
#include "cli/question/generate/generate.h"
#include "show/document.h"

struct source;

/* Of which kinds their objects are; NULL behind the last. */
extern const struct object_kind *const check_kinds[],
    *const certified_kinds[], *const theory_kinds[], *const recheck_kinds[],
                                                         *const generated_kinds[];

/* Initialises the document; adds a file that has no mistake. */
void check_document_init(struct document *document);
void check_show(struct document *document, const struct source *source, const struct model *model);

/* Initialise the document: of a certificate; of one that was checked; of the files that were
 * written, or which contracts of a folder are not what the protocol says now. */
void theory_document(struct document *document, const struct theory_answer *answer);
void certified_document(struct document *document, const struct certify_answer *answer,
                        size_t protocols);
void recheck_document(struct document *document, const struct recheck_answer *answer);
void generated_document(struct document *document, const struct code_answer *answer,
                        const struct code_request *request);

#endif
