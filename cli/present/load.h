/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `load`, as a document.
 */
#ifndef CLI_PRESENT_LOAD_H
#define CLI_PRESENT_LOAD_H

#include "show/document.h"

struct ledger;
struct load_answer;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const load_kinds[];

/* Initialises the document; `path`: of the file that was written. The ledger, which must outlive
 * it, gets what the latencies rest on. */
void load_document(struct document *document, const struct load_answer *answer, const char *path,
                   struct ledger *ledger);

#endif
