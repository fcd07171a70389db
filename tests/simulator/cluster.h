/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One run of a protocol by simulated machines, in virtual time: a second judge of what is proved,
 * which shares with the prover only the parser and the checked model. Every node has one processor
 * that does one step at a time; nothing is lost but what `loses` says; what a node can do when it
 * is free, it starts at once. node.h has the rules.
 *
 * All times are whole nanoseconds. A value of a term is one integer: of a set, the bits of its
 * members (so at most NODES_MAX nodes in a family); of the rest, as lang/model.h says.
 *
 * The cluster owns all of its arrays until cluster_clear; the model is borrowed and never changed.
 */
#ifndef TESTS_SIMULATOR_CLUSTER_H
#define TESTS_SIMULATOR_CLUSTER_H

#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "lang/model.h"

enum { NODES_MAX = 60, INDICES_MAX = 8 };

/* A message that was sent. */
struct mail {
  const struct message *message;
  int64_t fields[INDICES_MAX];
  int64_t from, to; /* nodes of the message's roles */
  int64_t sent_ns, delay_ns, delivered_ns, paced_ns;
  int64_t left_ns; /* sent_ns, or later: when a pacer that holds it lets it leave */
  size_t order;    /* of sending; the same for all of one statement */
  bool received;
  bool doomed;           /* is never received: lost once nothing is on its way before it */
  int64_t waits_from_ns; /* since when it is its receiver's work, not its state, that keeps it */
  int64_t wait_ns;       /* the longest that it was kept so */
};

/* A named occurrence of a step component. */
struct charge {
  const struct component *component;
  int64_t indices[INDICES_MAX];
  int64_t ns;
  bool charged;
};

/* A node that takes steps. `seed` decides all that it draws until its next step. */
struct actor {
  const struct role *role;
  int64_t node;
  int64_t clock_ns; /* the end of its last step */
  uint64_t seed;
  bool known; /* `next` is what it does next, if nothing else is delivered to it */
  int64_t next_ns;
};

/* What a free node starts with when it can start with several things. */
enum order {
  ORDER_DUE,      /* what was delivered or due first */
  ORDER_TIMERS,   /* timers and timeouts before messages */
  ORDER_MESSAGES, /* messages before timers and timeouts */
  ORDER_ANY,      /* in any order (messages: not in the advanced model) */
  ORDER_COUNT
};

/* How times are drawn: in 256 cases `zero` are 0 and `limit` are the limit; uniform else. */
struct habits {
  unsigned zero, limit;
  unsigned eager; /* of 256 spontaneous steps that could be taken, so many are */
  enum order order;
  unsigned lossy;     /* of 256 messages that may be lost so many are */
  bool fifo_in_order; /* messages of a FIFO channel are also delivered in order */
};

/* When a bound's event happened, for one choice of the bound's variables. */
struct event {
  const struct bound *bound;
  int64_t chosen[INDICES_MAX]; /* values of the bound's variables */
  bool happened;
  int64_t ns; /* the latest, of `when`; since what the bound counts from */
};

struct cluster {
  const struct model *model;
  struct random random;
  struct habits habits;
  int64_t *params;    /* by param id */
  int64_t *sizes;     /* by role id */
  int64_t *limits;    /* by component id: what the bare name is worth */
  int64_t *longest;   /* by component id: the longest that was drawn */
  int64_t *variables; /* by variable id: the binding in force */
  int64_t **cells;    /* by state id: of node n at [n * width + key of a map] */
  size_t *widths;     /* by state id */
  VECTOR(struct mail) mails;
  VECTOR(size_t) slots; /* open addressing into mails: index + 1, or 0 */
  VECTOR(struct charge) charges;
  VECTOR(struct actor) actors;
  VECTOR(struct event) events;
  size_t order, steps, received; /* received: how many mails were */
  int64_t now_ns;                /* start of the latest step */
  size_t idle; /* how many of the last steps were on timers, at this moment, and cost nothing */
  const struct action *held; /* it would have to be taken and would break the arrivals of what it
                              * sends: the run is over; or NULL */
  const struct action *latest;
  const char *mistake; /* what the model forbids has happened, or what is not supported; or NULL */
  bool in_pairs;       /* inside a quantifier over two or more integers: only the last ones count */
  bool watching;       /* bounds are being chosen to be watched: of all integers a few are */
  const struct cluster *fate; /* the same run when it was over, for values of what is to come; or
                               * NULL */
  struct text *tell;          /* gets the run's timeline; or NULL */
};

/* Draws numbers of nodes, parameters and limits that meet the assumptions (with no wait at all).
 * False when none were found. The cluster is to be cleared in any case. */
bool cluster_init(struct cluster *cluster, const struct model *model, uint64_t seed);
void cluster_clear(struct cluster *cluster);

/* Whether the limits of now meet every assumption. */
bool cluster_assumptions_hold(struct cluster *cluster);

/* A time up to the limit, as the run's habits have it; `bits` are random. */
int64_t cluster_draw(const struct cluster *cluster, int64_t limit_ns, uint64_t bits);

/* Adds a mail, which is not there yet. */
void cluster_send(struct cluster *cluster, const struct mail *mail);

/* The mail with this identity, or NULL. The pointer is good until the next is sent. */
struct mail *cluster_mail(const struct cluster *cluster, const struct message *message,
                          const int64_t *fields);

/* The occurrence with this identity, drawn when it is new. Good until the next new one. */
struct charge *cluster_charge(struct cluster *cluster, const struct component *component,
                              const int64_t *indices, size_t count);

/* The occurrence, or NULL when it was never drawn. */
struct charge *cluster_charged(const struct cluster *cluster, const struct component *component,
                               const int64_t *indices, size_t count);

int64_t *cluster_cell(const struct cluster *cluster, const struct state *state, int64_t node,
                      int64_t key);

/* Another 64 bits that those determine. */
uint64_t cluster_hash(uint64_t a, uint64_t b);

#endif
