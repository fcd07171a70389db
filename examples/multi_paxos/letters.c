/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Letters of a replica: what the steps of paxos.tp send, and what its program does.
 */
#include "examples/multi_paxos/replica.h"

#include <stdlib.h>
#include <string.h>

struct packet *replica_letter(struct replica *replica, size_t to, enum packet_kind kind) {
  if (replica->outbox_count == OUTBOX_MAX)
    abort(); /* OUTBOX_MAX is what one slot can fill at most */
  struct letter *letter = &replica->outbox[replica->outbox_count++];
  letter->to = to;
  memset(&letter->packet, 0, offsetof(struct packet, told)); /* nobody looks at what is not told */
  letter->packet.kind = (uint8_t)kind;
  letter->packet.view = replica->view;
  return &letter->packet;
}

/* The number of the command that a message names; 0: none. */
static int32_t command_of(const struct tp_message *message) {
  return message->kind == paxos_Promise ? message->field[3]
         : message->kind == paxos_Propose || message->kind == paxos_Accepted ||
                 message->kind == paxos_Decided
             ? message->field[1]
             : 0;
}

void replica_tell(const struct replica *replica, struct packet *letter, uint32_t place,
                  const struct tp_message *message) {
  struct told *told = &letter->told[letter->told_count++];
  const struct request command = log_command(&replica->log, command_of(message));
  *told = (struct told){.place = place, .key = command.key, .amount = command.amount};
  tp_message_encode(told->bytes, message);
}

/* A letter about one operation, named after the command that it is about. */
static void send_one(struct replica *replica, enum packet_kind kind, int32_t to, uint64_t operation,
                     uint64_t asked, const struct tp_message *message) {
  struct packet *letter = replica_letter(replica, (size_t)to, kind);
  letter->number = operation;
  letter->request = log_command(&replica->log, command_of(message));
  letter->asked = asked;
  replica_tell(replica, letter, 0, message);
}

void replica_send_leader(struct replica *replica, const struct leader_sends *out, int32_t view,
                         uint64_t operation, uint64_t asked) {
  for (int32_t to = 0; to < (int32_t)replica->count; to++) {
    const struct tp_message message = {paxos_Propose, {view, out->Propose_x, to}};
    if (tp_set_has(out->Propose, to))
      send_one(replica, PACKET_PROPOSE, to, operation, asked, &message);
  }
}

void replica_send_voter(struct replica *replica, const struct voter_sends *out, uint64_t operation,
                        uint64_t asked) {
  for (int32_t to = 0; to < (int32_t)replica->count; to++) {
    const struct tp_message message = {paxos_Accepted,
                                       {out->Accepted_v, out->Accepted_x, replica->self, to}};
    if (tp_set_has(out->Accepted, to))
      send_one(replica, PACKET_ACCEPTED, to, operation, asked, &message);
  }
  if (out->Decided) {
    const struct tp_message message = {
        paxos_Decided, {out->Decided_k, out->Decided_x, replica->self, out->Decided_to}};
    send_one(replica, PACKET_DECIDED, out->Decided_to, operation, asked, &message);
  }
}
