/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Services that call each other under a closed loop of clients, in virtual time: what a run of an
 * hour on a cluster shows takes a fraction of a second, and nothing disturbs it but what is asked
 * for. Pauses are decided by the same proved core as on a real machine
 * (measure/throughput/core/pause.h, round.h); only stopping and continuing are simulated, with the
 * errors that they have.
 *
 * A call needs the work of its service first, then its calls to others (graph); waiting for those
 * costs nothing. Work is done on the processors of the machine on which the service runs, first
 * come first served; a service has at most its number of workers at work at once. While a service
 * is stopped its work stands still and what is sent to it waits; the processors are free for
 * others.
 *
 * Deterministic: the same setting gives the same result. Times are in nanoseconds.
 */
#ifndef TESTS_THROUGHPUT_SIMULATOR_H
#define TESTS_THROUGHPUT_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/services/families.h"
#include "measure/throughput/core/pause.h"

#define SIM_WORKERS 64 /* the most of one service */

struct sim_service {
  double work_ns;    /* of one call */
  double locked_ns;  /* the part of it, at its beginning, under a lock of the service */
  int workers;       /* 1 .. SIM_WORKERS */
  int machine;       /* 0 .. GRAPH_SERVICES - 1 */
  bool waits;        /* its work is waiting for a timer or another host, which no pause stops */
  uint64_t pause_ns; /* owed for each call */
  uint64_t batch;    /* calls after which it begins a round; 0: never */
};

/* What stopping and continuing are off by. A pause asked for at t stands from t + stop to
 * timer + continue, where the timer is late by `late`; each is its mean plus or minus up to half of
 * `jitter`, uniform. */
struct sim_errors {
  double stop_ns, continue_ns, late_ns; /* means */
  double jitter;                        /* share of the mean */
  double offset_ns, lead_ns;            /* calibrated: measure/throughput/pause/pauser.h */
  double outlier_chance, outlier_ns;    /* of a timer; mean, exponential */
  double gossip_ns;                     /* one hop of a round; jitter as above */
  double gossip_loss;                   /* chance that a hop is lost */
};

struct sim_setting {
  const struct graph *graph;
  struct sim_service services[GRAPH_SERVICES];
  int processors[GRAPH_SERVICES]; /* of each machine */
  int connections;                /* user requests at once, always */
  bool at_once;                   /* calls of one call: all at once, else one after the other */
  double noise;                   /* work is its mean times 1 plus or minus up to this, uniform */
  double message_ns;              /* from one service to another */
  uint64_t seed;
  bool alone;                 /* rounds are not passed on */
  int leader;                 /* whose rounds a window consists of; -1: no rounds, any window */
  uint64_t least_ns, most_ns; /* of one pause */
  struct sim_errors errors;
  uint64_t warmup, window; /* user requests begun at the entry; a window ends with the first
                            * round after so many */
};

struct sim_result {
  uint64_t window_ns, requests;         /* of the window */
  uint64_t rounds;                      /* in it */
  uint64_t begun[GRAPH_SERVICES];       /* calls in it */
  uint64_t busy_ns[GRAPH_SERVICES];     /* work done in it */
  uint64_t realised_ns[GRAPH_SERVICES]; /* of its pauses, in it */
  /* since the beginning: */
  struct pause_ledger ledger[GRAPH_SERVICES];
  uint64_t counted[GRAPH_SERVICES];    /* calls up to its last round */
  uint64_t stopped_ns[GRAPH_SERVICES]; /* how long it really stood still */
  uint64_t pauses[GRAPH_SERVICES];
  uint64_t twice;  /* pauses beyond the first of a service within one round */
  uint64_t events; /* simulated */
};

void simulate(const struct sim_setting *setting, struct sim_result *result);

/* Each service on a machine of its own with as many processors as it has workers, a leader of none,
 * no errors; from a graph and the work in microseconds. */
void sim_plain(struct sim_setting *setting, const struct graph *graph, const double work_us[],
               int workers);

/* Errors as they were measured on a virtual machine with two processors: stopping 10 us, continuing
 * 27 us, a timer 30 us late, each by half more or less, one in a thousand late by 3 ms; calibrated.
 */
struct sim_errors sim_usual_errors(void);

#endif
