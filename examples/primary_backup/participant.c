/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the nodes share: the port of their loops, and their stores.
 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/process.h"
#include "examples/common/recorder.h"
#include "examples/primary_backup/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The client is near the primary: no relay delays what it gets. */
static bool send_packet(void *context, int32_t to, const uint8_t *bytes, size_t size) {
  struct participant *participant = context;
  return (size_t)to == node_client(participant->system)
             ? endpoint_send_near(&participant->endpoint, (size_t)to, bytes, size)
             : endpoint_send(&participant->endpoint, (size_t)to, bytes, size);
}

static int receive_packet(void *context, uint8_t *bytes, size_t size, uint64_t *arrived,
                          int64_t wait_ns) {
  struct participant *participant = context;
  struct datagram datagram;
  enum endpoint_result result =
      endpoint_take(&participant->endpoint, &datagram, moment_ns() + (uint64_t)wait_ns);
  if (result != ENDPOINT_MESSAGE)
    return result == ENDPOINT_TIMEOUT ? 0 : -1;
  size_t taken = datagram.bytes < size ? datagram.bytes : size;
  memcpy(bytes, datagram.data, taken);
  *arrived = datagram.arrived;
  return (int)taken;
}

bool participant_work(struct participant *participant, uint64_t mean_us, enum work_kind kind) {
  uint64_t mean_ns = mean_us * 1000;
  return mean_ns == 0 ||
         endpoint_work(&participant->endpoint,
                       moment_ns() + mean_ns / 2 + random_upto(&participant->random, mean_ns),
                       kind);
}

bool participant_init(struct participant *participant, const struct system *system, size_t number,
                      const char *name, uint64_t records) {
  participant->system = system;
  participant->options = system->options;
  participant->number = number;
  snprintf(participant->name, sizeof participant->name, "%s", name);
  participant->random = random_seeded(system->options->network.seed, 2000000 + number);
  participant->store = recorder_open(&system->folder, participant->name, records);
  return participant->store != NULL;
}

bool participant_open(struct participant *participant, const struct tp_role *role, void *node,
                      bool (*work)(void *participant, int32_t action)) {
  participant->port.context = participant;
  participant->port.send = send_packet;
  participant->port.receive = receive_packet;
  participant->port.work = work;
  const char *wrong =
      tp_loop_open(&participant->loop, role, node, (int32_t)participant->number,
                   participant->system->network.run, &participant->port, participant->store);
  if (wrong != NULL) {
    complain("%s: %s; this run is not kept", participant->name, wrong);
    return false;
  }
  endpoint_init(&participant->endpoint, &participant->system->network, participant->number,
                participant->loop.writer);
  gate_pass(&participant->system->board->gate);
  return true;
}

enum tp_turn participant_turn(struct participant *participant, int64_t wait_ns) {
  enum tp_turn turn = tp_loop_turn(&participant->loop, wait_ns < 0 ? 0 : wait_ns);
  const struct tp_step *last = &participant->loop.last;
  if ((turn != TP_STEPPED && turn != TP_DELIVERED) || last->arrived == 0 ||
      last->sent != last->arrived)
    return turn;
  complain("%s: a message's stamp is of another clock, so that its delay is not known; nothing is "
           "written",
           participant->name);
  return TP_BROKEN;
}

int participant_close(struct participant *participant, bool good) {
  const struct tp_counts *counts = &participant->loop.counts;
  atomic_fetch_add(&participant->system->board->ignored, participant->endpoint.ignored +
                                                             counts->refused + counts->repeated +
                                                             counts->late + counts->full);
  return recorder_close(participant->store) && good ? EXIT_SUCCESS : EXIT_FAILED;
}
