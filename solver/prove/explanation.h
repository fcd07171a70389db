/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of a search for a counterexample to induction share: induction.c (where it is
 * looked for), induction_least.c (what of it can be left out), induction_print.c (how it is told).
 * Only those include it.
 */
#ifndef SOLVER_PROVE_EXPLANATION_H
#define SOLVER_PROVE_EXPLANATION_H

#include "solver/judge/interpreter.h"
#include "solver/prove/proof.h"
#include "solver/prove/session.h"

/* A time of the state before, under the user's name. */
struct named_time {
  smt_term term;
  char *name;
};

struct induction_search {
  const struct proof *proof;
  const struct obligation *obligation;
  struct session session;
  struct text *text, *hint;
  VECTOR(struct named_time) times;
};

/* The number of values, 0 .. size - 1, of a node; 1 of anything else. */
int64_t explanation_size(struct induction_search *x, const struct type *type);

/* A value as a term of the solver, and back from the model found. */
smt_term explanation_literal(struct induction_search *x, const struct type *type, int64_t value);
int64_t explanation_value(struct induction_search *x, smt_term term, const struct type *type);

/* Calls visit for every list of values of the types that a state shown may speak of: integers from
 * SCOPE_LEAST + 1 to one more than the state before knows of, as a step can add to them. */
typedef void (*identity_visit)(struct induction_search *x, const int64_t *values,
                               const smt_term *terms, void *context);
void explanation_identities(struct induction_search *x, const struct type *types, size_t count,
                            identity_visit visit, void *context);

/* The types of a message's fields, at most INDEX_COUNT_MAX; how many. */
size_t explanation_fields(const struct message *message, struct type *types);

/* A component whose occurrences are charged by name. */
bool explanation_is_charged(const struct component *component);

/* induction_least.c: with the counterexample asserted, pushes (*pushes: how often) what makes it
 * smaller: messages not sent, occurrences not charged, states as in the beginning, small times.
 * True: the solver then has a model. False: it has given up on what it had found before. */
bool explanation_lessen(struct induction_search *x, size_t *pushes);

/* induction_print.c: appends both states and the step to `text`, and notes the times of the first
 * state. */
void explanation_print(struct induction_search *x);

#endif
