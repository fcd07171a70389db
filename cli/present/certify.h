/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `certify` and `certify --check` as documents.
 */
#ifndef CLI_PRESENT_CERTIFY_H
#define CLI_PRESENT_CERTIFY_H

#include "cli/question/certify/certify.h"
#include "cli/question/certify/recheck.h"
#include "show/document.h"

/* Of which kinds their objects are; NULL behind the last. */
extern const struct object_kind *const certified_kinds[], *const recheck_kinds[];

/* Initialise the document. */
void certified_document(struct document *document, const struct certify_answer *answer,
                        size_t protocols);
void recheck_document(struct document *document, const struct recheck_answer *answer);

#endif
