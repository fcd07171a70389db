/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What probes saw, or would be attached to (`record --probes`), as documents.
 */
#ifndef CLI_PRESENT_OUTSIDE_H
#define CLI_PRESENT_OUTSIDE_H

#include "cli/present/pair.h"
#include "cli/question/outside/outside.h"
#include "show/document.h"

/* Of which kinds their objects are; NULL behind the last. */
extern const struct object_kind *const outside_plan_kinds[], *const outside_run_kinds[];

/* Initialises the document: each probe with its places; nothing was attached. */
void outside_plan_document(struct document *document, const struct outside_answer *answer);

/* Initialises the document: each probe with what it counted and cost. What was paired may be added
 * (pair_show). */
void outside_run_document(struct document *document, const struct outside_answer *answer);

#endif
