/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The client: one request after another, near the primary (not through the relay). The request's
 * way to the primary is no part of the protocol, which begins with Broadcast. The client takes no
 * step of it: its loop records that a reply came.
 *
 * With --every-us requests fall due whatever the replies, in an open loop. As the primary serves
 * one at a time, so does the client ask: what falls due meanwhile waits. `requests.csv` beside the
 * stores then says of each when it was due, asked and answered.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/primary_backup/system.h"
#include "primary_backup_client_loop.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
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

static bool request_make(struct client_process *client, uint32_t request) {
  const struct ask ask = {ASK_WORD, request};
  return endpoint_send_near(&client->participant.endpoint, NODE_PRIMARY, &ask, sizeof ask) &&
         reply_receive(client, request);
}

/* Since the start. */
struct moments {
  uint64_t due_ns, asked_ns, answered_ns;
};

/* Each when it is due, or when the one before is answered. */
static bool requests_open(struct client_process *client, struct moments *all, uint64_t start_ns) {
  struct participant *participant = &client->participant;
  const struct system_options *options = participant->options;
  uint64_t due_ns = 0, every_ns = options->every_us * 1000;
  for (uint32_t request = 1; request <= options->requests; request++) {
    struct moments *m = &all[request - 1];
    due_ns += options->steady ? every_ns : random_exponential(&participant->random, every_ns);
    m->due_ns = due_ns;
    if (!endpoint_work(&participant->endpoint, start_ns + due_ns, WORK_SLEEP))
      return false;
    m->asked_ns = moment_ns() - start_ns;
    if (!request_make(client, request))
      return false;
    m->answered_ns = moment_ns() - start_ns;
  }
  return true;
}

static bool moments_write(const struct system *system, const struct moments *all, uint64_t count) {
  char path[PATH_MAX + sizeof "/requests.csv"];
  snprintf(path, sizeof path, "%s/requests.csv", system->folder.temporary);
  FILE *file = fopen(path, "w");
  bool good = file != NULL && fputs("due_ns,asked_ns,answered_ns\n", file) >= 0;
  for (uint64_t i = 0; i < count && good; i++)
    good = fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", all[i].due_ns, all[i].asked_ns,
                   all[i].answered_ns) > 0;
  good = file != NULL && fclose(file) == 0 && good;
  if (!good)
    complain("client: cannot write %s", path);
  return good;
}

static bool requests_make(struct client_process *client) {
  struct participant *participant = &client->participant;
  const struct system_options *options = participant->options;
  uint64_t start_ns = moment_ns();
  bool good = true;
  if (options->every_us != 0) {
    struct moments *all = calloc(options->requests, sizeof *all);
    good = all != NULL && requests_open(client, all, start_ns) &&
           moments_write(participant->system, all, options->requests);
    free(all);
  }
  for (uint32_t request = 1; options->every_us == 0 && request <= options->requests && good;
       request++)
    good = participant_work(participant, options->pause_us, WORK_SLEEP) &&
           request_make(client, request);
  participant->system->board->elapsed_ns = moment_ns() - start_ns;
  return good;
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
