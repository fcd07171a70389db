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
  /* By frame of by_text: the name (of `profile`) of the file that its code is in; 0: not known;
   * UINT32_MAX: of several. Owned. */
  uint32_t *modules;
  struct ledger ledger;
};

/* `request` must outlive the answer. */
enum status show_ask(struct show_answer *answer, const struct show_request *request);
void show_clear_answer(struct show_answer *answer);

struct change_request {
  const char *before, *after; /* paths */
  struct stack_weight weight; /* what numbers of folded text are that does not say it */
  double level;               /* of significance, 0 .. 1 */
  double margin;              /* by which a share may grow, 0 .. 1; 0: none is given */
  const struct asker *asker;
};

enum change_verdict { CHANGE_MORE, CHANGE_LESS, CHANGE_NOT_SHOWN, CHANGE_WITHIN, CHANGE_UNDECIDED };

struct change_answer {
  const struct change_request *request;
  bool found;
  uint64_t samples_before, samples_after; /* 0: not known */
  bool assumed;                           /* that numbers are samples */
  struct stack_difference difference;
  struct ledger ledger;
};

/* Without a margin whether a function has more of the time, with one whether it is at most so much
 * more, as `compare` asks of times. STATUS_REFUTED where one certainly has (more than that),
 * STATUS_UNKNOWN where it cannot be told of one, or of all, as the files do not say how many samples
 * there were; STATUS_CONDITIONAL where it is so if the numbers of folded text are samples, which
 * nothing says. */
/* What is found of one function. */
enum change_verdict change_verdict_of(const struct change_answer *answer,
                                      const struct stack_change *change);

/* What all come to, whether or not it is conditional: 0, 1 or 2. */
enum status change_found(const struct change_answer *answer);

enum status change_ask(struct change_answer *answer, const struct change_request *request);
void change_clear_answer(struct change_answer *answer);

#endif
