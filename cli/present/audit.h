/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `audit`, as a document.
 */
#ifndef CLI_PRESENT_AUDIT_H
#define CLI_PRESENT_AUDIT_H

#include "cli/question/audit/audit.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const audit_kinds[];

/* Initialises the document, to which each file is added. */
void audit_document_init(struct document *document);
void audit_show(struct document *document, const struct audit_answer *answer);

#endif
