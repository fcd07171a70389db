/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slot ProcessPacket: what a replica does with each kind of packet.
 */
#include "examples/multi_paxos/replica.h"

static void on_request(struct replica *replica, const struct packet *packet) {
  if (packet->request.number > INT32_MAX)
    return; /* no number of a command */
  if (packet->request.number > replica->machine.latest) {
    replica->pending = packet->request;
    log_keep(&replica->log, &packet->request);
    replica->pending_asked = packet->asked;
    replica->recent = !replica->older;
  } else if (packet->request.number == replica->machine.latest) { /* the reply was lost */
    struct packet *reply = replica_letter(replica, replica->client, PACKET_REPLY);
    reply->request = packet->request;
    reply->value = replica->machine.latest_value;
  }
}

/* The message of paxos.tp in a packet, if it is one of this kind from that node, which leads each
 * view whose number has this remainder. To whom it is the steps look. */
static bool told_read(const struct replica *replica, const struct told *told, enum paxos_kind kind,
                      size_t from, struct tp_message *message) {
  if (!tp_message_decode(message, told->bytes, TP_BYTES) || message->kind != (int32_t)kind ||
      !paxos_message_valid(message, &replica->params))
    return false;
  const int32_t sender = kind == paxos_Promise ? message->field[1]
                         : kind == paxos_Accepted || kind == paxos_Decided
                             ? message->field[2]
                             : message->field[0] % (int32_t)replica->count;
  return sender == (int32_t)from;
}

/* The same where a packet tells of one operation alone, with the command that it names. */
static bool told_one(struct replica *replica, const struct packet *packet, enum paxos_kind kind,
                     size_t from, struct tp_message *message) {
  const struct told *told = &packet->told[0];
  if (packet->told_count != 1 || told->place != 0 ||
      !told_read(replica, told, kind, from, message) || message->field[1] < 0)
    return false;
  if (message->field[1] != 0)
    log_keep(&replica->log, &(struct request){.number = (uint64_t)message->field[1],
                                              .key = told->key,
                                              .amount = told->amount});
  return true;
}

/* The step that takes a message, and what it sends. */
static struct voter_sends take(const struct replica *replica, struct operation *operation,
                               const struct tp_message *message) {
  struct voter_sends out;
  enum voter_action action;
  voter_take(&operation->voter, &replica->params, replica->self, &out, &action, message);
  return out;
}

static void take_promise(const struct replica *replica, struct operation *operation,
                         const struct tp_message *message) {
  struct leader_sends out;
  enum leader_action action;
  if (operation->view >= 0)
    leader_take(&operation->leader, &replica->params, operation->view, &out, &action, message);
}

/* Tells a replica what was decided as `operation`, if that is known here. */
static void tell_decided(struct replica *replica, size_t to, uint64_t operation) {
  struct voter_sends out;
  struct operation *known = log_known(&replica->log, operation);
  if (known == NULL)
    return;
  voter_Tell(&known->voter, &replica->params, replica->self, &out, ++replica->asked, (int32_t)to);
  replica_send_voter(replica, &out, operation, 0);
}

/* Leaves an earlier view for this one, whose leader has begun. Messages of earlier views than its
 * own a replica loses, as a network might: they are of a leader that is given up. */
static bool follow(struct replica *replica, const struct tp_message *message, uint64_t now_ns) {
  const uint32_t view = (uint32_t)message->field[0];
  if (view > replica->view) {
    replica_enter_view(replica, view, now_ns);
    replica->new_view = false;
  }
  return view == replica->view;
}

/* What one operation's voter promises goes into the letter; false when it does not. The operations
 * without a vote are those that the letter does not name. */
static bool promise(struct replica *replica, struct operation *operation,
                    const struct tp_message *message, struct packet *letter, uint32_t place) {
  const struct voter_sends out = take(replica, operation, message);
  const struct tp_message told = {paxos_Promise,
                                  {out.Promise_v, replica->self, out.Promise_w, out.Promise_x}};
  if (out.Promise && (out.Promise_w >= 0 || place == EVERY_OTHER))
    replica_tell(replica, letter, place, &told);
  return out.Promise;
}

/* 1a is a message to the voters of all operations from the candidate's place on, and so is their
 * answer, in one letter. It is lost when one of them does not promise. A candidate so far behind
 * that it does not fit is helped on instead. */
static void on_new_view(struct replica *replica, const struct packet *packet, size_t from,
                        uint64_t now_ns) {
  struct log *log = &replica->log;
  const uint64_t first = packet->number, end = log->end;
  struct tp_message message;
  if (packet->told_count != 1 ||
      !told_read(replica, &packet->told[0], paxos_NewView, from, &message) ||
      (uint32_t)message.field[0] < replica->view || first < log->start)
    return;
  if (end > first + VOTES_MAX) {
    tell_decided(replica, from, first);
    return;
  }
  if (!follow(replica, &message, now_ns))
    return;
  struct packet *letter = replica_letter(replica, from, PACKET_PROMISE);
  letter->number = first;
  bool all = true;
  for (uint64_t operation = first; operation < end; operation++)
    all &= promise(replica, log_known(log, operation), &message, letter,
                   (uint32_t)(operation - first));
  all &= promise(replica, &log->rest, &message, letter, EVERY_OTHER);
  if (!all)
    replica->outbox_count--;
}

