/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `pair`, and of `record --probes --out`: which requests do events from outside
 * make?
 */
#ifndef CLI_QUESTION_PAIR_PAIR_H
#define CLI_QUESTION_PAIR_PAIR_H

#include "base/asker.h"
#include "measure/outside/interest.h"
#include "measure/outside/write.h"

struct pair_question {
  const struct asker *asker;
  const char *probes;        /* the probe file */
  const char *const *events; /* files of events (measure/outside/event_text.h), up to a NULL */
  const char *processes;     /* a file with a line "PID COMMAND LINE" for each process; or NULL */
  const char *out;           /* the folder of the stores: a new one */
};

struct pair_answer {
  struct text told; /* what was paired, and what was not, a line each */
  uint64_t requests, paired;
  enum status status; /* UNKNOWN when no request could be paired */
};

/* The same of events while they are recorded, with a probe file's path; NULL after a complaint. */
struct live_pairs;
struct live_pairs *live_pairs_new(enum status *status, const struct asker *asker, const char *path);
/* Whether the file says what events mean, if it says it: STATUS_OK where it has nothing but probes. */
enum status live_pairs_check(const struct asker *asker, const char *path);
/* The events that moments look for. The pairs must outlive it. */
struct capture_interest live_pairs_interest(struct live_pairs *pairs);
/* Takes the events of files, up to a NULL. */
enum status live_pairs_read(struct live_pairs *pairs, struct outside_run *run,
                            const char *const *paths);
/* At the end: pairs, and writes stores into the folder. Initialises the answer in any case. */
enum status live_pairs_end(struct live_pairs *pairs, struct pair_answer *answer,
                           const struct outside_run *run, const char *out);
void live_pairs_free(struct live_pairs *pairs);

/* Complains where there is such a folder already. */
enum status pair_check_folder(const struct asker *asker, const char *out);

/* Initialises the answer in any case; returns its status. */
enum status pair_ask(struct pair_answer *answer, const struct pair_question *question);
void pair_answer_clear(struct pair_answer *answer);

#endif
