/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles added up: of processes to that of a machine, of machines to that of a fleet, in any
 * order and by any tree of partial sums. What is written of the sum has the same bytes for all of
 * them.
 *
 * Weights of profiles that were sampled at several rates are made comparable first: a sample at 99
 * a second stands for 10 101 010 ns of processor time. Each stack of a profile is rounded to a
 * whole number then, once, before anything is added.
 */
#ifndef TRACE_STACKS_MERGE_H
#define TRACE_STACKS_MERGE_H

#include <stdbool.h>

#include "base/text.h"
#include "trace/stacks/profile.h"

/* Multiplies all weights by multiply / divide, rounded to the nearest; divide > 0. Sums that 64
 * bits do not hold stay at UINT64_MAX. */
void stack_profile_scale(struct stack_profile *profile, uint64_t multiply, uint64_t divide);

/* Adds the stacks of `source`, what was lost and so on. Threads and moments stay behind: they mean
 * nothing on another machine. An empty target takes the unit and the event of the source. False,
 * with a line in `message` and nothing changed, when units or events differ, or when the total
 * needs more than 64 bits. */
bool stack_profile_merge(struct stack_profile *target, const struct stack_profile *source,
                         struct text *message);

#endif
