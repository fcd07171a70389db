/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the replicas and the client say to each other. All of them run on one host: no byte order to
 * agree on.
 */
#ifndef EXAMPLES_MULTI_PAXOS_PACKET_H
#define EXAMPLES_MULTI_PAXOS_PACKET_H

#include "examples/common/network.h"
#include "measure/tailproof_measure.h"
#include "tp_message.h"

#include <stddef.h>
#include <stdint.h>

enum {
  REPLICAS_MAX = 5,
  VOTES_MAX = 8, /* operations that a leader may have under way, and a promise tells of */
  TOLD_MAX = VOTES_MAX + 1,
};

/* Those of paxos.tp carry its messages, each as its bytes. */
enum packet_kind {
  PACKET_REQUEST = 1, /* client -> leader; when that does not answer, to all */
  PACKET_NEW_VIEW,    /* 1a, of all operations from `number` on */
  PACKET_PROMISE,     /* 1b, of all operations from `number` on */
  PACKET_PROPOSE,     /* 2a, of operation `number` */
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

/* A message of paxos.tp about the operation `number + place` of its packet, or about all of which
 * the packet has none of its own; and what the command that it names is, whose number is in it. */
#define EVERY_OTHER UINT32_MAX
struct told {
  uint32_t place, key;
  int32_t amount;
  unsigned char bytes[TP_BYTES];
};

struct packet {
  uint8_t kind; /* enum packet_kind */
  uint8_t suspects;
  uint16_t told_count;
  uint32_t view;
  uint64_t number;
  int64_t value;
  struct request request;
  uint64_t asked; /* ticks: when the client began with the request */
  uint64_t sent;  /* ticks */
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  struct told told[TOLD_MAX]; /* only the first told_count are sent */
};

_Static_assert(sizeof(struct packet) <= NETWORK_BYTES_MAX, "a packet is a datagram");

static inline size_t packet_bytes(const struct packet *packet) {
  return offsetof(struct packet, told) + packet->told_count * sizeof packet->told[0];
}

#endif
