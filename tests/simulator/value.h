/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values of terms in a run: of guards and statements as a node evaluates them, and of bounds once
 * the run is over and every occurrence has its value. What did not happen took no time.
 */
#ifndef TESTS_SIMULATOR_VALUE_H
#define TESTS_SIMULATOR_VALUE_H

#include "tests/simulator/cluster.h"

/* The term's value under cluster->variables, which are the same again afterwards. What is not
 * supported (quantifiers over all integers) leaves a mistake in the cluster. */
int64_t value_of(struct cluster *cluster, const struct term *term);

/* The node of `to` that a node of `from` tells. */
int64_t node_of_role(struct cluster *cluster, const struct role *from, const struct role *to,
                     int64_t node);

/* Calls each(cluster, context) under every choice of the variables. */
void value_each(struct cluster *cluster, size_t count, const struct variable *const *variables,
                void (*each)(struct cluster *cluster, void *context), void *context);

/* The values of `count` terms. */
void values_of(struct cluster *cluster, const struct term *const *terms, size_t count,
               int64_t *values);

#endif
