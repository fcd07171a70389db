/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Laws built from laws, each computed once. A law is known by what it is made of: two sums of the
 * same laws with the same multiplicities are one object, whoever the occurrences are. All operands
 * of one operation are independent; knowing that they are is the caller's task (evaluate.h).
 *
 * The table owns its laws, except the survival functions of leaves, which stay the caller's and
 * outlive it. Terms are combined in an order that depends on the laws alone, so that equal
 * expressions give equal results however they are written.
 */
#ifndef DIST_EVALUATE_LAW_H
#define DIST_EVALUATE_LAW_H

#include "base/vector.h"
#include "dist/survival/survival.h"

enum law_kind { LAW_LEAF, LAW_SCALE, LAW_SUM, LAW_MAX };

struct law;

/* `count` independent copies. */
struct law_copies {
  const struct law *law;
  uint64_t count;
};

struct law {
  enum law_kind kind;
  uint64_t hash;         /* of the content: no address in it */
  size_t leaf;           /* of a leaf */
  struct rational value; /* the factor of a scale, the constant of a sum */
  size_t count;
  struct law_copies *parts;
  const struct survival *survival;
  struct survival owned;
  unsigned depth; /* roundings to the grid one after another, each at most one part in B */
};

struct law_table {
  struct grid grid;
  VECTOR(struct law *) laws;
};

void law_table_init(struct law_table *table, const struct grid *grid);
void law_table_clear(struct law_table *table);

/* The same `leaf` always comes with the same survival function. */
const struct law *law_leaf(struct law_table *table, size_t leaf, const struct survival *survival);

/* factor * part, for a factor >= 0. */
const struct law *law_scale(struct law_table *table, const struct rational *factor,
                            const struct law *part);

/* constant + all copies of all parts; none: the constant. Reorders and merges `parts`. */
const struct law *law_sum(struct law_table *table, const struct rational *constant_ns,
                          struct law_copies *parts, size_t count);

/* The largest of all copies of all parts, of which there is one. Reorders and merges `parts`. */
const struct law *law_max(struct law_table *table, struct law_copies *parts, size_t count);

#endif
