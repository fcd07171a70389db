/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The value of a ground expression in one row: one value for each occurrence, as one request had
 * them. No law, no grid: whole nanoseconds, rounded outward only by constants and factors that are
 * no whole numbers.
 *
 * An occurrence that did not happen in the request is absent: a replica that was not asked, a
 * branch that was not taken. A proved bound holds whatever such an occurrence is worth, so absence
 * follows the expression: what is absent adds nothing to a sum, is left out of a maximum, and is
 * never among the first of a minimum or an order statistic. A sum, maximum or multiple of which
 * everything is absent is absent itself; so is an order statistic of which all parts are. It keeps
 * what its constants make of it, and counts as that in a sum or a maximum with something present:
 * max(A + 5ms, B) is at least 5 ms, as it is if A took no time. So a row's value is never below
 * that of the expression with 0 for all that is absent.
 */
#ifndef DIST_EVALUATE_ROW_H
#define DIST_EVALUATE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "base/expression.h"

#define ROW_INFINITE ((uint64_t)INT64_MAX)

/* Between the two, in ns; upper_ns ROW_INFINITE: perhaps never. Absent: lower_ns > upper_ns; then
 * constants alone make it upper_ns at least and lower_ns - 1 at most. */
struct row_value {
  uint64_t lower_ns, upper_ns;
};

static inline struct row_value row_absent(void) {
  return (struct row_value){.lower_ns = 1, .upper_ns = 0};
}

static inline bool row_is_absent(struct row_value x) {
  return x.lower_ns > x.upper_ns;
}

/* A time >= 0 as whole ns, rounded outward; infinite when it does not fit. */
struct row_value row_whole(const struct rational *x_ns);

/* x + y of two values, infinite when it does not fit. */
uint64_t row_add(uint64_t x_ns, uint64_t y_ns);

/* What a row has a value for: an occurrence, or one mention of a bare name. */
struct row_leaf {
  const struct occurrence *occurrence; /* NULL: a bare name */
  const char *component;
};

/* An expression in the order in which it is computed. It refers to the expression's occurrences,
 * which must outlive it. Not for two threads at once. */
struct row_program {
  VECTOR(struct row_leaf) leaves; /* each occurrence once, each mention of a bare name */
  VECTOR(struct row_step) steps;  /* private, as is the rest */
  VECTOR(uint32_t) parts;
  VECTOR(struct row_value) values;
  VECTOR(uint64_t) scratch;
};

enum { ROW_STEPS_MAX = 1 << 20 };

/* False, with why as a part of a sentence, for what has no value by rows: more than ROW_STEPS_MAX
 * steps, factors beyond 64 bits, a multiple of something that is drawn anew. k*C of a bare name C
 * has k leaves. The program is initialised in any case. */
bool row_program_init(struct row_program *program, const struct expression *expression,
                      const char **why);
void row_program_clear(struct row_program *program);

/* `leaves`: the value of each leaf. */
struct row_value row_evaluate(struct row_program *program, const struct row_value *leaves);

#endif
