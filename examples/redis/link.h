/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The connection of one replica with its primary, which this process forwards byte by byte. Outside
 * of requests bytes pass at once. During a request the write to the replica is held until it is
 * complete, and it and the replica's answer are each forwarded after a delay that stands for the
 * network between hosts.
 */
#ifndef EXAMPLES_REDIS_LINK_H
#define EXAMPLES_REDIS_LINK_H

#include "examples/redis/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINK_BYTES = 65536 };

/* Bytes on their way in one direction. */
struct pipeline {
  int from, to;
  struct stream stream;
  size_t held; /* bytes waiting for their moment */
  char bytes[LINK_BYTES];
  uint64_t due_ns; /* when they go out (examples/common/moment.h); MOMENT_NEVER while not known */
};

enum link_event {
  LINK_NOTHING,
  LINK_WRITE,  /* the whole write of this request has left the primary: held, due is to be set */
  LINK_ACK,    /* the replica has answered it: held, due is to be set */
  LINK_STRAY,  /* an answer that fits no write was seen */
  LINK_FAILED, /* the connection is gone, after a complaint */
};

struct link {
  size_t replica;
  struct pipeline down, up;
  bool open;              /* during a request: until its answer is held */
  bool known;             /* whether `offset` is */
  uint64_t offset;        /* what the replica answered to the latest write */
  uint64_t request_bytes; /* of this request that went down */
};

void link_init(struct link *link, size_t replica, int replica_socket, int primary_socket);

/* A request begins: its write and its answer are awaited. */
void link_expect(struct link *link);

/* Takes what can be read from the primary or from the replica. */
enum link_event link_take_down(struct link *link);
enum link_event link_take_up(struct link *link);

/* Sends what is held. False after a complaint. */
bool pipeline_release(struct pipeline *pipeline);

#endif
