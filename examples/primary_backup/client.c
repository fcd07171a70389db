/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The client: one request after another, near the primary (not through the relay). The request's
 * way to the primary is no part of the protocol, which begins with Broadcast. The client takes no
 * step of it: its loop records that a reply came.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/primary_backup/system.h"
#include "primary_backup_client_loop.h"

#include <inttypes.h>
#include <stdlib.h>

struct client_process {
  struct participant participant; /* the first: it is the context of the port */
  struct client_node node;
};

/* Waits for the reply; longer than the primary waits, who knows better what is missing. */
static bool reply_receive(struct client_process *client, uint32_t request) {
  const uint64_t limit_s = client->participant.options->timeout_s + 2;
  const uint64_t limit_ns = moment_ns() + limit_s * 1000000000u;
  enum tp_turn turn;
  do
    turn = participant_turn(&client->participant, (int64_t)(limit_ns - moment_ns()));
  while (turn == TP_DELIVERED && client->participant.loop.instance != request);
  if (turn == TP_IDLE)
    complain("request %" PRIu32 ": no reply for %" PRIu64
             " s: a message was lost, or the primary is missing; nothing is written",
             request, limit_s);
  return turn == TP_DELIVERED;
}

static bool requests_make(struct client_process *client) {
  struct participant *participant = &client->participant;
  const struct system_options *options = participant->options;
  uint64_t start_ns = moment_ns();
  for (uint32_t request = 1; request <= options->requests; request++) {
    const struct ask ask = {ASK_WORD, request};
    if (!participant_work(participant, options->pause_us, WORK_SLEEP) ||
        !endpoint_send_near(&participant->endpoint, NODE_PRIMARY, &ask, sizeof ask) ||
        !reply_receive(client, request))
      return false;
  }
  participant->system->board->elapsed_ns = moment_ns() - start_ns;
  return true;
}

int client_run(void *context) {
  static struct client_process client;
  struct participant *participant = &client.participant;
  const struct system *system = context;
  client.node.params.n = (int32_t)system->options->backups;
  if (!participant_init(participant, system, node_client(system), "client",
                        2 * system->options->requests) ||
      !participant_open(participant, &primary_backup_client_role, &client.node, NULL))
    return EXIT_FAILED;
  tp_loop_begin(&participant->loop, 0);
  return participant_close(participant, requests_make(&client));
}
