/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The path of requests through specs/multi_paxos.tp: each request is an execution of that file, of
 * which a node takes the steps that are generated of it, one after the other as the program comes
 * to them, and records what was taken. What the file does not let happen is not recorded, so that
 * `replay` misses it. What the steps cost and how long messages are under way is measured in the
 * loop (trace.h), where there is more of it.
 *
 * A path that is NULL records nothing.
 */
#ifndef EXAMPLES_MULTI_PAXOS_PATH_H
#define EXAMPLES_MULTI_PAXOS_PATH_H

#include "examples/multi_paxos/packet.h"
#include "examples/multi_paxos/slots.h"

#include <stdbool.h>

enum { PATH_REQUESTS = 64 }; /* of which a node may still hear something */

struct path_options {
  const char *folder; /* NULL: no path */
  uint32_t records;   /* a power of two */
  int32_t failures;
};

struct path;

/* The path of a replica, or of the client, whose number is that of the replicas. Freed by
 * path_close. False after a complaint. */
bool path_open(struct path **path, const struct path_options *options, size_t node);
bool path_close(struct path *path);

/* The client has asked; the answer is there. */
void path_asked(struct path *path, const struct packet *packet);
void path_answered(struct path *path, const struct packet *packet, uint64_t asked,
                   uint64_t arrived);

/* A packet that arrived at `arrived` was taken by a replica; and it has done with it. */
void path_taken(struct path *path, const struct packet *packet, size_t from, uint64_t arrived,
                uint64_t taken);
void path_done(struct path *path, const struct packet *packet, size_t from, uint64_t taken,
               uint64_t end);

/* A slot other than ProcessPacket was gone through, in which the replica proposed, decided or
 * executed something, or not. */
void path_slot(struct path *path, bool busy, uint64_t start, uint64_t end);

/* A packet leaves at packet->sent: its stamp is filled in if it is a message of the latest step. */
void path_sent(struct path *path, struct packet *packet, size_t to);

#endif
