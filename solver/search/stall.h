/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A search for an execution in which a message is deferred (lang/model.h): it is there when a step
 * of its receiver starts, no guard lets it be taken, and that step makes it takeable. Random
 * executions with times, the shortest that was found; the result was replayed.
 */
#ifndef SOLVER_SEARCH_STALL_H
#define SOLVER_SEARCH_STALL_H

#include "solver/judge/replay.h"
#include "solver/judge/valuation.h"

struct hunt_options;

/* Owns its parts. */
struct stall {
  bool found;
  const struct message *message;
  int64_t fields[INDEX_COUNT_MAX];
  struct rational delivered; /* in ns */
  step_vector steps;         /* up to the one that makes it takeable */
  struct values values;      /* of the occurrences */
  struct replay replay;      /* of steps and values */
  size_t work;               /* steps considered */
};

void stall_init(struct stall *stall, struct interpreter *interpreter);
void stall_clear(struct stall *stall);

/* `stall` is initialised by the caller and used once; the message is of the given kind. */
void stall_find(struct stall *stall, struct interpreter *interpreter, const struct message *message,
                const struct hunt_options *options);

#endif
