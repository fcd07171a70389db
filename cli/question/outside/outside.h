/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `record --probes`: what do probes in running programs see? Attaches them, hands
 * what they see to a sink, and says what became of the programs meanwhile.
 */
#ifndef CLI_QUESTION_OUTSIDE_OUTSIDE_H
#define CLI_QUESTION_OUTSIDE_OUTSIDE_H

#include "base/asker.h"
#include "base/vector.h"
#include "cli/question/profile/program.h"
#include "measure/outside/interest.h"
#include "measure/outside/cost.h"
#include "measure/outside/event.h"
#include "measure/outside/probe_plan.h"

struct outside_request {
  const char *probes;      /* the probe file */
  const char *const *pids; /* processes, as typed, up to a NULL */
  const char *const *argv; /* a program to run, up to a NULL, which ends the recording; or NULL */
  const char *keep;        /* a file for the events as text; or NULL */
  const char *out;         /* what is made of them when all is recorded: a folder; or NULL */
  uint64_t keep_limit;     /* bytes, after which another file follows; 0: none */
  volatile int *turn;  /* set from elsewhere: the file is ended, and another one follows; or NULL */
  unsigned keep_files; /* of these the last ones to keep; 0: all */
  unsigned seconds;    /* 0: until all have ended, or this is interrupted */
  const char *ready_file; /* gets the word "ready" when all probes are in place; or NULL */
  int ready_fd;           /* the same, and is closed; -1: none */
  bool only_plan;         /* attach nothing */
  bool quiet;             /* the program's output goes to stderr */
  enum capture_means means;
  const struct outside_sink *sink; /* takes the events, too; or NULL */
  struct capture_interest interest;
  /* Asked every few ms, or NULL: up to `most` processes to trace from now on; how many. */
  size_t (*more)(void *context, uint32_t *processes, size_t most);
  void *more_context;
  const struct asker *asker;
};

struct outside_answer {
  const struct outside_request *request;
  struct tree_node *tree; /* of the probe file, for the owners of its other keys */
  struct outside_probes probes;
  struct outside_plan plan;
  bool recorded; /* whether there is the rest: */
  struct outside_run run;
  uint64_t others;       /* times that processes came by which are not traced */
  double cost_ns[COSTS]; /* 0: not measured */
  unsigned followed;     /* processes that traced ones have started */
  struct program program;
  int exit; /* the program's exit code, or 128 and the signal that ended it */
};

/* `request` must outlive the answer, which is initialised in any case. */
enum status outside_ask(struct outside_answer *answer, const struct outside_request *request);

/* Waits for the program, where it was only recorded for some time; its exit code is then known. */
void outside_wait(struct outside_answer *answer);
void outside_clear_answer(struct outside_answer *answer);

#endif
