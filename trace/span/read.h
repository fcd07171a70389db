/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded traces of any format, one request after the other: Jaeger JSON, OTLP (JSON, protobuf),
 * Zipkin v2, Chrome trace events, our own stores (.tps), and tables and JSON with a span in each
 * row, of a known layout or of columns that are named. A file may be compressed (.gz, .zst); a
 * folder stands for all files in it that are traces. The format is told by the content.
 *
 * Memory follows the largest request and not the file. Where a format scatters the spans of a
 * request over a file, they are sorted by request in a temporary file first.
 */
#ifndef TRACE_SPAN_READ_H
#define TRACE_SPAN_READ_H

#include <stdbool.h>

#include "base/asker.h"
#include "base/ledger.h"
#include "trace/span/store.h"

struct trace_reading {
  bool tags;      /* whether tags are wanted */
  bool processes; /* whether spans of our own stores get a tag process.pid; others may have one */
  bool ids;       /* whether the ids of spans are wanted */
  const char *columns; /* --columns: which columns and keys say what (trace/span/columns.h); NULL */
  bool follow; /* with `keep`: messages are followed to their last consumer (trace/span/follow.h) */
  bool
      foldable; /* whether a sample may stand for very many requests (trace/fold/large.h): tags, ids
                    and times of day are not asked for */
  bool keep;    /* whether the store keeps all requests; otherwise it forgets each after `visit` */
  /* Called for each request, which is store->requests.data[request]; anything but STATUS_OK ends
   * the reading. May be NULL when requests are kept. */
  enum status (*visit)(struct span_store *store, size_t request, void *context);
  /* Called for each file that holds traces, before any request of it; may be NULL. Anything but
   * STATUS_OK ends the reading. */
  enum status (*opened)(const char *path, void *context);
  void *context;
};

/* Reads all files in the order given. What is wrong with a file is said to the asker as
 * FILE:LINE:COLUMN: what, and what to do (STATUS_DATA), or FILE: what (STATUS_SYSTEM). What was
 * found odd and how it was taken goes into the ledger, each once. */
enum status trace_read(struct span_store *store, const char *const *paths, size_t path_count,
                       const struct trace_reading *reading, struct ledger *ledger,
                       const struct asker *asker);

#endif
