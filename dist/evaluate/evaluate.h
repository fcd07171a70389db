/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a ground expression and the laws of its occurrences to a bound of the law of its value, on
 * the side of the result.
 *
 * An occurrence is one random variable wherever it is mentioned. Occurrences of different groups
 * are independent, which the ledger says; those of one group may depend on each other in any way.
 * Two parts of an expression are independent when they have no occurrence and no group in common.
 * What is shared is factored out where the expression allows it, exactly: X + X is 2*X, max(a + b,
 * a + c) is a + max(b, c), and likewise for minima, order statistics, and some of the parts only.
 * What remains is bounded by a rule, each named in the ledger with where it was used:
 *
 *   association     parts that share occurrences, each independent of all others, are treated as
 *                   independent where that can only move the result outward: under a maximum on the
 *                   upper side, under a minimum on the lower (Esary, Proschan, Walkup 1967)
 *   split           there, too: the largest of what each part adds alone plus the largest of what
 *                   they share is at least the largest of the parts, and counts the shared once
 *   any joint law   everything else: the bounds of dist/survival/joint.h, from the parts' laws
 *                   alone; on the other side of maxima and minima, those of independent parts only
 *   value by value  and in small expressions the mixture over the values, or up to 64 ranges of
 *                   them, of the occurrence that most parts share
 *   counting        an order statistic of sets that are independent of each other: how many of each
 *                   set have ended is bounded by the set's order statistics, and added up
 *
 * Where several apply, the pointwise best counts.
 *
 * Bare names are refused unless `fresh`: then each mention is a draw of its own, an integer
 * multiple k*C counts as k mentions, and the ledger says that no proof covers it.
 *
 * The work depends on how many different laws occur, not on how many occurrences share them: a sum,
 * maximum, minimum or quorum of n alike terms takes about log n, log n, log n and n steps. It is
 * linear in the number of occurrences, and what several sums have in common is added once.
 */
#ifndef DIST_EVALUATE_EVALUATE_H
#define DIST_EVALUATE_EVALUATE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "base/ledger.h"
#include "dist/survival/survival.h"
#include "base/expression.h"

#define GROUP_ALONE SIZE_MAX /* independent of all other occurrences */

struct evaluate_laws {
  /* The law of an occurrence, or of the bare name `component` when `occurrence` is NULL: sets a
   * number that tells different laws apart, and a survival function on the grid and the side of the
   * result that outlives the evaluation. Anything but STATUS_OK ends the evaluation with that
   * status; it then appends a line to `message`. */
  enum status (*find)(void *context, size_t *law, const struct survival **survival,
                      const struct occurrence *occurrence, const char *component,
                      struct text *message);
  /* The group of an occurrence, or GROUP_ALONE. NULL: all are alone. The mentions of bare names
   * that are drawn anew are in one group when `together_bare`, else each alone. */
  size_t (*group)(void *context, const struct occurrence *occurrence);
  bool together_bare;
  void *context;
  size_t jobs; /* threads that compute; 0 is 1 */
};

/* How far apart result and exact value can be by rounding alone, before computing: the longest
 * chain of roundings on the log-linear grid; and by how many steps of a linear grid the result can
 * be off: a draw, a constant and a multiplication cost one step each, a factor multiplies them.
 * What ranges of values cost (value by value) is not in it. */
struct evaluate_cost {
  unsigned depth;
  uint64_t addends;
};

/* As if each component, and each message of a delay, had a law of its own and no group were there;
 * exactly what evaluate_survival's ledger says when that is so. */
struct evaluate_cost evaluate_cost(const struct expression *expression);

/* Sets *result (initialised with its grid and side) and adds what it rests on to the ledger.
 * STATUS_USAGE: a bare name without `fresh`. On failure one line without a newline is appended to
 * `message`, and *result and *ledger are as before. */
enum status evaluate_survival(struct survival *result, const struct expression *expression,
                              const struct evaluate_laws *laws, bool fresh, struct ledger *ledger,
                              struct text *message);

#endif
