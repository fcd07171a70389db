/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How bad a dependence can really be: a joint law, found by rearrangement, under which the sum is
 * large. It says how much of joint_sum's bound is needed. It is never a bound itself: a worse joint
 * law than the one found may exist.
 */
#ifndef DIST_SURVIVAL_ADVERSARY_H
#define DIST_SURVIVAL_ADVERSARY_H

#include "dist/survival/combine.h"

#define ADVERSARY_COPIES_MAX 64

/* A sum in ns, as large as was found, that some joint law of all copies of all parts reaches or
 * exceeds with a chance of at least `tail` > 0 in units of 10^-18; the laws are taken to be what
 * the survivals say. At most ADVERSARY_COPIES_MAX copies. The last `tail` of each law is cut into
 * `rows` >= 1 equal slices, each counted with its least value, and the slices are rearranged
 * (Puccetti and Rueschendorf 2012): over and over, one copy's slices are put in the opposite order
 * of the sums of all others', until the least sum of a row no longer grows. */
uint64_t adversary_sum(const struct copies *parts, size_t part_count, uint64_t tail, size_t rows);

#endif
