/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `replay`: does a recorded run follow the protocol, and did each bound hold?
 */
#ifndef CLI_QUESTION_REPLAY_REPLAY_H
#define CLI_QUESTION_REPLAY_REPLAY_H

#include "base/text.h"
#include "cli/question/replay/gaps.h"
#include "cli/question/replay/needed.h"
#include "cli/question/replay/recording.h"
#include "cli/question/verify/protocol.h"

struct replay_request {
  const struct asker *asker;
  const char *path;    /* of the protocol */
  const char *columns; /* of traces: --columns; NULL: none */
  const char *follow;  /* of traces: as of struct request_selection; and so */
  bool fold_names;
  const char *const *stores; /* of one run: files and folders */
  size_t store_count;
  const char *bound; /* only this one is judged; NULL: all */
  settings set;      /* parameters */
  bool has_slack;    /* then: */
  int64_t slack_ns;  /* how far a step may be from where the protocol has it, >= 0 */
  const char *ends;  /* only records of this request end an instance; NULL: all */
  const char *joint; /* file to write the occurrences' times to, or NULL */
};

/* A run while it is judged, and afterwards. */
struct replay_run {
  const struct replay_request *request;
  struct recording recording;
  bound_list bounds;   /* those judged */
  struct text missing; /* why others are not, one line each */
  int64_t slack_ns;
  uint64_t overwritten;    /* instances of which the beginning may be gone: not judged */
  uint64_t misfits;        /* instances that do not follow the protocol */
  uint64_t cut_off;        /* which lack something that a process did not live to record */
  struct replay_gaps gaps; /* of a run with times that does not follow the protocol */
};

struct replay_answer {
  struct protocol protocol;
  struct replay_run run;
  struct conform *conform; /* the judge; NULL: nothing was judged, and the asker knows why */
  bool misfit;             /* the run does not follow the protocol: conform_culprit */
  enum status status;      /* the exit code */
  /* owned by the answer, as `conform` points into them: */
  struct parameters parameters;
  struct interpreter *interpreter;
};

/* Initialises the answer in any case; returns its status. `request` must outlive it. */
enum status replay_ask(struct replay_answer *answer, const struct replay_request *request);
void replay_answer_clear(struct replay_answer *answer);

/* Append where the first event is that does not fit, what is wrong with it, and both. */
void replay_append_place(struct text *text, const struct replay_run *run,
                         const struct conform *conform);
void replay_append_fault(struct text *text, const struct replay_run *run,
                         const struct conform *conform);
void replay_append_misfit(struct text *text, const struct replay_run *run,
                          const struct conform *conform);

#endif
