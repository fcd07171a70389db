/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the steps of an inference share (solver/infer/infer.c): what is kept of the file, what was
 * guessed, and proofs of which guesses hold.
 */
#ifndef SOLVER_INFER_WORK_H
#define SOLVER_INFER_WORK_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "solver/infer/clause.h"
#include "solver/infer/flow.h"
#include "solver/infer/infer.h"
#include "solver/infer/relation.h"
#include "solver/infer/stage.h"

typedef VECTOR(const struct invariant *) invariant_vector;

typedef VECTOR(struct flow *) flows;

/* When the search is to end early; solver/infer/end.c. */
struct infer_end {
  pthread_t thread;
  bool watched;
  atomic_bool over;
  const volatile int *outer; /* or NULL */
  volatile int stop;         /* what the proofs of the search look at */
  double limit_s, start;     /* 0: no limit */
};

/* What is left then: invariants that are inductive together, with the file's, and expressions. */
struct infer_saved {
  invariant_vector proved;
  VECTOR(struct inferred_bound) bounds;
  const struct bound **items; /* of the model; NULL: the file's */
  const bool *fallen;
  const char *open;
};

struct infer_work {
  struct inference *inference;
  const struct infer_options *options;
  struct term_maker maker;
  relations relations;
  struct stages stages;
  struct flow start;        /* what each flow starts with */
  flows flows;              /* from time 0; then one for each message that some bound counts from */
  const struct bound *only; /* of the inference's model, which may have got another expression */
  const struct bound **file_bounds;
  invariant_vector kept;    /* of the file */
  invariant_vector orders;  /* relations that are inductive */
  invariant_vector all;     /* guesses of the latest attempt, also those that were not needed */
  invariant_vector guesses; /* candidates for the next proof; then those that held */
  drafts drafts;            /* of untimed invariants, inductive together, */
  invariant_vector choices; /* what steps chose once (solver/infer/choice.h), inductive with them */
  invariant_vector facts; /* each draft as an invariant, then the choices; empty: not looked for */
  bool patient;           /* a guess gets more time: it is likely, and may be hard */
  struct infer_end end;
  struct infer_saved saved;
};

/* From the one to the other the search may be ended. */
void work_watch(struct infer_work *w);
void work_unwatch(struct infer_work *w);
bool work_is_ended(const struct infer_work *w);

/* What was proved so far, with the bounds as they are; nothing when the search has ended. */
void work_save(struct infer_work *w, const invariant_vector *proved);
/* Back to that: as the guesses, given to the model. */
void work_restore(struct infer_work *w);
void work_clear_saved(struct infer_work *w);

/* solver/infer/forget.c: what is kept of the file's invariants. */
void infer_forget(struct infer_work *w, const struct model *model);

/* Follows the bounds as if every message could wait, whoever is idle: new guesses, and expressions
 * of bounds, for those that there are. */
void work_follow_waits(struct infer_work *w);
/* Gives a bound that was found another expression. */
void work_express(struct infer_work *w, size_t which, const struct term *expression);

/* Says what the search is at. */
void work_tell(const struct infer_work *w, const char *what, size_t count);

/* Adds a guess with a name that nothing has: ABOUT_KIND, in small letters. */
void work_guess(struct infer_work *w, const char *about, const char *kind,
                const struct term *formula);

/* Adds those of the relations as guesses that no random execution breaks. */
void work_sift(struct infer_work *w, const relations *list);

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
