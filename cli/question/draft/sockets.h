/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `draft --probes`: which probe file and which protocol do running processes take
 * to be measured from outside? Their TCP connections are recorded for some seconds; whom they ask
 * and who asks them is followed on this host. What was learnt is tried on what was recorded.
 *
 * Into the folder go NAME.yaml and NAME.tp; `events` and `sockets`, what was recorded, of which the
 * same can be asked again; NAME.events, the same as the drafted probes see it; `recorded`, the
 * stores of its requests.
 */
#ifndef CLI_QUESTION_DRAFT_SOCKETS_H
#define CLI_QUESTION_DRAFT_SOCKETS_H

#include "base/asker.h"
#include "measure/talk/exchange.h"
#include "measure/talk/names.h"
#include "measure/talk/relay.h"

struct sockets_request {
  const struct asker *asker;
  const char *const *operands; /* numbers of processes; or one folder of an earlier draft */
  size_t operand_count;
  const char *out;  /* the folder: a new one, or empty */
  unsigned seconds; /* to record */
};

struct sockets_answer {
  struct talk talk;
  struct talk_parts parts;
  struct talk_shape shape;
  struct talk_names names;
  struct talk_relay relay;   /* where nothing is answered */
  char *name;                /* of the files; NULL: nothing could be drafted */
  uint64_t requests, paired; /* of the recording, by the drafted files */
  bool recorded_before;
  char *connections_told; /* where nothing could be recorded: who is connected to whom, a line each;
                             owned, or NULL */
  char *sockets_told;     /* what is not followed, a line each; owned */
  enum status status;     /* the exit code: STATUS_UNKNOWN where nothing could be drafted,
                         STATUS_UNAVAILABLE where nothing could be recorded */
};

/* Initialises the answer in any case; returns its status. */
enum status sockets_ask(struct sockets_answer *answer, const struct sockets_request *request);
void sockets_answer_clear(struct sockets_answer *answer);

#endif
