/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tail --profile`: which functions are slow requests running, or waiting for?
 */
#ifndef CLI_QUESTION_TAIL_HOT_H
#define CLI_QUESTION_TAIL_HOT_H

#include "base/asker.h"
#include "base/ledger.h"
#include "trace/hot/clock.h"
#include "trace/hot/judge.h"
#include "trace/hot/stretch.h"

struct hot_request {
  const char *path;   /* of the profile */
  const char *offset; /* what its clock is to be put forward by: "3.5s", "-2ms"; NULL: find out */
};

enum { HOT_EXECUTING, HOT_WAITING, HOT_ROLES };

struct hot_answer {
  bool found; /* whether there is the rest: */
  struct stack_profile profile;
  struct stack_functions functions;
  hot_stretches stretches;
  struct hot_join joins[HOT_ROLES];
  struct hot_report reports[HOT_ROLES];
  bool waits;   /* whether it is known who waited behind others */
  bool off_cpu; /* the profile is of waits: rates are parts of the time that requests wait */
  /* What a second of requests' work has of functions is processor time, and rates are parts of a
   * processor; false: the profile does not say what a sample stands for, and they are weights for
   * each second. */
  bool processor;
  int64_t shift; /* ns from the profile's clock to that of the requests */
  bool told;     /* the user did */
  struct hot_clock clock;
  bool refused; /* what the clocks are makes all of this untellable: STATUS_UNKNOWN */
};

/* Initialises the answer in any case. Reads the profile, and finds how its clock goes with one on
 * which requests went on from `start` to `end`: STATUS_DATA after a message when that is not
 * known. */
enum status hot_open(struct hot_answer *answer, const struct hot_request *request, int64_t start,
                     int64_t end, struct ledger *ledger, const struct asker *asker);

/* The stretches are there, on the profile's clock: what was run in them. `same`: both clocks are
 * known to be one. */
void hot_judge_all(struct hot_answer *answer, const struct tail_split *split, bool same,
                   double level, struct ledger *ledger);
void hot_answer_clear(struct hot_answer *answer);

#endif
