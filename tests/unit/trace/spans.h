/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stores of spans as tests write them: one row of a table for each span.
 */
#ifndef TESTS_UNIT_TRACE_SPANS_H
#define TESTS_UNIT_TRACE_SPANS_H

#include <string.h>

#include "trace/span/builder.h"

/* A span of a table; a NULL id ends the table. Texts may be NULL: not said. */
struct span_row {
  const char *id, *parent, *service, *operation;
  int64_t start, end;
  enum span_kind kind;
  unsigned mark;
};

static inline struct slice span_slice(const char *text) {
  return text == NULL ? (struct slice){"", 0} : (struct slice){text, strlen(text)};
}

static inline void spans_add(struct builder *builder, const struct span_row *row) {
  builder_add(builder, &(struct span_record){.id = span_slice(row->id),
                                             .parent = span_slice(row->parent),
                                             .service = span_slice(row->service),
                                             .operation = span_slice(row->operation),
                                             .start = row->start,
                                             .end = row->end,
                                             .kind = row->kind,
                                             .mark = row->mark});
}

/* The index of the request that the table is. */
static inline size_t spans_request(struct builder *builder, const char *trace_id,
                                   const struct span_row *rows) {
  builder_begin(builder, span_slice(trace_id));
  for (; rows->id != NULL; rows++)
    spans_add(builder, rows);
  return builder_finish(builder);
}

#endif
