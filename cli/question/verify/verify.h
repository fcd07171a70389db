/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `verify`: which bounds of a protocol hold?
 */
#ifndef CLI_QUESTION_VERIFY_VERIFY_H
#define CLI_QUESTION_VERIFY_VERIFY_H

#include "base/ledger.h"
#include "cli/question/verify/insertion.h"
#include "cli/question/verify/protocol.h"
#include "lang/diagnostic.h"
#include "solver/infer/infer.h"
#include "solver/verify.h"

typedef VECTOR(const struct bound *) bound_vector;

struct verify_request {
  const struct asker *asker;
  const char *path;  /* of the protocol; "-": standard input */
  const char *bound; /* only this one; NULL: all */
  struct effort effort;
  bool explain;        /* also what each verdict comes from */
  bool infer;          /* look for invariants and bounds that the file leaves out */
  bool forget_timing;  /* with infer: leave out its own timing invariants first, */
  bool forget_untimed; /* its other ones */
  unsigned search_ms;  /* with infer: the search ends after so long; 0: when it is over */
  /* Told what the search for the file at `path` tries next, and how many candidates it has for it
   * (0: not known yet), from any thread; may be NULL. */
  void (*searching)(void *context, const char *path, const char *what, size_t count);
  void *searching_context;
  bool write; /* with infer, with neither of those two: put what was found into the file */
};

struct verify_answer {
  struct protocol protocol;
  bool verified;               /* else nothing below is there, and the asker knows why */
  bool inferred;               /* whether `inference` is there */
  struct inference inference;  /* what was found, */
  bound_vector withdrawn;      /* less the bounds that an execution exceeds */
  const struct model *model;   /* that was verified: of the file, or with what was found */
  struct verification reports; /* one for each bound asked for */
  bool written;                /* the file has what was found, */
  struct insertion insertion;  /* which is this */
  struct diagnostics unused;   /* warnings: what the proof shows to be without use */
  struct ledger ledger;        /* what the verdicts rest on; empty when all are unknown */
  enum status status;          /* the exit code: the worst of the verdicts, or why there is none */
};

/* STATUS_OK of a bound that is proved, STATUS_REFUTED, STATUS_UNKNOWN. */
enum status verdict_status(enum verdict verdict);

/* Initialises the answer in any case; returns its status. */
enum status verify_ask(struct verify_answer *answer, const struct verify_request *request);
void verify_answer_clear(struct verify_answer *answer);

#endif
