/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of a picture of nested calls: one for each call, or, of very many, for those that weigh
 * most and their callers, and one line below each caller for the rest of its calls together.
 */
#ifndef CLI_PRESENT_FIGURE_TRACE_LINES_H
#define CLI_PRESENT_FIGURE_TRACE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

/* More calls than that are folded. */
#define TRACE_LINES_MAX 60

/* A call. Calls are in preorder: each behind its caller, before the next call of that one. */
struct nested_call {
  uint32_t caller;        /* index; SPAN_NONE: none */
  int64_t weight, lesser; /* the lesser decides where the weights are equal */
};

struct trace_line {
  uint32_t index;  /* of the call; of folded ones the first */
  uint32_t folded; /* how many calls it stands for; 0: for its own alone */
  uint32_t depth;  /* callers above it */
};

struct trace_lines {
  VECTOR(struct trace_line) lines;
  uint32_t *line_of; /* by call */
};

/* At most `most` >= 1 calls have a line of their own. There is at least one call. */
void trace_lines_make(struct trace_lines *lines, const struct nested_call *calls, uint32_t count,
                      size_t most);
void trace_lines_clear(struct trace_lines *lines);

#endif
