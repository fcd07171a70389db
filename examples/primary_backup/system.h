/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A primary that sends each request of its client to all backups and replies when all have
 * acknowledged: the system that specs/primary_backup.tp describes. One request is one execution of
 * the protocol (an `instance`). Each node is a process with one thread.
 *
 * A step that a message starts begins when the node was free and the message was there, whichever
 * was later, by the very clock readings that ended those two; so each instant between the start of
 * Broadcast and the sending of Reply belongs to one part.
 *
 * A backup also tidies up when a timer of its own says so, whatever requests are doing: that is why
 * a request may have to wait. A shared word tells it which request is in progress, so that the step
 * is recorded as a part of that execution. Nothing else depends on that word.
 */
#ifndef EXAMPLES_PRIMARY_BACKUP_SYSTEM_H
#define EXAMPLES_PRIMARY_BACKUP_SYSTEM_H

#include "examples/common/endpoint.h"
#include "examples/common/folder.h"
#include "examples/common/gate.h"
#include "examples/common/network.h"
#include "examples/common/random.h"

enum { BACKUPS_MAX = 8 };

/* The nodes of the network. */
enum { NODE_PRIMARY, NODE_CLIENT, NODE_BACKUPS };

struct system_options {
  struct network_options network;
  uint64_t backups, requests, timeout_s;
  uint64_t pause_us;      /* the client's, between a reply and its next request */
  uint64_t primary_us;    /* mean work of the primary for an acknowledgement; Broadcast: twice */
  uint64_t work_us;       /* mean work of a backup for a request */
  uint64_t tidy_us;       /* mean of a housekeeping */
  uint64_t tidy_every_us; /* mean time from one to the next; 0: never */
  const char *out;
  bool busy; /* backups keep a processor busy instead of sleeping */
};

/* In memory that all processes share. */
struct system_board {
  struct gate gate;
  atomic_uint request; /* in progress; 0 before the first */
  uint64_t elapsed_ns; /* of all requests, by the client's watch */
};

struct system {
  const struct system_options *options;
  struct run_folder folder;
  struct network network;
  struct system_board *board;
};

enum packet_kind { PACKET_ASK, PACKET_REQUEST, PACKET_ACK, PACKET_REPLY };

/* All nodes run on one host: no byte order to agree on. */
struct packet {
  uint32_t kind, request;
  int32_t backup; /* of Request and Ack; else 0 */
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
};

/* Reads a datagram as a packet; false for another size. */
bool packet_read(struct packet *packet, const struct datagram *datagram);

/* Half to one and a half times the mean, drawn uniformly, on CLOCK_MONOTONIC from now. */
uint64_t work_until(struct random *random, uint64_t mean_us);

/* Records that a message arrived and waited until `start`, with its delay; false after a
 * complaint that names the node. */
bool arrival_record(struct tailproof_writer *writer, const char *node, int name,
                    const struct packet *packet, bool with_backup, uint64_t arrived,
                    uint64_t start);

/* The processes: return exit codes. The context of the primary and the client is the struct
 * system. */
int primary_run(void *context);
int client_run(void *context);

struct backup_start {
  struct system *system;
  size_t index;
};

int backup_run(void *context); /* a struct backup_start */

#endif
