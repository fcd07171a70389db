/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `certify --check`: a certificate tried again. Files against their digests,
 * queries with another solver, the list of obligations against the protocol.
 */
#ifndef CLI_QUESTION_CERTIFY_RECHECK_H
#define CLI_QUESTION_CERTIFY_RECHECK_H

#include "cli/question/verify/protocol.h"

struct recheck_request {
  const struct asker *asker;
  const char *folder; /* the certificate */
  const char *const *files;
  size_t file_count;   /* protocols whose obligations it must list; may be 0 */
  const char *solver;  /* cvc5, cvc4 or z3: named like its program */
  unsigned every;      /* at least 1: only every N-th query is asked */
  size_t jobs;         /* at least 1 */
  unsigned timeout_ms; /* of processor time for a query */
};

enum recheck_outcome {
  RECHECK_AGREES,
  RECHECK_DISAGREES,
  RECHECK_TIMED_OUT,
  RECHECK_UNKNOWN,
  RECHECK_CHANGED, /* the file is not what the manifest's digest says */
  RECHECK_MISSING,
  RECHECK_SURPLUS,
  RECHECK_OTHER_LIST, /* the protocol has other obligations */
  RECHECK_MAKER,      /* it says that another program or solver made it */
  RECHECK_LEFT_OUT,   /* by `every`; its digest is right */
  RECHECK_COUNT
};

/* Whatever does not agree. */
struct recheck_problem {
  enum recheck_outcome outcome;
  char *file, *text; /* owned */
};

struct recheck_answer {
  const char *solver;
  size_t obligations; /* that the manifest lists */
  size_t counts[RECHECK_COUNT];
  VECTOR(struct recheck_problem) problems;
  bool checked, compared; /* whether there is anything to tell; whether lists were compared */
};

/* "agree", "disagree", "time-out", ... */
const char *recheck_outcome_name(enum recheck_outcome outcome);

/* STATUS_OK: every query is there, unchanged and unsat; STATUS_REFUTED: one is changed, missing,
 * surplus, or the solver says sat; STATUS_UNKNOWN: nothing worse than queries without an answer in
 * time. The answer is to be cleared in any case. */
enum status recheck_ask(struct recheck_answer *answer, const struct recheck_request *request);
void recheck_answer_clear(struct recheck_answer *answer);

#endif
