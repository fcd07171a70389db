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

/* What it and pictures say alike: the percentiles, initialised by this; where one law exceeds the
 * other, as a sentence without its full stop; what B is: "slower", "not decidable". */
void compare_fill_table(struct table *table, const struct compare *compare,
                        const struct subject *subject);
void compare_describe_gap(struct text *text, const struct two_sample_gap *gap, const char *slower,
                          const char *faster);
const char *compare_state(const struct compare *compare);

#endif
