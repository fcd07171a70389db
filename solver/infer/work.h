/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the steps of an inference share (solver/infer/infer.c): what is kept of the file, what was
 * guessed, and proofs of which guesses hold.
 */
#ifndef SOLVER_INFER_WORK_H
#define SOLVER_INFER_WORK_H

#include "solver/infer/clause.h"
#include "solver/infer/flow.h"
#include "solver/infer/infer.h"
#include "solver/infer/relation.h"
#include "solver/infer/stage.h"

typedef VECTOR(const struct invariant *) invariant_vector;

typedef VECTOR(struct flow *) flows;

struct infer_work {
  struct inference *inference;
  const struct infer_options *options;
  struct term_maker maker;
  relations relations;
  struct stages stages;
  struct flow start;        /* what each flow starts with */
  flows flows;              /* from time 0; then one for each message that some bound counts from */
  const struct bound *only; /* of the inference's model, which may have got another expression */
  invariant_vector kept;    /* of the file */
  invariant_vector orders;  /* relations that are inductive */
  invariant_vector guesses; /* candidates for the next proof; then those that held */
  drafts drafts;            /* of untimed invariants, inductive together, */
  invariant_vector facts;   /* and each of them as an invariant; empty: not looked for */
};

/* Adds a guess with a name that nothing has: ABOUT_KIND, in small letters. */
void work_guess(struct infer_work *w, const char *about, const char *kind,
                const struct term *formula);

/* Leaves the guesses that are inductive together, with what the file has. */
void work_keep_inductive(struct infer_work *w);

/* Of the guesses that are inductive together leaves those that the proof of something else uses (a
 * bound, an invariant of the file) and gives them to the model; or all, when something else is not
 * proved. Whether all is. */
bool work_keep_needed(struct infer_work *w);

/* Makes the guesses invariants of the inference's model, beside those of the file. */
void work_give_guesses(struct infer_work *w);

/* Whether everything is proved with the guesses, given to the model, in as much time as a
 * verification has. */
bool work_is_proved(struct infer_work *w);

bool work_has_guess(const struct infer_work *w, const struct invariant *invariant);

/* Untimed invariants that are inductive together: as drafts, and as facts. */
void facts_find(struct infer_work *w);

/* After all was proved: of the guesses the fewest are left that can be found, and facts about one
 * case become one invariant. `brief`: brief attempts prove it all. */
void facts_settle(struct infer_work *w, bool brief);

#endif
