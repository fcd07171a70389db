/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `plan`, as a document.
 */
#ifndef CLI_PRESENT_PLAN_H
#define CLI_PRESENT_PLAN_H

#include "cli/question/plan/plan.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const plan_kinds[];

/* Initialises the document. */
void plan_document(struct document *document, const struct planning *planning);

#endif
