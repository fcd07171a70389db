/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `budget --check`, as a document.
 */
#ifndef CLI_PRESENT_BUDGET_CHECK_H
#define CLI_PRESENT_BUDGET_CHECK_H

#include "cli/question/budget/budget_check.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const budget_check_kinds[];

/* Initialises the document. */
void budget_check_document(struct document *document, const struct budget_check *check);

#endif
