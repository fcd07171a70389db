/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a service takes for a call that comes alone, and how many it works on at one time: from a
 * window with one user, in which nothing waits for a worker, and from those with all. What a proxy
 * sees under load is mostly waiting; a request that is alone has none.
 *
 *   work     time of a call less that of the calls which the service makes meanwhile, with one user.
 *            Calls that it makes at once count each, so that there it is less than it is.
 *   at work  rate times work (Little, 1961): calls that it works on at one time, on average.
 *   waiting  what else is in flight in it: calls that wait for its workers or for processors.
 *   workers  where calls wait in it, its workers are all at work, and are as many as that. Processors
 *            that others use make work longer than alone, by at most as much as its threads waited for
 *            one; where that leaves more than one whole number, none is told.
 *
 * Who calls whom is seen by connections (talks.h); where a service is called by none or by several,
 * nothing is known of any, as it is not known whose time its calls are part of.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_KNEE_H
#define MEASURE_THROUGHPUT_EXPERIMENT_KNEE_H

#include "measure/throughput/experiment/processors.h"

struct experiment_plan;
struct talks;

/* 0: not known. Times are of one call, in ns. */
struct knee_service {
  double alone_ns;         /* work */
  double computes_ns;      /* of it, what it and its proxy compute or wait for a processor */
  double at_work, waiting; /* calls, with all users */
  uint32_t workers;
};

/* What was counted of a service in some window. */
struct knee_count {
  uint64_t ended;
  double in_flight; /* on average, with what they wait for elsewhere */
  struct processor_share share;
  double poker; /* processors that its proxy uses, which is part of the time of its calls */
};

/* Fills the first two of each service, from a window of one user of `seconds`; the others are 0.
 * False when nothing is known of any. */
bool knee_alone(struct knee_service services[], const struct knee_count counts[], double seconds,
                const struct experiment_plan *plan, const struct talks *talks);

/* Fills the others, from one with all. */
void knee_loaded(struct knee_service services[], const struct knee_count counts[], double seconds,
                 const struct experiment_plan *plan, const struct talks *talks);

/* Whether its work is computing, which every pause stops. */
bool knee_computes(const struct knee_service *service);

#endif
