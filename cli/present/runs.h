/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `plan --traces` (cli/question/runs/runs.h) as a document: an object of kind
 * "run" for each kind of request, and "runs".
 */
#ifndef CLI_PRESENT_RUNS_H
#define CLI_PRESENT_RUNS_H

#include "show/document.h"

struct runs_answer;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const runs_kinds[];

/* Initialises the document. */
void runs_document(struct document *document, const struct runs_answer *answer);

#endif
