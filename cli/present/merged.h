/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `merge` about profiles as a document.
 */
#ifndef CLI_PRESENT_MERGED_H
#define CLI_PRESENT_MERGED_H

#include "cli/question/stacks/fleet.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const merged_kinds[];

/* Initialises the document. */
void merged_document(struct document *document, const struct fleet_answer *answer,
                     const char *file);

#endif
