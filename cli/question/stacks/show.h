/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions of `profile show` and `profile diff`: what is in a file of sampled stacks, and what
 * changed from one to another?
 */
#ifndef CLI_QUESTION_STACKS_SHOW_H
#define CLI_QUESTION_STACKS_SHOW_H

#include <stdbool.h>

#include "base/asker.h"
#include "base/ledger.h"
#include "trace/stacks/difference.h"
#include "trace/stacks/hot.h"
#include "trace/stacks/read.h"

struct show_request {
  const char *path;
  struct stack_reading reading;
  double level; /* of confidence in shares */
  const struct asker *asker;
};

/* Initialised in any case. */
struct show_answer {
  const struct show_request *request;
  bool found;                     /* whether there is the rest: */
  struct stack_profile profile;   /* as the file has it */
  struct stack_profile by_text;   /* and by the texts of its frames, with marks */
  struct stack_hot_list hot;      /* of by_text */
  struct stack_evidence evidence; /* of the shares of all of these */
  struct ledger ledger;
};

/* `request` must outlive the answer. */
enum status show_ask(struct show_answer *answer, const struct show_request *request);
void show_clear_answer(struct show_answer *answer);

struct change_request {
  const char *before, *after; /* paths */
  struct stack_weight weight; /* what numbers of folded text are that does not say it */
  double level;               /* of significance, 0 .. 1 */
  const struct asker *asker;
};

struct change_answer {
  const struct change_request *request;
  bool found;
  uint64_t samples_before, samples_after; /* 0: not known */
  bool assumed;                           /* that numbers are samples */
  struct stack_difference difference;
  struct ledger ledger;
};

/* STATUS_UNKNOWN where the files do not say how many samples there were; STATUS_CONDITIONAL where
 * they do if the numbers of folded text are samples, which nothing says. */
enum status change_ask(struct change_answer *answer, const struct change_request *request);
void change_clear_answer(struct change_answer *answer);

#endif
