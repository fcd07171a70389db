/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What it takes for a time to reach the bound, for solver/search/attain.c. As a proved bound is
 * never exceeded, asking for a time that is at least the bound asks for one that equals it, and
 * that needs no choice in a max:
 *
 *   max(a, b) + c <= t    becomes    a <= m and b <= m and m + c <= t
 *   min(a, b) + c <= t    becomes    (a <= m or b <= m) and m + c <= t
 *
 * with a new number m; of a kth as many of the parts are at most m as its rank says. In what is
 * subtracted it is the other way round: c - max(a, b) <= t becomes (m <= a or m <= b) and
 * c - m <= t.
 */
#ifndef SOLVER_SEARCH_ATTAIN_LIMIT_H
#define SOLVER_SEARCH_ATTAIN_LIMIT_H

#include <stdbool.h>

#include "solver/search/attain_term.h"
#include "solver/encode/encode.h"

struct attack;

/* The solver's term of a part, and of an expression that is one. */
smt_term attain_part_term(struct attack *attack, const struct attain_part *part);
smt_term attain_leaf(struct attack *attack, const struct expression *ground);

/* A formula that some value of its new numbers satisfies if and only if the expression is at most
 * (`strict`: less than) `time`. */
smt_term attain_limit(struct attack *attack, const struct expression *ground, smt_term time,
                      bool strict);

/* A number that is asserted to be at least the expression, and may equal it. */
smt_term attain_whole(struct attack *attack, const struct expression *ground);

#endif
