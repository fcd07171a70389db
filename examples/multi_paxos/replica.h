/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replica of Multi-Paxos: its state, and what it does in each of the ten slots of its loop (those
 * of IronRSL). What becomes which operation the steps decide that are generated of paxos.tp; here
 * is what that file leaves to its program: when a view begins, and what is asked for. View v is led
 * by replica v mod n. The functions change the state and fill the outbox; the loop (loop.c) sends
 * it when the slot has ended.
 *
 * A replica that is killed does not come back: nothing is written to disk.
 */
#ifndef EXAMPLES_MULTI_PAXOS_REPLICA_H
#define EXAMPLES_MULTI_PAXOS_REPLICA_H

#include "examples/multi_paxos/log.h"
#include "examples/multi_paxos/machine.h"
#include "examples/multi_paxos/slots.h"

enum { OUTBOX_MAX = REPLICAS_MAX * (VOTES_MAX + 2) };

struct letter {
  size_t to;
  struct packet packet;
};

struct replica {
  size_t index, count, client; /* replicas are the nodes 0 .. count - 1; the client's node */
  unsigned quorum;             /* of suspicions */
  uint64_t epoch_ns, heartbeat_ns;

  uint32_t view;
  bool leading;        /* phase 2 of its own view */
  bool new_view;       /* it is to lead this view */
  bool campaigning;    /* phase 1 of its own view, about the operations from adopt_from on; */
  uint64_t adopt_from; /* votes were told of for some up to adopt_end - 1 */
  uint64_t adopt_end;

  struct paxos_params params;
  int32_t self;  /* the index as the steps take it */
  int32_t asked; /* what the steps were asked for: no two have the same number */
  struct log log;
  struct machine machine;
  uint64_t executed;      /* operations */
  uint64_t next;          /* the leader's next operation */
  int32_t proposed;       /* the latest pending request that it has proposed in this view */
  bool known;             /* operation `executed` is decided and to be executed */
  struct request pending; /* the client's latest request that is not executed; 0: none */
  uint64_t pending_asked;
  bool busy; /* the slot just gone through proposed, decided or executed something */

  bool recent, older; /* a request has been pending since this epoch; since an earlier one */
  bool suspects;
  unsigned suspectors; /* of this view, as bits */
  uint64_t epoch_end_ns, next_beat_ns;
  uint64_t peers[REPLICAS_MAX], peers_before[REPLICAS_MAX]; /* what they have executed, as their
                                                             * latest two heartbeats say */
  size_t outbox_count;
  struct letter outbox[OUTBOX_MAX];
};

/* `replica` is all zeros but for history, index, count, client, epoch_ns and heartbeat_ns. */
void replica_start(struct replica *replica, uint64_t now_ns);

/* Slot ProcessPacket with a packet from node `from`. */
void replica_packet(struct replica *replica, const struct packet *packet, size_t from,
                    uint64_t now_ns);

/* Any other slot. False after a complaint. */
bool replica_slot(struct replica *replica, enum slot slot, uint64_t now_ns);

/* For replica.c and packets.c: the beginning of another view; letters; and what a step sends. */
void replica_enter_view(struct replica *replica, uint32_t view, uint64_t now_ns);
struct packet *replica_letter(struct replica *replica, size_t to, enum packet_kind kind);

/* Puts a message of paxos.tp into a letter, about the operation letter->number + place. */
void replica_tell(const struct replica *replica, struct packet *letter, uint32_t place,
                  const struct tp_message *message);

/* What a step of a leader, or of a voter, sends about this operation: 2a; 2b, and answers to who is
 * behind. */
void replica_send_leader(struct replica *replica, const struct leader_sends *out, int32_t view,
                         uint64_t operation, uint64_t asked);
void replica_send_voter(struct replica *replica, const struct voter_sends *out, uint64_t operation,
                        uint64_t asked);

#endif
