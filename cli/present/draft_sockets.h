/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `draft --probes` as a document.
 */
#ifndef CLI_PRESENT_DRAFT_SOCKETS_H
#define CLI_PRESENT_DRAFT_SOCKETS_H

#include "show/document.h"

struct sockets_answer; /* cli/question/draft/sockets.h */
struct sockets_request;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const draft_sockets_kinds[];

/* Initialises the document. */
void draft_sockets_document(struct document *document, const struct sockets_answer *answer,
                            const struct sockets_request *request);

#endif
