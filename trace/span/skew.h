/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks of different hosts, put right by causality. Spans of one host share a clock and are only
 * ever moved together. Between two hosts, within one request, the offset is bounded by
 *
 *   - a called span, which does not start before the one that calls it;
 *   - the server's span of a call, which does not end after its client's, unless that has failed;
 *   - any other span that starts before its caller: it does not end after it either, unless it is
 *     one that nobody waits for (FOLLOWS_FROM, producer and consumer).
 *
 * Where the clocks as recorded break a bound, the host's spans are moved by the least that breaks
 * none, and marked SPAN_MOVED. Where no move mends all, spans stay, and those that break a bound
 * are marked SPAN_SKEWED. What a clock shows within the bounds is believed.
 *
 * What a coarse clock cut (SPAN_CUT) may have been up to a millisecond later than recorded; a bound
 * is broken only by more than that.
 */
#ifndef TRACE_SPAN_SKEW_H
#define TRACE_SPAN_SKEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "trace/span/store.h"

struct skew_span {
  int64_t start, end; /* ns */
  uint32_t up;        /* its caller, an index, or SPAN_NONE */
  uint32_t host;      /* any number; SPAN_NONE: not known, and then not moved */
  enum span_kind kind;
  enum span_status status;
  unsigned mark; /* enum span_mark */
};

/* The move that was largest, for the ledger. */
struct skew_example {
  uint32_t host, other;       /* whose clock was moved, against whose */
  int64_t shift, least, most; /* ns: the move, and what causality allows */
  bool bounded_below, bounded_above;
};

struct skew_notes {
  uint64_t moved_requests, moved_spans;
  uint64_t skewed_requests, skewed_spans;
  struct skew_example example; /* if a request was moved */
};

/* Puts right the spans of a request, whose root is spans[root]; that root's clock stays. Returns
 * whether a span was moved. */
bool skew_correct(struct skew_span *spans, uint32_t count, uint32_t root, struct skew_notes *notes);

#endif
