/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The process that stands between the client, the primary and the replicas: it is the client, it
 * forwards every byte between the servers, and it records what passes (examples/redis/trace.h).
 */
#ifndef EXAMPLES_REDIS_SESSION_H
#define EXAMPLES_REDIS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/redis/trace.h"

struct session_options {
  uint64_t replicas, acks, requests, timeout_s, seed;
  uint64_t delay_us, spread_us; /* of a message: base + exponential with this mean */
  uint64_t pause_us;            /* between requests: exponential with this mean */
  const char *store;            /* the folder for the stores */
  uint16_t primary_port;
  int listeners[REPLICAS_MAX]; /* replica i connects to the i-th, as if it were the primary */
};

/* The work of the child process: an exit code. The context is a struct session_options. */
int session_run(void *context);

#endif
