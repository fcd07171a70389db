/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slots of the loop but for ProcessPacket, which is packets.c.
 */
#include "examples/multi_paxos/replica.h"

#include "examples/common/complain.h"

void replica_start(struct replica *replica, uint64_t now_ns) {
  replica->quorum = (unsigned)replica->count / 2 + 1;
  replica->params = (struct paxos_params){
      .f = (int32_t)replica->count / 2, .views = INT32_MAX, .commands = INT32_MAX};
  replica->self = (int32_t)replica->index;
  struct operation *rest = &replica->log.rest;
  voter_init(&rest->voter, &replica->params, replica->self);
  rest->view = replica->index == 0 ? 0 : -1;
  if (rest->view == 0)
    leader_init(&rest->leader, &replica->params, 0);
  /* View 0 needs no phase 1: there is no earlier one in which anything was accepted. */
  replica->leading = rest->view == 0 && rest->leader.leads;
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

/* The leader of this view begins with an operation. */
static struct leader_sends start(const struct replica *replica, struct operation *operation) {
  struct leader_sends out;
  operation->view = (int32_t)replica->view;
  leader_init(&operation->leader, &replica->params, operation->view);
  leader_Start(&operation->leader, &replica->params, operation->view, &out);
  return out;
}

/* Phase 1 of all operations that are not executed here. Of each the steps send the same. */
static void maybe_enter_new_view(struct replica *replica) {
  struct log *log = &replica->log;
  if (!replica->new_view || replica->campaigning)
    return;
  replica->new_view = false;
  replica->campaigning = true;
  replica->adopt_from = replica->adopt_end = replica->executed;
  for (uint64_t operation = replica->executed; operation < log->end; operation++)
    start(replica, log_known(log, operation));
  const struct leader_sends out = start(replica, &log->rest);
  for (int32_t to = 0; to < (int32_t)replica->count; to++)
    if (tp_set_has(out.NewView, to)) {
      struct packet *letter = replica_letter(replica, (size_t)to, PACKET_NEW_VIEW);
      const struct tp_message message = {paxos_NewView, {log->rest.view, to}};
      letter->number = replica->adopt_from;
      replica_tell(replica, letter, EVERY_OTHER, &message);
    }
}

/* Promises are about all operations: who leads one leads those of which nobody has told. */
static void maybe_enter_phase_2(struct replica *replica) {
  if (!replica->campaigning || !replica->log.rest.leader.leads)
    return;
  replica->campaigning = false;
  replica->leading = true;
  replica->next = replica->adopt_from;
  replica->proposed = 0;
}

/* Asks the step for this command as the next operation. What it proposes may be another one. */
static void propose(struct replica *replica, int32_t command, uint64_t asked) {
  struct leader_sends out;
  struct operation *operation = log_operation(&replica->log, replica->next);
  if (operation == NULL || operation->view != (int32_t)replica->view)
    return; /* left to those who execute it, or executed already */
  leader_Propose(&operation->leader, &replica->params, operation->view, &out, ++replica->asked,
                 command);
  replica->busy = replica->busy || out.Propose != 0;
  replica_send_leader(replica, &out, operation->view, replica->next, asked);
}

/* What some replica may have accepted in an earlier view comes first, at its old place; where
 * nobody has, nothing can have been decided, and the command that does nothing fills the place. */
static void maybe_propose(struct replica *replica) {
  const int32_t pending = (int32_t)replica->pending.number;
  if (!replica->leading)
    return;
  bool adopted = false; /* the pending request is among what is proposed again */
  while (replica->next < replica->adopt_end) {
    const struct operation *known = log_known(&replica->log, replica->next);
    adopted = adopted || (known != NULL && known->view == (int32_t)replica->view &&
                          known->leader.best >= 0 && known->leader.value == pending);
    propose(replica, 0, 0);
    replica->next++;
  }
  replica->adopt_end = 0;
  if (pending == 0 || adopted || replica->pending.number <= replica->machine.latest ||
      pending <= replica->proposed || replica->next >= replica->executed + VOTES_MAX ||
      replica->next >= replica->log.start + LOG_SIZE ||
      log_has(&replica->log, replica->executed, pending))
    return;
  replica->proposed = pending;
  propose(replica, pending, replica->pending_asked);
  replica->next++;
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
  const struct operation *known = log_known(&replica->log, replica->executed);
  replica->known = replica->busy = known != NULL && known->voter.decided;
}

static bool maybe_execute(struct replica *replica) {
  if (!replica->known)
    return true;
  const struct request request =
      log_command(&replica->log, log_known(&replica->log, replica->executed)->voter.chosen);
  if (!machine_execute(&replica->machine, &request))
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
  if (replica->leading && request.number != 0) {
    struct packet *reply = replica_letter(replica, replica->client, PACKET_REPLY);
    reply->request = request;
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
  if ((unsigned)__builtin_popcount(replica->suspectors) >= replica->quorum &&
      replica->view + 1 < (uint32_t)replica->params.views)
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
