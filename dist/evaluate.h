/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a ground expression and the laws of its occurrences to the law of its value.
 *
 * An occurrence is one random variable wherever it is mentioned; different occurrences are
 * independent, which the ledger says. Occurrences mentioned more than once:
 *   added up: X + X is 2*X, exactly;
 *   added by every part of a maximum: taken out, exactly;
 *   in several parts of a maximum otherwise: the parts are treated as independent. That can only
 *     make the maximum larger, because non-decreasing functions of independent variables are
 *     associated (Esary, Proschan, Walkup 1967), and the ledger says so;
 *   in several addends of a sum otherwise: refused, since independent draws would be too low.
 * A minimum or an order statistic other than the largest is refused.
 *
 * Bare names are refused too unless `fresh`: then each mention is a draw of its own, an integer
 * multiple k*C counts as k mentions, and the ledger says that no proof covers it.
 *
 * The work depends on how many different laws occur, not on how many occurrences share them: a sum
 * or maximum of n alike terms takes about log n steps.
 */
#ifndef DIST_EVALUATE_H
#define DIST_EVALUATE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "dist/ledger.h"
#include "dist/survival.h"
#include "lang/ground.h"

struct evaluate_laws {
  /* The law of an occurrence, or of the bare name `component` when `occurrence` is NULL: sets a
   * number that tells different laws apart, and a survival function on the grid of the result
   * that outlives the evaluation. Anything but STATUS_OK ends the evaluation with that status; it
   * then appends a line to `message`. */
  enum status (*find)(void *context, size_t *law, const struct survival **survival,
                      const struct occurrence *occurrence, const char *component,
                      struct text *message);
  void *context;
};

/* Sets *result (initialised with its grid) to a law that dominates that of the expression, and adds
 * what it rests on to the ledger. STATUS_UNKNOWN: refused, see above; STATUS_USAGE: a bare name
 * without `fresh`. On failure one line without a newline is appended to `message`, and *result and
 * *ledger are as before. */
enum status evaluate_survival(struct survival *result, const struct ground *expression,
                              const struct evaluate_laws *laws, bool fresh, struct ledger *ledger,
                              struct text *message);

#endif
