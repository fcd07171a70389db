/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A concrete state of a model. The control part: every node's state variables, the messages that
 * were sent, whether each was received, and the occurrences that were charged. The timed part, of a
 * world made with a valuation: clocks, arrival times and state variables of type TIME of the nodes,
 * the start of the latest step, and when each message was sent and is delivered; exact, ns.
 *
 * Invariant: `messages` and `charges` are sorted (by id of message or component, then by fields or
 * indices) without duplicates, so that equal control parts are equal arrays. Of a world with an
 * index, which long executions have, they are in the order of sending and charging instead.
 *
 * A world owns what it points to and refers to its interpreter.
 */
#ifndef SOLVER_JUDGE_WORLD_H
#define SOLVER_JUDGE_WORLD_H

#include "solver/judge/interpreter.h"

struct text;
struct valuation;
struct world_index; /* solver/judge/world_index.h */

struct world_message {
  const struct message *message;
  int64_t fields[INDEX_COUNT_MAX]; /* zero beyond the message's fields */
  int64_t receiver;
  bool received; /* or lost: pending no more */
  bool lost;
  size_t order;   /* among the messages sent so far; equal for those of one statement. Part of
                   * control only as far as pending messages of one FIFO channel are ordered by it */
  size_t sent_by; /* the number of the sending step, no part of control */
  struct rational sent_at, delivered; /* initialised in a timed world; while its delay is asked for
                                       * `delivered` is when it leaves */
  struct rational paced;              /* the same; 0 without a pacer */
};

struct world_charge {
  const struct component *component;
  const struct occurrence *occurrence;
};

struct world {
  struct interpreter *interpreter;
  bool timed;
  size_t step_count; /* taken since the start, no part of control */
  size_t next_order; /* larger than the order of every message */
  int64_t *cells;    /* interpreter->cell_count */
  VECTOR(struct world_message) messages;
  VECTOR(struct world_charge) charges;
  struct rational *clocks, *arrivals; /* by interpreter_node; NULL unless timed */
  struct rational *times;             /* interpreter->time_count; NULL unless timed */
  struct rational now;                /* initialised in a timed world */
  struct world_index *index;          /* owned, or NULL */
};

/* Whether the invariant holds, every number is in the range that it indexes, and what is kept in a
 * message beyond its fields is 0. */
bool world_is_valid(const struct world *world);

/* The initial state: timed, with a valuation (of constants); untimed, with NULL. */
struct world *world_new(struct interpreter *interpreter, const struct valuation *valuation);
struct world *world_copy(const struct world *world); /* has no index, as those that follow */
void world_free(struct world *world);

/* The message with this identity, or NULL. */
struct world_message *world_message(const struct world *world, const struct message *message,
                                    const int64_t *fields);
bool world_charged(const struct world *world, const struct component *component,
                   const int64_t *indices);

/* Whether a pending message sent earlier on the same FIFO channel must be received before. */
bool world_blocked(const struct world *world, const struct world_message *message);

/* The next pending message that is not blocked, by id of message and by fields; NULL: no more.
 * One that no action receives or loses may be left out. *cursor is 0 before the first, and no
 * message may be added or received on the way. */
const struct world_message *world_next_ready(const struct world *world, size_t *cursor);

/* Adds what is not there yet (a bug otherwise). The times of a new message are 0, its order is
 * next_order. */
struct world_message *world_add_message(struct world *world, const struct message *message,
                                        const int64_t *fields, int64_t receiver);
void world_add_charge(struct world *world, const struct component *component,
                      const struct occurrence *occurrence);

/* The first cell of a state variable at a node: the keys of a map follow one another. One of type
 * TIME has a world_time instead. */
int64_t *world_cell(const struct world *world, const struct state *state, int64_t node);
struct rational *world_time(const struct world *world, const struct state *state, int64_t node);
struct rational *world_clock(const struct world *world, const struct role *role, int64_t node);
struct rational *world_arrival(const struct world *world, const struct role *role, int64_t node);

/* Appends a byte string that two worlds share exactly when their control parts are equal. */
void world_pack(struct text *key, const struct world *world);

/* The untimed world with the control part that world_pack wrote; step numbers are lost. */
struct world *world_unpack(struct interpreter *interpreter, const char *key, size_t length);

bool world_equal(const struct world *a, const struct world *b); /* control parts */

/* The least and greatest integer in the world: INT values of states, of messages and of charges,
 * parameters, positions of nodes, and 0. */
void world_integers(const struct world *world, int64_t *least, int64_t *greatest);

#endif
