/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A symbolic state: the unknown state before a step, or the initial state, with the effects of a
 * step laid over it one by one. Reading walks from the newest effect to the oldest, so a part that
 * no effect touches is literally the same solver term before and after: there are no frame axioms.
 *
 * Layers live in the encoder's arena.
 */
#ifndef SOLVER_ENCODE_SYMBOLIC_H
#define SOLVER_ENCODE_SYMBOLIC_H

#include "solver/encode/encode.h"

enum symbolic_kind {
  SYMBOLIC_ANY,     /* an unknown state */
  SYMBOLIC_INITIAL, /* the first state */
  SYMBOLIC_ASSIGN,
  SYMBOLIC_SEND,
  SYMBOLIC_RECEIVE,
  SYMBOLIC_LOSE,
  SYMBOLIC_CHARGE,
  SYMBOLIC_CLOCK,
  SYMBOLIC_ARRIVAL,
  SYMBOLIC_NOW,
};

struct symbolic {
  enum symbolic_kind kind;
  const struct symbolic *before; /* NULL for ANY and INITIAL */
  smt_term guard;                /* the effect happens only then */
  /* ASSIGN: state of node, at key (of a map); the value, or for a set the term for it in `before`
   */
  const struct state *state;
  smt_term node, key, value;
  const struct term *set;
  struct variable_list free; /* of `set` or `send`; values: what they stood for when that was */
  const smt_term *values;    /* executed */
  /* SEND: the statement; every message it sends is delivered at left + d(message), where left is
   * end unless a pacer holds it. With a pacer: value is when that lets it go. */
  const struct statement *send;
  smt_term end, left;
  /* RECEIVE, LOSE: message with these fields. CHARGE: component with these indices. */
  const struct message *message;
  const struct component *component;
  const smt_term *args;
  /* CHARGE of a batch: all occurrences whose index at place `member` satisfies the predicate; that
   * element of args is NULL. Otherwise the predicate is NULL. */
  smt_function batch;
  size_t member;
  /* CLOCK, ARRIVAL: the clock (arrival time) of node of role becomes value. NOW: now becomes value
   */
  const struct role *role;
};

/* The set of an assignment is encoded later than the assignment; by then the environment may hold
 * other values for its variables. Between these two calls the environment has the assignment's own
 * values. The first returns what the second puts back. */
smt_term *symbolic_enter_set(struct encoder *encoder, const struct symbolic *assignment);
void symbolic_leave_set(struct encoder *encoder, const struct symbolic *assignment,
                        const smt_term *saved);

const struct symbolic *symbolic_any(struct encoder *encoder);
const struct symbolic *symbolic_initial(struct encoder *encoder);

/* Whether the layer has what its kind needs, and every variable of its terms a value. */
bool symbolic_is_valid(const struct symbolic *layer);

/* A copy of the layer in the encoder's arena, with what the variables of its terms stand for; a bug
 * unless it is valid. */
const struct symbolic *symbolic_push(struct encoder *encoder, struct symbolic layer);

smt_term symbolic_read(struct encoder *encoder, const struct symbolic *at,
                       const struct state *state, smt_term node); /* scalars */
smt_term symbolic_member(struct encoder *encoder, const struct symbolic *at,
                         const struct state *state, smt_term node, smt_term element);
smt_term symbolic_get(struct encoder *encoder, const struct symbolic *at, const struct state *state,
                      smt_term node, smt_term key);
smt_term symbolic_sent(struct encoder *encoder, const struct symbolic *at,
                       const struct message *message, const smt_term *fields);
/* Received or lost; and lost (then gone). */
smt_term symbolic_gone(struct encoder *encoder, const struct symbolic *at,
                       const struct message *message, const smt_term *fields);
smt_term symbolic_lost(struct encoder *encoder, const struct symbolic *at,
                       const struct message *message, const smt_term *fields);
smt_term symbolic_delivery(struct encoder *encoder, const struct symbolic *at,
                           const struct message *message, const smt_term *fields);
smt_term symbolic_paced(struct encoder *encoder, const struct symbolic *at,
                        const struct message *message, const smt_term *fields);
/* The end of the step that sent it: of a message that a pacer holds. */
smt_term symbolic_handed(struct encoder *encoder, const struct symbolic *at,
                         const struct message *message, const smt_term *fields);
smt_term symbolic_receiver(struct encoder *encoder, const struct symbolic *at,
                           const struct message *message, const smt_term *fields);
smt_term symbolic_charged(struct encoder *encoder, const struct symbolic *at,
                          const struct component *component, const smt_term *indices);
smt_term symbolic_clock(struct encoder *encoder, const struct symbolic *at, const struct role *role,
                        smt_term node);
smt_term symbolic_arrival(struct encoder *encoder, const struct symbolic *at,
                          const struct role *role, smt_term node);
smt_term symbolic_now(struct encoder *encoder, const struct symbolic *at);

/* FIFO messages: how many FIFO send statements were executed (or passed over) in all, and before
 * the one that sent the message (meaningful once sent). */
smt_term symbolic_fifo_count(struct encoder *encoder, const struct symbolic *at);
smt_term symbolic_order(struct encoder *encoder, const struct symbolic *at,
                        const struct message *message, const smt_term *fields);

#endif
