/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One node of the ring: the proved steps of specs/lock.tp in their loop (steps/loop/tp_loop.h),
 * over the network of the examples.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/random.h"
#include "examples/common/recorder.h"
#include "examples/token_ring/ring.h"
#include "lock_node_loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct member {
  const struct ring *ring;
  const struct ring_options *options;
  size_t index;
  struct node_result *result;
  int round; /* the name of the request */
  struct random random;
  struct endpoint endpoint;
  struct node_node node;
  struct tp_port port;
  struct tp_loop loop;
};

/* Takes half to one and a half times the mean, drawn uniformly. */
static bool spend(struct member *member, uint64_t mean_us, enum work_kind kind) {
  uint64_t mean_ns = mean_us * 1000;
  return mean_ns == 0 ||
         endpoint_work(&member->endpoint,
                       moment_ns() + mean_ns / 2 + random_upto(&member->random, mean_ns), kind);
}

/* --- the port of the loop --------------------------------------------------------------------- */

static bool work(void *context, int32_t action) {
  struct member *member = context;
  (void)action;
  return spend(member, member->options->work_us,
               member->options->sleeping ? WORK_SLEEP : WORK_BUSY);
}

static bool send_packet(void *context, int32_t to, const uint8_t *bytes, size_t size) {
  struct member *member = context;
  return endpoint_send(&member->endpoint, (size_t)to, bytes, size);
}

static int receive_packet(void *context, uint8_t *bytes, size_t size, uint64_t *arrived,
                          int64_t wait_ns) {
  struct member *member = context;
  struct datagram datagram;
  enum endpoint_result result =
      endpoint_take(&member->endpoint, &datagram, moment_ns() + (uint64_t)wait_ns);
  if (result != ENDPOINT_MESSAGE)
    return result == ENDPOINT_TIMEOUT ? 0 : -1;
  size_t taken = datagram.bytes < size ? datagram.bytes : size;
  memcpy(bytes, datagram.data, taken);
  *arrived = datagram.arrived;
  return (int)taken;
}

/* --- laps ------------------------------------------------------------------------------------- */

static void count_part(struct member *member, enum part part, uint64_t ticks) {
  member->result->ticks[part] += ticks;
  member->result->counts[part]++;
}

/* Notes the step that was just taken. */
static bool step_count(struct member *member) {
  const struct tp_step *last = &member->loop.last;
  if (member->options->plain)
    return true;
  if (last->action == node_did_Grant) {
    count_part(member, PART_GRANT, last->end - last->start);
    return true;
  }
  count_part(member, PART_DELAY, last->arrived - last->sent);
  count_part(member, PART_ACCEPT, last->end - last->start);
  if (last->sent != last->arrived)
    return true;
  complain("node %zu: the token's stamp is of another clock, so that its delay is not known; "
           "nothing is written",
           member->index);
  return false;
}

/* Takes steps up to the next one of the action. */
static bool steps_take(struct member *member, enum node_action until) {
  do {
    enum tp_turn turn =
        tp_loop_turn(&member->loop, (int64_t)member->options->timeout_s * 1000000000);
    if (turn == TP_IDLE)
      complain("node %zu: no token for %" PRIu64 " s (in lap %" PRIu32
               "): a message was lost, a peer is missing or a lap takes longer; nothing is "
               "written; run again, or raise --timeout",
               member->index, member->options->timeout_s, member->loop.instance);
    if (turn != TP_STEPPED || !step_count(member))
      return false;
  } while (member->loop.last.action != (int32_t)until);
  return true;
}

/* A lap of the first node: from holding the token to holding it again. */
static bool lap_first(struct member *member, uint32_t lap) {
  if (member->options->pause_us != 0 && !spend(member, member->options->pause_us, WORK_SLEEP))
    return false; /* no part of any lap */
  tp_loop_begin(&member->loop, lap);
  if (!steps_take(member, node_did_Accept))
    return false;
  struct tailproof_event round = {.name = member->round,
                                  .instance = lap,
                                  .start = member->loop.began,
                                  .end = member->loop.last.end};
  if (member->options->plain)
    return true;
  count_part(member, PART_ROUND, round.end - round.start);
  if (tailproof_record(member->loop.writer, &round) == 0)
    return true;
  complain("node %zu: recording: %s", member->index, tailproof_error());
  return false;
}

static bool laps_run(struct member *member) {
  gate_pass(&member->ring->results->gate);
  uint64_t start_ns = moment_ns();
  tp_loop_begin(&member->loop, 0);
  for (uint32_t lap = 1; lap <= member->options->laps; lap++)
    if (!(member->index == 0 ? lap_first(member, lap) : steps_take(member, node_did_Grant)))
      return false;
  if (member->index == 0)
    member->ring->results->elapsed_ns = moment_ns() - start_ns;
  return true;
}

/* The store with its names, and the loop that records into it; false after a complaint. */
static bool loop_open(struct member *member, struct tailproof_store **store) {
  enum { RECORDS_PER_LAP = 5 };
  char name[32];
  *store = NULL;
  if (!member->options->plain) {
    snprintf(name, sizeof name, "node[%zu]", member->index);
    *store = recorder_open(&member->ring->folder, name, member->options->laps * RECORDS_PER_LAP);
    if (*store == NULL)
      return false;
    member->round = tailproof_request(*store, "round");
  }
  const char *wrong =
      tp_loop_open(&member->loop, &lock_node_role, &member->node, (int32_t)member->index,
                   member->ring->network.run, &member->port, *store);
  if (wrong == NULL && member->round >= 0)
    return true;
  complain("node %zu: %s; this run is not kept", member->index,
           wrong == NULL ? tailproof_error() : wrong);
  return false;
}

int ring_node_run(void *context) {
  const struct ring_node *start = context;
  static struct member member;
  struct tailproof_store *store;
  member.ring = start->ring;
  member.options = start->ring->options;
  member.index = start->index;
  member.result = &start->ring->results->nodes[start->index];
  member.random = random_seeded(member.options->network.seed, 2000000 + member.index);
  member.node.params.n = (int32_t)member.options->nodes;
  member.node.i = (int32_t)member.index;
  member.port = (struct tp_port){
      .context = &member, .send = send_packet, .receive = receive_packet, .work = work};
  if (!loop_open(&member, &store))
    return EXIT_FAILED;
  endpoint_init(&member.endpoint, &member.ring->network, member.index, member.loop.writer);
  bool good = laps_run(&member);
  const struct tp_counts *counts = &member.loop.counts;
  member.result->ignored +=
      member.endpoint.ignored + counts->refused + counts->repeated + counts->late + counts->full;
  return recorder_close(store) && good ? EXIT_SUCCESS : EXIT_FAILED;
}
