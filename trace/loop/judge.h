/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why the slow requests of a route are slow, and how far the rest of the latency is ordinary.
 *
 * Requests that waited in one busy stretch of the loop are one observation. Where the slow ones are
 * few of those, whether a cause is more than chance is judged by more of the slowest requests, a
 * fifth at most; how much it adds to the slow ones, and for how many it is necessary, is still told
 * of those that were asked about.
 *
 * A cause is named when it is significant, and material: it adds a tenth of the difference to the
 * slow requests and half of what a usual request takes, and without it at least one of 20 slow
 * requests would not be slow. Differences smaller than that are in each recording: of any requests
 * some are the slowest. Waits and own callbacks are longer in slow requests anyway, as latency
 * consists of them; instead of being significant they must be out of the ordinary for themselves
 * (unusual.h). Else they are not named but `ordinary`.
 *
 * Files and other work of the pool's threads are not named where the loop waited for a processor for
 * a fiftieth of the time: these threads wait for one, too, and no log says how long.
 */
#ifndef TRACE_LOOP_JUDGE_H
#define TRACE_LOOP_JUDGE_H

#include "trace/loop/causes.h"
#include "trace/tail/report.h"

/* A part of the latency: a cause in a phase. */
struct loop_line {
  enum hold_phase phase;
  uint32_t cause; /* of the route's causes; EVENT_NONE: all of the phase */
  struct tail_difference difference;
};

struct loop_judgement {
  const struct loop_route *route;
  struct tail_split split;
  double judged_share; /* of the requests, by which significance was judged */
  struct tail_report report;
  VECTOR(uint32_t) named;    /* of the report's findings: most necessary first */
  VECTOR(uint32_t) ordinary; /* as `named`: what would be, but its times are of one kind */
  VECTOR(uint32_t) starved;  /* as `named`: would be, but threads of the pool had no processors */
  int64_t *apart; /* ns, by finding: what tells the two kinds of its times apart; 0: no such */
  VECTOR(struct loop_line) lines; /* by phase: all of it, then the largest difference first */
};

/* The route is that of causes which must outlive the judgement. Without two requests on each side
 * there is only the split. */
void loop_judge(struct loop_judgement *judgement, struct loop_route *route, double level);
void loop_judgement_clear(struct loop_judgement *judgement);

#endif
