/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random protocols, each with bounds and invariants that have a chance to be proved. A starter
 * sends M0; servers pass it on as M1, M2, ...; the last one sends Out. On the way may be: servers
 * that take their message only once a gate is open (by a step, a timer, a timeout or a message),
 * one that is busy with something else, a family that is asked and waited for, a round robin loop,
 * FIFO channels, polling of the clock, a choice. Beside it may be a node whose steps take no time.
 * The plan says which; plan_write writes the file.
 *
 * The bounds are the sum along the way, with waits or with what is known of the receivers' clocks;
 * one is written with bare names, one lacks a term, and in some protocols the invariants lack it
 * too: these are mostly wrong, and what is proved of them all the same is worth a look.
 */
#ifndef TESTS_SIMULATOR_PROTOCOL_H
#define TESTS_SIMULATOR_PROTOCOL_H

#include "base/random.h"
#include "base/text.h"
#include "lang/model.h"

enum gate {
  GATE_NONE,
  GATE_STEP,
  GATE_TIMER,
  GATE_TIMEOUT,
  GATE_MESSAGE,
  GATE_DEADLINE,
  GATE_COUNT
};
/* Whether the starter chooses a number on its timer: some always can be; or none before it is
 * ready. */
enum timed_choice { TIMED_NONE, TIMED_FREE, TIMED_READY };
enum start { START_STEP, START_TIMER, START_TIMEOUT, START_POLL, START_ANY, START_COUNT };
enum price {
  PRICE_NAMED,
  PRICE_REPEATED,
  PRICE_EITHER,
  PRICE_BATCH,
  PRICE_EXECUTIONS,
  PRICE_COUNT
};
enum reason { PROOF_WAITS, PROOF_CLOCKS, PROOF_ARRIVALS, PROOF_INFERRED };

/* Of the nodes that a message goes to, who answers: each; each has one of v, which does; w belongs
 * to u, each of which answers once all of its own have told it. Only in simple plans: each of w
 * hears from its own of v before it answers; each of u answers, and works once for each of its own;
 * each of u asks its own, and answers once q of them have. */
enum family {
  FAMILY_PLAIN,
  FAMILY_PAIRED,
  FAMILY_GROUPED,
  FAMILY_RETURNED,
  FAMILY_SUMMED,
  FAMILY_QUORUM,
  FAMILY_COUNT
};

/* Whether the server chooses a z when it takes the message. It can whenever its other guards hold,
 * which it says beside a guard on z, with z in every part, or by what z may be. */
enum pick { PICK_NONE, PICK_BESIDE, PICK_PARTS, PICK_DOMAIN, PICK_COUNT };

/* Whether the server asks one node of w that it chooses when it takes the message: any; one that a
 * guard allows; one of those that a set leaves, from which the first is never missing. */
enum ask { ASK_NONE, ASK_ANY, ASK_GUARD, ASK_LEFT, ASK_COUNT };

/* What invariants and bounds of a simple plan leave out of a hop that is about a family, or that
 * chooses: how long the message to it waits; what is sent on by who gets it; the work for that; all
 * nodes but the first; what the largest number costs; the last of the copies; of a rival, that it
 * may be begun while the message is on its way; that the server has a step of its own besides. */
enum lack {
  LACK_NONE,
  LACK_WAIT,
  LACK_PASSED_WAIT,
  LACK_PASSED_WORK,
  LACK_OTHERS,
  LACK_SIZE,
  LACK_COPY,
  LACK_TRAVEL,
  LACK_OWN
};

/* What else is sent to the server, which takes one for each: of a lower priority than the message,
 * of the same, of a higher one; of a lower one, but before it on its FIFO channel. */
enum rival { RIVAL_NONE, RIVAL_LOWER, RIVAL_EQUAL, RIVAL_HIGHER, RIVAL_BEFORE, RIVAL_COUNT };

/* What a node beside the way does on timers, at no cost: the first three kinds of steps end or come
 * later and later; the others are taken again and again at one moment, or may not be taken, as
 * arrivals limit what they send. */
