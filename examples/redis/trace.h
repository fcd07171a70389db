/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The recording of one run as specs/redis_wait.tp has it: a store for the client, the primary and
 * each replica, all written by the process that stands between them.
 */
#ifndef EXAMPLES_REDIS_TRACE_H
#define EXAMPLES_REDIS_TRACE_H

#include "measure/tailproof_measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPLICAS_MAX = 8 };

struct trace_node {
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  int ask, set, apply, collect, finish; /* names; those of other nodes are not registered */
  int request, write, ack, reply;       /* messages */
  int round;
};

struct trace {
  size_t replicas;
  struct trace_node client, primary, replica[REPLICAS_MAX];
};

/* `folder` gets the stores, with place for `requests` requests. False after a complaint. */
bool trace_open(struct trace *trace, const char *folder, size_t replicas, uint64_t requests);
bool trace_close(struct trace *trace);

/* Which part of a request a recording belongs to; -1 for messages without a replica. */
struct trace_place {
  uint32_t instance;
  int replica;
};

/* A step of a node from start to end. */
void trace_step(struct trace_node *node, int action, struct trace_place place, uint64_t start,
                uint64_t end);

/* An occurrence of a component without indices. */
void trace_occurrence(struct trace_node *node, int component, struct trace_place place,
                      uint64_t start, uint64_t end);

/* The sending of a message by `from`; the stamp stays here, since both ends are in one process. */
struct trace_message {
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
};
void trace_send(struct trace_node *from, int message, struct trace_place place, uint64_t sent,
                struct trace_message *carried);

/* Its arrival at `to`, and its wait until `taken`; 0 when no step takes it. */
void trace_arrive(struct trace_node *to, int message, struct trace_place place, uint64_t arrived,
                  uint64_t taken, const struct trace_message *carried);

#endif
