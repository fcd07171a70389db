/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a node records of its loop: every slot by its name, idle or not; T0, the waits in
 * ProcessPacket that ended without a packet; d and Queuing of all packets: what the published
 * bounds (specs/performal/ironrsl_*.tp) are made of. Slots that had something to do also have names
 * of their own (Decide, Execute, ...). The path of requests is handed on to path.h.
 *
 * One clock reading ends a slot and begins the next.
 */
#ifndef EXAMPLES_MULTI_PAXOS_TRACE_H
#define EXAMPLES_MULTI_PAXOS_TRACE_H

#include "examples/multi_paxos/path.h"

/* What a replica does in slots that have something to do, as specs/multi_paxos.tp names it. */
enum deed {
  DEED_TAKE_REQUEST,
  DEED_TAKE_PROPOSE,
  DEED_COUNT,
  DEED_PROPOSE_ALL,
  DEED_DECIDE,
  DEED_EXECUTE,
  DEEDS,
};

struct trace_options {
  const char *loop_folder;
  struct path_options path;
};

struct trace {
  struct tailproof_store *store;
  struct tailproof_writer *loop;
  struct path *path;
  int slots[SLOTS], deeds[DEEDS], timeout, delay, queueing, fail_over;
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
                uint64_t end);

/* A packet leaves at packet->sent; its stamp is filled in. */
void trace_send(struct trace *trace, struct packet *packet, size_t to);

/* The client's: the request was made; the reply has arrived, after a fail-over or not. */
void trace_asked(struct trace *trace, const struct packet *packet);
void trace_answered(struct trace *trace, const struct packet *packet, uint64_t asked,
                    uint64_t arrived, bool failed_over);

#endif
