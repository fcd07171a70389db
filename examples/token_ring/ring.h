/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A lock handed around a ring of processes over UDP, the system that specs/lock.tp describes. One
 * lap is one execution of the protocol (an `instance`), in which the token makes as many hops as
 * there are nodes:
 *
 *   Grant   the holder's step: from holding the token to the Transfer message being built
 *   d       the message's delay: from there to the receiver having it in its hands
 *   Accept  the receiver's step: from there to holding the token
 *   round   the first node's, from holding the token to holding it again
 *
 * One clock reading ends a part and begins the next, and the reading that ends Grant travels in the
 * message, so that each instant of a round belongs to exactly one part: the sum of the rounds is
 * the sum of the parts to the tick of the clock, which the program checks before it keeps a
 * recording.
 *
 * A lost message ends the run: a token that may still arrive must not be sent twice.
 */
#ifndef EXAMPLES_TOKEN_RING_RING_H
#define EXAMPLES_TOKEN_RING_RING_H

#include "examples/common/endpoint.h"
#include "examples/common/folder.h"
#include "examples/common/gate.h"
#include "examples/common/network.h"

enum part { PART_GRANT, PART_DELAY, PART_ACCEPT, PART_ROUND, PARTS };

struct ring_options {
  struct network_options network;
  uint64_t nodes, laps, work_us, pause_us, timeout_s;
  const char *out; /* NULL with `plain` */
  bool plain;      /* nothing is recorded */
  bool sleeping;   /* work sleeps instead of keeping a processor busy */
  bool one_core;   /* all nodes share one processor */
};

/* What one node tells the parent. */
struct node_result {
  uint64_t ticks[PARTS], counts[PARTS];
  uint64_t ignored; /* datagrams that were not the token it waited for */
};

/* In memory that all processes share. */
struct ring_results {
  struct gate gate;
  uint64_t elapsed_ns; /* of all laps, by the first node's watch */
  struct node_result nodes[NETWORK_NODES_MAX];
};

struct ring {
  const struct ring_options *options;
  struct run_folder folder;
  struct network network;
  struct ring_results *results;
};

/* What a node's process is started with. */
struct ring_node {
  struct ring *ring;
  size_t index;
};

/* A node's process: `context` is a struct ring_node. Returns an exit code. */
int ring_node_run(void *context);

#endif
