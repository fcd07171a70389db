/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why an event came when it did: the chain of steps and messages behind it in one execution, found
 * by walking back from the event. A step started when it did because of what it waited for last:
 * its message, its own clock, a timeout or a timer.
 */
#ifndef SOLVER_TELL_CHAIN_H
#define SOLVER_TELL_CHAIN_H

#include "base/rational.h"
#include "base/vector.h"

struct bound;
struct replay;

/* One piece of time: from where the one before it ended, to `until`. Owns its texts. */
struct domino {
  char *what; /* "backup[1] does Handle on Request(1)" */
  char *adds; /* the occurrences that take the time, "BackupRequest[1]"; or "" */
  struct rational amount, until;
};

typedef VECTOR(struct domino) domino_vector;

/* Fills the empty chain, earliest first; it stays empty when the event is in the first state.
 * `replay` has times and ends with the bound's event. */
void chain_init(domino_vector *chain, const struct replay *replay, const struct bound *bound);
void chain_clear(domino_vector *chain);

#endif
