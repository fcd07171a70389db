/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A backup.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/recorder.h"
#include "examples/primary_backup/system.h"

#include <stdio.h>
#include <stdlib.h>

enum name { NAME_HANDLE, NAME_TIDY, NAME_REQUEST, NAME_ACK, NAMES };

struct backup {
  const struct system *system;
  const struct system_options *options;
  size_t index;
  char node[32];
  struct tailproof_writer *writer;
  int names[NAMES];
  struct random random;
  struct endpoint endpoint;
  uint64_t free;    /* ticks: end of the latest step */
  uint32_t tidied;  /* the latest request that the backup tidied up in */
  uint64_t tidy_ns; /* when it will next */
};

static bool record(struct backup *backup, const struct tailproof_event *event) {
  if (tailproof_record(backup->writer, event) == 0)
    return true;
  complain("%s: recording: %s", backup->node, tailproof_error());
  return false;
}

static bool work(struct backup *backup, uint64_t mean_us) {
  return mean_us == 0 || endpoint_work(&backup->endpoint, work_until(&backup->random, mean_us),
                                       backup->options->busy ? WORK_BUSY : WORK_SLEEP);
}

/* The action Handle. */
static bool handle(struct backup *backup, const struct packet *packet, uint64_t arrived) {
  uint64_t start = arrived > backup->free ? arrived : backup->free;
  struct packet ack = {.kind = PACKET_ACK, .request = packet->request, .backup = packet->backup};
  struct tailproof_event sent = {.name = backup->names[NAME_ACK],
                                 .instance = packet->request,
                                 .count = 1,
                                 .arguments = {packet->backup}};
  if (!work(backup, backup->options->work_us))
    return false;
  backup->free = tailproof_now(backup->writer);
  tailproof_send_at(backup->writer, &sent, backup->free, ack.stamp);
  if (!endpoint_send(&backup->endpoint, NODE_PRIMARY, &ack, sizeof ack))
    return false;
  struct tailproof_event step = {.name = backup->names[NAME_HANDLE],
                                 .instance = packet->request,
                                 .start = start,
                                 .end = backup->free,
                                 .count = 1,
                                 .arguments = {packet->backup}};
  return arrival_record(backup->writer, backup->node, backup->names[NAME_REQUEST], packet, true,
                        arrived, start) &&
         record(backup, &step);
}

static void tidy_plan(struct backup *backup) {
  uint64_t every_ns = backup->options->tidy_every_us * 1000;
  backup->tidy_ns =
      every_ns == 0 ? MOMENT_NEVER : moment_ns() + random_exponential(&backup->random, every_ns);
}

/* The action Tidy, at most once in a request. It starts after the request was put on the board, so
 * not before the request began. */
static bool tidy(struct backup *backup) {
  uint32_t request = atomic_load(&backup->system->board->request);
  if (request == backup->tidied)
    return true;
  struct tailproof_event step = {.name = backup->names[NAME_TIDY],
                                 .instance = request,
                                 .start = tailproof_now(backup->writer)};
  if (!work(backup, backup->options->tidy_us))
    return false;
  backup->free = step.end = tailproof_now(backup->writer);
  backup->tidied = request;
  return record(backup, &step);
}

/* Serves until it is told to stop; false after a complaint. */
static bool serve(struct backup *backup) {
  for (;;) {
    struct datagram datagram;
    struct packet packet;
    bool good = true;
    enum endpoint_result result = endpoint_take(&backup->endpoint, &datagram, backup->tidy_ns);
    if (result == ENDPOINT_STOPPED)
      return true;
    if (result == ENDPOINT_TIMEOUT) {
      good = tidy(backup);
      tidy_plan(backup);
    } else if (result == ENDPOINT_MESSAGE && packet_read(&packet, &datagram) &&
               packet.kind == PACKET_REQUEST && packet.backup == (int32_t)backup->index)
      good = handle(backup, &packet, datagram.arrived);
    else
      good = result == ENDPOINT_MESSAGE;
    if (!good)
      return false;
  }
}

/* Twice the housekeeping that a pause has room for is recorded with each request. */
static uint64_t records_needed(const struct system_options *options) {
  enum { RECORDS_PER_REQUEST = 5 };
  uint64_t tidies =
      options->tidy_every_us == 0 ? 0 : 2 * options->pause_us / options->tidy_every_us;
  return options->requests * (RECORDS_PER_REQUEST + tidies);
}

static struct tailproof_store *store_open(struct backup *backup) {
  struct tailproof_store *store =
      recorder_open(&backup->system->folder, backup->node, records_needed(backup->options));
  if (store == NULL)
    return NULL;
  backup->names[NAME_HANDLE] = tailproof_action(store, "backup.Handle", "BackupRequest");
  backup->names[NAME_TIDY] = tailproof_action(store, "backup.Tidy", "Tidy");
  backup->names[NAME_REQUEST] = tailproof_message(store, "Request", "d", "Queuing");
  backup->names[NAME_ACK] = tailproof_message(store, "Ack", "d", "Queuing");
  backup->writer = recorder_writer(store, backup->names, NAMES);
  return store;
}

int backup_run(void *context) {
  const struct backup_start *start = context;
  static struct backup backup;
  backup.system = start->system;
  backup.options = start->system->options;
  backup.index = start->index;
  snprintf(backup.node, sizeof backup.node, "backup[%zu]", backup.index);
  backup.random = random_seeded(backup.options->network.seed, 2000001 + backup.index);
  struct tailproof_store *store = store_open(&backup);
  if (backup.writer == NULL)
    return EXIT_FAILED;
  endpoint_init(&backup.endpoint, &backup.system->network, NODE_BACKUPS + backup.index,
                backup.writer);
  gate_pass(&backup.system->board->gate);
  tidy_plan(&backup);
  bool good = serve(&backup);
  return recorder_close(store) && good ? EXIT_SUCCESS : EXIT_FAILED;
}
