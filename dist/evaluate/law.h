/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Laws built from laws. A law is known by what it is made of: two sums of the same laws with the
 * same multiplicities are one object, whoever the occurrences are. Making one computes nothing;
 * law_survival does, each law once, and keeps no survival function longer than the laws above it
 * need it.
 *
 * SCALE to KTH and COUNTED take independent operands, JOINT_* any joint law of them; knowing which
 * is which is the caller's task (evaluate.h).
 *
 * The table owns its laws, except the survival functions of leaves, which stay the caller's and
 * outlive it. Terms are combined in an order that depends on the laws alone, so that equal
 * expressions give equal results however they are written.
 */
#ifndef DIST_EVALUATE_LAW_H
#define DIST_EVALUATE_LAW_H

#include "base/index.h"
#include "base/vector.h"
#include "dist/survival/survival.h"

enum law_kind {
  LAW_LEAF,
  LAW_SCALE, /* value * parts[0] */
  LAW_SUM,   /* value + all copies of all parts; none: the constant */
  LAW_MAX,   /* of all copies of all parts, as are the following */
  LAW_MIN,
  LAW_KTH, /* the rank-th smallest */
  LAW_JOINT_SUM,
  LAW_JOINT_MAX,
  LAW_JOINT_MIN,
  LAW_JOINT_KTH,
  LAW_BETTER,  /* the pointwise best of bounds of one latency */
  LAW_MIX,     /* parts[i] with probability parts[i].count * 10^-18; these add up to 1 */
  LAW_COUNTED, /* law_counted */
};

struct law;

/* `count` copies. */
struct law_copies {
  const struct law *law;
  uint64_t count;
};

struct law {
  enum law_kind kind;
  size_t id;             /* order of making */
  uint64_t hash;         /* of the content: no address in it */
  size_t leaf;           /* of a leaf */
  struct rational value; /* the factor of a scale, the constant of a sum */
  uint64_t rank;
  size_t count;
  struct law_copies *parts;
  size_t set_count; /* COUNTED: that many sets of set_sizes[i] of the last parts */
  size_t *set_sizes;
  const struct survival *leaf_survival;
  /* Slack by rounding alone: the longest chain of roundings on the log-linear grid, each at most
   * one part in B; and by how many steps of a linear grid the value can be off. */
  unsigned depth;
  uint64_t steps;
};

struct law_table {
  struct grid grid;
  enum survival_side side;
  VECTOR(struct law *) laws;
  struct index index; /* of laws */
};

void law_table_init(struct law_table *table, const struct grid *grid, enum survival_side side);
void law_table_clear(struct law_table *table);

/* The same `leaf` always comes with the same survival function. NULL is fine as long as no survival
 * function is asked for. */
const struct law *law_leaf(struct law_table *table, size_t leaf, const struct survival *survival);

/* factor * part, for a factor >= 0. */
const struct law *law_scale(struct law_table *table, const struct rational *factor,
                            const struct law *part);

/* constant + all copies of all parts; none: the constant. Reorders and merges `parts`. */
const struct law *law_sum(struct law_table *table, const struct rational *constant_ns,
                          struct law_copies *parts, size_t count);

/* LAW_MAX to LAW_JOINT_KTH except sums with a constant; of all copies of all parts, of which there
 * is one; 1 <= rank <= copies counts for the order statistics only. Reorders and merges `parts`. */
const struct law *law_combine(struct law_table *table, enum law_kind kind, struct law_copies *parts,
                              size_t count, uint64_t rank);

/* The pointwise best of `count` >= 1 bounds of the same latency; slack is that of the first. */
const struct law *law_better(struct law_table *table, const struct law *const *bounds,
                             size_t count);

/* A draw from laws[i] with probability weights[i] * 10^-18; the weights add up to 10^18. */
const struct law *law_mix(struct law_table *table, const struct law *const *laws,
                          const uint64_t *weights, size_t count);

/* The rank-th smallest of the copies of `alone`, which are independent, and of `set_count` >= 1
 * sets of latencies, independent of each other and of those: of set i, `order_laws` has the bounds
 * of its set_sizes[i] order statistics from the least up, after those of the sets before it. Merges
 * `alone`. At most LAW_COUNTED_MAX latencies in sets. */
enum { LAW_COUNTED_MAX = 16 };
const struct law *law_counted(struct law_table *table, struct law_copies *alone, size_t alone_count,
                              const struct law *const *order_laws, const size_t *set_sizes,
                              size_t set_count, uint64_t rank);

/* Has what several of the sums in the law have in common computed once. The last thing that is done
 * to a table before laws are computed: none is made after it. */
void law_share(struct law_table *table, const struct law *law);

/* Computes the law into *result, which is initialised with the table's grid and side, on one thread
 * or, with more than one job, two. The result is the same. */
void law_survival(struct survival *result, const struct law_table *table, const struct law *law,
                  size_t jobs);

/* How the copies of the parts of a sum are added: `order` has, for n = count, the n - 1 additions
 * as pairs of indices; part i is i, the result of addition j is n + j. Returns the depth. */
unsigned law_sum_order(size_t (*order)[2], const struct law_copies *parts, size_t count);

#endif
