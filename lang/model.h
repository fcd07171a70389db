/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A checked protocol: every name resolved, every term typed. lang/check makes it from the syntax
 * tree; the encoder, the interpreter and the instantiation of bounds read it and change nothing.
 *
 * Everything lives in the model's arena; pointers into it stay valid until model_free. The numbers
 * called `id` index dense arrays of their kind in the model.
 *
 * Meaning. A state gives every node its state variables and its clock (time since the start,
 * initially 0), every message identity whether it was sent and received, its delivery time and its
 * receiver, and every occurrence whether it was charged. A step picks an action, a node of its role
 * and, with `message`, a pending message (sent, not received) whose receiver is that node; for each
 * of its `choices` any value of its domain, without one it cannot be taken. All guards hold in the
 * state before. The statements run in order, each seeing the assignments before it. With tN the
 * node's clock and tM the message's delivery time, a step has
 *
 *     start = tN                     without message, timeout and timer
 *             max(tN, tM)            with a message
 *             tN + u                 with a timeout, u a new execution of it; `at any time` is a
 *                                    timeout that has no name, so that no bound can mention it
 *             max(tN, E)             with a timer E, evaluated in the state before
 *     end   = start + the costs charged = the node's new clock
 *     start <= t <= end              with a clock read t, which guards and assignments may use
 *     every message m sent gets delivery time end + d(m); one that a pacer holds (below) later
 *
 * A receive in a slot of a schedule with a timeout T requires tM <= tN + T (the bare name): the
 * node waits no longer than that, then it goes on with its loop. and the timing model adds:
 *
 *   standard  a receive requires tN <= tM + Queuing(m) (when the protocol declares a queueing term;
 *             otherwise nothing is required).
 *   advanced  messages leave a node's queue in the order of their delivery. A receive of m requires
 *             that no other pending message which its receiver could receive in the state before
 *             (as in eager) was delivered before tM. Every node has an arrival time, initially 0;
 *             a receive requires arrival <= tM, and then arrival = tM. A step with a timeout or
 *             timer that waited (tN < start), and the idle step of a slot that receives with a
 *             timeout, make arrival = start: nothing was there. There is no queueing term. A
 *             schedule receives in one slot.
 *   eager     as standard; and `now`, initially 0, is the start of the latest step: a step requires
 *             now <= start. And no step starts later than tM + Queuing(m) of any pending m (with a
 *             queueing term) that its receiver could receive: for which some action, of which no
 *             guard mentions its clock read, has all its guards hold in the state before, for some
 *             of what it may choose, and waits in its slot until tM. Nor later than max(tN', E) of
 *             any node with such an action on a timer E; tN' is that node's clock.
 *
 * In the eager model a receive of m starts no later than any pending message of a higher priority
 * was delivered that its receiver could receive, as above, in the state before.
 *
 * Every real execution is one of the model. Real is: whenever a node is free it takes, of the
 * messages that are there and that it can take, the one delivered first (in the standard and eager
 * models: any of those with the highest priority); timers fire when they are due; nothing is lost
 * but what `loses` says. Order
 * the steps of such an execution by their starts. A message sent by a step that comes after step b
 * in this order is not delivered before the start of b, as no delivery is before the start of its
 * sending. So whatever was there when b started is pending in the state before b, and b's node
 * passes by a message in one way alone: it could not take it. Such a message is deferred when a
 * later step makes it takeable; it then waits for that step, which is neither the node's being busy
 * nor the order of delivery. Where nothing is deferred, all waiting is for a busy node: Queuing(m)
 * measures just that, and the eager and advanced rules forbid nothing real. That nothing is
 * deferred is an obligation (solver/prove/deferral.h) in the advanced model and wherever there is a
 * queueing term; every bound rests on it. For a message m that actions of role R receive, G says
 * that the guards of one of them hold for some of what it may choose (without those that a schedule
 * added), and for every step b of a node of R:
 *
 *     pending before and after b, time(m) < start of b, not G before and G after    is impossible
 *
 * A guard that the passage of time alone can turn true (t >= E, t the clock read) fails it. A node
 * that goes from step to step without a wait is busy, not free: what a schedule's other slots take,
 * or steps of its own while guards keep it from all that it could wait for, is time that Queuing(m)
 * counts.
 *
 * Time goes on. A real system never stands still; so a model in which its machines would has no
 * executions for what they do then, and what is proved of it would say nothing. Two things could
 * make it stand still: a step that a machine takes at once is none of the model, or steps that take
 * no time follow each other for ever at one moment. That neither can be is an obligation
 * (solver/prove/progress.h), on which every bound rests:
 *
 *   pace      where an action with a message, a timer or a slot can be taken but for limits
 *             on arrivals (below), these let it send. What is sent by a plain step, on a timeout or
 *             at any time may be limited: nobody has to send it then
 *   progress  in the eager model, at no node do steps on timers, of which no guard mentions a clock
 *             read, each charged nothing, follow each other for ever at one moment; in the eager
 *             model with a queueing term, and in the advanced one, no kind of message comes back to
 *             itself through steps that are charged nothing, with delays and waits that are 0
 *
 * A component that is charged counts as nothing only if the assumptions keep it at 0: real steps
 * take some time. A parameter may be 0 unless they say otherwise.
 *
 * A message on a FIFO channel is received only when no message sent before it, by the same node to
 * the same node and also on a FIFO channel, is pending, and so it is with one that is lost; the
 * messages of one step are sent in the order of its statements, and those of one statement at once
 * (in no order). A receiver could receive (above) no message that is not in turn. Such a message is
 * delivered when the channel hands it over, which real channels do in their order: what it waits
 * for those before it is part of d(m). So while one is there, those before it are there, too; that
 * they cannot be taken is no deferral of it, as then it never is taken either.
 *
 * A message M with `arrivals M every T burst B` has a pacer at each node that sends it, with a time
 * `next`, initially 0. A step that ends at `end` may send M only when next <= end + (B - 1)*T; then
 * paced(M) = max(next, end), and next becomes paced(M) + T. This is the generic cell rate algorithm
 * (ITU-T I.371, virtual scheduling): next is its theoretical arrival time, T its increment, and
 * (B - 1)*T its limit. Equally, any number of messages k + B sent by the node one after the other
 * take at least k*T. So paced(M) is when a device would let M go that passes one message every T,
 * and it keeps none for longer than (B - 1)*T. With `jitter J` the limit is J.
 *
 * A message M `paced every T burst B` has such a pacer at each node that sends it, too, with the
 * same `next` and the same paced(M); but no step has to wait for it. It is a device beside the
 * node, a token bucket that is full at first, and what is sent waits there until
 *
 *     released(M) = max(end, next - (B - 1)*T)
 *
 * and leaves then; it is delivered at released(M) + d(M). So messages of the kind leave a node in
 * the order in which they were sent, each as soon as of any k + B that leave one after the other
 * all together take k*T or more. The node goes on at `end`, which is handed(M). For all else M is
 * sent when it is handed over: `sent`, `pending` (what waits for the pacer is pending, with a
 * delivery time that is to come, like what is under way), losses (one that is lost there has had
 * its token), the order of a FIFO channel, and the time that bounds count from or up to. A device
 * that lets M leave later than this is one with a longer d(M). What leaves by a pacer is overtaken
 * by what does not, so on a FIFO channel (between two roles) M is the only kind; then sending and
 * leaving have one order. A pacer forbids no step, so it cannot make time stand still. All that is
 * said above of messages that are delivered, and of real executions, holds of M: its delivery comes
 * no earlier than the end of its step.
 *
 * A message M with `loses K` is received or lost. A loss is a step of no node: no clock moves, no
 * rule of time applies to it, and what is lost is neither pending nor received any more. Every node
 * of M's receiver has a hidden variable losses(M), initially 0, and loses no more than K in all.
 * The checker makes an action of it, `loses`, at the receiver: of it hold the guard losses(M) < K,
 * the assignment losses(M) := losses(M) + 1, and nothing else that is said of actions here. It
 * makes no message one that its receiver could receive but what comes behind on a FIFO channel,
 * and nothing of that was there. So every real execution is one of the model: in that a message is
 * lost at any moment after it was sent; on a FIFO channel, as soon as it is in turn.
 *
 * Occurrences (costs, delays, waits) are non-negative unknown reals, each at most the constant that
 * its bare name stands for. A component without an index has a single occurrence, which is its bare
 * name; a repeated one is executed any number of times, and its executions have no names: each is
 * some real between 0 and the bare name. An identity is sent at most once and a named occurrence
 * charged at most once: a step that would break this is an error of the model, found by the
 * verifier and by the interpreter alike.
 *
 * A family may belong to another one, its owner. Of `role disk[server]` there is one node for each
 * server: disk i is that of server i. Of `role replica[shard, n]` there are n for each shard: those
 * of shard p are p*n .. p*n + n - 1. A side of a message that names a field of the owner, or of
 * what is owned, means the node that belongs to it: TERM_OWNER or TERM_OWNED of the field.
 *
 * A ghost variable influences nothing but ghosts. A schedule gives every node of its role a hidden
 * variable `slot`, initially 0; the checker adds to each action in slot k the guard slot == k and
 * the assignment slot := (k + 1) mod the number of slots, and makes for each slot an idle action
 * with the same cost: in a slot some action of which receives a message, a timeout step (or a plain
 * one, without a timeout in the schedule) that is always enabled; in any other slot one whose guard
 * is that no action of the slot is enabled (all of them reading the same clock value).
 *
 * Phases. The first begins at time 0 in the first state, where its `start` holds (began = 0). Phase
 * P lasts until the first state in which its end has happened; there its end is within
 * began + expression, and the next phase begins in that very state with
 * began' = began + expression, where its `start` holds. The invariants of a phase hold from its
 * start to its end. A bound `by phases` has the end of the last phase as its target.
 */
#ifndef LANG_MODEL_H
#define LANG_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"
#include "lang/term.h"
#include "lang/type.h"

struct schedule;
struct phase;

/* A named integer parameter of the protocol; its constraints are among the assumptions. */
struct param {
  const char *name;
  struct source_span span;
  size_t id;
};

struct role {
  const char *name;
  struct source_span span;
  size_t id;
  const struct term *count; /* of a family: an INT term over parameters; of a single node: NULL.
                             * A node is represented by the integer 0 .. count - 1. */
  const struct role *owner; /* the family that this one belongs to, declared before it; or NULL */
  const struct term *each;  /* how many belong to each node of the owner: an INT term over
                             * parameters, and `count` is the product of both. NULL: one, and
                             * `count` is that of the owner */
  bool external;            /* takes no steps and has no state */
  bool ordered; /* the model uses first, last, next, prev, index or sum on it, or a bound
                 * that is asked for may (lang/check_owner.c) */
};

enum component_kind {
  COMPONENT_STEP,
  COMPONENT_DELAY,
  COMPONENT_QUEUEING,
  COMPONENT_TIMEOUT,  /* always repeated */
  COMPONENT_CONSTANT, /* a parameter that is a time: a bare name without occurrences */
};

struct component {
  const char *name;
  struct source_span span;
  size_t id;
  enum component_kind kind;
  bool repeated;            /* executions have no names; index_count is 0 */
  size_t index_count;       /* of a step; delays and waits are indexed by a message */
  const struct type *index; /* INT or NODE each */
};

struct field {
  const char *name;
  struct source_span span;
  struct type type; /* INT, NODE, ENUM or BOOL */
};

/* How often a message kind leaves its sender: `arrivals M every T burst B` (no step sends it
 * sooner) or `paced every T burst B` (it waits). */
struct pacer {
  struct source_span span;
  bool holds;                   /* `paced` */
  const char *text;             /* as written: "every T burst B" */
  const struct term *every;     /* T: TIME over constants and parameters */
  const struct term *tolerance; /* (B - 1)*T, or the jitter: how long it keeps a message at most */
  const struct state *state;    /* of the sender, hidden: when it lets the next one go at the
                                 * earliest */
};

/* How many messages of a kind are lost: `loses K`. */
struct loss {
  struct source_span span;
  const char *text;          /* as written: "K" */
  const struct term *most;   /* K: INT over parameters, not negative */
  const struct state *state; /* of the receiver, hidden: how many it has missed */
};

struct message {
  const char *name;
  struct source_span span;
  size_t id;
  size_t field_count;
  const struct field *fields;
  const struct role *sender, *receiver;
  int sender_field;   /* which field names the sending node, or one that it belongs to or that
                       * belongs to it; or -1 */
  int receiver_field; /* the same of the receiving node, or -1: then the receiver is the
                       * single node of its role, or (a family) the `to` of the send */
  const struct component *delay;
  const struct pacer *pacer; /* or NULL; then the sender is known from the fields, or single */
  const struct loss *loss;   /* or NULL; then the receiver takes steps */
  int64_t priority;          /* 0 unless said otherwise; larger ones only in the eager model */
  bool fifo; /* then sender and receiver are known from the fields, or single nodes, or `to` */
};

/* A state variable of every node of a role. */
struct state {
  const char *name;
  struct source_span span;
  size_t id;
  const struct role *role;
  struct type type;
  bool ghost;
  bool hidden;                 /* declared by nobody: of a schedule, a pacer or a loss */
  const struct message *loses; /* of a loss: of which message it counts the losses; else NULL */
  const struct variable *self; /* the node, free in `initial` */
  const struct term *initial;  /* of `type`; of a MAP: the element that every key gets first */
};

enum statement_kind { STATEMENT_ASSIGN, STATEMENT_IF, STATEMENT_SEND };

struct block {
  size_t count;
  const struct statement **statements;
};

struct statement {
  enum statement_kind kind;
  struct source_span span;
  /* ASSIGN: state (of the acting node), at `key` when it is a map, else NULL; value */
  const struct state *state;
  const struct term *key, *value;
  /* IF */
  const struct term *condition;
  struct block then_block, else_block;
  /* SEND: message with fields args; `to` when the message's receiver_field is -1 and its receiver
   * a family, else NULL; once for every value of `variables` (each with domain ROLE, SET or RANGE;
   * each is itself one of args, so that the identities differ) */
  const struct message *message;
  size_t arg_count;
  const struct term **args;
  const struct term *to;
  size_t variable_count;
  const struct variable **variables;
};

enum { CHOICES_MAX = 4 };

struct action {
  const char *name; /* "primary.Broadcast" */
  struct source_span span;
  size_t id;
  const struct role *role;
  const struct variable *node;     /* the acting node, domain NONE; also for a single node */
  const struct message *message;   /* received, or NULL */
  const struct variable **fields;  /* message->field_count; a variable may be `node` or occur twice:
                                    * the fields are then equal */
  size_t choice_count;             /* at most CHOICES_MAX; 0 with a schedule */
  const struct variable **choices; /* domain ROLE, SET or RANGE, over the state before, the
                                    * message's fields and the choices before; the step takes any
                                    * values in them */
  const struct component *timeout; /* or NULL; at most one of message, timeout, timer */
  const struct term *timer;        /* or NULL; TIME */
  const struct variable *read;     /* the clock read, TIME, domain NONE; or NULL */
  size_t guard_count;
  const struct term **guards;
  size_t cost_count;
  const struct term **costs;       /* TERM_OCCURRENCE each, over the state before */
  const struct term **conditions;  /* when each cost is charged, over the state before; NULL:
                                    * always, of one or (the array) of all */
  const struct variable **batches; /* each cost is charged once for every value of this variable,
                                    * domain ROLE, SET or RANGE over the state before, which is one
                                    * of its indices and in no other (a repeated one: as many
                                    * executions); NULL: once, of one or (the array) of all */
  struct block body;
  const struct schedule *schedule; /* or NULL; its role's; then `slot` says which slot */
  size_t slot;
  bool idle;  /* made by the checker */
  bool loses; /* the same: the network loses the message instead of its receiver taking it */
};

/* Control depends on clocks through guards alone. Time terms of an action (in comparisons of
 * guards, in timers, in values assigned to states of type TIME) are built from its clock read, own
 * states of type TIME, TERM_TIME, TERM_BARE of constants, + , - , integer literal * time, max, min.
 * All other terms of an action (conditions of `if` and of costs, arguments, keys) are free of
 * times. */

/* A strict round-robin loop of every node of a role. */
struct schedule {
  const struct role *role;
  struct source_span span;
  size_t id, slot_count;
  const struct component **slots;  /* repeated, one per slot, named like it */
  const struct component *timeout; /* or NULL */
  const struct state *state;       /* the hidden `slot`: INT */
};

struct assumption {
  struct source_span span;
  const struct term *formula; /* over parameters and bare names */
  const char *text;           /* as written, on one line */
};

struct invariant {
  const char *name;
  struct source_span span;
  size_t id;
  const struct term *formula;
  bool timing;               /* mentions a time */
  bool hidden;               /* written by nobody: of a pacer or a loss */
  const struct phase *phase; /* or NULL: of the whole execution */
};

enum target_kind {
  TARGET_SENT,      /* `message` with `args` was sent: counts until the end of the sending step */
  TARGET_DELIVERED, /* same, counts until its delivery time */
  TARGET_WHEN,      /* `formula` holds, at clock of `node` */
};

struct bound {
  const char *name;
  struct source_span span;
  size_t id;
  size_t variable_count; /* for all ... (usually none) */
  const struct variable **variables;
  const struct message *from; /* counts from the end of the step that sends this message with
                               * `from_args`; NULL: from time 0 */
  const struct term **from_args;
  enum target_kind target;
  const struct message *message;
  size_t arg_count;
  const struct term **args;
  const struct term *formula, *node;
  const struct term *expression; /* TIME, >= 0, over parameters, occurrences and bare names; of
                                  * times only + , INT * TIME, max, min, sum, kth; with `from` also
                                  * - , and then perhaps below 0; NULL: asked for (`within ?`) */
  bool by_phases;
  const char *target_text, *expression_text; /* as written, on one line each */
};

struct phase {
  const char *name;
  struct source_span span;
  size_t id;
  const struct term *start; /* BOOL, may mention TERM_BEGAN; NULL: true (first phase only) */
  struct bound end;         /* without variables; its expression is never NULL */
};

#define MODEL_LIST(type)                                                                           \
  struct {                                                                                         \
    size_t count;                                                                                  \
    const struct type **items;                                                                     \
  }

enum timing { TIMING_STANDARD, TIMING_ADVANCED, TIMING_EAGER };

struct model {
  const char *name; /* of the protocol */
  enum timing timing;
  MODEL_LIST(param) params;
  MODEL_LIST(assumption) assumptions;
  MODEL_LIST(enumeration) enumerations;
  MODEL_LIST(role) roles;
  MODEL_LIST(component) components;
  MODEL_LIST(message) messages;
  MODEL_LIST(state) states;
  MODEL_LIST(action) actions;
  MODEL_LIST(invariant) invariants;
  MODEL_LIST(bound) bounds;
  MODEL_LIST(schedule) schedules;
  MODEL_LIST(phase) phases;
  const struct component *queueing; /* or NULL */
  const struct component *any_time; /* the timeout of actions `at any time`; NULL: there are none */
  size_t variable_count;
  struct arena arena;
  VECTOR(struct rational *) rationals; /* of TERM_TIME, to clear */
};

void model_free(struct model *model);

#endif
