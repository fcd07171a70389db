/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The latencies that an application has when one of its services is faster by a factor: measured,
 * while nothing is made faster. All other services stand for a share of the time that the service
 * works, and their pauses are taken out of what each request took (measure/throughput/poker
 * /pacing.h). Blocks of this alternate with blocks of the application as it is.
 *
 * Exact for what stands while the service works: work on a processor, waiting for a lock or for
 * another paused service. What does not stand seems faster as well, while the service works:
 * networks, disks, services without a poker, the load, and waiting until a fixed moment.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_SPEEDUP_H
#define MEASURE_THROUGHPUT_EXPERIMENT_SPEEDUP_H

#include "base/asker.h"
#include "base/status.h"
#include "base/vector.h"
#include "measure/throughput/experiment/plan.h"

struct experiment_listener;

/* It and what it names outlive the answer. */
struct speedup_request {
  const struct asker *asker;
  const char *path;    /* of the plan (plan.h), whose targets and levels are not asked about */
  const char *service; /* which is faster, in all that it does */
  uint32_t saved_ppm;  /* of its time: 1 .. PACING_SAVED_MOST */
  const struct experiment_listener *listener; /* or NULL */
};

typedef VECTOR(uint64_t) latency_series; /* ns, in the order in which requests ended */

struct speedup {
  const struct speedup_request *request;
  struct experiment_plan *plan;
  latency_series now, changed; /* requests of blocks as it is, and of blocks as if changed */
  uint64_t blocks;             /* of each of the two */
  uint64_t work_ns;            /* that the service takes for a call as it is, on average */
  uint64_t pause_ns;           /* of one pause of the others, as it was asked for */
  double stood; /* share of the service's work for which another service really stood; negative: not
                   known, as this service or all others have pokers that run elsewhere */
  uint64_t pauses, late; /* of the others; late by more than half a millisecond */
  uint64_t cut;          /* changed requests that outlasted their block: a little too long */
  uint64_t lost;         /* requests whose times could not be read, of all blocks */
};

/* Takes the plan's budget. What is wrong is said to the asker: STATUS_USAGE for a service that is
 * not in the plan, or that this cannot be asked of; STATUS_UNAVAILABLE when a service does not run,
 * or counts nothing, or a poker does not answer; else as plan_read. Initialised in any case. */
enum status speedup_ask(struct speedup *speedup, const struct speedup_request *request);
void speedup_clear(struct speedup *speedup);

#endif
