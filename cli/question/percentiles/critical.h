/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which occurrences make the value of the bound: the terms that are added up on the slowest way
 * through its maxima, minima and order statistics, in the order of the expression.
 *
 * They are taken from one request, that whose bound is the percentile, where the measurements are
 * rows of requests; else every occurrence is taken at the median of its law, and the value is that
 * of the expression there, which is no percentile.
 */
#ifndef CLI_QUESTION_PERCENTILES_CRITICAL_H
#define CLI_QUESTION_PERCENTILES_CRITICAL_H

#include "cli/question/percentiles/calculation.h"

struct critical_link {
  const char *label; /* of the occurrence; NULL: a constant of the protocol */
  double ns;         /* > 0, with its factor */
};

/* Labels belong to the calculation. */
struct critical {
  bool of_request;
  size_t row; /* of the table, from 1; of a request */
  double total_ns;
  VECTOR(struct critical_link) links;
};

/* False, with an empty chain, where the expression is too large, has bare names, or takes no time;
 * *chain is initialised in any case. */
bool critical_find(struct critical *chain, const struct calculation *calculation,
                   const struct rational *share);
void critical_clear(struct critical *chain);

/* The same at given times: `ns` of each occurrence by its id, in ns; NAN: it does not happen. */
bool critical_walk(struct critical *chain, const struct expression *expression, const double *ns);

#endif
