/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The value of a bound's expression for one request of a stream (stream.h).
 */
#ifndef CLI_QUESTION_LAW_STREAM_VALUE_H
#define CLI_QUESTION_LAW_STREAM_VALUE_H

#include <stdbool.h>

#include "base/vector.h"
#include "cli/question/law/stream.h"

/* At least this, in ns: perhaps never. Below its opposite: not known how little. */
#define STREAM_ENDLESS (INT64_MAX / 4)

/* Between the two, in ns; of a difference perhaps below 0. */
struct stream_range {
  int64_t low, high;
};

/* Sums of a body from request 1 on: sums[i] of the first i; endless[i] of them have no end. */
struct stream_prefix {
  const struct term *term;
  VECTOR(struct stream_range) sums;
  VECTOR(size_t) endless;
};

/* The maximum, over the j that were met so far, of what does not change with k. */
struct stream_running {
  const struct term *term;
  bool plain;       /* it has to be computed j by j */
  int64_t low, met; /* from where to where j went */
  int64_t latest;   /* the largest lower end of a sum */
  struct stream_range most;
};

struct stream_evaluation {
  const struct stream_request *request;
  const struct variable *number; /* k */
  const struct joint *table;
  int64_t *variables; /* by variable id */
  VECTOR(struct stream_prefix) prefixes;
  VECTOR(struct stream_running) runnings;
  size_t depth; /* of what binds variables around the term at hand */
  struct text *message;
  bool failed; /* with one line in `message` */
};

void stream_evaluation_init(struct stream_evaluation *evaluation,
                            const struct stream_request *request, const struct variable *number,
                            const struct joint *table, struct text *message);
void stream_evaluation_clear(struct stream_evaluation *evaluation);

/* The bound for request k; to be asked of k = 1, 2, ... in this order. */
struct stream_range stream_value(struct stream_evaluation *evaluation, int64_t k);

/* --- between stream_value.c and stream_running.c ---------------------------------------------- */

struct stream_range stream_term(struct stream_evaluation *evaluation, const struct term *term);
struct stream_range stream_plus(struct stream_range a, struct stream_range b);
struct stream_range stream_minus(struct stream_range a, struct stream_range b);
struct stream_range stream_larger(struct stream_range a, struct stream_range b);
int64_t stream_integer(struct stream_evaluation *evaluation, const struct term *term);

/* Whether the term mentions the variable. */
bool stream_mentions(const struct term *term, const struct variable *variable);

/* The prefix sums of a TERM_SUM_OVER, up to request `end` at least; NULL: it has none, as its body
 * changes with other variables, or `end` is beyond the table. */
const struct stream_prefix *stream_prefix_of(struct stream_evaluation *evaluation,
                                             const struct term *term, int64_t end);

/* A TERM_MAX_OVER that is followed from row to row: false where it cannot be. */
bool stream_follow(struct stream_evaluation *evaluation, const struct term *term,
                   struct stream_range *value);

#endif
