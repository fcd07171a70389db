/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A flow without its requests, as text: which calls a drafted protocol was made of and what waited
 * for what. It is JSON, so that other programs can tell which recorded call a name of the protocol
 * stands for.
 */
#ifndef TRACE_DRAFT_KEEP_H
#define TRACE_DRAFT_KEEP_H

#include "base/text.h"
#include "trace/graph/graph.h"

/* Appends the text of the flow. */
void draft_keep(struct text *text, const struct request_flow *flow, const struct span_names *names);

/* Reads it back: calls, activities and waits, with names of `names`, which may get new ones. The
 * flow is initialised in any case and cleared with draft_forget. False with one line in `message`
 * that says what is wrong with the text. */
bool draft_recall(struct request_flow *flow, struct span_names *names, const char *bytes,
                  size_t length, struct text *message);
void draft_forget(struct request_flow *flow);

#endif
