/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The value of a bound's expression for one request of a stream after another, in time that grows
 * with the requests. The expression mentions their number, k; where it speaks of the requests
 * before, as in `sum i in 1..k (Serve[i])`, what those took is asked for again.
 *
 * Values are ranges in whole nanoseconds, rounded outward. A maximum over `j in 1..k` of terms
 * that have j and k apart, or in a sum from one to the other, is followed from request to request;
 * others take a step for each j.
 *
 * The caller owns everything that an evaluation refers to.
 */
#ifndef LANG_STREAM_VALUE_H
#define LANG_STREAM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "lang/model.h"

struct text;

/* At least this, in ns: perhaps never. Below its opposite: not known how little. */
#define STREAM_ENDLESS (INT64_MAX / 4)

/* Between the two, in ns; of a difference perhaps below 0. */
struct stream_range {
  int64_t low, high;
};

/* Where times come from. Each function may say false, with one line in `message`. */
struct stream_source {
  /* Of a TERM_OCCURRENCE or TERM_DELAY with these indices or fields. */
  bool (*occurrence)(struct stream_range *value, const struct term *term, const int64_t *indices,
                     void *context, struct text *message);
  bool (*bare)(struct stream_range *value, const struct component *component, void *context,
               struct text *message);
  void *context;
  int64_t last; /* sums and maxima that go beyond this request are not followed */
  int64_t most; /* a range of more numbers fails */
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
  const struct model *model;
  const struct bound *bound;
  const int64_t *params;         /* by parameter id */
  const struct variable *number; /* k */
  const struct stream_source *source;
  int64_t *variables; /* by variable id: those of the bound but k are set by the caller */
  VECTOR(struct stream_prefix) prefixes;
  VECTOR(struct stream_running) runnings;
  size_t depth; /* of what binds variables around the term at hand */
  struct text *message;
  bool failed; /* with one line in `message` */
};

/* The caller has filled in all before `variables`, and `message`; the rest is 0. */
void stream_evaluation_init(struct stream_evaluation *evaluation);
void stream_evaluation_clear(struct stream_evaluation *evaluation);

/* The bound for request k; to be asked of k in ascending order. */
struct stream_range stream_value(struct stream_evaluation *evaluation, int64_t k);

/* What a constant is worth. */
struct stream_range stream_constant(const struct rational *ns);

/* --- between stream_value.c and stream_running.c ---------------------------------------------- */

struct stream_range stream_term(struct stream_evaluation *evaluation, const struct term *term);
struct stream_range stream_plus(struct stream_range a, struct stream_range b);
struct stream_range stream_minus(struct stream_range a, struct stream_range b);
struct stream_range stream_larger(struct stream_range a, struct stream_range b);
int64_t stream_integer(struct stream_evaluation *evaluation, const struct term *term);

/* Whether the term mentions the variable. */
bool stream_mentions(const struct term *term, const struct variable *variable);

/* The prefix sums of a TERM_SUM_OVER, up to request `end` at least; NULL: it has none, as its body
 * changes with other variables, or `end` is beyond the source's last. */
const struct stream_prefix *stream_prefix_of(struct stream_evaluation *evaluation,
                                             const struct term *term, int64_t end);

/* A TERM_MAX_OVER that is followed from request to request: false where it cannot be. */
bool stream_follow(struct stream_evaluation *evaluation, const struct term *term,
                   struct stream_range *value);

#endif
