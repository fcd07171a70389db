/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executing a given list of steps with given exact values: what turns a solver's counterexample
 * into evidence. Every rule is checked: each step is enabled and allowed by the timing model, no
 * identity is sent and no occurrence charged twice; every value used is at least 0 and at most its
 * bare name; each clock is read within its step; the assumptions hold.
 */
#ifndef SOLVER_JUDGE_REPLAY_H
#define SOLVER_JUDGE_REPLAY_H

#include "solver/judge/step.h"

enum replay_verdict {
  REPLAY_EXCEEDED,      /* the event has happened at the end, later than the bound allows */
  REPLAY_WITHIN,        /* it has happened, within the bound or the bound has no expression */
  REPLAY_HAPPENED,      /* it has happened, in a replay without times */
  REPLAY_NO_EVENT,      /* it has not happened at the end (or no bound was given) */
  REPLAY_SENT_TWICE,    /* the last record's step sends an identity again */
  REPLAY_CHARGED_TWICE, /* the last record's step charges an occurrence again */
  REPLAY_INVALID,       /* no execution: `reason` says why */
};

/* Owns what it points to; steps and occurrences belong to the model and the interpreter. */
struct replay {
  enum replay_verdict verdict;
  bool brief;                  /* to be set before a run: only a step that failed is recorded */
  record_vector records;       /* one per step, up to and including the one that failed */
  struct rational time, limit; /* of EXCEEDED and WITHIN, in ns, since what the bound counts from */
  struct rational begun;       /* that, since time 0 */
  VECTOR(int64_t) binding;     /* values of the bound's variables, in their order */
  char *reason;                /* of INVALID and the double faults, one line; else NULL */
};

void replay_init(struct replay *replay);
void replay_clear(struct replay *replay);

/* Fills an initialised replay (what it held is released). `bound` may be NULL; so may `valuation`,
 * then only control is executed. With bound variables the worst of their values is reported. */
void replay_run(struct replay *replay, struct interpreter *interpreter, const struct bound *bound,
                const struct step *steps, size_t count, const struct valuation *valuation);

#endif
