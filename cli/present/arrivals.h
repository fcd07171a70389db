/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The token buckets of recorded arrivals, as a document.
 */
#ifndef CLI_PRESENT_ARRIVALS_H
#define CLI_PRESENT_ARRIVALS_H

#include "cli/question/arrivals/arrivals.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const arrivals_kinds[];

/* Initialises the document. */
void arrivals_document(struct document *document, const struct arrivals_answer *answer);

#endif
