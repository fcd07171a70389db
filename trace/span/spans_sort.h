/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Spans sorted by request, for formats that scatter the spans of a request over a file or over
 * several. As long as they are few they stay in memory; then they are dealt by a hash of their
 * trace id to temporary files, in $TMPDIR or /tmp, which have no name and go away with the process.
 * A file that is still too large is dealt again. Private to trace/span.
 */
#ifndef TRACE_SPAN_SPANS_SORT_H
#define TRACE_SPAN_SPANS_SORT_H

#include "base/status.h"
#include "trace/span/builder.h"

struct spans_sort;

/* In memory are at most about `bytes`, unless a single request has more. */
struct spans_sort *spans_sort_new(struct span_names *names, size_t bytes);
void spans_sort_free(struct spans_sort *sort);

/* Adds a span, of which all is copied. STATUS_INTERNAL when a temporary file fails. */
enum status spans_sort_add(struct spans_sort *sort, struct slice trace_id,
                           const struct span_record *record);

/* Hands over request by request, in the order of their first spans, or by file if there were too
 * many; the gather is empty afterwards. Stops at any status but STATUS_OK and returns it. */
struct spans_sort_hearer {
  void *context;
  void (*begin)(void *context, struct slice trace_id);
  void (*add)(void *context, const struct span_record *record);
  enum status (*finish)(void *context);
};
enum status spans_sort_finish(struct spans_sort *sort, const struct spans_sort_hearer *hearer);

/* Of STATUS_INTERNAL: one line that names the file, the cause and the remedy. */
const char *spans_sort_failure(const struct spans_sort *sort);

#endif
