/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where recorded requests spent time that belongs to no component: of each request that does not
 * follow the protocol the first place, added up by place.
 */
#ifndef CLI_QUESTION_REPLAY_GAPS_H
#define CLI_QUESTION_REPLAY_GAPS_H

#include "base/vector.h"
#include "solver/conform/conform.h"

struct parameters;
struct replay_run;

/* A place, over the requests with a gap there; sizes in ns, the smallest that so many of them keep
 * to. */
struct replay_gap {
  const struct action *action; /* before this step, or inside it */
  const struct action *after;  /* the step of that node before it; NULL: the step waited for its
                                * message or timer last, or is the first */
  bool inside;
  uint64_t requests;
  int64_t p50_ns, p90_ns, p99_ns;
};

struct replay_gaps {
  uint64_t requests, misfits;    /* judged; that do not follow the protocol, for whatever reason */
  VECTOR(struct replay_gap) all; /* those with most requests first */
};

/* Judges all requests of a run with times of which one does not fit. */
void replay_gaps_find(struct replay_gaps *gaps, struct replay_run *run,
                      struct interpreter *interpreter, const struct parameters *parameters);
void replay_gaps_clear(struct replay_gaps *gaps);

#endif
