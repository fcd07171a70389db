/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The value of terms in a concrete world. Every function is total: reading the receiver or the
 * delivery time of a message that was not sent gives 0.
 *
 * Quantifiers over every integer (DOMAIN_INT) range over world_integers widened by 3 both ways.
 * That is an approximation, good enough to test invariants; no bound depends on it.
 */
#ifndef SOLVER_JUDGE_EVALUATE_H
#define SOLVER_JUDGE_EVALUATE_H

#include "solver/judge/world.h"

struct valuation;

struct interpretation {
  struct interpreter *interpreter;
  const struct world *world;         /* NULL: terms over parameters and valuation only */
  const struct valuation *valuation; /* NULL: no times of occurrences and bare names */
  int64_t *bindings;                 /* by variable id */
  const struct rational *read;       /* the value of clock reads, or NULL: not known */
  const struct rational *began;      /* of the phase that formulas speak of, or NULL */
};

/* What is known of a formula: without times, or before the clock is read, a comparison of times is
 * open. */
enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_OPEN };

/* Of a BOOL (0 or 1), INT, ENUM, NODE or SET term. */
int64_t evaluate_scalar(const struct interpretation *evaluation, const struct term *term);
bool evaluate_holds(const struct interpretation *evaluation, const struct term *term);

/* Of a formula whose comparisons of times need not be decidable: quantifiers and connectives are
 * followed, whatever else mentions an unknown time is open. */
enum truth evaluate_truth(const struct interpretation *evaluation, const struct term *term);

/* Whether a term mentions the clock that the step reads, the one variable that is a time. */
bool evaluate_mentions_read(const struct term *term);

/* Whether the value of a term depends on times that evaluation does not know. */
bool evaluate_is_open(const struct interpretation *evaluation, const struct term *term);

/* Of a TIME term, in ns. Times of messages and nodes need a timed world. */
void evaluate_time(struct rational *result, const struct interpretation *evaluation,
                   const struct term *term);

/* The node of `to` that a node of `from` tells: itself, its owner, or what belongs to it
 * (lang/owner.h). */
int64_t evaluate_of_role(const struct interpreter *interpreter, const struct role *from,
                         const struct role *to, int64_t node);

/* The cells of a MAP term, one per key. */
const int64_t *evaluate_map(const struct interpretation *evaluation, const struct term *term);

/* Of how many values a range may be before the interpreter raises overflow. */
int64_t evaluate_range_max(const struct interpretation *evaluation);

/* Calls visit with each combination of values of the variables in the bindings, in order, until it
 * returns false; whether it never did. */
bool evaluate_each(const struct interpretation *evaluation, const struct variable *const *variables,
                   size_t count,
                   bool (*visit)(const struct interpretation *evaluation, void *context),
                   void *context);

#endif
