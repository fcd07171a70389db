/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The further values that samples of pprof have beside the one that counts: alloc_objects beside
 * alloc_space, samples beside cpu. They go along from file to file; nothing is computed of them.
 */
#ifndef TRACE_STACKS_VALUES_H
#define TRACE_STACKS_VALUES_H

#include "trace/stacks/profile.h"

/* The place of a value of this type and unit in profile->values, a new one if there is none. */
size_t stack_value_find(struct stack_profile *profile, struct slice type, struct slice unit);

/* Adds to the value of a node; sums that 64 bits do not hold stay at UINT64_MAX. */
void stack_value_add(struct stack_profile *profile, size_t value, uint32_t node, uint64_t number);

/* What a node has of a value. */
uint64_t stack_value_of(const struct stack_value *value, uint32_t node);

/* Takes a value away; nothing if there is none. */
void stack_value_drop(struct stack_profile *profile, const char *type, const char *unit);

/* The weights, which are samples, as a further value: before they become processor time. */
void stack_value_keep_samples(struct stack_profile *profile);

void stack_values_multiply(struct stack_profile *profile, uint64_t by);

/* Adds those of the source; `nodes` are the target's numbers of its nodes. Of values that only one
 * has the sum would mean nothing: they are left out, which target->left_out says, unless the target
 * is `empty`. When the target is made of the same files in another order, it has the same. */
void stack_values_merge(struct stack_profile *target, const struct stack_profile *source,
                        const uint32_t *nodes, bool empty);

void stack_values_clear(struct stack_profile *profile);

/* Appends to what was left out, once: "lines; labels". */
void stack_left_out(struct stack_profile *profile, const char *what);

#endif
