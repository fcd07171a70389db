/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `explain` as a document: what codes of diagnostics and words of reports mean.
 */
#ifndef CLI_PRESENT_MEANING_H
#define CLI_PRESENT_MEANING_H

#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const meaning_kinds[];

void meaning_document_init(struct document *document);

/* Adds what a code or a word means; false where there is none of that name. */
bool meaning_show(struct document *document, const char *word);
/* Adds all of them, to people their names. */
void meaning_show_all(struct document *document);

#endif
