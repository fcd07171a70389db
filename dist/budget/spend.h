/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What promises of parts say of the whole. A promise of a part holds for each occurrence of it:
 * P(it takes longer than `limit`) is at most `miss`. Let v be the expression's value with each
 * occurrence at its limit. Then P(the whole takes longer than v) is at most what the expression
 * spends, whatever the joint law of the occurrences:
 *
 *   an occurrence            its miss
 *   a sum, a maximum         the misses of the distinct occurrences in it, added up
 *   the k-th of n branches   let u be its value at the limits. Of its branches only the c whose value
 *                            at the limits is at most u count: the others may exceed u and yet keep
 *                            their promises. It exceeds u only if at least m = c - k + 1 of the c
 *                            break theirs, whose chance is at most, for every r < m, the sum of the
 *                            c - r smallest spends divided by m - r (Rueger 1978).
 *
 * What several parts of a sum, maximum or order statistic have in common, an occurrence or an order
 * statistic, is counted once, beside them, and as never broken within them.
 *
 * If occurrences are independent, chances that at least one of several breaks its promise are
 * 1 - the product of 1 - each (of events that grow with the same independent ones that is a bound:
 * Esary, Proschan, Walkup 1967), and how many branches break theirs is Poisson binomial, unless
 * they have something in common; then the rule above is used.
 *
 * Chances are in units of 10^-18, rounded up.
 */
#ifndef DIST_BUDGET_SPEND_H
#define DIST_BUDGET_SPEND_H

#include "base/rational.h"
#include "dist/budget/nodes.h"

struct promise {
  uint64_t limit_ns;
  uint64_t miss; /* at most SURVIVAL_ONE */
};

/* How an order statistic spends. */
struct quorum_spend {
  size_t counted; /* branches */
  size_t needed;  /* of them to break their promises */
  size_t dropped; /* the likeliest ones, r above; of an independent one 0 */
  uint64_t spend; /* without what branches share */
};

struct spending {
  const struct budget_nodes *terms;
  bool independent;
  bool is_least;                /* instead, a bound from below whatever the limits are: all branches
                                 * count, and those that share something spend nothing */
  double *values;               /* by node: at the limits, in ns */
  bool *counts;                 /* by child: whether the branch counts */
  struct quorum_spend *quorums; /* by the number of the order statistic */
  const uint64_t *misses;       /* by part, of the call */
  size_t *nodes;                /* by the number of the order statistic: its node */
  uint64_t *sets, *chances;     /* scratch, for each depth of order statistics in each other */
  size_t most;                  /* children */
  double *sorted;
};

/* `terms` outlive it. */
void spending_init(struct spending *s, const struct budget_nodes *terms, bool independent);
void spending_clear(struct spending *s);

/* The value at the limits, by part, and which branches count. */
double spending_value(struct spending *s, const double *limits_ns);
/* The same, exactly; *value is initialised. */
void spending_exact(struct rational *value, struct spending *s, const struct promise *promises);

/* What is spent with these misses, by part, at the limits of the call before; at most SURVIVAL_ONE.
 */
uint64_t spending_total(struct spending *s, const uint64_t *misses);

/* The chance that at least `needed` >= 1 of `count` events happen, from their own alone, whatever
 * their joint law; sorts them. *dropped: how many of the likeliest the bound leaves out. */
uint64_t spend_any(uint64_t *chances, size_t count, size_t needed, size_t *dropped);
/* The same of independent ones; `at_least` has needed + 1 places. */
uint64_t spend_independent(uint64_t *at_least, const uint64_t *chances, size_t count,
                           size_t needed);

#endif
