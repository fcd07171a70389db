/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One node of the ring.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/random.h"
#include "examples/common/recorder.h"
#include "examples/token_ring/ring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum name { NAME_GRANT, NAME_ACCEPT, NAME_TRANSFER, NAME_ROUND, NAMES };

struct node {
  const struct ring *ring;
  const struct ring_options *options;
  size_t index;
  struct node_result *result;
  struct tailproof_writer *writer; /* NULL when nothing is recorded */
  int names[NAMES];
  struct random random;
  struct endpoint endpoint;
  uint64_t began; /* ticks: since when the first node holds the token in this lap */
  uint64_t held;  /* ticks: since when this node holds it */
};

/* The message Transfer(epoch). All nodes run on one host: no byte order to agree on. */
struct transfer {
  uint32_t lap, epoch;
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
};

static uint64_t now(const struct node *node) {
  return node->options->plain ? 0 : tailproof_now(node->writer);
}

/* Takes half to one and a half times the mean, drawn uniformly. */
static bool spend(struct node *node, uint64_t mean_us, enum work_kind kind) {
  uint64_t mean_ns = mean_us * 1000;
  return mean_ns == 0 ||
         endpoint_work(&node->endpoint,
                       moment_ns() + mean_ns / 2 + random_upto(&node->random, mean_ns), kind);
}

static bool work(struct node *node) {
  return spend(node, node->options->work_us, node->options->sleeping ? WORK_SLEEP : WORK_BUSY);
}

static bool record(struct node *node, enum part part, const struct tailproof_event *event) {
  node->result->ticks[part] += event->end - event->start;
  node->result->counts[part]++;
  if (part == PART_DELAY || tailproof_record(node->writer, event) == 0)
    return true;
  complain("node %zu: recording: %s", node->index, tailproof_error());
  return false;
}

/* The action Grant. Recording it waits until the token is under way. */
static bool grant(struct node *node, uint32_t lap, uint32_t epoch) {
  size_t next = (node->index + 1) % (size_t)node->options->nodes;
  struct transfer transfer = {.lap = lap, .epoch = epoch + 1};
  struct tailproof_event sent = {.name = node->names[NAME_TRANSFER],
                                 .instance = lap,
                                 .count = 2,
                                 .arguments = {(int32_t)transfer.epoch, (int32_t)next}};
  if (!work(node))
    return false;
  uint64_t granted = now(node);
  if (!node->options->plain)
    tailproof_send_at(node->writer, &sent, granted, transfer.stamp);
  if (!endpoint_send(&node->endpoint, next, &transfer, sizeof transfer))
    return false;
  struct tailproof_event step = {
      .name = node->names[NAME_GRANT], .instance = lap, .start = node->held, .end = granted};
  return node->options->plain || record(node, PART_GRANT, &step);
}

/* Waits for Transfer(epoch) of a lap. */
static bool transfer_receive(struct node *node, uint32_t lap, uint32_t epoch,
                             struct transfer *transfer, uint64_t *arrived) {
  uint64_t limit_ns = moment_ns() + node->options->timeout_s * 1000000000u;
  struct datagram datagram;
  for (;;) {
    enum endpoint_result result = endpoint_take(&node->endpoint, &datagram, limit_ns);
    if (result == ENDPOINT_TIMEOUT)
      complain("node %zu: no token for %" PRIu64 " s (waiting for hop %" PRIu32 " of lap %" PRIu32
               "): a message was lost, a peer is missing or a lap takes longer; nothing is "
               "written; run again, or raise --timeout",
               node->index, node->options->timeout_s, epoch, lap);
    if (result != ENDPOINT_MESSAGE)
      return false;
    memcpy(transfer, datagram.data, sizeof *transfer);
    *arrived = datagram.arrived;
    if (datagram.bytes == sizeof *transfer && transfer->lap == lap && transfer->epoch == epoch)
      return true;
    node->result->ignored++;
  }
}

