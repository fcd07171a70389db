/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session is one way for a state to come about: the first state, one action, or (of a phase) any
 * state it can be in, or one action there. It has a solver of its own. What a session may use are
 * its facts; what it is to show are its goals, each with what else is given for it alone.
 *
 * Everything is encoded when the session opens. What the step and the facts need for their meaning,
 * definitions and lemmas, is shared; what only a goal needs belongs to that goal, so that no query
 * depends on what else the file asks for.
 *
 * A session may be closed and opened again: what is known of its goals stays.
 */
#ifndef SOLVER_PROVE_SESSION_H
#define SOLVER_PROVE_SESSION_H

#include "solver/encode/transition.h"
#include "solver/prove/proof.h"

enum { GIVEN_MAX = 3 };

/* A solver takes some 20 MB: of many sessions, so many of the first keep theirs from one use to the
 * next, the others are opened when a thread takes them up. */
enum { SESSIONS_KEPT = 4 };

/* From so many facts on, telling the solver of all of them takes longer than a proof: goals are
 * first tried with those that are near (struct session). */
enum { MANY_FACTS = 200 };

/* An assumption, or a property of the state before (of a phase's state: of that state). */
struct fact {
  const struct assumption *assumption; /* or NULL */
  const struct property *property;     /* or NULL */
  smt_term term;
};

/* What is known of a goal, whether its session is open or not; in the session's arena. */
struct attempt {
  const struct property *property; /* of the goal, or NULL */
  bool failed;                     /* when checked, this round */
  const struct property **needs;   /* when checked: the generated ones that its proof used, last */
  size_t need_count;
  bool reused, asked;            /* of its last check: as of an obligation */
  bool kept;                     /* was proved in a round before, by those */
  double seconds;                /* of its last check */
  size_t result;                 /* its place among the results, from 1; 0: it has none yet */
  bool hopeless[SMT_STRATEGIES]; /* by strategy: it ran out of ideas */
};

struct goal {
  struct obligation obligation;
  struct attempt *attempt;
  smt_term term;
  smt_term given[GIVEN_MAX];
  size_t given_count;
  smt_term *axioms; /* its own: definitions, then lemmas */
  size_t axiom_count, definition_count;
  uint64_t facts;   /* bits: what its own are */
  smt_term *lemmas; /* what its lemmas rest on */
  size_t lemma_count;
  const struct order_statistic **orders; /* its own */
  size_t order_count;
  bool obvious; /* it is true, or one of the facts or of what is given: nothing to ask */
};

struct session_place {
  const struct action *action;   /* or NULL */
  const struct phase *phase;     /* or NULL: the whole execution */
  const int64_t *scope;          /* by param id: looks for counterexamples only; or NULL */
  const struct obligation *only; /* leaves out the goals of other properties; or NULL */
};

struct session {
  const struct action *action;
  const struct phase *phase;
  struct session_place place;
  const struct proof *proof;
  const struct proof_options *options;
  struct smt *smt;
  struct encoder encoder;
  struct transition transition;
  const struct symbolic *before, *after; /* one state: the same; the first: before is NULL */
  VECTOR(struct fact) facts;
  VECTOR(struct goal) goals;
  size_t definitions;          /* that many axioms are not lemmas */
  smt_terms lemmas;            /* what the lemmas among the axioms rest on */
  struct encoder_mark base;    /* behind it: what the goals at hand need */
  const struct fact **fact_of; /* by property: its fact, or NULL */
  size_t near; /* so many of the first facts speak of nothing but what the step and what it changes
                * speaks of; 0: there are not many facts */
  size_t near_definitions; /* that many axioms are the meaning of these, and of the step */
  size_t number;           /* goals so far, also those that are not wanted any more */
  struct arena arena;      /* owns the attempts and the results' reasons */
  VECTOR(struct attempt *) attempts; /* by number of the goal */
  VECTOR(struct obligation) results;
  VECTOR(const char *) records; /* see struct proof; in the session's arena */
  bool dead; /* after session_prove: the facts leave no state in which the action can be taken */
};

