/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `replay --traces` as a document: how many recorded requests follow the protocol,
 * how close its bounds came, and which requests do not and why.
 */
#ifndef CLI_PRESENT_REPLAY_TRACES_H
#define CLI_PRESENT_REPLAY_TRACES_H

#include "show/document.h"

struct traces_answer;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const followed_kinds[];

/* Initialises the document. */
void followed_document(struct document *document, const struct traces_answer *answer);

#endif
