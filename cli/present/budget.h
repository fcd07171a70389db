/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `budget`, as a document.
 */
#ifndef CLI_PRESENT_BUDGET_H
#define CLI_PRESENT_BUDGET_H

#include "cli/question/budget/budget.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const budget_kinds[];

/* A chance in units of 10^-18, rounded up: "0.97 %". */
void budget_print_percent(struct text *text, uint64_t chance);

/* Initialises the document; `page`: what makes a page of it, or NULL. */
void budget_document(struct document *document, const struct budget *budget,
                     const struct document_page *page);

#endif
