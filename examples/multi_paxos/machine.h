/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The replicated state machine: a few numbers that commands add to. A command that comes a second
 * time is answered as it was the first time and changes nothing.
 *
 * What was executed is also written to a history in memory shared with the parent, which outlives
 * the replica and is compared with the others'.
 */
#ifndef EXAMPLES_MULTI_PAXOS_MACHINE_H
#define EXAMPLES_MULTI_PAXOS_MACHINE_H

#include "examples/multi_paxos/packet.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { MACHINE_KEYS = 16, HISTORY_MAX = 1 << 20 };

struct history_entry {
  uint64_t number; /* of the request; 0 for the command that does nothing, and for a repeated one */
  int64_t value;   /* the answer */
};

struct history {
  _Atomic uint64_t count; /* entries that are complete */
  struct history_entry entries[HISTORY_MAX];
};

struct machine {
  int64_t values[MACHINE_KEYS];
  uint64_t latest;      /* the latest request executed: the client asks one after another */
  int64_t latest_value; /* and what it was answered */
  struct history *history;
};

/* False when the history is full. */
bool machine_execute(struct machine *machine, const struct request *request);

/* Holds the histories against each other: each is a beginning of the longest, which has every
 * request up to `answered` once and in order. Tells what it found; false after a complaint. */
bool histories_agree(struct history *const histories[], size_t count, uint64_t answered,
                     const bool killed[]);

#endif
