/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `pair`: which recorded requests do events from outside make?
 */
#ifndef CLI_QUESTION_PAIR_PAIR_H
#define CLI_QUESTION_PAIR_PAIR_H

#include "base/asker.h"
#include "measure/outside/write.h"

struct pair_question {
  const struct asker *asker;
  const char *probes;    /* the probe file */
  const char *events;    /* a file of events (measure/outside/event_text.h) */
  const char *processes; /* a file with a line "PID COMMAND LINE" for each process */
  const char *out;       /* the folder of the stores: a new one */
};

struct pair_answer {
  struct text told; /* what was paired, and what was not, a line each */
  uint64_t requests, paired;
  enum status status; /* UNKNOWN when no request could be paired */
};

/* Initialises the answer in any case; returns its status. */
enum status pair_ask(struct pair_answer *answer, const struct pair_question *question);
void pair_answer_clear(struct pair_answer *answer);

#endif
