/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A ground expression for the many evaluations of a search: nodes in one array, children before
 * parents, each with the set of what is in it. Minima and order statistics are both BUDGET_KTH.
 */
#ifndef DIST_BUDGET_NODES_H
#define DIST_BUDGET_NODES_H

#include "base/arena.h"
#include "base/expression.h"
#include "base/index.h"
#include "base/status.h"
#include "base/text.h"

enum budget_node_kind {
  BUDGET_CONSTANT,
  BUDGET_OCCURRENCE,
  BUDGET_ADD,
  BUDGET_SCALE,
  BUDGET_MAX,
  BUDGET_KTH
};

struct budget_node {
  enum budget_node_kind kind;
  const struct expression *of;
  size_t occurrence, part; /* BUDGET_OCCURRENCE */
  double value;            /* BUDGET_CONSTANT in ns, BUDGET_SCALE */
  size_t rank;             /* BUDGET_KTH */
  size_t first, count;     /* its children are terms->children[first], ... */
  size_t quorum;           /* BUDGET_KTH: its number among them */
  const uint64_t *all;     /* the set of what is in it: occurrences, order statistics, itself too */
  const uint64_t *events;  /* of what it is a sum and maximum of: any of these breaks it */
  const uint64_t *shared;  /* BUDGET_KTH: of what is in several branches */
  bool has_kth;            /* itself, or below */
  bool has_shared;         /* BUDGET_KTH: branches share something */
  bool is_entangled;       /* BUDGET_KTH: an order statistic below has some that branches share */
};

struct budget_nodes {
  struct arena arena;
  VECTOR(struct budget_node) nodes; /* the root is the last */
  VECTOR(size_t) children;
  struct index index;
  size_t occurrence_count; /* a set has a bit for each, and behind them ... */
  size_t quorum_count;     /* ... one for each order statistic, */
  size_t words;            /* in so many words of 64 bits */
  const size_t *part_of;   /* by occurrence id */
};

/* STATUS_USAGE, with a line in `message`: the expression has bare names or a difference, for which
 * no promise of parts suffices. `part_of` outlives the terms, which are cleared in any case. */
enum status budget_nodes_make(struct budget_nodes *terms, const struct expression *expression,
                              size_t occurrence_count, const size_t *part_of, struct text *message);
void budget_nodes_clear(struct budget_nodes *terms);

static inline bool bits_have(const uint64_t *bits, size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}

/* How many different occurrences of a part are in the whole. */
size_t budget_nodes_count_of(const struct budget_nodes *terms, size_t part);

#endif
