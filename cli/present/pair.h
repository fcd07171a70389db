/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was paired (`record pair`, and `record --probes` with --out), as a document or a part of it.
 */
#ifndef CLI_PRESENT_PAIR_H
#define CLI_PRESENT_PAIR_H

#include "cli/question/pair/pair.h"
#include "show/document.h"

extern const struct object_kind pair_kind;
extern const struct object_kind *const pair_kinds[];

/* Adds the answer. */
void pair_show(struct document *document, const struct pair_answer *answer);
/* Initialises the document. */
void pair_document(struct document *document, const struct pair_answer *answer);

#endif
