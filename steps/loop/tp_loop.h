/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loop around the proved steps of one node: receive, decode, dispatch, step, encode, send, and
 * record each of it with libtailproof-measure under the names that `tailproof replay` knows.
 *
 *   tp_loop_open(&loop, &lock_node_role, &node, self, run, &port, store)
 *   tp_loop_begin(&loop, 1)                        the node is in its initial state
 *   while (tp_loop_turn(&loop, wait) == TP_STEPPED)
 *     ...loop.last says which step it was, and when...
 *
 * One turn takes one step: with a message that waits, else of the node's own, else with the next
 * message that comes. FIFO messages are taken as they were sent, also where the network changed
 * their order; behind one that is lost none is, unless the protocol lets it be lost. Where messages
 * have priorities a step reads all that are there before it ends, and of these the most urgent is
 * taken next. A message
 * that no action can take now waits until one can; one that no action of the protocol takes, as
 * those to externals, is delivered: its arrival is recorded.
 *
 * Times. A step starts when the node's step before it has ended and its message is there, whichever
 * is later, and ends at one reading of the clock, at which the delays of what it sends begin. Where
 * the protocol has waits (and is not of the advanced model), a message also waits for the node's
 * step of an earlier instance. So
 * the time of the loop itself is in the recorded parts, and none is outside of them. An action
 * without a cost ends where it starts: what it takes is in the delays of what it sends. A step is
 * recorded before its messages leave, so that none is under way that a killed node has not
 * recorded.
 *
 * An action that reads its clock reads the start of its step. One with a timer starts when that has
 * passed and its node is free: not later, however late the node wakes up for it. The time of an
 * instance begins when the first of its nodes begins; where that matters each node records it with
 * its first step ("instance.begins").
 *
 * An action on a timeout starts when its node has rested so long as the program was told
 * (--set TIMEOUT=NS), since its step before: not later, however late it wakes up. A message that
 * came up to then is taken first. So it is with an idle slot of a schedule. Where what is sent has
 * a limit (`arrivals`), the step starts no earlier than that allows.
 *
 * A message that waits for its pacer (`paced`) is recorded with its step, as sent at the moment at
 * which the pacer lets it leave, and leaves in the first turn after that, between steps: what it is
 * late by is in its delay. tp_loop_flush waits until all have left.
 *
 * An *instance* is one execution of the protocol. A node is in one at a time. The first message of
 * a later one puts it into its initial state; messages of an earlier one are dropped, as a network
 * may lose them. Bytes are refused, counted, and recorded as an occurrence of "refused", unless
 * they are a message of this protocol with these parameters, in this run, from a node that may send
 * it, to this node, for the first time. A node that was killed and started again in the same run is
 * not listened to: it has forgotten its state.
 *
 * One thread. No allocation and no output.
 */
#ifndef TP_LOOP_H
#define TP_LOOP_H

#include "tailproof_measure.h"
#include "tp_message.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TP_PEERS 256   /* nodes of all roles */
#define TP_NAMES 64    /* actions of a role; kinds of messages; components of parts */
#define TP_PARTS 136   /* components of one cost, of a batch for each member */
#define TP_WAITING 256 /* messages that no action can take yet; of more the newest are dropped */
#define TP_AHEAD 64    /* packets that are read before a step ends, where the next may be urgent */
#define TP_HELD 256    /* messages that wait for their pacer; of more the newest are dropped */
#define TP_OUT 256 /* messages of a step that leave together; more leave before it is recorded */
#define TP_PACKET (44 + TP_BYTES + TAILPROOF_STAMP_BYTES)

struct tp_action {
  const char *name;      /* "node.Grant" */
  const char *component; /* "Grant"; NULL: it costs nothing, or several parts, or not always */
};

/* A component that a step charges, with its indices. */
struct tp_part {
  int32_t component; /* of the role's `components` */
  int32_t indices, index[TAILPROOF_ARGUMENTS];
};

/* What a step was. Its parts are the components of its cost, in the order of the file, of an action
 * that charges several, or one under a condition; of others there are none. */
struct tp_taken {
  int32_t action, part_count;
  struct tp_part parts[TP_PARTS];
};

struct tp_kind {
  const char *name, *delay; /* "Transfer", "d" */
  int32_t fields;
  int32_t sender, receiver;             /* roles */
  int32_t sender_field, receiver_field; /* which names the node, or -1 */
  bool names_receiver; /* recorded with its receiver: one of a family that no field names */
  bool taken;          /* some action takes it; else its arrival is all that happens */
  bool fifo;           /* it overtakes no other such message from its sender to its receiver, */
  bool lossy;          /* all of which may be lost */
  int32_t priority;    /* 0 .. priorities of the role; taken before lower ones that are there */
};

struct tp_loop;

