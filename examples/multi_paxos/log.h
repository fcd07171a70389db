/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replica's window of the replicated log: for each operation the state of its nodes in paxos.tp,
 * which only the generated steps change: its voter, and the leader of the latest view that it
 * leads. Operations are numbered from 0; the window holds LOG_SIZE of them from `start` on, below
 * which all replicas have executed everything.
 *
 * Nothing has been heard of the operations from `end` on but what was said of all. So their nodes
 * are in the same states, and `rest` has those of each.
 *
 * paxos.tp knows commands by their numbers. What they do is kept beside.
 */
#ifndef EXAMPLES_MULTI_PAXOS_LOG_H
#define EXAMPLES_MULTI_PAXOS_LOG_H

#include "examples/multi_paxos/packet.h"
#include "paxos_leader_step.h"
#include "paxos_voter_step.h"

#include <stdbool.h>

enum { LOG_SIZE = 4096, COMMANDS = 2 * LOG_SIZE };

struct operation {
  struct voter voter;
  struct leader leader;
  int32_t view; /* that of the leader; -1: this replica has led none */
};

struct log {
  uint64_t start, end;
  struct operation rest;
  struct operation operations[LOG_SIZE]; /* of the operations start .. end - 1 */
  struct request commands[COMMANDS];     /* the latest of those with the same remainder */
};

/* An operation below `end`; NULL when it is not in the window. */
struct operation *log_known(struct log *log, uint64_t operation);

/* Any operation: `end` is beyond it afterwards. NULL when it is not in the window. */
struct operation *log_operation(struct log *log, uint64_t operation);

/* Forgets the operations below `start`. */
void log_truncate(struct log *log, uint64_t start);

/* Whether some operation from `from` on, voted for or heard of, is the command of this number. */
bool log_has(struct log *log, uint64_t from, int32_t command);

/* The command of this number is this one. One that does something is executed before the command
 * COMMANDS later comes up, since a client asks one after another. */
void log_keep(struct log *log, const struct request *command);
struct request log_command(const struct log *log, int32_t number);

#endif
