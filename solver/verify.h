/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Verdicts. A bound is
 *
 *   proved    every obligation it rests on is discharged for all parameter values, the assumptions
 *             can be met, and an execution to its event was found (no vacuous proof);
 *   refuted   an execution was found, and replayed, in which the event comes later than the bound;
 *   unknown   anything else, with the reason and how far it got.
 */
#ifndef SOLVER_VERIFY_H
#define SOLVER_VERIFY_H

#include "base/ledger.h"
#include "solver/prove/proof.h"
#include "solver/search/tight.h"
#include "solver/verdict.h"

struct verify_options {
  size_t jobs;              /* threads, at least 1 */
  unsigned limit_ms;        /* for one obligation, see proof_options */
  unsigned seed;            /* of the solver */
  double search_seconds;    /* for one search for an execution */
  const volatile int *stop; /* becomes non-zero to end early; may be NULL */
  bool fail_fast;           /* verdicts are all that counts: see proof_options; no `induction` */
  bool explain;             /* say what proved bounds rest on and how slow executions get */
  const struct bound *only; /* judge this bound alone; NULL: all */
  const struct known_queries *known; /* obligations that need no proof again: see proof_options */
  const bool *fallen;                /* generated invariants to leave out: see proof_options */
};

struct explanation;
struct timeline;

struct bound_report {
  const struct bound *bound;
  enum verdict verdict;
  size_t obligations, failed;           /* what it rests on */
  size_t obligations_reused;            /* of an earlier verification */
  size_t obligations_asked;             /* of which the solver was asked in this one */
  double seconds;                       /* of processor time: its proof and searches */
  double median_seconds, worst_seconds; /* of one obligation */
  char *worst;                          /* the obligation that took longest; owned, or NULL */
  bool reached, tight;
  bool never_later; /* of a proved bound `from` a message: no execution was found in which the event
                     * comes later than the message; the two may have been swapped */
  bool reused;      /* found by an earlier verification (solver/verify_kept.h) */
  struct tightness tightness; /* of a proved bound; `tight` is tightness_holds */
  int64_t *scope;             /* by param id: of the witness when reached; owned */
  size_t reached_steps;
  char *reason; /* of unknown; owned, one line */
  char *open;   /* of unknown: every obligation not proved, a line each; owned, or NULL */
  struct source_span place; /* in the source, of what the reason is about; or empty */
  char *induction; /* a state, an action, a state: why the induction fails; owned, or NULL */
  struct explanation
      *explanation;    /* of proved, when asked for (solver/tell/explain.h); owned, or NULL */
  char *scopes, *hint; /* where that was looked for; what is free in it; owned, or NULL */
  struct timeline *execution; /* of a refutation, or of an error of the model
                               * (solver/tell/timeline.h); owned, or NULL */
  char *time, *limit;         /* of a refutation: event time and bound, exact, in ns; owned */
  int64_t *counter_scope;     /* by param id, of the execution; owned */
};

struct verification {
  const struct model *model; /* borrowed */
  struct proof proof;
  VECTOR(struct bound_report) bounds;
  bool *never;  /* by action id: the proof shows that it is never taken; owned */
  char *remark; /* for the ledger, of when the solver was asked; owned, or NULL */
  double seconds;
  bool interrupted;
};

/* `model` must outlive the verification. */
void verification_init(struct verification *verification, const struct model *model,
                       const struct verify_options *options);
void verification_clear(struct verification *verification);

/* What its verdicts rest on. */
void verification_assumptions(const struct verification *verification, struct ledger *ledger);

#endif
