/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A replica's window of the replicated log: for each operation the state of its voter in paxos.tp,
 * which only the generated steps change. Operations are numbered from 0; the window holds LOG_SIZE
 * of them from `start` on, below which all replicas have executed everything.
 *
 * Nothing has been heard of the operations from `end` on but what was said of all. So their voters
 * are all in the same state, and `rest` is that of each.
 *
 * paxos.tp knows commands by their numbers. What they do is kept beside.
 */
#ifndef EXAMPLES_MULTI_PAXOS_LOG_H
#define EXAMPLES_MULTI_PAXOS_LOG_H

#include "examples/multi_paxos/packet.h"
#include "paxos_voter_step.h"

#include <stdbool.h>

enum { LOG_SIZE = 4096, COMMANDS = 2 * LOG_SIZE };

struct log {
  uint64_t start, end;
  struct voter rest;
  struct voter voters[LOG_SIZE];     /* of the operations start .. end - 1 */
  struct request commands[COMMANDS]; /* the latest of those with the same remainder */
};

/* The voter of an operation below `end`; NULL when it is not in the window. */
struct voter *log_known(struct log *log, uint64_t operation);

/* The same of any operation: `end` is beyond it afterwards. NULL when it is not in the window. */
struct voter *log_voter(struct log *log, uint64_t operation);

/* Forgets the operations below `start`. */
void log_truncate(struct log *log, uint64_t start);

/* Whether some operation from `from` on, voted for or heard of, is the command of this number. */
bool log_has(struct log *log, uint64_t from, int32_t command);

/* The command of this number is this one. One that does something is executed before the command
 * COMMANDS later comes up, since a client asks one after another. */
void log_keep(struct log *log, const struct request *command);
struct request log_command(const struct log *log, int32_t number);

#endif
