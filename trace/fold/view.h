/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a fold says of its requests: a store of those it keeps, and the graph of all. An order is
 * refuted in the graph when any request refuted it, kept or not; the evidence for the others, and
 * waits for k of several calls, come from the kept requests.
 */
#ifndef TRACE_FOLD_VIEW_H
#define TRACE_FOLD_VIEW_H

#include "dist/source/sample.h"
#include "trace/graph/graph.h"

struct trace_fold;
struct fold_flow; /* trace/fold/fold.h */

struct fold_view {
  struct span_store store;
  struct request_graph graph;             /* the most frequent flow first, of all requests */
  VECTOR(const struct fold_flow *) flows; /* beside graph.flows */
};

/* Of a settled fold, which must outlive it. */
void fold_view_make(struct fold_view *view, struct trace_fold *fold,
                    const struct graph_options *options);
void fold_view_clear(struct fold_view *view);

/* Adds the latencies of all requests of a flow, to be finished; or how long its call took. As
 * ranges where not all requests are kept. False when there are too many for a sample. */
bool fold_view_latencies(struct sample *sample, const struct fold_view *view, size_t flow);
bool fold_view_durations(struct sample *sample, const struct fold_view *view, size_t flow,
                         uint32_t position);

#endif
