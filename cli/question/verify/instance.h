/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `bound`: what do the proved bounds say at given parameters?
 */
#ifndef CLI_QUESTION_VERIFY_INSTANCE_H
#define CLI_QUESTION_VERIFY_INSTANCE_H

#include "cli/question/setting.h"
#include "cli/question/verify/protocol.h"
#include "solver/verify.h"

struct instance_request {
  const struct asker *asker;
  const char *path;
  const char *bound; /* only this one; NULL: all */
  settings set;      /* parameters; none: only proved */
  struct effort effort;
};

/* A bound as it is at the parameters. */
struct instance {
  char *shortened;  /* what is `expression`; long sums and maxima have "..." */
  char *expression; /* owned; NULL: not proved, no parameters, or it cannot be written out */
  size_t occurrences;
};

struct instance_answer {
  struct protocol protocol;
  bool verified;
  struct verification reports;
  VECTOR(struct instance) instances; /* of each report */
  enum status status;                /* the exit code */
};

/* Initialises the answer in any case; returns its status. */
enum status instance_ask(struct instance_answer *answer, const struct instance_request *request);
void instance_answer_clear(struct instance_answer *answer);

#endif
