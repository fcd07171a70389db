/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A search for an execution in which a system would go on and the model does not (lang/model.h):
 *
 *   deferred  a message is there when a step of its receiver starts, no guard lets it be taken, and
 *             that step makes it takeable
 *   again     a node takes steps that take no time and must be taken, until all is as it was before
 *             them: so it takes them for ever
 *   limited   a step that must be taken may not be, as it would send a message sooner than the
 *             arrivals of that kind allow
 *
 * Random executions with times, the shortest that was found; the result was replayed.
 */
#ifndef SOLVER_SEARCH_STALL_H
#define SOLVER_SEARCH_STALL_H

#include "solver/judge/replay.h"
#include "solver/judge/valuation.h"

struct hunt_options;

enum stall_kind { STALL_DEFERRED, STALL_AGAIN, STALL_LIMITED };

struct stall_wanted {
  enum stall_kind kind;
  const struct message *message;       /* DEFERRED: of this kind */
  const struct action *const *actions; /* AGAIN: all steps are of these; LIMITED: the step is */
  size_t action_count;
};

/* Owns its parts. */
struct stall {
  bool found;
  const struct message *message; /* DEFERRED: which one */
  int64_t fields[INDEX_COUNT_MAX];
  struct rational delivered; /* DEFERRED: of the message; the others: the moment; in ns */
  step_vector steps;         /* up to the one that makes it takeable, or that makes all as it was;
                              * LIMITED: before the one that may not be taken */
  size_t round;              /* AGAIN: so many of the last steps are the round */
  struct step refused;       /* LIMITED: the step */
  struct values values;      /* of the occurrences */
  struct replay replay;      /* of steps and values */
  size_t work;               /* steps considered */
};

void stall_init(struct stall *stall, struct interpreter *interpreter);
void stall_clear(struct stall *stall);

/* `stall` is initialised by the caller and used once. */
void stall_find(struct stall *stall, struct interpreter *interpreter,
                const struct stall_wanted *wanted, const struct hunt_options *options);

#endif
