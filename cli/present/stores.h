/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `import` and `merge`, and of `record` about stores, as documents.
 */
#ifndef CLI_PRESENT_STORES_H
#define CLI_PRESENT_STORES_H

#include "cli/question/stacks/fleet.h"
#include "cli/question/store/gather.h"
#include "show/document.h"

/* Of which kinds their objects are; NULL behind the last. */
extern const struct object_kind *const imported_kinds[], *const recorded_kinds[],
                                                             *const merged_kinds[];

/* Series as objects and as a table: a part of a document that has their kind. */
extern const struct object_kind series_kind;
void series_show(struct document *document, const struct gather *gather);
/* Adds what the series rest on, each line once. */
void series_ledger(struct ledger *ledger, const struct gather *gather);

/* Initialises the document. The ledger, which must outlive it, gets what the series rest on. */
void imported_document(struct document *document, const struct gather *gather, const char *folder,
                       struct ledger *ledger);

/* Initialises the document; `code` and `by_signal`: how the program ended. */
void recorded_document(struct document *document, const struct gather *gather, const char *folder,
                       int code, int by_signal);

/* Initialises the document: profiles that were added up and written into the file. */
void merged_document(struct document *document, const struct fleet_answer *answer,
                     const char *file);

#endif
