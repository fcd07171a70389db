/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A span of what a row of a table or an object of JSON says of it; private to trace/span.
 */
#ifndef TRACE_SPAN_ROW_H
#define TRACE_SPAN_ROW_H

#include "trace/span/columns.h"
#include "trace/span/intake.h"
#include "trace/span/layout.h"
#include "trace/span/scan.h"

/* Where a link leads, as written. */
struct row_link {
  struct slice trace, span;
};

struct row_maker {
  struct intake *intake;
  const struct span_layout *layout;
  struct column_values values;
  VECTOR(struct span_tag) tags;
  VECTOR(struct row_link) links; /* of the span */
  struct text date;
  enum status status; /* of the intake */
};

void row_clear(struct row_maker *maker);

/* Gives the intake the span that maker->values, maker->tags and maker->links say; `nested`: it is in another. What
 * is no span is counted. False, the scan having failed or maker->status saying why: a time is wrong,
 * and stands in what the scan has in memory. */
bool row_scatter(struct row_maker *maker, struct json_scan *scan, bool nested);

#endif
