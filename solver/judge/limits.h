/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a bound allows for each request of an execution, in time that grows with the requests: the
 * values of event_limit for many choices of the bound's variables in one state. Those of a bound
 * that adds up, or takes a maximum, over the requests before are followed from one request to the
 * next (lang/stream_value.h), as far as that gives the exact value; all others are evaluated.
 */
#ifndef SOLVER_JUDGE_LIMITS_H
#define SOLVER_JUDGE_LIMITS_H

#include "lang/stream_value.h"
#include "solver/judge/evaluate.h"

/* For one choice of the variables that are not the request's number. */
struct limits_stream {
  int64_t *values; /* of all variables of the bound; that of the number does not count */
  int64_t met;     /* the number of the latest request */
  struct stream_evaluation evaluation;
};

struct limits {
  const struct bound *bound;
  const struct interpretation *e; /* its state and valuation stay as they are */
  const struct variable *number;
  bool followed; /* else all are evaluated */
  struct stream_source source;
  VECTOR(struct limits_stream *) streams; /* owned */
  struct text *message;                   /* owned; never read */
  size_t evaluated;                       /* how many were */
};

/* Both arguments must outlive the limits; the bound has an expression or is never asked for one. */
void limits_init(struct limits *limits, const struct bound *bound,
                 const struct interpretation *evaluation);
void limits_clear(struct limits *limits);

/* As event_limit, for the values that the variables have in the evaluation's bindings. */
bool limits_at(struct rational *limit, struct limits *limits);

#endif
