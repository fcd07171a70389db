/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Seeded random draws for workloads and simulated networks; not for anything secret.
 */
#ifndef EXAMPLES_COMMON_RANDOM_H
#define EXAMPLES_COMMON_RANDOM_H

#include "base/random.h"

/* Different streams of one seed are unrelated. */
struct random random_seeded(uint64_t seed, uint64_t stream);

/* Uniform in 0 .. limit, nearly: the bias is below limit / 2^64. */
uint64_t random_upto(struct random *random, uint64_t limit);

/* Exponential of the given mean, by inversion, rounded down; at most 45 means. */
uint64_t random_exponential(struct random *random, uint64_t mean);

#endif
