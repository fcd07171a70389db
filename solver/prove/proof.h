/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The proof by induction: obligations, one solver query each, on several threads.
 *
 * First generated invariants that a random execution contradicts are dropped
 * (solver/search/sift.h), then those that are not inductive, until none is left that falls
 * (Houdini). Then the user's invariants, the bounds (each with itself as a hypothesis on the state
 * before, not with the others) and the once-rules are proved; then the phases, when a bound is by
 * phases.
 *
 * Why the obligations of the phases imply a bound by phases. Write G for the global invariants, P1,
 * P2, ... for the phases, E_i for the expression of P_i's end, T_1 = 0, T_i+1 = T_i + E_i, and
 * I_i(b) for the invariants of P_i where it began at b. Each obligation below is proved for every
 * state with G and every real b >= 0 (of P1: for b = 0), in particular for T_i: an expression may be
 * negative, but END says that an event of P_i happened by T_i+1, and no event happens before time 0.
 *
 * Claim: I_i(T_i) holds in every state of an execution that lies in P_i, that is, from the first
 * state in which P_i-1 has ended to the first in which P_i has ended, both included.
 *   START     the first state has start_1(0)
 *   ENTER     the first state has I_1(0); of the other phases, G and start_i(b) imply I_i(b)
 *   STEP      G, I_i(b) and not end_i before a step imply I_i(b) after it. That the end has not
 *             happened before is known of all states of P_i but the last
 * So the claim holds from the first state of P_i to the state in which end_i has happened, that one
 * included, also when it is the first one. In that state
 *   END       it happened no later than T_i + E_i = T_i+1
 *   HANDOVER  start_i+1(T_i+1) holds, so the claim goes on with P_i+1
 * Several phases may end in one state; then the argument is repeated for it.
 *   EARLY     in a state of P_i in which end_i has not happened, the bound's event has not happened
 * So in the first state in which the event has happened, every phase has ended, and
 *   TARGET    the event happened no later than the end of the last phase
 *   TOTAL     the sum of all E_i is at most the bound
 * Phases need not end: then the event does not happen. The event is sending or delivery, whose time
 * never changes once it was sent, of a message that no state names (lang/check_phase.c), so the
 * bound holds in all later states too.
 */
#ifndef SOLVER_PROVE_PROOF_H
#define SOLVER_PROVE_PROOF_H

#include <stdatomic.h>

#include "base/text.h"
#include "solver/encode/once.h"
#include "solver/prove/known.h"
#include "solver/prove/property.h"
#include "solver/prove/rank.h"

enum obligation_kind {
  OBLIGATION_INITIAL,  /* the first state has the property */
  OBLIGATION_STEP,     /* the action preserves the property */
  OBLIGATION_ONCE,     /* the action sends nothing twice, charges nothing twice */
  OBLIGATION_FAMILY,   /* the assumptions make a family non-empty */
  OBLIGATION_LEMMA,    /* the induction step of a lemma on sums */
  OBLIGATION_QUORUM,   /* the assumptions let a quorum fit into its role */
  OBLIGATION_RANK,     /* the rank of a kth lies between 1 and the number of members */
  OBLIGATION_DEFERRAL, /* the action makes no message takeable that was there when it started;
                        * without an action: nor does the passage of time */

  OBLIGATION_PROGRESS, /* steps of the action that take no time keep a rank, or fall in it; or
                        * (circle) that there are such ranks; or (message) a message does not go
                        * round in no time: solver/prove/progress.h */
  OBLIGATION_PACE,     /* the pacers let the action send what it sends */

  OBLIGATION_START, /* the first state has the start of the first phase */
  OBLIGATION_ENTER, /* the start of the phase implies its invariant; of the first phase: the first
                     * state has it */
  OBLIGATION_END,   /* the phase ends in time */
  OBLIGATION_HANDOVER, /* the end of the phase implies the start of the next */
  OBLIGATION_EARLY,    /* the bound's event does not happen before the end of the phase */
  OBLIGATION_TARGET,   /* with the end of the last phase it has happened, no later */
  OBLIGATION_TOTAL,    /* the phases together are within the bound */
};

struct obligation {
  enum obligation_kind kind;
  const struct action *action;      /* STEP, ONCE, DEFERRAL, PROGRESS, PACE */
  const struct property *property;  /* INITIAL, STEP, ENTER */
  const struct phase *phase;        /* whose obligation it is, or NULL: of the whole execution */
  const struct phase *next;         /* HANDOVER: the phase after it */
  const struct bound *bound;        /* the only bound that rests on it: EARLY, TARGET, TOTAL, RANK
                                     * (NULL: a rank of an action, on which all rest) */
  const struct role *role;          /* FAMILY, QUORUM, RANK */
  const struct term *term;          /* QUORUM, RANK: the number */
  struct source_span span;          /* QUORUM, RANK: its place; DEFERRAL: the guard's */
  const struct message *message;    /* DEFERRAL, PROGRESS; PACE: one that it sends */
  const struct state *state;        /* DEFERRAL: that the action assigns and the guard reads */
  const struct progress_rank *rank; /* PROGRESS, and whether the action falls in it */
  bool falls;
  const struct action *const *circle; /* PROGRESS, not proved: these may go on at one moment for
                                       * ever, and `action` is the first; else NULL */
  size_t circle_count;
  bool plus_one;    /* QUORUM: more than that many are asked for */
  bool outside;     /* ENTER: the phase's invariants are not given; PACE: that pacers
                     * let the step send is not */
  struct once once; /* ONCE; its goal belongs to a solver that is gone */
  bool proved;
  bool open;          /* was tried only briefly and not proved: see proof_begin */
  bool reused;        /* the solver said so in an earlier verification */
  bool asked;         /* the solver was asked in this one */
  double seconds;     /* of processor time */
  uint64_t facts;     /* of on_query: a bit for each enum encoder_fact that the query asserts */
  const char *reason; /* when not proved: the solver's word, in the proof's arena */
};

