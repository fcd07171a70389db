/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A step on its way: what it will add to the world once nothing can go wrong any more. Shared by
 * solver/judge/step.c (which steps there are, taking one), solver/judge/step_time.c (when) and
 * solver/judge/step_effect.c (what it does); nobody else includes this.
 */
#ifndef SOLVER_JUDGE_EXECUTION_H
#define SOLVER_JUDGE_EXECUTION_H

#include "solver/judge/evaluate.h"
#include "solver/judge/step.h"

struct execution {
  struct interpretation e;
  struct world *world;
  const struct step *step;
  struct step_record *record; /* or NULL */
  struct world_message *received;
  bool timed;
  struct rational start, end, read, scratch;
  VECTOR(struct world_message) sent; /* without times */
  VECTOR(struct world_charge) charges;
  enum step_result result;
};

/* step.c: binds node and fields of the step; what is known of the guards then. */
enum truth execution_guards(const struct interpretation *evaluation, const struct step *step);

/* step.c: whether the guards hold for some choice of the action, of all that it may choose. What
 * the step itself chooses does not count. */
bool execution_possible(const struct interpretation *evaluation, const struct step *step);

/* step_time.c, of a timed world. start; then, after the charges: the clock read; then everything
 * that the timing model requires of a step whose guards hold. */
void execution_begin(struct execution *x);
enum step_result execution_read(struct execution *x);
enum step_result execution_timing(struct execution *x);

/* Calls `pay` for each occurrence that the step charges, in the order of its costs, until the
 * result is a fault. Left out are executions without names when the step is neither timed nor
 * recorded. */
typedef void (*execution_pay)(struct execution *x, const struct component *component,
                              const struct occurrence *occurrence, void *context);
void execution_costs(struct execution *x, execution_pay pay, void *context);

/* step_effect.c: adds the costs to `end` and the charges; runs the statements on the world's cells;
 * makes the rest of the step's effects real. The first two leave a fault in `result`. */
void execution_charge(struct execution *x);
void execution_run(struct execution *x);
void execution_commit(struct execution *x);

#endif