/* The messages of a promise: about each of the first VOTES_MAX operations, or the same as about all
 * others. False when it is none. */
static bool promise_read(struct replica *replica, const struct packet *packet, size_t from,
                         struct tp_message votes[VOTES_MAX], bool voted[VOTES_MAX],
                         struct tp_message *other) {
  bool complete = false;
  for (size_t i = 0; i < packet->told_count; i++) {
    const struct told *told = &packet->told[i];
    struct tp_message message;
    if (!told_read(replica, told, paxos_Promise, from, &message) || message.field[3] < 0 ||
        (uint32_t)message.field[0] != replica->view ||
        (told->place >= VOTES_MAX && told->place != EVERY_OTHER))
      return false;
    if (told->place == EVERY_OTHER) {
      *other = message;
      complete = true;
      continue;
    }
    votes[told->place] = message;
    voted[told->place] = true;
    if (message.field[3] != 0)
      log_keep(&replica->log, &(struct request){.number = (uint64_t)message.field[3],
                                                .key = told->key,
                                                .amount = told->amount});
  }
  return complete;
}

static void on_promise(struct replica *replica, const struct packet *packet, size_t from) {
  struct log *log = &replica->log;
  struct tp_message votes[VOTES_MAX], other;
  bool voted[VOTES_MAX] = {false};
  if (!replica->campaigning || packet->number != replica->adopt_from ||
      !promise_read(replica, packet, from, votes, voted, &other))
    return;
  for (uint64_t place = 0; place < VOTES_MAX; place++)
    if (voted[place] && log_operation(log, packet->number + place) != NULL &&
        replica->adopt_end <= packet->number + place)
      replica->adopt_end = packet->number + place + 1;
  for (uint64_t operation = packet->number; operation < log->end; operation++) {
    struct operation *known = log_known(log, operation);
    const uint64_t place = operation - packet->number;
    if (known != NULL)
      take_promise(replica, known, place < VOTES_MAX && voted[place] ? &votes[place] : &other);
  }
  take_promise(replica, &log->rest, &other);
}

static void on_propose(struct replica *replica, const struct packet *packet, size_t from,
                       uint64_t now_ns) {
  struct tp_message message;
  struct operation *operation;
  if (!told_one(replica, packet, paxos_Propose, from, &message) ||
      !follow(replica, &message, now_ns) ||
      (operation = log_operation(&replica->log, packet->number)) == NULL)
    return;
  const struct voter_sends out = take(replica, operation, &message);
  replica_send_voter(replica, &out, packet->number, packet->asked);
}

/* 2b, or what another replica knows to be decided. */
static void on_outcome(struct replica *replica, const struct packet *packet, enum paxos_kind kind,
                       size_t from) {
  struct tp_message message;
  struct operation *operation;
  if (told_one(replica, packet, kind, from, &message) &&
      (operation = log_operation(&replica->log, packet->number)) != NULL)
    take(replica, operation, &message);
}

/* A replica that has executed nothing between two heartbeats while others have is stuck. */
static void on_heartbeat(struct replica *replica, const struct packet *packet, size_t from,
                         uint64_t now_ns) {
  if (from >= replica->count || packet->view >= (uint32_t)replica->params.views)
    return;
  if (packet->view > replica->view)
    replica_enter_view(replica, packet->view, now_ns);
  if (packet->view == replica->view && packet->suspects)
    replica->suspectors |= 1u << from;
  replica->peers_before[from] = replica->peers[from];
  replica->peers[from] = packet->number;
  if (packet->number == replica->peers_before[from] && packet->number < replica->executed)
    tell_decided(replica, from, packet->number);
}

void replica_packet(struct replica *replica, const struct packet *packet, size_t from,
                    uint64_t now_ns) {
  switch (packet->kind) {
  case PACKET_REQUEST:
    on_request(replica, packet);
    break;
  case PACKET_NEW_VIEW:
    on_new_view(replica, packet, from, now_ns);
    break;
  case PACKET_PROMISE:
    on_promise(replica, packet, from);
    break;
  case PACKET_PROPOSE:
    on_propose(replica, packet, from, now_ns);
    break;
  case PACKET_ACCEPTED:
    on_outcome(replica, packet, paxos_Accepted, from);
    break;
  case PACKET_DECIDED:
    on_outcome(replica, packet, paxos_Decided, from);
    break;
  case PACKET_HEARTBEAT:
    on_heartbeat(replica, packet, from, now_ns);
    break;
  default:
    break;
  }
}
