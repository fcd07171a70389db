/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the replicas and the client say to each other. All of them run on one host: no byte order to
 * agree on.
 */
#ifndef EXAMPLES_MULTI_PAXOS_PACKET_H
#define EXAMPLES_MULTI_PAXOS_PACKET_H

#include "examples/common/network.h"
#include "measure/tailproof_measure.h"

#include <stddef.h>
#include <stdint.h>

enum {
  REPLICAS_MAX = 5,
  VOTES_MAX = 8, /* operations that a leader may have under way, and a promise tells of */
};

enum packet_kind {
  PACKET_REQUEST = 1, /* client -> leader; when that does not answer, to all */
  PACKET_NEW_VIEW,    /* 1a: number = operations that the candidate has executed */
  PACKET_PROMISE,     /* 1b: votes for all operations from that number on */
  PACKET_PROPOSE,     /* 2a: number = the operation */
  PACKET_ACCEPTED,    /* 2b, to all replicas, which learn from it */
  PACKET_DECIDED,     /* to a replica that is stuck: what was decided as operation `number` */
  PACKET_HEARTBEAT,   /* number = operations executed; suspects */
  PACKET_REPLY,       /* replica -> client: value */
};

/* One command to the state machine: adds `amount` to the value at `key`. Number 0 is the command
 * that does nothing; the client numbers its own from 1. */
struct request {
  uint64_t number;
  uint32_t key;
  int32_t amount;
};

/* In a promise: what the sender has accepted as operation `number`, and in which view. */
struct vote {
  uint64_t number;
  uint32_t view;
  uint32_t given; /* 1; 0 in a place for which nobody has told of a vote */
  struct request request;
};

struct packet {
  uint8_t kind; /* enum packet_kind */
  uint8_t suspects;
  uint16_t vote_count;
  uint32_t view;
  uint64_t number;
  int64_t value;
  struct request request;
  uint64_t asked; /* ticks: when the client began with the request */
  uint64_t sent;  /* ticks */
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  struct vote votes[VOTES_MAX]; /* only the first vote_count are sent */
};

_Static_assert(sizeof(struct packet) <= NETWORK_BYTES_MAX, "a packet is a datagram");

static inline size_t packet_bytes(const struct packet *packet) {
  return offsetof(struct packet, votes) + packet->vote_count * sizeof packet->votes[0];
}

#endif
