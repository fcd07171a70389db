/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A primary that sends each request of its client to all backups and replies when all have
 * acknowledged: the system that specs/primary_backup.tp describes. One request is one execution of
 * the protocol (an `instance`). Each node is a process with one thread: the proved steps that
 * `tailproof generate` makes of that file, in their loop (steps/loop/tp_loop.h), over the network
 * of the examples. What is written here by hand is what the protocol does not have: when a client
 * asks, how long a step works, and when a backup tidies up.
 *
 * A step that a message starts begins when the node was free and the message was there, whichever
 * was later, by the very clock readings that ended those two; so each instant between the start of
 * Broadcast and the sending of Reply belongs to one part.
 *
 * A backup tidies up when a timer of its own says so, whatever requests are doing: that is why a
 * request may have to wait. A shared word tells it which request is in progress, so that the step
 * is recorded as a part of that execution. Nothing else depends on that word.
 */
#ifndef EXAMPLES_PRIMARY_BACKUP_SYSTEM_H
#define EXAMPLES_PRIMARY_BACKUP_SYSTEM_H

#include "examples/common/endpoint.h"
#include "examples/common/folder.h"
#include "examples/common/gate.h"
#include "examples/common/network.h"
#include "examples/common/random.h"
#include "tp_loop.h"

enum { BACKUPS_MAX = 8 };

/* The nodes of the network, as the loop numbers those of the protocol; behind the backups the
 * client. */
enum { NODE_PRIMARY, NODE_BACKUPS };

struct system_options {
  struct network_options network;
  uint64_t backups, requests, timeout_s;
  uint64_t pause_us;      /* the client's, between a reply and its next request */
  uint64_t every_us;      /* mean time between requests that fall due; 0: they follow replies */
  uint64_t primary_us;    /* mean work of the primary for an acknowledgement; Broadcast: twice */
  uint64_t work_us;       /* mean work of a backup for a request */
  uint64_t tidy_us;       /* mean of a housekeeping */
  uint64_t tidy_every_us; /* mean time from one to the next; 0: never */
  const char *out;
  bool steady; /* requests fall due at equal times, not as a Poisson process */
  bool busy;   /* backups keep a processor busy instead of sleeping */
};

/* In memory that all processes share. */
struct system_board {
  struct gate gate;
  atomic_uint request;   /* in progress; 0 before the first */
  uint64_t elapsed_ns;   /* of all requests, by the client's watch */
  atomic_ullong ignored; /* datagrams that were no message of the run */
};

struct system {
  const struct system_options *options;
  struct run_folder folder;
  struct network network;
  struct system_board *board;
};

/* What a client asks with; the request's way to the primary is no part of the protocol. All nodes
 * run on one host: no byte order to agree on. */
struct ask {
  uint32_t word, request;
};

enum { ASK_WORD = 0x6b7361 };

static inline size_t node_client(const struct system *system) {
  return NODE_BACKUPS + (size_t)system->options->backups;
}

/* A process of the system: its loop, and what the loop runs on. */
struct participant {
  const struct system *system;
  const struct system_options *options;
  char name[32]; /* "backup[2]" */
  size_t number; /* in the network */
  struct random random;
  struct endpoint endpoint;
  struct tailproof_store *store;
  struct tp_port port;
  struct tp_loop loop;
};

/* A store for so many records, not yet with a writer. False after a complaint. */
bool participant_init(struct participant *participant, const struct system *system, size_t number,
                      const char *name, uint64_t records);

/* The loop around the steps of a role, over the participant's endpoint. `work` takes the time of
 * its steps, or is NULL; its context is the participant. False after a complaint. */
bool participant_open(struct participant *participant, const struct tp_role *role, void *node,
                      bool (*work)(void *participant, int32_t action));

/* A turn of the loop. A message whose delay is not known breaks it, after a complaint. */
enum tp_turn participant_turn(struct participant *participant, int64_t wait_ns);

/* Ends the loop; whether all is well, as `good` says it was until now. Returns an exit code. */
int participant_close(struct participant *participant, bool good);

/* Works for half to one and a half times the mean, drawn uniformly. False after a complaint. */
bool participant_work(struct participant *participant, uint64_t mean_us, enum work_kind kind);

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