/* Encodes and asserts what every goal has in common, but no facts. */
void session_open(struct session *session, const struct proof *proof,
                  const struct proof_options *options, const struct session_place *place);
void session_close(struct session *session);
void session_close_solver(struct session *session); /* keeps attempts and results */
void session_reopen(struct session *session);       /* unless it is open */

bool session_stopped(const struct session *session);

/* What is asserted before any push, as when the session opens: after smt_clear. */
void session_assert_base(struct session *session);

/* Pushes, and asserts the step, but not that pacers let it send, and the lemmas; then also the
 * facts of the whole execution whose properties are alive. */
void session_push(struct session *session);
void session_push_facts(struct session *session);

/* The facts of the phase itself, with that the pacers let the step send; or all others. */
void session_assert_facts(struct session *session, bool own);

/* That the pacers let the step send what it sends. */
void session_assert_sends(struct session *session);

/* Where `near` is not 0: as session_push, but without the meaning of facts that are not near; then
 * also the facts that are. */
void session_push_step(struct session *session);
void session_push_near(struct session *session);

/* The meaning of facts that are not near: who asserts such a fact, or proves a lemma, needs it. */
void session_assert_definitions(struct session *session);

/* Whether the goal's proof may use the fact. */
bool session_may_use(const struct goal *goal, const struct fact *fact);

/* One round of elimination (solver/prove/eliminate.c): every goal that is a candidate gets
 * `failed`. A goal whose last proof used none that was dropped since is not tried again. */
void session_check_candidates(struct session *session);

/* Whether a round would ask anything; also of a session that is closed. */
bool session_has_candidates(const struct session *session);

/* Whether the goal's last proof used none that was dropped since. */
bool attempt_is_settled(const struct attempt *attempt);

/* Tries once every goal that is not of a generated invariant: what the bounds rest on. Each gets
 * `failed` or what it needs. */
void session_check_others(struct session *session);

/* Tries every goal whose property is alive, and the lemmas; into `results`. Goals are tried
 * briefly: those that may need more are `open` there (solver/prove/discharge.c). Whether any is. */
bool session_prove(struct session *session);

/* Tries those again, as long as the options allow, if `wants` says so. */
void session_settle(struct session *session,
                    bool (*wants)(const struct obligation *obligation, const void *context),
                    const void *context);

/* Hands the queries about the progress of time that the argument uses to on_query. */
void session_show_progress(struct session *session);

/* For those who add goals while the session opens: what is encoded from here on is for the next
 * goals alone, and what was encoded for others must not be used in them. */
void session_begin_goals(struct session *session);

/* `given` may be empty. */
void session_add_goal(struct session *session, struct obligation obligation, smt_term term,
                      const smt_term *given, size_t given_count);

/* Whether goals of the property are wanted. */
bool session_wants(const struct session *session, const struct property *property);

/* Pushes what the goal alone needs, its negation, and what is given for it. */
void session_push_goal(struct session *session, const struct goal *goal);

/* solver/prove/angle.c: whether the goal, of a property that a step is to keep, is proved from
 * another angle: from fewer facts, or said in another way. Adds what that took to *seconds. */
bool session_try_angles(struct session *session, const struct goal *goal, double *seconds);

/* Limits of so many milliseconds of a usual machine; those of one attempt at an obligation. */
struct smt_effort session_effort_of(unsigned limit_ms);
struct smt_effort session_effort(const struct proof_options *options);

/* solver/prove/phase.c: the goals of a phase, and (phase NULL, no action) of the first state. */
void session_add_phase_goals(struct session *session);

/* solver/prove/deferral.c: that the action defers no message; and (in the first state's session)
 * that no guard of a receive turns true by the passage of time. */
void session_add_deferral_goals(struct session *session);
void session_add_timed_guard_goals(struct session *session);

/* solver/prove/progress.c: that the action lets time go on. In the first state's session,
 * solver/prove/progress_message.c: that messages do not go round in no time. */
void session_add_progress_goals(struct session *session);
void session_add_message_progress_goals(struct session *session);

/* solver/prove/quorum.c: what the assumptions must say of parameters, in the first state's session.
 */
void session_add_quorum_goals(struct session *session);

#endif
