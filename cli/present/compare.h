/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `compare` as a document.
 */
#ifndef CLI_PRESENT_COMPARE_H
#define CLI_PRESENT_COMPARE_H

#include "show/document.h"
#include "cli/question/compare/compare.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const compare_kinds[];

/* Initialises the document. `page`: NULL without one; else the answer kept its curves. */
void compare_document(struct document *document, const struct compare *compare,
                      const struct document_page *page);

#endif