/* A role as `tailproof generate --loop` writes it. `node` is its struct ROLE_node. */
struct tp_role {
  const char *protocol;
  const char *const *roles;        /* of the protocol */
  int32_t role_count, role;        /* ours */
  const struct tp_action *actions; /* NULL: an external, which takes no steps */
  const struct tp_kind *kinds;
  int32_t action_count, kind_count;
  const char *const *components; /* of parts */
  int32_t component_count;
  int32_t priorities;   /* of the messages that it takes, beside 0 */
  const char *queueing; /* the component of waits; NULL: nobody is to wait */
  bool advanced;        /* the timing model: a wait is no longer than its protocol explains */
  /* The steps; `act` and `drain` may be NULL. The action is one of the enumeration. part_count is 0
   * before. */
  void (*begin)(void *node);
  bool (*valid)(const void *node, const struct tp_message *m);
  enum tp_verdict (*take)(void *node, const struct tp_message *m, int64_t now,
                          struct tp_taken *taken);
  enum tp_verdict (*act)(void *node, int64_t now, struct tp_taken *taken);
  /* Times, in ns since the instance began: `now` of a step is its start. The earliest timer of an
   * action that is enabled but for it (INT64_MAX: there is none); NULL: the role has no timers. */
  int64_t (*due)(const void *node);
  /* Of a node that has been free since `free`: when the earliest action on a timeout, at any time,
   * or of an idle slot is to start that is enabled (INT64_MAX: none is); and the step, which such
   * an action takes that is to start by `now`. NULL: the role has none. */
  int64_t (*rests)(const void *node, int64_t free);
  enum tp_verdict (*wake)(void *node, int64_t free, int64_t now, struct tp_taken *taken);
  /* The step has ended: limits on the arrivals of what it sends count it. May be NULL. */
  void (*pass)(void *node, int64_t end);
  /* When a message of this kind leaves that a step hands over at `end` (ns since the beginning, as
   * what is returned): no sooner. It counts as sent. NULL: none waits for a pacer. */
  int64_t (*release)(void *node, int32_t kind, int64_t end);
  bool scheduled; /* it has a schedule: `ready` of the port is not asked */
  /* Some action of the protocol has a timer or a timeout, or reads the clock. Then record with
   * TAILPROOF_CLOCK_MONOTONIC, by which all nodes find a time equally long; by counters that each
   * calibrates for itself a timer seems to pass early or late. */
  bool timed;
  bool dated; /* some timer or clock read counts from the beginning of the instance: record that */
  void (*drain)(const void *node, struct tp_loop *loop); /* tp_loop_send for each message */
  /* Parameters: how many nodes a role has (of a single one 1), and a number that differs where
   * parameters do. */
  int32_t (*count)(const void *node, int32_t role);
  uint64_t (*digest)(const void *node);
};

/* What carries bytes. Nodes are numbered through all roles (tp_loop_number). */
struct tp_port {
  void *context;
  /* False: the port is broken. What cannot be delivered now is lost, which is no failure. */
  bool (*send)(void *context, int32_t to, const uint8_t *bytes, size_t size);
  /* Waits up to wait_ns (0: not at all) for bytes. Their number, with the ticks at which they were
   * there; 0: none came; -1: the port is broken, or the node is to stop. */
  int (*receive)(void *context, uint8_t *bytes, size_t size, uint64_t *arrived, int64_t wait_ns);
  /* Whether the node has an address; NULL: all have. */
  bool (*knows)(void *context, int32_t to);
  /* What the program does in a step, such as writing to a disk; may be NULL. False as above. Where
   * the step has parts it calls tp_loop_part between them. */
  bool (*work)(void *context, int32_t action);
  /* Whether the node may take a step of its own now, and since when (ticks, at most now): so a
   * program decides when something happens that the protocol lets happen at any time. NULL: always,
   * and such a step starts when the node is free, or has rested. */
  bool (*ready)(void *context, uint64_t *since);
};

struct tp_waiting {
  struct tp_message message;
  int32_t from;            /* the node that sent it */
  uint32_t number, before; /* among those of its sender; the one before on its channel (0: none) */
  uint64_t arrived;
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
};

/* What a port gave. */
struct tp_bytes {
  int size;
  uint64_t arrived;
  uint8_t bytes[TP_PACKET + 1];
};

struct tp_leaving {
  int32_t to;
  uint8_t packet[TP_PACKET];
};

/* What waits for its pacer. */
struct tp_held {
  struct tp_message message;
  int32_t to;
  uint64_t at;  /* ticks: when it leaves */
  bool missing; /* the next one on its channel was dropped */
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
};

/* A step that was taken, in ticks. */
struct tp_step {
  int32_t action; /* -1: a message was delivered */
  uint64_t start, end;
  uint64_t sent, arrived; /* of the message that it took; sent == arrived: not known, or none */
};

