/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `replay --traces`: which recorded requests follow a drafted protocol. The file
 * beside it, FILE.calls, says which calls it was made of (trace/draft/keep.h).
 */
#ifndef CLI_QUESTION_REPLAY_TRACES_H
#define CLI_QUESTION_REPLAY_TRACES_H

#include "base/ledger.h"
#include "cli/question/replay/replay.h"
#include "trace/span/store.h"

/* A request that does not follow the protocol. */
struct traces_other {
  char *id;     /* of the trace */
  char *reason; /* what is wrong; NULL: it makes other calls, of which the protocol says nothing */
};

struct traces_answer {
  struct protocol protocol;
  struct replay_run run;   /* its bounds, and what is missing */
  struct conform *conform; /* NULL: nothing was judged, and the asker knows why */
  struct span_store store;
  struct ledger ledger;
  uint64_t fitting, misfits, strangers; /* requests: the last make other calls */
  VECTOR(struct traces_other) others;   /* misfits and strangers, as they were recorded */
  enum status status; /* OK; REFUTED with a misfit; UNKNOWN when no request makes its calls */
  /* owned, as `conform` points into them: */
  struct parameters parameters;
  struct interpreter *interpreter;
};

/* The request's stores are files and folders of traces. Initialises the answer in any case; returns
 * its status. `request` must outlive it. */
enum status traces_ask(struct traces_answer *answer, const struct replay_request *request);
void traces_answer_clear(struct traces_answer *answer);

#endif
