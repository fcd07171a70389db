/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `merge` when what is merged are profiles: where does a fleet spend its time?
 */
#ifndef CLI_QUESTION_STACKS_FLEET_H
#define CLI_QUESTION_STACKS_FLEET_H

#include <stdbool.h>

#include "base/asker.h"
#include "cli/question/setting.h"
#include "trace/stacks/profile.h"
#include "trace/stacks/unit.h"

struct fleet_request {
  const char *const *paths;
  size_t path_count;
  settings rates;    /* by path: samples a second of processor time that it was taken at */
  settings machines; /* by path: how many machines like this one it stands for; 1 unless said */
  struct stack_weight weight; /* what numbers of folded text are that does not say it */
  const char *out;            /* file: .pb.gz and .pb are pprof, others folded stacks */
  const struct asker *asker;
};

struct fleet_answer {
  struct stack_profile profile;
  size_t files;
};

/* Whether a path is a profile, and no folder and no file of measurements, by what is in it. */
bool fleet_is_profile(const char *path);

/* Merges and writes. Samples whose files say their rate become processor time, as with `rates`.
 * STATUS_CONDITIONAL after writing: nobody says what the weights are, so that the sum means
 * something only if they are of one unit. The answer is initialised in any case. */
enum status fleet_ask(struct fleet_answer *answer, const struct fleet_request *request);
void fleet_clear_answer(struct fleet_answer *answer);

#endif
