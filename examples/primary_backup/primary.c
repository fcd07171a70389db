/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The primary.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/process.h"
#include "examples/primary_backup/system.h"
#include "primary_backup_primary_loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct primary_process {
  struct participant participant; /* the first: it is the context of the port */
  struct primary_node node;
  int round; /* the name of the request */
};

/* The primary's steps are too short to sleep through. */
static bool work(void *context, int32_t action) {
  struct participant *participant = context;
  const uint64_t mean_us = participant->options->primary_us;
  return participant_work(
      participant, action == (int32_t)primary_did_Broadcast ? 2 * mean_us : mean_us, WORK_BUSY);
}

static void missing_complain(const struct primary_process *primary) {
  const struct system_options *options = primary->participant.options;
  char list[BACKUPS_MAX * 12 + 1] = "";
  int length = 0;
  for (int32_t b = 0; b < (int32_t)options->backups; b++)
    if (!tp_set_has(primary->node.self.acked, b))
      length += snprintf(list + length, sizeof list - (size_t)length, " backup[%d]", (int)b);
  complain("request %" PRIu32 ": no acknowledgement for %" PRIu64
           " s from%s: a message was lost, or a peer is missing; nothing is written; run again, "
           "or raise --timeout",
           primary->participant.loop.instance, options->timeout_s, list);
}

/* Takes steps up to the one that replies; false after a complaint. */
static bool steps_take(struct primary_process *primary) {
  const uint64_t limit_ns = moment_ns() + primary->participant.options->timeout_s * 1000000000u;
  enum tp_turn turn;
  do
    turn = participant_turn(&primary->participant, (int64_t)(limit_ns - moment_ns()));
  while (turn == TP_STEPPED && !primary->node.out.Reply);
  if (turn == TP_IDLE)
    missing_complain(primary);
  return turn == TP_STEPPED;
}

/* One request, and what it took as its users see it. */
static bool request_serve(struct primary_process *primary, uint32_t request, uint64_t began) {
  struct tp_loop *loop = &primary->participant.loop;
  atomic_store(&primary->participant.system->board->request, request);
  tp_loop_begin_at(loop, request, began);
  if (!steps_take(primary))
    return false;
  struct tailproof_event round = {
      .name = primary->round, .instance = request, .start = began, .end = loop->last.end};
  if (tailproof_record(loop->writer, &round) == 0)
    return true;
  complain("primary: recording: %s", tailproof_error());
  return false;
}

/* Serves until it is told to stop; false after a complaint. */
static bool serve(struct primary_process *primary) {
  for (;;) {
    struct datagram datagram;
    struct ask ask;
    enum endpoint_result result =
        endpoint_take(&primary->participant.endpoint, &datagram, MOMENT_NEVER);
    if (result != ENDPOINT_MESSAGE)
      return result == ENDPOINT_STOPPED;
    if (datagram.bytes != sizeof ask) {
      primary->participant.endpoint.ignored++;
      continue;
    }
    memcpy(&ask, datagram.data, sizeof ask);
    if (ask.word == ASK_WORD && !request_serve(primary, ask.request, datagram.arrived))
      return process_stopping();
  }
}

int primary_run(void *context) {
  static struct primary_process primary;
  struct participant *participant = &primary.participant;
  const struct system *system = context;
  const struct system_options *options = system->options;
  primary.node.params.n = (int32_t)options->backups;
  if (!participant_init(participant, system, NODE_PRIMARY, "primary",
                        options->requests * (4 * options->backups + 3)))
    return EXIT_FAILED;
  primary.round = tailproof_request(participant->store, "reply");
  if (primary.round < 0) {
    complain("primary: %s; this run is not kept", tailproof_error());
    return EXIT_FAILED;
  }
  if (!participant_open(participant, &primary_backup_primary_role, &primary.node, work))
    return EXIT_FAILED;
  return participant_close(participant, serve(&primary));
}
