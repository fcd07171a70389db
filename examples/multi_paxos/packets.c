/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slot ProcessPacket: what a replica does with each kind of packet.
 */
#include "examples/multi_paxos/replica.h"

static void on_request(struct replica *replica, const struct packet *packet) {
  if (packet->request.number > replica->machine.latest) {
    replica->pending = packet->request;
    replica->pending_asked = packet->asked;
    replica->recent = !replica->older;
  } else if (packet->request.number == replica->machine.latest) { /* the reply was lost */
    struct packet *reply = replica_letter(replica, replica->client, PACKET_REPLY);
    reply->request = packet->request;
    reply->value = replica->machine.latest_value;
  }
}

/* Tells a replica what was decided as `operation`, if that is known here. */
static void tell_decided(struct replica *replica, size_t to, uint64_t operation) {
  const struct entry *entry = log_entry(&replica->log, operation);
  if (entry == NULL || !entry->decided)
    return;
  struct packet *packet = replica_letter(replica, to, PACKET_DECIDED);
  packet->number = operation;
  packet->request = entry->heard_request;
}

/* Whatever this replica may have helped to decide from the candidate's place on is in its promise.
 * A candidate so far behind that it does not fit is helped on instead. */
static void on_new_view(struct replica *replica, const struct packet *packet, size_t from,
                        uint64_t now_ns) {
  uint64_t first = packet->number, end = replica->log.end;
  if (packet->view < replica->promised || packet->view < replica->view ||
      first < replica->log.start)
    return;
  if (end > first + VOTES_MAX) {
    tell_decided(replica, from, first);
    return;
  }
  if (packet->view > replica->view) {
    replica_enter_view(replica, packet->view, now_ns);
    replica->new_view = false; /* its leader has begun */
  }
  replica->promised = packet->view;
  struct packet *promise = replica_letter(replica, from, PACKET_PROMISE);
  for (uint64_t operation = first; operation < end; operation++) {
    const struct entry *entry = log_entry(&replica->log, operation);
    if (entry != NULL && (entry->voted || entry->decided))
      promise->votes[promise->vote_count++] = (struct vote){
          .number = operation,
          .given = 1,
          .view = entry->decided ? packet->view : entry->view, /* decided: nothing can outvote it */
          .request = entry->decided ? entry->heard_request : entry->request};
  }
}

/* Of each operation the vote of the latest view counts; where there is none, nothing can have been
 * decided, and the command that does nothing fills the place. */
static void on_promise(struct replica *replica, const struct packet *packet, size_t from) {
  if (!replica->campaigning || packet->view != replica->view)
    return;
  replica->promises |= 1u << from;
  for (size_t i = 0; i < packet->vote_count; i++) {
    const struct vote *vote = &packet->votes[i];
    uint64_t place = vote->number - replica->adopt_from;
    if (place >= VOTES_MAX)
      continue; /* not from a replica that follows the protocol */
    for (; replica->adopt_count <= place; replica->adopt_count++)
      replica->adopt[replica->adopt_count] = (struct vote){0};
    struct vote *best = &replica->adopt[place];
    if (!best->given || vote->view > best->view)
      *best = *vote;
  }
}

static void on_propose(struct replica *replica, const struct packet *packet, uint64_t now_ns) {
  if (packet->view < replica->promised || packet->view < replica->view)
    return;
  if (packet->view > replica->view) {
    replica_enter_view(replica, packet->view, now_ns);
    replica->new_view = false;
  }
  replica->promised = packet->view;
  if (!log_vote(&replica->log, packet->number, packet->view, &packet->request))
    return;
  struct packet accepted = *packet;
  accepted.kind = PACKET_ACCEPTED;
  replica_broadcast(replica, &accepted);
}

/* A replica that has executed nothing between two heartbeats while others have is stuck. */
static void on_heartbeat(struct replica *replica, const struct packet *packet, size_t from,
                         uint64_t now_ns) {
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
  replica->quorum_completed = false;
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
    on_propose(replica, packet, now_ns);
    break;
  case PACKET_ACCEPTED:
    replica->quorum_completed = log_hear(&replica->log, packet->number, packet->view,
                                         &packet->request, (unsigned)from, replica->quorum);
    break;
  case PACKET_DECIDED:
    log_decide(&replica->log, packet->number, &packet->request);
    break;
  case PACKET_HEARTBEAT:
    on_heartbeat(replica, packet, from, now_ns);
    break;
  default:
    break;
  }
}
