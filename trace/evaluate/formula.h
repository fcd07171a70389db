/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The latency of a flow's requests as an expression over the durations of its activities: sums,
 * maxima, minima and order statistics. An activity that several ways to the end go through is one
 * occurrence, hence one random variable.
 */
#ifndef TRACE_EVALUATE_FORMULA_H
#define TRACE_EVALUATE_FORMULA_H

#include "base/expression.h"
#include "trace/evaluate/scenario.h"

struct formula_leaf {
  uint32_t activity;
  size_t law;           /* of the scenario; SIZE_MAX: as recorded, with what changes: */
  struct sample sample; /* of such, or of what the name `recorded` in the law means */
};

struct formula {
  struct expression_table table;
  const struct expression *expression;
  VECTOR(struct formula_leaf) leaves; /* by the ids of the table's occurrences */
  size_t constants;    /* activities that took the same time in each request, taken for constants */
  const char *why_not; /* as a part of a sentence, where there is no formula */
};

/* Initialised in any case. Of the limits it knows nothing. */
void formula_make(struct formula *formula, const struct flow_variant *variant,
                  const struct span_names *names);
void formula_clear(struct formula *formula);

#endif
