/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the spans of one request in order, however a file lists them: finds each one's parent,
 * breaks circles, puts clocks right, chooses the root, and appends the request to a store. Readers
 * and tests use it.
 */
#ifndef TRACE_SPAN_BUILDER_H
#define TRACE_SPAN_BUILDER_H

#include "trace/span/store.h"

/* A span as a file has it. Slices belong to the caller and need to live until builder_finish. */
struct span_record {
  struct slice id, parent; /* parent of length 0: none */
  struct slice service, operation, instance;
  int64_t start, end; /* ns, within SPAN_TIME_MAX; an end before the start is taken for the start;
                        of SPAN_UNFINISHED it is the latest of the request */
  enum span_kind kind;
  enum span_status status;
  unsigned mark;               /* SPAN_FOLLOWS, SPAN_UNFINISHED, SPAN_IN_TURN */
  const struct span_tag *tags; /* names of the store; copied by builder_add */
  size_t tag_count;
  const struct slice *links; /* ids of spans of the same request, or "TRACE/SPAN" of another; copied
                                by builder_add */
  size_t link_count;
};

/* What was odd about requests, counted over all that a builder made. */
struct builder_notes {
  uint64_t orphans;   /* spans whose parent the recording lacks */
  uint64_t roots;     /* requests with more than one root */
  uint64_t circles;   /* spans that are their own ancestor: taken for roots */
  uint64_t repeated;  /* spans recorded twice, id and times alike: taken once */
  uint64_t clashes;   /* other spans with an id that occurred, but for the server's of a client's:
                       * kept, found by parent and side */
  uint64_t backwards; /* spans that ended before they started */
};

struct builder;
struct skew_notes;

struct builder *builder_new(struct span_store *store);
void builder_free(struct builder *builder);

/* From now on the store gets no ids of spans: for readings of millions that do not ask for them. */
void builder_drop_ids(struct builder *builder);

void builder_begin(struct builder *builder, struct slice trace_id);
void builder_add(struct builder *builder, const struct span_record *record);

/* Appends the request to the store and returns its index among store->requests; SIZE_MAX without
 * any span. */
size_t builder_finish(struct builder *builder);

const struct builder_notes *builder_notes(const struct builder *builder);
const struct skew_notes *builder_clocks(const struct builder *builder); /* trace/span/skew.h */

#endif
