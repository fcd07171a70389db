/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The proof by induction: obligations, one solver query each, on several threads.
 *
 * Every session is one way for a state to come about: the start, or one action. It has a solver of
 * its own in which the hypotheses are asserted once; each goal is pushed, checked and popped.
 * First generated invariants that are not inductive are dropped until none is left that falls
 * (Houdini); then the user's invariants, the bounds (each with itself as a hypothesis on the state
 * before, not with the others) and the once-rules are proved.
 */
#ifndef SOLVER_PROOF_H
#define SOLVER_PROOF_H

#include "solver/property.h"
#include "solver/transition.h"

enum obligation_kind {
  OBLIGATION_INITIAL, /* the first state has the property */
  OBLIGATION_STEP,    /* the action preserves the property */
  OBLIGATION_ONCE,    /* the action sends nothing twice, charges nothing twice */
  OBLIGATION_FAMILY,  /* the assumptions make a family non-empty */
  OBLIGATION_LEMMA,   /* the induction step of a lemma on sums */
};

struct obligation {
  enum obligation_kind kind;
  const struct action *action;     /* STEP, ONCE */
  const struct property *property; /* INITIAL, STEP */
  const struct role *role;         /* FAMILY */
  struct once once;                /* ONCE; its goal belongs to a solver that is gone */
  bool proved;
  double seconds;
  const char *reason; /* when not proved: the solver's word, in the proof's arena */
};

struct proof {
  struct properties properties;
  struct arena arena;
  VECTOR(struct obligation) obligations;
  size_t dropped; /* generated invariants that were no invariants */
  bool interrupted;
};

struct proof_options {
  size_t jobs;
  unsigned limit_ms;        /* for one obligation */
  const volatile int *stop; /* becomes non-zero to end early; may be NULL */

  /* Gets every obligation's query, before it is tried: a script in SMT-LIB 2 whose answer is unsat
   * when the obligation holds. Called from several threads at a time; may be NULL. */
  void (*on_query)(void *context, const struct obligation *obligation, const char *smtlib);
  void *query_context;
};

/* `model` must outlive the proof. */
void proof_init(struct proof *proof, const struct model *model,
                const struct proof_options *options);
void proof_clear(struct proof *proof);

/* Whether everything the bound rests on is proved: its own obligations, the invariants, the
 * once-rules, the families and the lemmas. *first gets an obligation that is not. */
bool proof_covers(const struct proof *proof, const struct property *bound,
                  const struct obligation **first);

/* "action primary.Collect keeps reply", for messages. */
void obligation_print(struct text *text, const struct obligation *obligation);

#endif