/* The numbers that were received from a node: the latest, and which of the 64 before it. */
struct tp_seen {
  uint32_t latest;
  uint64_t window;
};

/* The FIFO channels with another node, in this instance. */
struct tp_channel {
  uint32_t sent, taken; /* numbers of the latest; 0: none */
  uint64_t arrived;     /* ticks: when that was there which was taken */
};

struct tp_counts {
  uint64_t steps, delivered, refused, repeated, late, full;
};

struct tp_loop {
  const struct tp_role *role;
  void *node;
  const struct tp_port *port;
  struct tailproof_writer *writer; /* NULL: nothing is recorded, and all ticks are 0, but in a role
                                    * that needs the time nanoseconds */
  int32_t self, peers;
  int actions[TP_NAMES], messages[TP_NAMES], components[TP_NAMES], refused, begins;
  uint64_t digest;
  uint32_t instance, sequence;
  uint64_t free;  /* ticks: the end of the last step of this instance; 0: there was none */
  uint64_t busy;  /* ticks: the same of any instance */
  uint64_t began; /* ticks: the beginning of the instance */
  bool started;   /* it is known */
  uint64_t heard; /* ticks: all messages that had come by then are known */
  bool listen;    /* a step, or a choice of a message, waits for more to be known */
  int32_t own;    /* how many own steps may follow before messages are looked for */
  bool look;      /* some message that waits may be enabled now */
  bool broken;
  struct tp_taken taken;        /* the step that is being finished, and */
  int32_t part;                 /* how many of its parts have ended, */
  uint64_t part_ends[TP_PARTS]; /* when (ticks) */
  struct tp_step last;
  struct tp_counts counts;
  struct tp_seen seen[TP_PEERS];
  struct tp_channel channels[TP_PEERS];
  bool met[TP_PEERS];
  int32_t waiting_count, leaving_count, ahead_count, held_count;
  struct tp_waiting waiting[TP_WAITING]; /* in the order of their arrival */
  struct tp_leaving leaving[TP_OUT];
  struct tp_held held[TP_HELD];    /* in the order of their steps */
  struct tp_bytes ahead[TP_AHEAD]; /* read, and not looked at */
};

/* For `due`: the earlier of two times. */
static inline int64_t tp_earlier(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* The later one. */
static inline int64_t tp_later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* So many times (at least 0), at most TP_TIME_MAX. */
static inline int64_t tp_product(int64_t times, int64_t ns) {
  return times > 0 && ns > TP_TIME_MAX / times ? TP_TIME_MAX : times * ns;
}

/* The sum of two times, of which the second is not negative, at most INT64_MAX. */
static inline int64_t tp_sum(int64_t a, int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* The number of a node among all, in the order of the roles; -1: there is none. */
int32_t tp_loop_number(const struct tp_role *role, const void *node, int32_t of, int32_t index);

/* `self` is the node's number and `run` the same at all nodes. Registers the names in the store
 * (NULL: nothing is recorded). NULL, or what is wrong; if that is the recorder, in its words
 * (tailproof_error). */
const char *tp_loop_open(struct tp_loop *loop, const struct tp_role *role, void *node, int32_t self,
                         uint64_t run, const struct tp_port *port, struct tailproof_store *store);

/* Enters an instance in the initial state, now. What waits is dropped. */
void tp_loop_begin(struct tp_loop *loop, uint32_t instance);

/* The same of an instance that is known to have begun at this time (ticks). */
void tp_loop_begin_at(struct tp_loop *loop, uint32_t instance, uint64_t began);

/* Waits until every node with an address has been heard of, and the first of them has said when the
 * instance begins, as long as wait_ns. The node of which nothing was heard; -1: there is none; -2:
 * the port is broken. */
int32_t tp_loop_meet(struct tp_loop *loop, int64_t wait_ns);

enum tp_turn {
  TP_STEPPED,   /* loop->last */
  TP_DELIVERED, /* a message that no action takes: loop->last */
  TP_IDLE,      /* no step was enabled, and no message came in time */
  TP_STUCK,     /* a step would need a number that does not fit; nothing has changed */
  TP_BROKEN,    /* the port is broken, or the node is to stop */
};

enum tp_turn tp_loop_turn(struct tp_loop *loop, int64_t wait_ns);

/* Waits until all messages have left that wait for their pacer. */
void tp_loop_flush(struct tp_loop *loop);

/* For `work` alone: the part that the step is in ends, and the next one begins. What is left when
 * `work` returns is the last part's; one that never began takes no time. */
void tp_loop_part(struct tp_loop *loop);

/* For `drain` alone: the message is one of the step's. */
void tp_loop_send(struct tp_loop *loop, const struct tp_message *m, int32_t index);

#ifdef __cplusplus
}
#endif

#endif
