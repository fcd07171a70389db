/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by doubt.c and doubt_limits.c: a verdict that contradictions work on.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_DOUBT_INSIDE_H
#define MEASURE_THROUGHPUT_EXPERIMENT_DOUBT_INSIDE_H

#include "measure/throughput/experiment/doubt.h"
#include "measure/throughput/experiment/law.h"

/* What is left of one prediction. */
struct doubt_verdict {
  const struct experiment *experiment;
  const struct cell *cell;
  double now, now_low, now_high; /* throughput as it is */
  double most;                   /* X / (1 - s) */
  double ceiling;                /* infinite: none is known */
  bool large, small;             /* it may be too large, or too small */
  bool crowded;                  /* too small, as processors are or would be full */
  struct utilization_law law;
  char *why;
  size_t room;
};

/* The first reason is the one that is said. */
void doubt_say(struct doubt_verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool doubt_is_changed(const struct change *change, uint32_t service);

/* doubt_limits.c */
void doubt_flight(struct doubt_verdict *verdict);
void doubt_processors(struct doubt_verdict *verdict);
void doubt_threads(struct doubt_verdict *verdict);
void doubt_quotas(struct doubt_verdict *verdict);

#endif
