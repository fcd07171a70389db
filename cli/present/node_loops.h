/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `record --node` recorded, as a document.
 */
#ifndef CLI_PRESENT_NODE_LOOPS_H
#define CLI_PRESENT_NODE_LOOPS_H

#include "show/document.h"
#include "trace/event/node_tally.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const node_kinds[];

/* Initialises the document with the loops; then adds programs of which nothing could be written,
 * for a
 * reason of trace/event/stopped.h, and how the program ended. */
void node_document(struct document *document, const node_tallies *tallies, const char *folder);
void node_put_unrecorded(struct document *document, const char *name, uint32_t process,
                         uint32_t thread, uint32_t why);
void node_put_end(struct document *document, const node_tallies *tallies, const char *folder,
                  int code, int by_signal);

#endif