enum restless {
  RESTLESS_NONE,
  RESTLESS_ONCE,
  RESTLESS_COUNTED,
  RESTLESS_PERIOD,
  RESTLESS_BARE,
  RESTLESS_IF,
  RESTLESS_PAIR,
  RESTLESS_AT_ONCE,
  RESTLESS_SAME,
  RESTLESS_EITHER,
  RESTLESS_LIMITED,
  RESTLESS_PACED, /* a pacer holds what it sends: it goes on */
  RESTLESS_RELAY, /* takes messages that come as they like */
  RESTLESS_COUNT
};

enum { HOPS_MAX = 3 };

/* A message M<k> and the server s<k> that takes it. */
struct hop {
  enum gate gate;
  enum price price;
  enum pick pick;
  bool sized;   /* a batch is of the size z */
  bool guarded; /* takes the message only once the gate is open */
  bool closes;  /* takes it only before it was busy */
  bool busy;    /* has a step of its own, once */
  bool ticks;   /* has a step of its own, again and again */
  bool scatter; /* the message goes to all of w, and s<k> waits for all their answers */
  bool first;   /* ... or for the first of them */
  bool ranked;  /* ... which it sees by the k-th smallest of numbers that it keeps of them */
  bool added;   /* ... or by their sum */
  bool settles; /* ... and works once for each of them when it has all answers */
  enum family family;
  bool crossed; /* of pairs: what w sends to v is numbered by v */
  enum ask ask; /* no scatter then; of the family, which is no group, one node is asked */
  enum lack lack;
  bool crowded; /* who passes something on, or answers it, has a step of its own, once */
  bool fifo, loop;
  enum rival rival; /* only in simple plans; of what the server does itself it is then busy alone */
  unsigned paced;   /* copies go through a pacer, of this burst; 0: there is none */
  bool unpaced;     /* ... which bounds forget */
  unsigned losses;  /* so many copies of the message may be lost, and one more is sent; 0: one is
                     * sent, and arrives. Only in simple plans, of no family, without a choice */
};

/* Messages that are sent in copies: up to this many may be lost. */
enum { LOSSES_MAX = 2 };

/* Instead of one message on its way: requests for ever, in a pipeline of servers, whose arrivals
 * are limited; or come as they like, and wait for the work ahead of them at one server. */
struct stream {
  bool on;
  bool ahead;     /* then of the others only fifo, lean (what passed counts twice) and forgetful
                   * (the work does not count what came first) */
  size_t servers; /* 1 or 2 */
  enum limit { LIMIT_BURST, LIMIT_PARAMETER, LIMIT_JITTER, LIMIT_COUNT } limit;
  unsigned burst; /* of LIMIT_BURST */
  bool fifo;      /* else requests overtake each other, and little can be proved */
  bool keeps_up;  /* it is assumed that each server needs at most T */
  bool costs;     /* sending takes time */
  bool lean;      /* the bound lacks the burst */
  bool forgetful; /* it lacks the last server's work */
  unsigned paced; /* what the first server sends goes through a pacer, of this burst; 0: no pacer */
  bool slow;      /* ... which is slower than requests come */
};

struct plan {
  struct stream stream;
  bool simple; /* little that makes proofs hard: waits are terms, and one hop is about a family */
  enum timing timing;
  bool queueing;
  enum start start;
  enum timed_choice chooses; /* of START_TIMER */
  bool reads;                /* steps on messages and timers read the clock, of which no guard
                              * knows: they are due like others */
  enum reason proof;
  size_t hop_count;
  struct hop hops[HOPS_MAX];
  int drop; /* the term that the invariants lack; -1: none */
  int lean; /* the term that the bound `lean` lacks */
  enum restless restless;
  unsigned assumed; /* random: which comparison is assumed; 0: none */
};

/* The hop that is about a family, or NULL. */
const struct hop *plan_family(const struct plan *plan);

void plan_draw(struct plan *plan, struct random *random);
void plan_write(struct text *out, const struct plan *plan);

#endif
