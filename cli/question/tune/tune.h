/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tune gc`: which settings of V8's heap make a percentile smallest, of a server on
 * Node.js, under the user's own load?
 */
#ifndef CLI_QUESTION_TUNE_TUNE_H
#define CLI_QUESTION_TUNE_TUNE_H

#include "base/ledger.h"
#include "cli/question/percentiles/percentile_list.h"
#include "cli/question/setting.h"
#include "measure/tune/trial.h"

struct heap_tuning_request {
  const struct asker *asker;
  const char *const *words; /* of the server's command */
  size_t word_count;
  const char *metric; /* "p99.9" */
  const char *load;   /* a command of the shell */
  const char *sizes;  /* MB of semi-spaces: "4,64"; NULL: 1,4,8,32,64,128 */
  const char *unit;   /* of latencies without one; or NULL */
  size_t pairs;       /* at most; 0: 24 */
  struct rational confidence;
  unsigned seed;
  /* Before each run; NULL: nobody listens. seconds_left: at most, as far as is known, else 0. */
  void (*progress)(void *context, const struct tune_step *step, double seconds_left);
  void *progress_context;
};

struct heap_tuning {
  const struct heap_tuning_request *request;
  enum status status; /* the exit code: STATUS_UNKNOWN when no difference was found */
  bool asked;         /* whether the server ran at all */
  wanted_list wanted; /* the percentile */
  struct tune_answer answer;
  size_t observations; /* of the run that had fewest */
  size_t unsure;       /* runs whose load was not sure of what it measured */
  char *unusable;      /* why a setting did not run; NULL: all did */
  struct ledger ledger;
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status heap_tuning_ask(struct heap_tuning *tuning, const struct heap_tuning_request *request);
void heap_tuning_clear(struct heap_tuning *tuning);

#endif
