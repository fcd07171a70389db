/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a node records. Two stores:
 *
 * The loop: every slot by its name, idle or not; T0, the waits in ProcessPacket that ended without
 * a packet; d and Queuing of all packets: what the published bounds (specs/performal/ironrsl_*.tp)
 * are made of. Slots that had something to do also have names of their own (Decide, Execute, ...).
 *
 * The path: the steps and messages of specs/multi_paxos.tp, request by request. What the steps cost
 * and how long messages are under way is measured in the loop, where there is more of it.
 *
 * One clock reading ends a slot and begins the next.
 */
#ifndef EXAMPLES_MULTI_PAXOS_TRACE_H
#define EXAMPLES_MULTI_PAXOS_TRACE_H

#include "examples/multi_paxos/replica.h"

enum { TRACE_REQUESTS = 64 }; /* requests of which a node may still hear something */

enum message { MESSAGE_REQUEST, MESSAGE_PROPOSE, MESSAGE_ACCEPTED, MESSAGE_REPLY, MESSAGES };

enum action {
  ACTION_LOOP,
  ACTION_ON_REQUEST,
  ACTION_ENTER_NEW_VIEW,
  ACTION_ENTER_PHASE_2,
  ACTION_PROPOSE,
  ACTION_ON_PROPOSE,
  ACTION_ON_ACCEPTED,
  ACTION_STAY_IN_VIEW,
  ACTION_STAY_IN_PHASE_2,
  ACTION_PROPOSE_NOTHING,
  ACTION_TRUNCATE_LOG,
  ACTION_DECIDE,
  ACTION_EXECUTE,
  ACTION_ASK, /* the client's */
  ACTIONS,
  ACTION_NONE = -1,
};

struct trace_options {
  const char *loop_folder, *path_folder; /* path_folder NULL: the path is not recorded */
  uint32_t records;                      /* of the path; a power of two */
};

struct trace {
  struct tailproof_store *loop_store, *path_store;
  struct tailproof_writer *loop, *path; /* path may be NULL; then nothing of it is recorded */
  int slots[SLOTS], costs[ACTIONS], timeout, delay, queueing, fail_over; /* of the loop */
  int messages[MESSAGES], actions[ACTIONS], request;                     /* of the path */
  size_t node;
  enum action next;  /* the action of the next slot, where the path goes through it */
  uint32_t instance; /* and its request */
  struct {
    uint32_t instance;
    uint64_t end; /* of this node's latest step for the request */
  } latest[TRACE_REQUESTS];
};

/* False after a complaint. The node is named "replica[i]" or "client". */
bool trace_open(struct trace *trace, const struct trace_options *options, size_t node, bool client);

/* False after a complaint. */
bool trace_close(struct trace *trace);

/* A slot was gone through, in which the replica proposed, decided or executed something, or not; a
 * wait ended without a packet. */
void trace_slot(struct trace *trace, enum slot slot, bool busy, uint64_t start, uint64_t end);
void trace_timeout(struct trace *trace, uint64_t start, uint64_t end);

/* A replica took a packet that arrived at `arrived`; and has done with it. */
void trace_taken(struct trace *trace, const struct packet *packet, size_t from, uint64_t arrived,
                 uint64_t taken);
void trace_done(struct trace *trace, const struct packet *packet, size_t from, uint64_t taken,
                uint64_t end, bool quorum_completed);

/* A packet leaves at packet->sent; its stamp is filled in. */
void trace_send(struct trace *trace, struct packet *packet, size_t to);

/* The client's: the request was made; the reply has arrived, after a fail-over or not. */
void trace_asked(struct trace *trace, const struct packet *packet);
void trace_answered(struct trace *trace, const struct packet *packet, uint64_t asked,
                    uint64_t arrived, bool failed_over);

#endif
