/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Multiples of the number of nodes of a role that a protocol's text mentions, as 2*n in an
 * invariant: what each node may have so that all together have that.
 */
#ifndef SOLVER_ENCODE_MULTIPLE_H
#define SOLVER_ENCODE_MULTIPLE_H

#include "solver/encode/encode.h"

enum { MULTIPLES_MAX = 6 };

/* all = each * number of nodes, as products of literals and parameters; the text's may be written
 * in any order. */
struct multiple {
  smt_term each, all;
};

/* Writes no more than MULTIPLES_MAX, which are different; how many. 0 and, of a number that is no
 * product, 1 for each are not among them. */
size_t encode_multiples(struct encoder *encoder, const struct role *role,
                        struct multiple *multiples);

#endif
