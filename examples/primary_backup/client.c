/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The client: one request after another, near the primary (not through the relay). The request's
 * way to the primary is no part of the protocol, which begins with Broadcast.
 */
#define _GNU_SOURCE /* clock_nanosleep */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/recorder.h"
#include "examples/primary_backup/system.h"

#include <inttypes.h>
#include <stdlib.h>

struct client {
  const struct system *system;
  const struct system_options *options;
  struct tailproof_writer *writer;
  int reply;
  struct random random;
  struct endpoint endpoint;
};

/* Waits for the reply; longer than the primary waits, who knows better what is missing. */
static bool reply_receive(struct client *client, uint32_t request) {
  uint64_t limit_ns = moment_ns() + (client->options->timeout_s + 2) * 1000000000u;
  for (;;) {
    struct datagram datagram;
    struct packet packet;
    enum endpoint_result result = endpoint_take(&client->endpoint, &datagram, limit_ns);
    if (result == ENDPOINT_TIMEOUT)
      complain("request %" PRIu32 ": no reply for %" PRIu64
               " s: a message was lost, or the primary is missing; nothing is written",
               request, client->options->timeout_s + 2);
    if (result != ENDPOINT_MESSAGE)
      return false;
    if (packet_read(&packet, &datagram) && packet.kind == PACKET_REPLY && packet.request == request)
      return arrival_record(client->writer, "client", client->reply, &packet, false,
                            datagram.arrived, datagram.arrived);
  }
}

static bool requests_make(struct client *client) {
  uint64_t start_ns = moment_ns();
  for (uint32_t request = 1; request <= client->options->requests; request++) {
    struct packet packet = {.kind = PACKET_ASK, .request = request};
    uint64_t pause_us = client->options->pause_us;
    if (pause_us != 0 &&
        !endpoint_work(&client->endpoint, work_until(&client->random, pause_us), WORK_SLEEP))
      return false;
    if (!endpoint_send_near(&client->endpoint, NODE_PRIMARY, &packet, sizeof packet) ||
        !reply_receive(client, request))
      return false;
  }
  client->system->board->elapsed_ns = moment_ns() - start_ns;
  return true;
}

int client_run(void *context) {
  static struct client client;
  client.system = context;
  client.options = client.system->options;
  client.random = random_seeded(client.options->network.seed, 3000000);
  struct tailproof_store *store =
      recorder_open(&client.system->folder, "client", 2 * client.options->requests);
  if (store == NULL)
    return EXIT_FAILED;
  client.reply = tailproof_message(store, "Reply", "d", "Queuing");
  client.writer = recorder_writer(store, &client.reply, 1);
  if (client.writer == NULL)
    return EXIT_FAILED;
  endpoint_init(&client.endpoint, &client.system->network, NODE_CLIENT, client.writer);
  gate_pass(&client.system->board->gate);
  bool good = requests_make(&client);
  return recorder_close(store) && good ? EXIT_SUCCESS : EXIT_FAILED;
}
