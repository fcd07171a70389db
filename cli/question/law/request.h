/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What everything that calculates with measured components is asked with: a bound of a protocol, at
 * which parameters, and what its occurrences were measured to take.
 */
#ifndef CLI_QUESTION_LAW_REQUEST_H
#define CLI_QUESTION_LAW_REQUEST_H

#include "base/rational.h"
#include "cli/question/setting.h"
#include "cli/question/verify/protocol.h"
#include "dist/statistics/confidence.h"

enum grid_wish { WISH_AUTO, WISH_LOG, WISH_LINEAR };
enum dependence_wish { WISH_INDEPENDENT, WISH_UNKNOWN, WISH_BOTH };
enum tail_wish { TAIL_INFINITE, TAIL_GPD };

struct calculation_request {
  const struct asker *asker;
  const char *path;  /* of the protocol */
  const char *bound; /* NULL: the only one */
  settings set;      /* parameters */
  struct effort effort;
  const char *data;           /* folder with a file for each component, or NULL */
  texts runs;                 /* further runs of it, folders with the same files */
  texts joint;                /* tables and stores; "none" */
  const char *spans;          /* which spans are which occurrences: then `joint` are traces */
  const char *stream;         /* a table of one stream of requests, or NULL; then no data, joint */
  const char *observed;       /* what was observed end to end, or NULL */
  settings units, caps, laws; /* by component: of files that state none; "3 ms: why"; written */
  settings selects;           /* by component: which kind of requests of a file with several */
  texts together, together_each; /* lists of what may depend on each other */
  bool fresh;                    /* each mention of a bare name is drawn anew */
  bool exchangeable;             /* the order of observations means nothing */
  bool assume_independent;       /* what was measured apart is independent */
  bool two_judges;               /* an objective is judged by bound and observation */
  bool compared;                 /* one of two that are compared */
  enum confidence_band band;
  enum tail_wish tail;
  enum grid_wish grid;
  struct rational confidence; /* 0 .. below 1; 0: the samples are the whole truth */
};

#endif
