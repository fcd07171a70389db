/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded traces written again with attributes of their spans added, so that other programs show
 * what was found. Everything else stays as it is, byte by byte: Jaeger JSON and OTLP JSON.
 */
#ifndef TRACE_SPAN_REWRITE_H
#define TRACE_SPAN_REWRITE_H

#include <stdint.h>
#include <stdio.h>

#include "base/asker.h"
#include "base/slice.h"

struct span_attribute {
  const char *key; /* begins with REWRITE_PREFIX; neither quotes nor backslashes */
  int64_t value;
};

#define REWRITE_PREFIX "tailproof."
#define REWRITE_MOST 4

struct trace_rewriting {
  /* What is added to the span with this id of the request with that id, both as a store has them
   * (trace/span/store.h); returns how many attributes, at most REWRITE_MOST. */
  size_t (*ask)(void *context, struct slice request, struct slice span,
                struct span_attribute attributes[REWRITE_MOST]);
  void *context;
};

/* Writes the file at `path` to `out`, uncompressed. STATUS_DATA, said to the asker: it is of another
 * format, is damaged, or has attributes of that prefix already. What was written is then of no use.
 * Whether all could be written is for the caller to see (ferror). */
enum status trace_rewrite(FILE *out, const char *path, const struct trace_rewriting *rewriting,
                          const struct asker *asker);

#endif
