/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `plan --data FILE --run FILE` (cli/question/plan/more_runs.h) as a document: an object
 * of kind "more_runs".
 */
#ifndef CLI_PRESENT_MORE_RUNS_H
#define CLI_PRESENT_MORE_RUNS_H

#include "show/document.h"

struct more_runs;

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const more_runs_kinds[];

/* Initialises the document. */
void more_runs_document(struct document *document, const struct more_runs *answer);

#endif
