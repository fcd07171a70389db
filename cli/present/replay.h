/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `replay` as a document: that the run follows the protocol and how close the bounds
 * are, or the first event that does not fit.
 */
#ifndef CLI_PRESENT_REPLAY_H
#define CLI_PRESENT_REPLAY_H

#include "cli/question/replay/replay.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const replay_kinds[];

/* Initialises the document. */
void replay_document(struct document *document, const struct replay_answer *answer);

/* What `replay --traces` says of bounds, too: a sentence for each, and why others are not judged;
 * and a list of objects, for the key "bounds". */
extern const struct object_kind replayed_bound_kind;
void replay_say_bounds(struct document *document, const struct replay_run *run,
                       const struct conform *conform);
void replay_put_bounds(struct objects *bounds, const struct replay_run *run,
                       const struct conform *conform);

#endif
