/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processes of a run: replicas, which go through their loop until they are stopped or killed,
 * and the client, which asks and then ends.
 */
#ifndef EXAMPLES_MULTI_PAXOS_NODE_H
#define EXAMPLES_MULTI_PAXOS_NODE_H

#include "examples/common/gate.h"
#include "examples/common/process.h"
#include "examples/multi_paxos/replica.h"
#include "examples/multi_paxos/trace.h"

struct settings {
  uint64_t failures; /* f: there are 2 f + 1 replicas */
  uint64_t requests; /* of a run without a kill */
  uint64_t kills;    /* runs in which the leader is killed; 0: one run without */
  uint64_t slot_us, timeout_us;
  uint64_t epoch_ms, heartbeat_ms, retry_ms;
  uint64_t think_us; /* the client's pause after a reply: uniform up to this */
};

enum { REQUESTS_BEFORE_KILL = 3, REQUESTS_AFTER_KILL = 3 };

/* In memory shared by all processes of the run. */
struct shared {
  struct gate gate;
  _Atomic uint64_t answered;     /* requests */
  _Atomic uint64_t fail_over_ns; /* of the request during which the leader was killed; 0: it was
                                  * answered all the same */
  struct history histories[REPLICAS_MAX];
};

struct node {
  const struct settings *settings;
  const struct network *network;
  const struct trace_options *trace;
  const struct process_set *processes; /* the client's: replica i is process i of them */
  struct shared *shared;
  size_t index;
};

/* For process_start; the context is a struct node. */
int replica_run(void *context);
int client_run(void *context);

#endif
