/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a recorded run is an execution of a protocol. A recording is given request by request (an
 * `instance`: one execution of the protocol from its initial state), as events with exact integer
 * times in nanoseconds of one clock; where they come from (stores, hosts) is not known here.
 *
 * The argument. The recorded steps are taken, in the order of their starts, by the interpreter
 * (solver/judge), with the recorded values as the values of the occurrences: time 0 is the start of
 * the first step (or of the request, or the recorded beginning, where that is earlier); a cost is
 * its step's end - start; d(m) is arrival - sending; Queuing(m) is the start of the step that
 * receives m - m's arrival; an execution of a timeout is what passes between the end of a node's
 * step and the start of the next. Each step must be enabled, start when the model says, that is at
 * max(end of the node's step before, arrival of its message, timer), send exactly the messages that
 * were recorded, and obey the timing model. So an accepted run *is* an execution of the model,
 * every recorded moment is that of the model, and what was proved of all executions, with any
 * values of the occurrences, holds of this one. The inequality of each bound is evaluated as well,
 * at the recorded values.
 *
 * Where a recording may differ from that, each time counted:
 *  - a step that starts up to `slack_ns` earlier or later than the model says: the model's step
 *    starts when it must and ends when the recorded one ended; the sum of these differences in the
 *    instance is given to each bound as tolerance.
 *  - a step without message, timeout and timer that starts later still, when all its costs are of
 *    components that no judged bound and no assumption mentions: the time before it is counted as
 *    part of its cost, which changes no bound.
 *  - a receive that starts later still, in a protocol with a queueing term: the node is taken to
 *    have been busy with something that the file leaves out. Queuing(m) covers the time, but the
 *    proof knows no such step: for these the evaluated inequality is the only evidence.
 *  - a message sent before the end of its step, when it arrives after that end: in the model it is
 *    sent at the end and takes less long. Its recorded delay, which is larger, is its value in
 *    bounds.
 *  - a message with a pacer (`paced`) that leaves later than that lets it: in the model it leaves
 * in time, and d(m) counts since then. None leaves sooner. Everything else is a misfit. A message
 * that may be lost (`loses K`) and is neither received nor recorded to have arrived is taken for
 * lost, of more than K of them those sent first. A message that is never received else is pending
 * for ever; in the eager model its delay and wait are then as long as the instance, the least that
 * fits. A node without further steps takes none: it has crashed, or is done.
 *
 * Bare names are worth the largest value of their component in the instance, the least constant
 * that the theorem holds for; parameters that are times have the value given.
 *
 * Without times (`timed` false: the clocks of the recording cannot be compared) steps are ordered
 * by causality and by the order of each node alone; bounds and assumptions are not judged.
 *
 * Not thread-safe: one checker for each thread, with an interpreter of its own.
 */
#ifndef SOLVER_CONFORM_CONFORM_H
#define SOLVER_CONFORM_CONFORM_H

#include "solver/judge/interpreter.h"

#define CONFORM_ARGUMENTS 7

enum conform_kind {
  CONFORM_STEP,    /* `action`, start .. end; arguments: the fields of the message received,
                    * what the step chooses, then, of an action that reads its clock, optionally the
                    * reading in ns after `start`    (without it: `start`, or, where that does not fit,
                    * `end`) */
  CONFORM_SEND,    /* `message`, start == end: when; arguments: its fields, then optionally the
                    * receiver */
  CONFORM_ARRIVAL, /* `message` at its receiver, end: when; start: when it was sent, unless
                    * `sending_unknown`; arguments as of SEND */
  CONFORM_WAIT,    /* `message` at its receiver, from its arrival to the step that receives it */
  CONFORM_PART,    /* `component`, an occurrence inside a step; arguments: its indices. Needed only
                    * for steps that charge more than one cost, where a repeated component needs
                    * none: it takes the rest. Several such executions in one step need one each,
                    * and are taken in the order in which they were recorded. One that no step charges
                    * does not fit, or the    component's series would hold what is no occurrence */
  CONFORM_REQUEST, /* `text`, its name; start .. end as users see it: the instance is complete */
  CONFORM_BEGINNING, /* start == end: the instance began no later */
  CONFORM_FOREIGN,   /* `text`: something the protocol does not have, and why, for people */
};

struct conform_event {
  union {
    const struct action *action;
    const struct message *message;
    const struct component *component;
    const char *text;
  } what;
  const struct role *role; /* the acting node: its role, NULL of a node the protocol lacks */
  int64_t start, end;      /* ns, start <= end */
  uint64_t position;       /* with `source`: where it was recorded. Orders events of equal times */
  uint32_t source;
  uint32_t instance;
  int32_t node; /* 0 .. nodes of the role - 1 */
  int32_t arguments[CONFORM_ARGUMENTS];
  uint8_t kind, count;  /* enum conform_kind; of arguments */
  bool sending_unknown; /* of an ARRIVAL: `start` is not when it was sent */
};

struct conform_settings {
  const struct rational *const *times; /* by component id: of every COMPONENT_CONSTANT its value */
  const struct bound *const *bounds; /* those judged; each with at most INDEX_COUNT_MAX variables */
  size_t bound_count;
  bool timed;
  int64_t slack_ns;    /* >= 0 */
  int64_t rounding_ns; /* how far a recorded duration may be from the true one: 0 or 1 */
  uint64_t rate_ppb;   /* how far the clock may be from true time, in 10^-9: for constants */
  bool must_complete;  /* an instance without REQUEST is incomplete; else one without an event */
};

/* Of one bound, over all instances so far. */
struct conform_tightness {
  uint64_t happened;         /* instances in which its event happened */
  int64_t time_ns, limit_ns; /* where time / limit was largest; limit rounded down */
  uint32_t instance;
};

struct conform_counts {
  uint64_t complete, incomplete; /* instances that fit */
  uint64_t steps, messages;
  uint64_t lost;       /* of the messages */
  uint64_t tolerated;  /* steps that started early or late, by at most the slack */
  uint64_t counted_in; /* steps that started late; the delay was added to the step's own cost */
  uint64_t covered;    /* steps that started late; the delay was attributed to Queuing(m) */
  int64_t tolerated_ns, counted_in_ns, covered_ns; /* the largest of each */
};

enum conform_verdict {
  CONFORM_FITS,
  CONFORM_INCOMPLETE, /* what there is fits */
  CONFORM_LACKS,      /* something is missing that should have been recorded before */
  CONFORM_MISFIT,
};

struct conform;

/* The settings are copied, what they point to is not; the interpreter and they must outlive it. */
struct conform *conform_new(struct interpreter *interpreter,
                            const struct conform_settings *settings);
void conform_free(struct conform *conform);

/* Checks one instance: all its events, in any order, `count` > 0. */
enum conform_verdict conform_instance(struct conform *conform, const struct conform_event *events,
                                      size_t count);

/* Of the instances that fitted. `tightness` by the order of the settings' bounds. */
const struct conform_counts *conform_counts(const struct conform *conform);
const struct conform_tightness *conform_tightness(const struct conform *conform);

/* What is known of a value. */
enum conform_value {
  CONFORM_MEASURED, /* it is this */
  CONFORM_LEAST,    /* the wait of a message that no step received: at least this */
  CONFORM_ENDLESS,  /* the delay of a message that did not arrive */
};

/* Calls `visit` with each occurrence that got a value in the instance judged last, up to where it
 * was judged, in ns; not with executions without a name (of repeated components and timeouts). */
void conform_each_value(const struct conform *conform,
                        void (*visit)(void *context, const struct occurrence *occurrence,
                                      int64_t ns, enum conform_value what),
                        void *context);

/* After LACKS and MISFIT: the first event that does not fit, in the order of time; what is wrong
 * with it, one sentence without its subject's place; and the steps that the model allowed that node
 * then, one a line ("" when that is not the point). Valid until the next instance. */
const struct conform_event *conform_culprit(const struct conform *conform);
const char *conform_reason(const struct conform *conform);
const char *conform_allowed(const struct conform *conform);

/* After MISFIT: the time of no component that the culprit, a step, comes too late by, or takes too
 * long by; ns 0: its fault is another one. */
struct conform_gap {
  int64_t ns;
  bool inside;                       /* it takes too long */
  const struct conform_event *after; /* too late after the end of this step of its node; NULL: after
                                      * its message or timer, or time 0 */
};
struct conform_gap conform_gap(const struct conform *conform);

/* Start of the instance judged last: its time 0. */
int64_t conform_origin(const struct conform *conform);

/* Appends "backup[1].Handle on Request(1)", "Ack(2)", "the request round". */
void conform_print_event(struct text *text, const struct conform_event *event);

#endif
