/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `profile simulate`, as a document.
 */
#ifndef CLI_PRESENT_SIMULATE_H
#define CLI_PRESENT_SIMULATE_H

#include "cli/question/simulate/simulate.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const simulate_kinds[];

/* Initialises the document. */
void simulate_document(struct document *document, const struct simulate_answer *answer);

#endif
