/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the tables and documents of known tools hold their spans: one table, trace/span/layout.c.
 * Private to trace/span.
 */
#ifndef TRACE_SPAN_LAYOUT_H
#define TRACE_SPAN_LAYOUT_H

#include "format/beginning.h"
#include "trace/span/columns.h"
#include "trace/span/store.h"

struct span_layout {
  enum format_id id;
  const char *when;   /* of JSON its keys (format/paths.h), of a table its columns; NULL: always */
  const char *list;   /* of JSON: where the list is of which items are read one by one, "a.b[]"; "":
                          each document is one */
  const char *spans;  /* where in such an item its spans are: "spans[]", "_source", "a|b" */
  const char *nested; /* in which list of a span there are others that it calls; or NULL */
  const char *columns;                /* trace/span/columns.h */
  const char *links;                  /* of JSON: a span's list of links; or NULL */
  const char *link_trace, *link_span; /* the ids of where an item of it leads */
  enum span_kind outer_kind;          /* of spans in no other whose kind is not said */
  bool api_kinds;                     /* kinds are numbered from 0, INTERNAL */
  bool whole; /* what has neither end nor duration is no span: an error, a metric */
};

/* The layout of a file that is told as one of those that have one; NULL: it has none. */
const struct span_layout *layout_find(enum format_id id, const struct format_beginning *beginning);

/* Of JSON whose columns are given: where its spans are, in *layout, which is otherwise empty;
 * `room` owns the texts. False: no document has a key for the trace. */
bool layout_of_columns(struct span_layout *layout, struct text room[2],
                       const struct span_columns *columns,
                       const struct format_beginning *beginning);

#endif