struct proof {
  struct properties properties;
  struct arena arena;
  VECTOR(struct obligation) obligations;
  VECTOR(struct progress_rank) ranks; /* of PROGRESS */
  size_t dropped;                     /* generated invariants that were no invariants */
  const char *contradiction; /* "A; B", assumptions that contradict each other, or NULL; then there
                              * are no obligations */
  bool interrupted;
  bool *dead;  /* by action id: in no state with the invariants can it be taken; or NULL */
  bool *taken; /* by action id: by a random execution, so it is not dead */
  /* With with_uses, else NULL, by property: uses[i * count + j], the proof of the generated
   * property i used the generated property j; of_use[i], that of something else used it. */
  bool *uses, *of_use;
  bool missing, missing_bound; /* with with_uses: something else was not proved; a bound or phase */
  atomic_bool *lost; /* with fail_fast: [0] of all bounds, [1 + i] of the one that is property i */
  VECTOR(const char *)
  records;                  /* of queries without a model that it asked or reused: see known.h;
                             * where `known` is not NULL; in the proof's arena */
  struct session *sessions; /* until proof_settle; of the whole execution, then of the phases */
  size_t session_count;
};

struct proof_options {
  size_t jobs;
  unsigned limit_ms; /* for one attempt at an obligation, in solver steps of a usual machine: the
                  * same on all machines; ten times as much processor time ends it in any case */
  unsigned seed;     /* of the solver; proofs are not to depend on it */
  const volatile int *stop; /* becomes non-zero to end early; may be NULL */
  bool fail_fast; /* once a bound is not proved, what only it rests on is not tried, and fails */

  /* Gets every obligation's query, before it is tried: a script in SMT-LIB 2 whose answer is unsat
   * when the obligation holds. Called from several threads at a time; may be NULL. */
  void (*on_query)(void *context, const struct obligation *obligation, const char *smtlib);
  void *query_context;

  /* More candidates for generated invariants, by somebody else: each attempt at one may take
   * limit_ms. `candidates_only`: the proof ends
   * when it is known which candidates hold, without obligations; with `with_uses` it also tries all
   * else once, to find out which of them are of use. */
  const struct invariant *const *candidates;
  size_t candidate_count;
  bool candidates_only, with_uses;

  /* By number of the generated invariant: it is left out, since a proof from more facts than this
   * one has dropped it. NULL: none is. */
  const bool *fallen;

  const struct known_queries *known; /* what need not be asked again; NULL: everything is asked, and
                                      * nothing recorded */

  const struct bound *only; /* the other bounds of the model are left alone; NULL: none is */
};

/* `model` must outlive the proof. */
void proof_init(struct proof *proof, const struct model *model,
                const struct proof_options *options);

/* The same in two steps, since most obligations are settled by a brief attempt, and a long one at
 * what is false would be in vain. The first leaves some of them `open`. The second gives those of
 * them all that the options allow on which a bound rests that is not spared (spared[i]: the bound
 * that is property i). `options` are the same both times, and outlive the first. */
void proof_begin(struct proof *proof, const struct model *model,
                 const struct proof_options *options);
void proof_settle(struct proof *proof, const struct proof_options *options, const bool *spared);

void proof_clear(struct proof *proof);

/* Whether everything the bound rests on is proved: its own obligations, the invariants, the
 * once-rules, the families and the lemmas. *first gets an obligation that is not. */
bool proof_covers(const struct proof *proof, const struct property *bound,
                  const struct obligation **first);

/* Whether it is one of several, of which not all need hold: of PROGRESS, with a rank. */
bool obligation_is_optional(const struct obligation *obligation);

/* Whether the bound rests on it. */
bool obligation_concerns(const struct obligation *obligation, const struct property *bound);

/* Whether the solver's word says that more of the same could help: it ran out of resources rather
 * than of ideas. */
bool reason_is_exhausted(const char *reason);

/* "action primary.Collect keeps reply", for messages. */
void obligation_print(struct text *text, const struct obligation *obligation);

/* Appends "the quorum f + 2 can be larger than replica[n]" and the like, for those that were not
 * proved and say more than their name; false for the others. */
bool obligation_explain(struct text *text, const struct model *model,
                        const struct obligation *obligation);

#endif
