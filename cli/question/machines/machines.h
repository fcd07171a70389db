/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `simulate`: how long does what a bound limits take, if machines run the protocol
 * with the times that were measured? Never a proof; but an execution that is longer than a proved
 * bound allows with the execution's own times shows a mistake in this program.
 */
#ifndef CLI_QUESTION_MACHINES_MACHINES_H
#define CLI_QUESTION_MACHINES_MACHINES_H

#include "base/ledger.h"
#include "cli/question/law/request.h"
#include "cli/question/percentiles/percentiles.h"
#include "cli/question/verify/protocol.h"
#include "solver/verdict.h"

struct machines_question {
  struct calculation_request of; /* `laws` .. `grid` as without an option */
  const char *percentiles;       /* "50,90,99" */
  const char *arrivals;          /* "constant:RATE", "poisson:RATE" or a table; NULL: none */
  const char *column;            /* of the table */
  settings always;               /* "Handle" = "3ms" */
  settings lose;                 /* "Data" = "0.01" */
  unsigned requests, seed;       /* requests 0: 1000 */
};

/* Of one percentile. Times UINT64_MAX: infinite. */
struct machines_percentile {
  const struct wanted *wanted;
  uint64_t ns, least_ns, most_ns; /* simulated; the percentile of all executions lies between */
  bool settled;                   /* the interval may be believed */
  uint64_t limit_ns;              /* of the bound, with the times of the same executions */
  const struct percentile *bound; /* of measured components, NULL: not known */
};

struct machines_answer {
  enum status status;
  bool found;
  struct protocol protocol;
  const struct bound *bound;
  enum verdict verdict;
  size_t executions, requests, warmup, unfinished,
      exceeding;      /* exceeding: only of a bound not proved */
  size_t otherwise;   /* not among `requests`: all came to rest, and the event had not happened */
  size_t standing;    /* executions in which no time passes any more */
  size_t cut;         /* executions that were ended after so many steps */
  char *why;          /* of the first that stands, what stands in the way; owned */
  size_t outside;     /* executions whose times break an assumption of the file */
  const char *broken; /* the first of these */
  uint64_t late_ns;   /* an arrival came that much later than it was to, at most */
  struct sample times, limits;
  wanted_list wanted;
  VECTOR(struct machines_percentile) percentiles;
  struct percentiles_request asked;
  struct percentiles measured;  /* the bound's */
  bool has_measured, has_bound; /* measured is initialised; and has percentiles */
  struct text why_not;          /* else why, a part of a sentence */
  struct ledger ledger;
};

/* `question` must outlive the answer, which is initialised in any case. STATUS_UNKNOWN also where
 * an execution did not end, whatever is proved. STATUS_INTERNAL after the asker was told which
 * execution contradicts the proof, and how to see it again. */
enum status machines_ask(struct machines_answer *answer, const struct machines_question *question);
void machines_answer_clear(struct machines_answer *answer);

/* Appends `count` moments of arrival in ns to *times: STATUS_USAGE or that of reading the table,
 * with one line in `message`. Fewer where the table has fewer. */
typedef VECTOR(int64_t) moments;
enum status process_make(moments *times, const struct machines_question *question, size_t count,
                         struct ledger *ledger, struct text *message);

#endif
