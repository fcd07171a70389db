/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Walking an execution with a solver term for every time: clocks, arrivals, `now`, state variables
 * of type TIME, deliveries and every choice of an occurrence. Control is the interpreter's untimed
 * world; only what compares times becomes a formula. Shared by solver/search/attack*.c.
 */
#ifndef SOLVER_SEARCH_ATTACK_WALK_H
#define SOLVER_SEARCH_ATTACK_WALK_H

#include "solver/encode/encode.h"
#include "solver/judge/evaluate.h"
#include "solver/judge/replay.h"
#include "solver/search/explore.h"

struct attack_solver;
struct values;

struct arrival {
  const struct occurrence *delay; /* identifies the message */
  const struct message *message;
  int64_t fields[INDEX_COUNT_MAX];
  smt_term end, delivered, paced; /* paced: NULL without a pacer */
};

struct chosen {
  const struct occurrence *occurrence;
  smt_term term;
  bool is_read;
};

struct attack {
  struct interpreter *interpreter;
  bool is_own; /* the smt is of this execution alone */
  struct encoder encoder;
  struct smt *smt;
  struct world *world;           /* untimed, before the step at hand */
  smt_term *clocks, *waited_for; /* by interpreter_node: clock and arrival time */
  smt_term *times;               /* by interpreter->time_offsets */
  smt_term now;
  smt_term read;         /* the clock read of the step at hand, or NULL */
  const int64_t *powers; /* the values of the powers that are read next, in a state that the world
                          * has left behind; NULL: they are those of the world */
  VECTOR(struct arrival) arrivals;
  VECTOR(struct chosen) chosen; /* every occurrence of the execution */
  bool lost;                    /* something cannot be said in linear arithmetic */
};

/* attack_term.c: a time of an action, and what must hold of times for a formula of an action to
 * hold, given the world and the bindings in the interpreter's scratch. */
smt_term attack_time(struct attack *a, const struct interpretation *e, const struct term *term);
smt_term attack_residual(struct attack *a, const struct interpretation *e, const struct term *term);

/* The term of a named occurrence. */
smt_term attack_occurrence(struct attack *a, const struct occurrence *o);

/* attack.c: the execution is walked, told to the solver (or NULL: to one of its own), which forgets
 * what it was told before; whether it can be told in linear arithmetic and the bound's event has
 * happened at its end. attack_close, in any case. */
bool attack_open(struct attack *a, struct interpreter *interpreter, const struct bound *bound,
                 const struct path *path, struct attack_solver *solver);
void attack_close(struct attack *a);

/* The time of the bound's event, or NULL when it cannot be told from the text of the bound. */
smt_term attack_event_time(struct attack *a, const struct bound *bound);

/* Asserts the assumptions and the axioms on everything encoded so far. */
void attack_assume(struct attack *a);
/* That every occurrence in `chosen` but clock reads takes at least attack_one, 1 ns. */
smt_term attack_takes_time(struct attack *a);
smt_term attack_one(struct attack *a);

/* Asks for values of what is asserted. attack_read, after SMT_SAT: those of every occurrence in
 * `chosen` and of every bare name. */
enum smt_answer attack_try(struct attack *a);
/* The same with as much effort as so many questions may take together, for one that stands for
 * these. */
enum smt_answer attack_try_many(struct attack *a, size_t count);
void attack_read(struct attack *a, struct values *values);

/* attack_walk.c: the world before the first step; one step, which is taken; false when control does
 * not allow it. */
void attack_begin(struct attack *a);
bool attack_step(struct attack *a, const struct step *step);

#endif
