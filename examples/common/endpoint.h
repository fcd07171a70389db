/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One node's end of the network: sends, and receives into a queue with the moment at which each
 * datagram was in its hands. A node goes on receiving while it works (endpoint_work), so that a
 * message's delay ends when it arrives and its wait begins there, however busy the node is, without
 * a second thread.
 */
#ifndef EXAMPLES_COMMON_ENDPOINT_H
#define EXAMPLES_COMMON_ENDPOINT_H

#include "examples/common/network.h"
#include "examples/common/random.h"
#include "measure/tailproof_measure.h"

enum { ENDPOINT_QUEUE = 64 };

struct datagram {
  uint64_t arrived; /* ticks of the writer's clock; 0 without a writer */
  uint16_t from;
  uint32_t bytes; /* that count of `data` */
  unsigned char data[NETWORK_BYTES_MAX];
};

struct endpoint {
  const struct network *network;
  size_t node;
  struct tailproof_writer *writer; /* whose clock stamps arrivals; may be NULL */
  struct random loss;
  uint64_t ignored; /* datagrams that are not of this run or not for this node */
  size_t first, count;
  struct datagram queue[ENDPOINT_QUEUE]; /* a full queue leaves datagrams in the socket */
};

enum endpoint_result {
  ENDPOINT_MESSAGE,
  ENDPOINT_TIMEOUT,
  ENDPOINT_STOPPED, /* this process was told to end */
  ENDPOINT_FAILED,  /* after a complaint */
};

/* How work passes the time: keeping a processor busy, or sleeping, which stands for a processor of
 * the node's own. */
enum work_kind { WORK_BUSY, WORK_SLEEP };

void endpoint_init(struct endpoint *endpoint, const struct network *network, size_t node,
                   struct tailproof_writer *writer);

/* Sends `bytes` (at most NETWORK_BYTES_MAX) at `data` to another node, directly or by the relay.
 * False after a complaint. */
bool endpoint_send(struct endpoint *endpoint, size_t to, const void *data, size_t bytes);

/* The same to a node that is meant to be on the same host: never by the relay. */
bool endpoint_send_near(struct endpoint *endpoint, size_t to, const void *data, size_t bytes);

/* The next datagram, waiting for one until `deadline_ns` (examples/common/moment.h; MOMENT_NEVER).
 * Copied to *datagram when ENDPOINT_MESSAGE. */
enum endpoint_result endpoint_take(struct endpoint *endpoint, struct datagram *datagram,
                                   uint64_t deadline_ns);

/* Works until `until_ns`, queueing what arrives. False after a complaint. */
bool endpoint_work(struct endpoint *endpoint, uint64_t until_ns, enum work_kind kind);

#endif
