/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One execution of a protocol as machines would have it, with times from outside. The interpreter
 * (solver/judge) takes every step and checks it against all rules; what is decided here is which of
 * the allowed steps a machine takes, and when:
 *
 *   a node does one step at a time, and never rests while there is something it can do;
 *   it takes the message that was delivered first, of those it can take with the highest priority;
 *   a timer fires when it is due, what a node may do unasked it does at once;
 *   an action with a timeout waits for a time of its own, drawn anew after each step of its node;
 *   what could happen at the same moment happens in random order, idle steps of a loop last;
 *   the clock is read when a step begins, or, where the guards do not hold then, when it ends;
 *   a FIFO channel delivers in the order of sending: what comes too soon is held back, in d(m);
 *   whether a message that may be lost is so, a die says, as long as the file allows another loss.
 *
 * Steps are taken in the order of their starts, so that each message is there when it should be. A
 * wait Queuing(m) is never drawn: it is what the message waited. So the values that are left behind
 * make the execution one of the model, which machines_judge has replayed to see.
 *
 * The arrivals of an open loop are the steps of actions with a timeout that send one message: they
 * begin when the supply says, at whichever node can do it first, the one that rested longest among
 * several. Their timeout is then what passed since the node's last step.
 *
 * Everything is a function of the supply and of `seed`.
 */
#ifndef SOLVER_SIMULATE_MACHINES_H
#define SOLVER_SIMULATE_MACHINES_H

#include "base/random.h"
#include "solver/judge/step.h"
#include "solver/judge/valuation.h"

/* What takes that long, in ns, never ends. */
#define MACHINES_ENDLESS (INT64_C(1) << 60)

struct replay;

struct machines_supply {
  /* The time of an occurrence, or of an execution of a timeout: 0 .. MACHINES_ENDLESS ns. False:
   * none is known, and the execution ends with MACHINES_STOPPED. */
  bool (*draw)(void *context, const struct component *component,
               const struct occurrence *occurrence, int64_t *ns);
  /* What a bare name in a rule of time is worth: a parameter that is a time, the timeout of a
   * schedule; NULL: as for draw. */
  const struct rational *(*bare)(void *context, const struct component *component);
  void *context;
};

enum machines_end {
  MACHINES_DONE,    /* the event of the bound has happened for all that is begun */
  MACHINES_AT_REST, /* no step is left */
  MACHINES_LIMITED, /* steps_max */
  MACHINES_STANDS,  /* no step is left but one that may not be taken, or steps_max and no time has
                     * passed for long: `why` */
  MACHINES_FAULT,   /* a step sends or charges twice, or computes too large a number: `fault` */
  MACHINES_STOPPED, /* the supply has no time */
};

struct machines {
  struct interpreter *interpreter;
  const struct bound *bound;
  const struct machines_supply *supply;
  const struct message *arriving; /* that arrivals send; NULL: none are decided here */
  const int64_t *arrivals_ns;     /* in order */
  size_t arrival_count, arrived;
  size_t requests;  /* of a bound that counts from a message, without arrivals: how many to see */
  uint64_t late_ns; /* how much later than it was to be an arrival was, at most */
  const double *losses; /* by message id: of those that may be lost this share is,
                         * 0 .. 1; NULL: none */
  size_t steps_max;
  struct random random;
  struct values values;
  struct valuation valuation; /* draws what is not there yet */
  step_vector steps;          /* of the execution */
  struct world *world;        /* at its end, until the next */
  char *fault;                /* owned */
  char *why;                  /* of MACHINES_STANDS, owned */
  bool endless;               /* something was to begin that never will: a time is endless */
  /* of the step under way, and of the nodes; private */
  struct rational step_end, now, wait_unknown;
  uint64_t fate;                 /* says which messages are lost */
  int64_t *timeouts;             /* by node * actions + action: drawn, or -1 */
  struct rational *delivered;    /* by sending * nodes + receiving node: latest on a FIFO channel */
  size_t sender, first_happened; /* node; number of steps */
  size_t here;                   /* steps since time has passed */
  struct step held;              /* of the last list of steps: what would have to be taken, and may
                                  * not be, as it would send too soon; no action: none */
  bool stopped;
};

/* Whether an action is an arrival: it waits for a timeout, is of no schedule and sends the message.
 */
bool machines_is_arrival(const struct action *action, const struct message *arriving);

/* `machines` is filled in up to steps_max; the rest is initialised here. */
void machines_init(struct machines *machines);
void machines_clear(struct machines *machines);

/* A new execution from rest. */
enum machines_end machines_run(struct machines *machines, uint64_t seed);

/* Of one choice of the bound's variables that began. */
struct machines_request {
  bool happened;
  int64_t begun_ns, time_ns, limit_ns; /* since time 0; since what the bound counts from; of the
                                        * bound with the times of this execution, rounded up */
};
typedef VECTOR(struct machines_request) machines_requests;

/* Appends what the execution that was run last shows of the bound, in the order of beginning; no
 * more than `requests` of them, unless arrivals were decided here. A
 * bound that counts from time 0 has one request: the latest of the choices of its variables for
 * which the event has happened; the others get twice as many steps as the first took, and 100. */
void machines_show(machines_requests *requests, struct machines *machines);

/* Has the execution replayed by the judge, with the times that it had. */
void machines_judge(struct replay *replay, struct machines *machines);

#endif
