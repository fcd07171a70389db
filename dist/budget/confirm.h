/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Promises held against the evaluators of dist/evaluate, which know nothing of how they were found:
 * each occurrence has the worst law that keeps its promise (its limit, or never), and the chance
 * that the expression exceeds the objective is bounded, exactly and rounded outward.
 */
#ifndef DIST_BUDGET_CONFIRM_H
#define DIST_BUDGET_CONFIRM_H

#include "base/status.h"
#include "base/text.h"
#include "dist/budget/spend.h"

struct promise_points {
  const struct promise *data;
  size_t count;
};

struct confirm_request {
  const struct expression *expression;
  const size_t *part_of; /* by occurrence id */
  const struct promise *promises;
  const struct promise_points *also; /* by part, what it promises besides; NULL: nothing */
  size_t part_count;
  const struct rational *objective_ns;
  bool strict;      /* below it, rather than at most */
  bool independent; /* else any joint law of all occurrences */
  unsigned coarse;  /* so many bits fewer of precision, for a search */
  size_t jobs;
};

/* *above: P(expression > objective) is at most that, in units of 10^-18. Anything but STATUS_OK
 * with one line in `message`. */
enum status confirm(uint64_t *above, const struct confirm_request *request, struct text *message);

/* By which share values may be rounded up in it: of an expression whose value at the limits is that
 * much below the objective the answer rests on the promises alone. */
double confirm_margin(const struct expression *expression);

#endif
