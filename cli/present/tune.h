/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tune gc`, as a document; and how far it is, on stderr.
 */
#ifndef CLI_PRESENT_TUNE_H
#define CLI_PRESENT_TUNE_H

#include "cli/question/tune/tune.h"
#include "show/document.h"

/* Of which kinds its objects are; NULL behind the last. */
extern const struct object_kind *const tuning_kinds[];

/* Initialises the document. */
void tuning_document(struct document *document, const struct heap_tuning *tuning);

/* On a terminal one line that changes, elsewhere a line for every tenth run. */
struct tuning_progress {
  bool terminal;
};
void tuning_progress_init(struct tuning_progress *progress);
void tuning_progress_tell(void *progress, const struct tune_step *step, double seconds_left);
void tuning_progress_clear(const struct tuning_progress *progress);

#endif
