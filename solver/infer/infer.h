/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finding the invariants that a protocol file leaves out, and the bounds it asks for.
 *
 *   1. Candidates that relate times (solver/infer/relation.h), less those that random executions
 *      contradict and those that are not inductive: they say which clocks start at 0 and which
 *      messages never wait.
 *   2. Upper bounds along what causes what (solver/infer/flow.h), as candidates.
 *   3. Of the candidates that are inductive together, those that the other proofs use.
 *   4. Where that does not prove all: drafts of invariants without times (solver/infer/clause.h),
 * those that are inductive together, and 1 to 3 again with them. Of what proves all, the fewest.
 *
 * A search that is ended leaves what it had proved: invariants that are inductive together.
 *
 * The search is not trusted. What it yields is a model with more invariants, and with expressions
 * for the bounds that had none, to be verified like one that was written by hand.
 */
#ifndef SOLVER_INFER_INFER_H
#define SOLVER_INFER_INFER_H

#include "base/vector.h"
#include "lang/model.h"

struct infer_options {
  size_t jobs;
  unsigned limit_ms, seed;  /* as in proof_options */
  const volatile int *stop; /* becomes non-zero to end early; may be NULL */
  double limit_s;           /* the search ends after as many seconds; 0: when it is over */
  /* Told what is tried next, and of how many candidates; may be NULL. */
  void (*tell)(void *context, const char *what, size_t count);
  void *tell_context;
  bool forget_timing;       /* leave out the file's timing invariants first, */
  bool forget_untimed;      /* its other ones */
  const struct bound *only; /* follow and fill this bound alone; NULL: all */
};

/* A bound of the file that had no expression: what was found, or why nothing was. */
struct inferred_bound {
  const struct bound *bound; /* of the inferred model */
  const char *reason;        /* NULL: it has an expression now */
  const char *tried;         /* what might have been smaller and is not proved; NULL: nothing */
};

struct inference {
  struct model model; /* shares with the one given; never model_free it */
  VECTOR(const struct invariant *) found;
  VECTOR(struct inferred_bound) bounds;
  const bool *fallen; /* generated invariants that are none in the inferred model: proof_options */
  const char *open;   /* why some bound's time could not be followed; NULL: all were */
  bool ended;         /* before the search was over: `found` is what had been proved by then */
  double seconds;
  struct rational zero;
  struct arena arena; /* owns what was made */
};

/* `model` must outlive the inference. */
void inference_init(struct inference *inference, const struct model *model,
                    const struct infer_options *options);
void inference_clear(struct inference *inference);

/* Appends "invariant NAME: ..." or "bound NAME: ... within ...", to be pasted into the file. */
void inferred_print_invariant(struct text *text, const struct inference *inference,
                              const struct invariant *invariant);
void inferred_print_bound(struct text *text, const struct inference *inference,
                          const struct bound *bound);

#endif
