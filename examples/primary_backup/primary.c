/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The primary.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/recorder.h"
#include "examples/primary_backup/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum name { NAME_BROADCAST, NAME_COLLECT, NAME_REQUEST, NAME_ACK, NAME_REPLY, NAME_ROUND, NAMES };

struct primary {
  const struct system *system;
  const struct system_options *options;
  struct tailproof_writer *writer;
  int names[NAMES];
  struct random random;
  struct endpoint endpoint;
  uint64_t free; /* ticks: end of the latest step */
};

static bool record(struct primary *primary, const struct tailproof_event *event) {
  if (tailproof_record(primary->writer, event) == 0)
    return true;
  complain("primary: recording: %s", tailproof_error());
  return false;
}

/* The primary's steps are too short to sleep through. */
static bool work(struct primary *primary, uint64_t mean_us) {
  return mean_us == 0 ||
         endpoint_work(&primary->endpoint, work_until(&primary->random, mean_us), WORK_BUSY);
}

/* The action Broadcast. Recording it waits until the requests are under way. */
static bool broadcast(struct primary *primary, uint32_t request, uint64_t began) {
  const struct system_options *options = primary->options;
  if (!work(primary, 2 * options->primary_us))
    return false;
  primary->free = tailproof_now(primary->writer);
  for (uint32_t b = 0; b < options->backups; b++) {
    struct packet packet = {.kind = PACKET_REQUEST, .request = request, .backup = (int32_t)b};
    struct tailproof_event sent = {.name = primary->names[NAME_REQUEST],
                                   .instance = request,
                                   .count = 1,
                                   .arguments = {(int32_t)b}};
    tailproof_send_at(primary->writer, &sent, primary->free, packet.stamp);
    if (!endpoint_send(&primary->endpoint, NODE_BACKUPS + b, &packet, sizeof packet))
      return false;
  }
  struct tailproof_event step = {.name = primary->names[NAME_BROADCAST],
                                 .instance = request,
                                 .start = began,
                                 .end = primary->free};
  return record(primary, &step);
}

/* The reply's message, and what the request took as its users see it. */
static bool reply(struct primary *primary, uint32_t request, uint64_t began) {
  struct packet packet = {.kind = PACKET_REPLY, .request = request};
  struct tailproof_event sent = {.name = primary->names[NAME_REPLY], .instance = request};
  tailproof_send_at(primary->writer, &sent, primary->free, packet.stamp);
  struct tailproof_event round = {.name = primary->names[NAME_ROUND],
                                  .instance = request,
                                  .start = began,
                                  .end = primary->free};
  return endpoint_send_near(&primary->endpoint, NODE_CLIENT, &packet, sizeof packet) &&
         record(primary, &round);
}

/* The action Collect. */
static bool collect(struct primary *primary, const struct packet *packet, uint64_t arrived,
                    bool last, uint64_t began) {
  uint64_t start = arrived > primary->free ? arrived : primary->free;
  if (!work(primary, primary->options->primary_us))
    return false;
  primary->free = tailproof_now(primary->writer);
  if (last && !reply(primary, packet->request, began))
    return false;
  struct tailproof_event step = {.name = primary->names[NAME_COLLECT],
                                 .instance = packet->request,
                                 .start = start,
                                 .end = primary->free,
                                 .count = 1,
                                 .arguments = {packet->backup}};
  return arrival_record(primary->writer, "primary", primary->names[NAME_ACK], packet, true, arrived,
                        start) &&
         record(primary, &step);
}

static void missing_complain(const struct primary *primary, uint32_t request, unsigned acked) {
  char list[BACKUPS_MAX * 12 + 1] = "";
  int length = 0;
  for (unsigned b = 0; b < primary->options->backups; b++)
    if ((acked >> b & 1) == 0)
      length += snprintf(list + length, sizeof list - (size_t)length, " backup[%u]", b);
  complain("request %" PRIu32 ": no acknowledgement for %" PRIu64
           " s from%s: a message was lost, or a peer is missing; nothing is written; run again, "
           "or raise --timeout",
           request, primary->options->timeout_s, list);
}

/* Waits for all acknowledgements of a request and replies. */
static bool acks_collect(struct primary *primary, uint32_t request, uint64_t began) {
  uint64_t limit_ns = moment_ns() + primary->options->timeout_s * 1000000000u;
  unsigned acked = 0, all = (1u << primary->options->backups) - 1;
  while (acked != all) {
    struct datagram datagram;
    struct packet packet;
    enum endpoint_result result = endpoint_take(&primary->endpoint, &datagram, limit_ns);
    if (result == ENDPOINT_TIMEOUT)
      missing_complain(primary, request, acked);
    if (result != ENDPOINT_MESSAGE)
      return false;
    if (!packet_read(&packet, &datagram) || packet.kind != PACKET_ACK ||
        packet.request != request || packet.backup < 0 ||
        (uint64_t)packet.backup >= primary->options->backups || (acked >> packet.backup & 1) != 0) {
      complain("request %" PRIu32 ": a message that the protocol does not have came from node %u; "
               "nothing is written",
               request, datagram.from);
      return false;
    }
    acked |= 1u << packet.backup;
    if (!collect(primary, &packet, datagram.arrived, acked == all, began))
      return false;
  }
  return true;
}

/* Serves until it is told to stop; false after a complaint. */
static bool serve(struct primary *primary) {
  for (;;) {
    struct datagram datagram;
    struct packet packet;
    enum endpoint_result result = endpoint_take(&primary->endpoint, &datagram, MOMENT_NEVER);
    if (result == ENDPOINT_STOPPED)
      return true;
    if (result != ENDPOINT_MESSAGE)
      return false;
    if (!packet_read(&packet, &datagram) || packet.kind != PACKET_ASK)
      continue;
    uint64_t began = datagram.arrived;
    atomic_store(&primary->system->board->request, packet.request);
    if (!broadcast(primary, packet.request, began) || !acks_collect(primary, packet.request, began))
      return false;
  }
}

static struct tailproof_store *store_open(struct primary *primary) {
  const struct system_options *options = primary->options;
  uint64_t records = options->requests * (4 * options->backups + 3);
  struct tailproof_store *store = recorder_open(&primary->system->folder, "primary", records);
  if (store == NULL)
    return NULL;
  primary->names[NAME_BROADCAST] = tailproof_action(store, "primary.Broadcast", "PrimaryRequest");
  primary->names[NAME_COLLECT] = tailproof_action(store, "primary.Collect", "PrimaryAck");
  primary->names[NAME_REQUEST] = tailproof_message(store, "Request", "d", "Queuing");
  primary->names[NAME_ACK] = tailproof_message(store, "Ack", "d", "Queuing");
  primary->names[NAME_REPLY] = tailproof_message(store, "Reply", "d", "Queuing");
  primary->names[NAME_ROUND] = tailproof_request(store, "reply");
  primary->writer = recorder_writer(store, primary->names, NAMES);
  return store;
}

int primary_run(void *context) {
  static struct primary primary;
  primary.system = context;
  primary.options = primary.system->options;
  primary.random = random_seeded(primary.options->network.seed, 2000000);
  struct tailproof_store *store = store_open(&primary);
  if (primary.writer == NULL)
    return EXIT_FAILED;
  endpoint_init(&primary.endpoint, &primary.system->network, NODE_PRIMARY, primary.writer);
  gate_pass(&primary.system->board->gate);
  bool good = serve(&primary);
  return recorder_close(store) && good ? EXIT_SUCCESS : EXIT_FAILED;
}
