/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cheapest promises that suffice, where each part has a list of promises that it can make and
 * what each costs. All choices are searched, but for those that cannot become cheaper than the best
 * found, or cannot suffice even if every other part made its fastest and its surest promise at
 * once (branch and bound). What is found is calculated exactly.
 */
#ifndef DIST_BUDGET_COST_H
#define DIST_BUDGET_COST_H

#include "dist/budget/spend.h"

struct cost_option {
  struct promise promise;
  double cost; /* >= 0 */
};

struct cost_part {
  const struct cost_option *options;
  size_t count; /* >= 1 */
};

struct cost_request {
  const struct budget_nodes *nodes;
  const struct cost_part *parts;
  size_t part_count;
  const struct rational *objective_ns;
  bool strict; /* below it, rather than at most */
  uint64_t chance;
  bool independent;
  size_t steps; /* choices of one part that are looked at in all, at most */
};

struct cost_choice {
  bool found;
  bool is_least; /* no other costs less: the search came to its end */
  double cost;
  size_t *options; /* by part; owned */
};

/* Cleared by the caller in any case. */
void cost_find(struct cost_choice *choice, const struct cost_request *request);
void cost_clear(struct cost_choice *choice);

#endif
