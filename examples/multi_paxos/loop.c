/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replica's process. Every slot takes its time, also when it is idle, for looking at queues and
 * logs. Datagrams that come meanwhile wait in the endpoint's queue.
 */
#include "examples/common/complain.h"
#include "examples/common/endpoint.h"
#include "examples/common/moment.h"
#include "examples/multi_paxos/node.h"

#include <stdlib.h>
#include <string.h>

enum { SLEEP_FROM_NS = 50000 };

struct loop {
  const struct node *node;
  struct replica replica;
  struct endpoint endpoint;
  struct trace trace;
  struct random random;
  uint64_t time; /* ticks: the end of the latest slot */
};

/* Half to one and a half times --slot-us. Short work keeps the processor busy: to sleep costs some
 * 20 us of it. Long work is slept, as if the replica had a processor of its own. */
static bool work(struct loop *loop) {
  uint64_t mean_ns = loop->node->settings->slot_us * 1000;
  if (mean_ns == 0)
    return true;
  return endpoint_work(&loop->endpoint,
                       moment_ns() + mean_ns / 2 + random_upto(&loop->random, mean_ns),
                       mean_ns < SLEEP_FROM_NS ? WORK_BUSY : WORK_SLEEP);
}

static bool outbox_send(struct loop *loop) {
  struct replica *replica = &loop->replica;
  bool good = true;
  for (size_t i = 0; i < replica->outbox_count && good; i++) {
    struct letter *letter = &replica->outbox[i];
    letter->packet.sent = loop->time;
    trace_send(&loop->trace, &letter->packet, letter->to);
    good =
        endpoint_send(&loop->endpoint, letter->to, &letter->packet, packet_bytes(&letter->packet));
  }
  replica->outbox_count = 0;
  return good;
}

/* A datagram as a packet, if it is one. */
static bool packet_read(struct packet *packet, const struct datagram *datagram) {
  if (datagram->bytes < offsetof(struct packet, told) || datagram->bytes > sizeof *packet)
    return false;
  memcpy(packet, datagram->data, datagram->bytes);
  return packet->told_count <= TOLD_MAX && packet_bytes(packet) == datagram->bytes;
}

/* Waits for a packet and does what it asks for; a loop without one goes on after T0. */
static enum endpoint_result process_packet(struct loop *loop) {
  struct datagram datagram;
  struct packet packet;
  struct tailproof_writer *clock = loop->trace.loop;
  uint64_t deadline_ns = moment_ns() + loop->node->settings->timeout_us * 1000;
  enum endpoint_result result = endpoint_take(&loop->endpoint, &datagram, deadline_ns);
  uint64_t taken = tailproof_now(clock);
  if (result == ENDPOINT_FAILED || result == ENDPOINT_STOPPED)
    return result;
  bool known = result == ENDPOINT_MESSAGE && packet_read(&packet, &datagram);
  if (known) {
    trace_taken(&loop->trace, &packet, datagram.from, datagram.arrived, taken);
    replica_packet(&loop->replica, &packet, datagram.from, moment_ns());
  } else
    trace_timeout(&loop->trace, loop->time, taken);
  if (!work(loop))
    return ENDPOINT_FAILED;
  loop->time = tailproof_now(clock);
  if (known)
    trace_done(&loop->trace, &packet, datagram.from, taken, loop->time);
  trace_slot(&loop->trace, SLOT_PROCESS_PACKET, false, taken, loop->time);
  return outbox_send(loop) ? result : ENDPOINT_FAILED;
}

static bool other_slot(struct loop *loop, enum slot slot) {
  uint64_t start = loop->time;
  if (!replica_slot(&loop->replica, slot, moment_ns()) || !work(loop))
    return false;
  loop->time = tailproof_now(loop->trace.loop);
  trace_slot(&loop->trace, slot, loop->replica.busy, start, loop->time);
  return outbox_send(loop);
}

static int laps(struct loop *loop) {
  for (;;) {
    enum endpoint_result result = process_packet(loop);
    if (result == ENDPOINT_STOPPED)
      return trace_close(&loop->trace) ? EXIT_SUCCESS : EXIT_FAILED;
    if (result == ENDPOINT_FAILED)
      return EXIT_FAILED;
    for (enum slot slot = SLOT_PROCESS_PACKET + 1; slot < SLOTS; slot++)
      if (!other_slot(loop, slot))
        return EXIT_FAILED;
  }
}

int replica_run(void *context) {
  const struct node *node = context;
  const struct settings *settings = node->settings;
  struct loop *loop = calloc(1, sizeof *loop);
  if (loop == NULL) {
    complain("replica %zu: out of memory", node->index);
    return EXIT_FAILED;
  }
  loop->node = node;
  loop->random = random_seeded(node->network->options.seed, 2000 + node->index);
  loop->replica.index = node->index;
  loop->replica.count = loop->replica.client = 2 * settings->failures + 1;
  loop->replica.epoch_ns = settings->epoch_ms * 1000000;
  loop->replica.heartbeat_ns = settings->heartbeat_ms * 1000000;
  loop->replica.machine.history = &node->shared->histories[node->index];
  int result = EXIT_FAILED;
  if (trace_open(&loop->trace, node->trace, node->index, false)) {
    endpoint_init(&loop->endpoint, node->network, node->index, loop->trace.loop);
    replica_start(&loop->replica, moment_ns());
    gate_pass(&node->shared->gate);
    loop->time = tailproof_now(loop->trace.loop);
    result = laps(loop);
  }
  free(loop);
  return result;
}
