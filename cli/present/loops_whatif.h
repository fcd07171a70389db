/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `whatif latency` about event logs (cli/question/loops/whatif.h) as a
 * document: an object of kind "change" for each change, "predicted" for each percentile, and
 * "latency".
 */
#ifndef CLI_PRESENT_LOOPS_WHATIF_H
#define CLI_PRESENT_LOOPS_WHATIF_H

#include "show/document.h"

struct loops_whatif;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const loops_whatif_kinds[];

/* Initialises the document; `page`: of an HTML page, or NULL. */
void loops_whatif_document(struct document *document, const struct loops_whatif *answer,
                           const struct document_page *page);

#endif
