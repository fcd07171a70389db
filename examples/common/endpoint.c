/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* ppoll */
#include "examples/common/endpoint.h"

#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/process.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

void endpoint_init(struct endpoint *endpoint, const struct network *network, size_t node,
                   struct tailproof_writer *writer) {
  endpoint->network = network;
  endpoint->node = node;
  endpoint->writer = writer;
  endpoint->loss = random_seeded(network->options.seed, 1000000 + node);
  endpoint->ignored = 0;
  endpoint->first = endpoint->count = 0;
}

static bool send_to(struct endpoint *endpoint, size_t to, struct sockaddr_in address,
                    const void *data, size_t bytes) {
  const struct network *network = endpoint->network;
  struct envelope envelope = {network->run, (uint16_t)endpoint->node, (uint16_t)to,
                              (uint32_t)bytes};
  struct iovec parts[2] = {{&envelope, sizeof envelope}, {(void *)(uintptr_t)data, bytes}};
  struct msghdr message = {
      .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = parts, .msg_iovlen = 2};
  uint64_t loss_ppm = network->options.loss_ppm;
  if (loss_ppm != 0 && random_upto(&endpoint->loss, 999999) < loss_ppm)
    return true;
  ssize_t sent;
  do
    sent = sendmsg(network->sockets[endpoint->node], &message, 0);
  while (sent < 0 && errno == EINTR);
  if (sent == (ssize_t)(sizeof envelope + bytes))
    return true;
  complain("node %zu: sending to node %zu: %s", endpoint->node, to, strerror(errno));
  return false;
}

bool endpoint_send(struct endpoint *endpoint, size_t to, const void *data, size_t bytes) {
  const struct network *network = endpoint->network;
  return send_to(endpoint, to, network->relayed ? network->relay_address : network->addresses[to],
                 data, bytes);
}

bool endpoint_send_near(struct endpoint *endpoint, size_t to, const void *data, size_t bytes) {
  return send_to(endpoint, to, endpoint->network->addresses[to], data, bytes);
}

enum receipt { RECEIPT_QUEUED, RECEIPT_NONE, RECEIPT_FAILED };

/* Queues the next datagram of the socket that is meant for this node. */
static enum receipt receive(struct endpoint *endpoint) {
  const struct network *network = endpoint->network;
  for (;;) {
    if (endpoint->count == ENDPOINT_QUEUE)
      return RECEIPT_NONE;
    struct datagram *slot = &endpoint->queue[(endpoint->first + endpoint->count) % ENDPOINT_QUEUE];
    struct envelope envelope;
    struct iovec parts[2] = {{&envelope, sizeof envelope}, {slot->data, sizeof slot->data}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t size = recvmsg(network->sockets[endpoint->node], &message, MSG_TRUNC);
    slot->arrived = endpoint->writer != NULL ? tailproof_now(endpoint->writer) : 0;
    /* a peer that is gone (ECONNREFUSED) shows in what does not arrive */
    if (size < 0 && (errno == EINTR || errno == ECONNREFUSED))
      continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return RECEIPT_NONE;
    if (size < 0) {
      complain("node %zu: receiving: %s", endpoint->node, strerror(errno));
      return RECEIPT_FAILED;
    }
    if ((size_t)size < sizeof envelope || envelope.run != network->run ||
        envelope.to != endpoint->node || envelope.from >= network->nodes ||
        envelope.bytes != (size_t)size - sizeof envelope || envelope.bytes > sizeof slot->data) {
      endpoint->ignored++;
      continue;
    }
    slot->from = envelope.from;
    slot->bytes = envelope.bytes;
    endpoint->count++;
    return RECEIPT_QUEUED;
  }
}

/* Waits until the socket is readable or the deadline is over; false after a complaint. */
static bool wait_readable(const struct endpoint *endpoint, uint64_t deadline_ns) {
  struct pollfd ready = {.fd = endpoint->network->sockets[endpoint->node], .events = POLLIN};
  struct timespec left = {0};
  if (deadline_ns != MOMENT_NEVER)
    left = moment_left(deadline_ns);
  if (endpoint->count == ENDPOINT_QUEUE)
    ready.events = 0;
  if (ppoll(&ready, 1, deadline_ns == MOMENT_NEVER ? NULL : &left, process_waiting_mask()) >= 0 ||
      errno == EINTR)
    return true;
  complain("node %zu: waiting: %s", endpoint->node, strerror(errno));
  return false;
}

enum endpoint_result endpoint_take(struct endpoint *endpoint, struct datagram *datagram,
                                   uint64_t deadline_ns) {
  while (endpoint->count == 0) {
    enum receipt receipt = receive(endpoint);
    if (receipt == RECEIPT_FAILED)
      return ENDPOINT_FAILED;
    if (receipt == RECEIPT_QUEUED)
      break;
    if (process_stopping())
      return ENDPOINT_STOPPED;
    if (deadline_ns != MOMENT_NEVER && moment_ns() >= deadline_ns)
      return ENDPOINT_TIMEOUT;
    if (!wait_readable(endpoint, deadline_ns))
      return ENDPOINT_FAILED;
  }
  const struct datagram *slot = &endpoint->queue[endpoint->first];
  datagram->arrived = slot->arrived;
  datagram->from = slot->from;
  datagram->bytes = slot->bytes;
  memcpy(datagram->data, slot->data, slot->bytes);
  endpoint->first = (endpoint->first + 1) % ENDPOINT_QUEUE;
  endpoint->count--;
  return ENDPOINT_MESSAGE;
}

bool endpoint_work(struct endpoint *endpoint, uint64_t until_ns, enum work_kind kind) {
  while (moment_ns() < until_ns) {
    enum receipt receipt = receive(endpoint);
    if (receipt == RECEIPT_FAILED)
      return false;
    if (receipt == RECEIPT_NONE && kind == WORK_SLEEP && !process_stopping() &&
        !wait_readable(endpoint, until_ns))
      return false;
  }
  return true;
}