static bool delay_record(struct node *node, const struct transfer *transfer, uint64_t arrived) {
  struct tailproof_event delay = {.name = node->names[NAME_TRANSFER],
                                  .instance = transfer->lap,
                                  .end = arrived,
                                  .count = 1,
                                  .arguments = {(int32_t)transfer->epoch}};
  if (tailproof_arrive(node->writer, &delay, transfer->stamp) == 0)
    return record(node, PART_DELAY, &delay);
  complain("node %zu: the token's stamp is of another clock, so that its delay is not known; "
           "nothing is written",
           node->index);
  return false;
}

/* The action Accept. */
static bool accept_token(struct node *node, uint32_t lap, uint32_t epoch) {
  struct transfer transfer;
  uint64_t arrived;
  if (!transfer_receive(node, lap, epoch, &transfer, &arrived) || !work(node))
    return false;
  node->held = now(node);
  if (node->options->plain)
    return true;
  struct tailproof_event step = {.name = node->names[NAME_ACCEPT],
                                 .instance = lap,
                                 .start = arrived,
                                 .end = node->held,
                                 .count = 1,
                                 .arguments = {(int32_t)epoch}};
  return delay_record(node, &transfer, arrived) && record(node, PART_ACCEPT, &step);
}

/* One lap of the first node, and of another. */
static bool lap_first(struct node *node, uint32_t lap) {
  if (node->options->pause_us != 0) { /* no part of any lap */
    if (!spend(node, node->options->pause_us, WORK_SLEEP))
      return false;
    node->held = now(node);
  }
  node->began = node->held;
  if (!grant(node, lap, 0) || !accept_token(node, lap, (uint32_t)node->options->nodes))
    return false;
  struct tailproof_event round = {
      .name = node->names[NAME_ROUND], .instance = lap, .start = node->began, .end = node->held};
  return node->options->plain || record(node, PART_ROUND, &round);
}

static bool lap_other(struct node *node, uint32_t lap) {
  return accept_token(node, lap, (uint32_t)node->index) && grant(node, lap, (uint32_t)node->index);
}

static bool laps_run(struct node *node) {
  gate_pass(&node->ring->results->gate);
  uint64_t start_ns = moment_ns();
  node->held = now(node);
  for (uint32_t lap = 1; lap <= node->options->laps; lap++)
    if (!(node->index == 0 ? lap_first(node, lap) : lap_other(node, lap)))
      return false;
  if (node->index == 0)
    node->ring->results->elapsed_ns = moment_ns() - start_ns;
  return true;
}

static struct tailproof_store *store_open(struct node *node) {
  enum { RECORDS_PER_LAP = 5 };
  char name[32];
  snprintf(name, sizeof name, "node[%zu]", node->index);
  struct tailproof_store *store =
      recorder_open(&node->ring->folder, name, node->options->laps * RECORDS_PER_LAP);
  if (store == NULL)
    return NULL;
  node->names[NAME_GRANT] = tailproof_action(store, "node.Grant", "Grant");
  node->names[NAME_ACCEPT] = tailproof_action(store, "node.Accept", "Accept");
  node->names[NAME_TRANSFER] = tailproof_message(store, "Transfer", "d", NULL);
  node->names[NAME_ROUND] = tailproof_request(store, "round");
  node->writer = recorder_writer(store, node->names, NAMES);
  return store;
}

int ring_node_run(void *context) {
  const struct ring_node *start = context;
  static struct node node;
  node.ring = start->ring;
  node.options = start->ring->options;
  node.index = start->index;
  node.result = &start->ring->results->nodes[start->index];
  node.random = random_seeded(node.options->network.seed, 2000000 + node.index);
  struct tailproof_store *store = NULL;
  if (!node.options->plain) {
    store = store_open(&node);
    if (node.writer == NULL)
      return EXIT_FAILED;
  }
  endpoint_init(&node.endpoint, &node.ring->network, node.index, node.writer);
  bool good = laps_run(&node);
  node.result->ignored += node.endpoint.ignored;
  return recorder_close(store) && good ? EXIT_SUCCESS : EXIT_FAILED;
}
