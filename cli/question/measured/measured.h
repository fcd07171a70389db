/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tailproof percentiles --data FILE` without a protocol: the percentiles of what
 * was measured, each end with the stated confidence by itself, and whether objectives are met. It
 * takes one file, or several runs of the same (dist/statistics/between_runs.h).
 */
#ifndef CLI_QUESTION_MEASURED_MEASURED_H
#define CLI_QUESTION_MEASURED_MEASURED_H

#include "base/asker.h"
#include "base/ledger.h"
#include "cli/question/percentiles/percentile_list.h"
#include "cli/question/percentiles/slo.h"
#include "cli/question/setting.h"
#include "cli/question/store/server.h"
#include "dist/source/sample.h"
#include "dist/statistics/levels.h"

struct measured_request {
  const struct asker *asker;
  const char *path; /* the file, or the first run; of a server what its query is called */
  struct server_request server; /* asked instead of a file, unless its address is NULL */
  texts runs;                   /* further runs, files */
  settings units, selects; /* of the file's stem, or "data": of files that state none; which kind */
  const char *percentiles; /* "50,90,99.9" */
  texts slo, slo_files, above; /* "p99<50ms"; files of objectives; "20ms" */
  bool exchangeable;           /* the order of the observations means nothing */
  struct rational confidence;  /* 0 .. below 1; 0: the observations are the whole truth */
};

/* What was found of a percentile. */
struct measured_row {
  const struct wanted *wanted;
  struct level_ends ends;
  uint64_t needed; /* independent draws that make an upper end finite; 0: it is, or no number */
  uint64_t worth;  /* and what the observations are worth there; of `needed` */
};

/* An objective. `run_lower_ns`: of the requests of this run alone; of SLO_BROKEN_IN_RUN. */
struct measured_slo {
  const struct slo *slo;
  struct measured_row row;
  enum slo_state state;
  uint64_t run_lower_ns;
  bool in_bucket; /* undecided: also if these observations were the whole truth; then the bucket: */
  uint64_t bucket_lower_ns, bucket_upper_ns; /* upper SAMPLE_NS_MAX: without an end */
};

/* How many requests take longer than a time, in units of 10^-18. */
struct measured_above {
  const char *text;
  struct rational ns;
  uint64_t lower, upper;
};

struct measured {
  const struct measured_request *request;
  enum status status; /* the exit code; where it is a failure the asker knows why */
  bool found;
  struct sample sample;
  struct levels *levels; /* owned */
  struct serial serial;  /* of all of it */
  uint64_t chance;       /* of error of an end */
  bool assumes_draws;    /* the order does not show what the observations are worth */
  bool one_run;          /* and what differs from run to run, nobody knows */
  bool wanders;          /* one run, whose level moves more slowly than it lasts */
  wanted_list wanted;
  slo_list slos;
  VECTOR(struct measured_row) rows;
  VECTOR(struct measured_slo) results;
  VECTOR(struct measured_above) above;
  struct ledger ledger;
};

/* `request` must outlive the answer, which is initialised in any case and cleared with
 * measured_clear. */
enum status measured_ask(struct measured *measured, const struct measured_request *request);
void measured_clear(struct measured *measured);

#endif
