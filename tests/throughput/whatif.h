/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "What if a service were faster" asked of simulated services, twice: by really making it so, and
 * by pausing the others.
 */
#ifndef TESTS_THROUGHPUT_WHATIF_H
#define TESTS_THROUGHPUT_WHATIF_H

#include "tests/throughput/simulator.h"

/* What is changed: the work of one call of each service becomes this much shorter. */
struct change {
  double saved_ns[GRAPH_SERVICES]; /* of one call; 0: not changed */
  int workers[GRAPH_SERVICES];     /* 0: not changed; else it gets so many workers and processors */
  bool machine_runs; /* a service on the machine of the only one that changes does not pause */
};

struct prediction {
  double throughput; /* user requests per second; 0: refused */
  int limit;         /* the service that limits the run; -1: none does */
  double by_entry;   /* the same, counted at the entry instead of at the busiest service */
  struct sim_result run;
};

/* How many calls of a service are served at once when it is busy: its workers, or the processors of
 * its machine if they are fewer; 1 when all its work is under its lock. */
int at_once_of(const struct sim_setting *setting, int service);

/* What a user request saves at a changed service. */
double saved_at(const struct sim_setting *setting, const double calls[], int service,
                const struct change *change);

/* Throughput in user requests per second, of the changed services. */
double truth(const struct sim_setting *setting, const struct change *change);

/* The setting as it is, but paused for the change; `calls`: per user request, as measured. The
 * first changed service begins a round after each `batch` of its calls. */
void pause_for(struct sim_setting *setting, const double calls[], const struct change *change,
               uint64_t batch);

/* What a paused run predicts. User requests are counted at the service that limits the run: while a
 * queue before it still grows, the entry begins more than will ever be served at once. And what it
 * really paused is taken off, not what it should have. */
void predict(const struct sim_setting *setting, const double calls[], const struct change *change,
             uint64_t batch, struct prediction *prediction);

/* Calls per user request, from a run. */
void measure_calls(const struct sim_setting *setting, double calls[]);

#endif
