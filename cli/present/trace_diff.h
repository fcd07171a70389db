/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace diff` as a document, and its sentences.
 */
#ifndef CLI_PRESENT_TRACE_DIFF_H
#define CLI_PRESENT_TRACE_DIFF_H

#include "cli/question/trace_diff/trace_diff.h"
#include "show/document.h"

extern const struct object_kind *const trace_diff_kinds[];

/* `page`: of a page; NULL: none. The answer outlives the document. */
void trace_diff_document(struct document *document, const struct trace_diff *diff,
                         const struct document_page *page);

/* What is compared, and what follows (trace_diff_words.c). */
void trace_diff_sides_say(struct text *text, const struct trace_diff *diff);
void trace_diff_mix_say(struct text *text, const struct trace_diff *diff);
void trace_diff_verdict_say(struct text *text, const struct trace_diff *diff);

#endif
