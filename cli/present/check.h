/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `check` as a document: what is in each file that has no mistake.
 */
#ifndef CLI_PRESENT_CHECK_H
#define CLI_PRESENT_CHECK_H

#include "show/document.h"

struct model;
struct source;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const check_kinds[];

/* Initialises the document; adds a file. */
void check_document_init(struct document *document);
void check_show(struct document *document, const struct source *source, const struct model *model);

#endif
