/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `plan --data FILE --run FILE`: how many runs such as these does a percentile take,
 * to decide an objective, or to be known so many times better?
 */
#ifndef CLI_QUESTION_PLAN_MORE_RUNS_H
#define CLI_QUESTION_PLAN_MORE_RUNS_H

#include "base/asker.h"
#include "base/ledger.h"
#include "cli/question/percentiles/percentile_list.h"
#include "cli/question/percentiles/slo.h"
#include "cli/question/setting.h"
#include "dist/statistics/levels.h"

enum { MORE_RUNS_MOST = 1000 };

struct more_runs_request {
  const struct asker *asker;
  const char *path;        /* the first run */
  texts runs;              /* further ones, at least one */
  settings units, selects; /* as of `percentiles --data` */
  const char *percentile;  /* one, "99"; not asked for with an objective */
  const char *slo;         /* "p99<5ms"; NULL: until the interval is `factor` times narrower */
  const char *factor;      /* above 1; NULL: 2 */
  struct rational confidence;
};

struct more_runs {
  const struct more_runs_request *request;
  enum status status; /* the exit code: STATUS_UNKNOWN where MORE_RUNS_MOST do not do */
  bool found;
  struct wanted wanted; /* the percentile */
  slo_list slos;        /* none or one */
  double factor;
  size_t count;          /* runs now */
  uint64_t observations; /* of all of them */
  struct level_ends now;
  bool settled;           /* the runs do not drift; else nothing is predicted */
  size_t then;            /* runs that do, predicted; `count`: these do; 0: none up to the most */
  struct level_ends ends; /* with `then`, or with MORE_RUNS_MOST */
  enum slo_state state;   /* of the objective with these */
  struct ledger ledger;
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status more_runs_ask(struct more_runs *answer, const struct more_runs_request *request);
void more_runs_clear(struct more_runs *answer);

#endif
