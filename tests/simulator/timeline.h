/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run told for people, in cluster->tell (nothing when that is NULL): every step with what it
 * took, what it cost and what it sent, when; then the values of the bound that is broken. Times in
 * ns. */
#ifndef TESTS_SIMULATOR_TIMELINE_H
#define TESTS_SIMULATOR_TIMELINE_H

#include "tests/simulator/choice.h"

void timeline_step(struct cluster *cluster, const struct actor *actor, const struct choice *choice);
void timeline_cost(struct cluster *cluster, const struct term *cost, int64_t ns);
void timeline_end(struct cluster *cluster, const struct actor *actor, int64_t end_ns);
void timeline_send(struct cluster *cluster, const struct mail *mail);

/* Parameters, and what the bare names are worth. */
void timeline_cluster(struct text *text, const struct cluster *cluster);

#endif
