/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `trace fold`, `trace merge` and `trace summary` as documents.
 */
#ifndef CLI_PRESENT_FOLD_H
#define CLI_PRESENT_FOLD_H

#include "cli/question/fold/fold.h"
#include "show/document.h"

/* Of which kinds their objects are; NULL behind the last. */
extern const struct object_kind *const folded_kinds[], *const summary_kinds[];

/* Initialise the document: that a summary was written, and of what; what a summary says, which
 * rests on the ledger. */
void folded_document(struct document *document, const struct fold_answer *answer);
void summary_document(struct document *document, const struct fold_report *report,
                      const struct ledger *ledger);

#endif
