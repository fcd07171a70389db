/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the unknowns of an execution are worth. A `valuation` answers for every occurrence and for
 * every bare name; `values` is the table that backs most of them.
 *
 * Invariant of `values`: an occurrence that was never set is worth 0; a bare name that was never
 * fixed is worth the largest occurrence of its component that was set, which is the least constant
 * that all of them are at most. All values are in ns. The table owns its numbers; it refers to the
 * model, and occurrences are told apart by their id, so it serves one interpreter.
 */
#ifndef SOLVER_JUDGE_VALUATION_H
#define SOLVER_JUDGE_VALUATION_H

#include "base/rational.h"
#include "base/vector.h"

struct component;
struct model;
struct occurrence;

struct valuation {
  const struct rational *(*term)(const struct occurrence *occurrence, void *context);
  /* NULL for a bare name without a value: then nothing is checked against it. */
  const struct rational *(*bare)(const struct component *component, void *context);
  void *context;
};

struct value_cell {
  struct rational value;
  bool set;
};

struct values {
  const struct model *model;
  VECTOR(struct value_cell) terms; /* by occurrence id */
  struct value_cell *largest;      /* by component id: of the occurrences set */
  struct value_cell *fixed;        /* by component id */
  struct rational zero;
};

void values_init(struct values *values, const struct model *model);
void values_clear(struct values *values);
void values_reset(struct values *values); /* nothing is set or fixed any more */
void values_copy(struct values *values, const struct values *from); /* of the same model */

/* Each occurrence is set at most once between two resets. */
void values_set(struct values *values, const struct occurrence *occurrence,
                const struct rational *value);
bool values_is_set(const struct values *values, const struct occurrence *occurrence);
void values_fix_bare(struct values *values, const struct component *component,
                     const struct rational *value);

const struct rational *values_term(const struct values *values,
                                   const struct occurrence *occurrence);
const struct rational *values_bare(const struct values *values, const struct component *component);

/* The table as a valuation; valid as long as `values`. */
struct valuation values_valuation(const struct values *values);

/* Stands for the component of clock reads; no declared name has a space. */
#define VALUES_CLOCK_READ "clock read"

/* The component that an occurrence is of; NULL of a clock read. */
const struct component *values_component(const struct model *model,
                                         const struct occurrence *occurrence);

#endif
