/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Objectives of latency as queries to Prometheus say them: which share of requests is in the buckets
 * up to an edge. Of PromQL only what such objectives are made of is known:
 *
 *   sum(rate(rpc_seconds_bucket{job="a",le="0.1"}[5m]))         good, of sum(rate(rpc_seconds_count{job="a"}[5m]))
 *   sum(rate(rpc_seconds_count{job="a"}[5m])) - sum(rate(rpc_seconds_bucket{job="a",le="0.1"}[5m]))    bad
 *   1 - rpc_seconds_bucket{le="0.1"} / rpc_seconds_count        a ratio of bad ones
 *
 * Both metrics have to have the same labels: an objective whose good requests are also those without
 * an error is not one of latency alone.
 */
#ifndef CLI_QUESTION_PERCENTILES_SLO_QUERY_H
#define CLI_QUESTION_PERCENTILES_SLO_QUERY_H

#include <stdbool.h>

#include "base/text.h"

struct slo_query {
  char *of;    /* "rpc_seconds{job="a"}"; owned */
  char *limit; /* "0.1s", the edge, which the good ones may reach; owned */
};

enum slo_query_kind { SLO_QUERY_GOOD, SLO_QUERY_BAD, SLO_QUERY_RATIO };

enum slo_queried {
  SLO_QUERY_READ,
  SLO_QUERY_OTHER,  /* it is of errors, or something else that is no latency */
  SLO_QUERY_UNREAD, /* `why` says what is wrong with it */
};

/* `total`: NULL of a ratio. */
enum slo_queried slo_query_read(struct slo_query *out, struct text *why, enum slo_query_kind kind,
                                const char *query, const char *total);
void slo_query_clear(struct slo_query *query);

/* The unit in the name of a metric, "s" of rpc_seconds; NULL: none. */
const char *slo_metric_unit(const char *metric);

#endif
