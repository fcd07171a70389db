/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slots of the loop but for ProcessPacket, which is packets.c.
 */
#include "examples/multi_paxos/replica.h"

#include "examples/common/complain.h"

#include <stdlib.h>

struct packet *replica_letter(struct replica *replica, size_t to, enum packet_kind kind) {
  if (replica->outbox_count == OUTBOX_MAX)
    abort(); /* OUTBOX_MAX is what one slot can fill at most */
  struct letter *letter = &replica->outbox[replica->outbox_count++];
  letter->to = to;
  letter->packet = (struct packet){.kind = (uint8_t)kind, .view = replica->view};
  return &letter->packet;
}

void replica_broadcast(struct replica *replica, const struct packet *packet) {
  for (size_t to = 0; to < replica->count; to++)
    *replica_letter(replica, to, packet->kind) = *packet;
}

void replica_start(struct replica *replica, uint64_t now_ns) {
  replica->quorum = (unsigned)replica->count / 2 + 1;
  /* View 0 needs no phase 1: there is no earlier one in which anything was accepted. */
  replica->leading = replica->index == 0;
  replica->epoch_end_ns = now_ns + replica->epoch_ns;
  replica->next_beat_ns = now_ns + replica->heartbeat_ns;
}

/* Suspicions are about a view, so they end with it; a request goes on waiting. */
void replica_enter_view(struct replica *replica, uint32_t view, uint64_t now_ns) {
  replica->view = view;
  replica->leading = replica->campaigning = false;
  replica->new_view = view % replica->count == replica->index;
  replica->suspects = false;
  replica->suspectors = 0;
  replica->recent = replica->recent || replica->older;
  replica->older = false;
  replica->epoch_end_ns = now_ns + replica->epoch_ns;
}

static void maybe_enter_new_view(struct replica *replica) {
  if (!replica->new_view || replica->campaigning)
    return;
  replica->new_view = false;
  replica->campaigning = true;
  replica->promises = 0;
  replica->adopt_from = replica->executed;
  replica->adopt_count = 0;
  replica_broadcast(replica, &(struct packet){.kind = PACKET_NEW_VIEW,
                                              .view = replica->view,
                                              .number = replica->executed});
}

static void maybe_enter_phase_2(struct replica *replica) {
  if (!replica->campaigning || (unsigned)__builtin_popcount(replica->promises) < replica->quorum)
    return;
  replica->campaigning = false;
  replica->leading = true;
  replica->next = replica->adopt_from;
  replica->proposed = 0;
}

static void propose(struct replica *replica, const struct request *request, uint64_t asked) {
  replica->busy = true;
  replica_broadcast(replica, &(struct packet){.kind = PACKET_PROPOSE,
                                              .view = replica->view,
                                              .number = replica->next++,
                                              .request = *request,
                                              .asked = asked});
}

/* What some replica may have accepted in an earlier view comes first, at its old place. */
static void maybe_propose(struct replica *replica) {
  const struct request *pending = &replica->pending;
  if (!replica->leading)
    return;
  bool adopted = false; /* the pending request is among what is proposed again */
  for (uint64_t i = 0; i < replica->adopt_count; i++) {
    adopted = adopted || replica->adopt[i].request.number == pending->number;
    propose(replica, &replica->adopt[i].request, 0);
  }
  replica->adopt_count = 0;
  if (pending->number == 0 || adopted || pending->number <= replica->machine.latest ||
      pending->number <= replica->proposed || replica->next >= replica->executed + VOTES_MAX ||
      replica->next >= replica->log.start + LOG_SIZE ||
      log_has(&replica->log, replica->executed, pending->number))
    return;
  replica->proposed = pending->number;
  propose(replica, pending, replica->pending_asked);
}

/* What all have executed nobody will ask for again. */
static void truncate_log(struct replica *replica) {
  uint64_t least = replica->executed;
  for (size_t i = 0; i < replica->count; i++)
    if (i != replica->index && replica->peers[i] < least)
      least = replica->peers[i];
  log_truncate(&replica->log, least);
}

static void maybe_decide(struct replica *replica) {
  const struct entry *entry = log_entry(&replica->log, replica->executed);
  replica->known = replica->busy = entry != NULL && entry->decided;
}

static bool maybe_execute(struct replica *replica) {
  if (!replica->known)
    return true;
  const struct request *request = &log_entry(&replica->log, replica->executed)->heard_request;
  if (!machine_execute(&replica->machine, request))
    return false;
  replica->known = false;
  replica->busy = true;
  replica->executed++;
  if (replica->next < replica->executed)
    replica->next = replica->executed;
  if (replica->pending.number <= replica->machine.latest) {
    replica->pending.number = 0;
    replica->recent = replica->older = replica->suspects = false;
  }
  if (replica->leading && request->number != 0) {
    struct packet *reply = replica_letter(replica, replica->client, PACKET_REPLY);
    reply->request = *request;
    reply->value = replica->machine.latest_value;
  }
  return true;
}

/* Two epochs without the request being executed make a replica suspect the leader. */
static void check_view_timeout(struct replica *replica, uint64_t now_ns) {
  if (now_ns < replica->epoch_end_ns)
    return;
  replica->epoch_end_ns = now_ns + replica->epoch_ns;
  if (replica->older) {
    replica->suspects = true;
    replica->suspectors |= 1u << replica->index;
  }
  replica->older = replica->older || replica->recent;
  replica->recent = false;
}

static void check_suspicions(struct replica *replica, uint64_t now_ns) {
  if ((unsigned)__builtin_popcount(replica->suspectors) >= replica->quorum)
    replica_enter_view(replica, replica->view + 1, now_ns);
}

static void maybe_send_heartbeat(struct replica *replica, uint64_t now_ns) {
  if (now_ns < replica->next_beat_ns)
    return;
  replica->next_beat_ns = now_ns + replica->heartbeat_ns;
  for (size_t to = 0; to < replica->count; to++)
    if (to != replica->index) {
      struct packet *packet = replica_letter(replica, to, PACKET_HEARTBEAT);
      packet->suspects = replica->suspects;
      packet->number = replica->executed;
    }
}

bool replica_slot(struct replica *replica, enum slot slot, uint64_t now_ns) {
  replica->busy = false;
  switch (slot) {
  case SLOT_ENTER_NEW_VIEW:
    maybe_enter_new_view(replica);
    return true;
  case SLOT_ENTER_PHASE_2:
    maybe_enter_phase_2(replica);
    return true;
  case SLOT_PROPOSE:
    maybe_propose(replica);
    return true;
  case SLOT_TRUNCATE_LOG:
    truncate_log(replica);
    return true;
  case SLOT_DECIDE:
    maybe_decide(replica);
    return true;
  case SLOT_EXECUTE:
    return maybe_execute(replica);
  case SLOT_CHECK_VIEW_TIMEOUT:
    check_view_timeout(replica, now_ns);
    return true;
  case SLOT_CHECK_SUSPICIONS:
    check_suspicions(replica, now_ns);
    return true;
  case SLOT_SEND_HEARTBEAT:
    maybe_send_heartbeat(replica, now_ns);
    return true;
  case SLOT_PROCESS_PACKET:
  case SLOTS:
    break;
  }
  return false;
}
