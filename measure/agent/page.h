/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Prometheus collects, in its text format 0.0.4, made in small parts: one for each metric and
 * peer. Knows nothing of HTTP.
 */
#ifndef MEASURE_AGENT_PAGE_H
#define MEASURE_AGENT_PAGE_H

#include "measure/agent/fleet.h"

/* Of the agent as a whole. */
struct agent_counts {
  uint64_t garbage;   /* packets that are no probes */
  uint64_t strangers; /* probes from an address that is no peer's and is not answered */
  uint64_t answered_strangers;
  uint64_t bad_reloads; /* configurations that were not taken over */
};

struct keeper;

struct page_source {
  const char *node;
  const struct fleet *fleet;
  const struct agent_counts *counts;
  struct keeper *keeper; /* NULL: nothing is sampled */
  const char *file;      /* of metrics that another program writes; NULL or "": none */
};

#define PAGE_PART 8192 /* bytes; no part is longer */

uint32_t page_metrics(void); /* how many metrics there are */

/* The metric's number, or -1. */
int page_metric_find(const char *name);

/* How many parts the metric has: one for each peer, or one. */
uint32_t page_metric_parts(const struct page_source *source, uint32_t metric);

/* The part's text; returns its length. The metric's HELP and TYPE are in front if `head`. With
 * `peer` not NULL parts of other peers, and those of no peer, are empty. */
size_t page_part(char text[PAGE_PART], const struct page_source *source, uint32_t metric,
                 uint32_t part, bool head, const char *peer);

#endif
