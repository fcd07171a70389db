/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A shape as text: which calls a drafted protocol was made of, which of them are loops, and what
 * waited for what. It is JSON, so that other programs can tell which recorded call a name of the protocol
 * stands for.
 */
#ifndef TRACE_DRAFT_KEEP_H
#define TRACE_DRAFT_KEEP_H

#include "base/text.h"
#include "trace/graph/shape.h"

/* Appends the text of the shape. */
void draft_keep(struct text *text, const struct flow_shape *shape, const struct span_names *names);

/* Reads it back: calls, activities, waits and loops, with names of `names`, which may get new ones.
 * The shape is initialised in any case and cleared with flow_shape_clear. False with one line in
 * `message` that says what is wrong with the text. */
bool draft_recall(struct flow_shape *shape, struct span_names *names, const char *bytes,
                  size_t length, struct text *message);

#endif
