/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hunting for executions that break a bound, by running the model with random times. A hunt that
 * finds nothing proves nothing; what it finds was replayed (solver/judge/replay.h) and is a
 * refutation.
 *
 * A bare name is worth the largest of its component's occurrences in the execution, unless an
 * assumption mentions it (solver/search/draw.h); occurrences that did not happen are worth 0.
 */
#ifndef SOLVER_SEARCH_HUNT_H
#define SOLVER_SEARCH_HUNT_H

#include "solver/judge/valuation.h"
#include "solver/search/explore.h"
#include "solver/judge/replay.h"

enum hunt_verdict {
  HUNT_NOTHING,
  HUNT_EXCEEDED,
  HUNT_SENT_TWICE,
  HUNT_CHARGED_TWICE,
  HUNT_HAPPENED, /* of hunt_event */
};

struct hunt_options {
  uint64_t seed;
  size_t runs;        /* executions */
  size_t steps_max;   /* of each */
  size_t work_max;    /* steps considered in all; 0: no limit */
  double seconds_max; /* 0: no limit */
};

/* Owns its parts. */
struct hunt {
  enum hunt_verdict verdict;
  const struct bound *bound; /* of EXCEEDED and HAPPENED */
  struct path path;          /* with the values of the bound's variables */
  struct values values;      /* of the occurrences */
  struct replay replay;      /* of path and values: records, event time and limit */
  size_t runs;               /* executions tried */
  size_t work;               /* steps considered */
  size_t unsatisfied;        /* given up: no bare names that satisfy the assumptions were found */
  size_t events;             /* how many times a bound was compared with an event */
  enum explore_end end;      /* of hunt_paths: whether all executions were tried */
};

void hunt_init(struct hunt *hunt, struct interpreter *interpreter);
void hunt_clear(struct hunt *hunt);

/* Random executions; in every state `bound` (NULL: every bound) is compared with its event. Stops
 * at the first violation or double fault. `hunt` is initialised by the caller and used once. */
void hunt_random(struct hunt *hunt, struct interpreter *interpreter, const struct bound *bound,
                 const struct hunt_options *options);

/* Random executions, with times, until the bound's event has happened in one: HUNT_HAPPENED, with
 * the execution up to there. A bound without an expression will do. */
void hunt_event(struct hunt *hunt, struct interpreter *interpreter, const struct bound *bound,
                const struct hunt_options *options);

/* Every execution of explore_paths within the limits, each with `draws` random sets of times. */
void hunt_paths(struct hunt *hunt, struct interpreter *interpreter, const struct bound *bound,
                const struct explore_limits *limits, size_t draws, uint64_t seed);

#endif
