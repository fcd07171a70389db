/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hot functions of a profile: how much of the weight is in a function itself, and how much in
 * it or in what it calls. A stack in which a function is twice counts once.
 */
#ifndef TRACE_STACKS_HOT_H
#define TRACE_STACKS_HOT_H

#include "trace/stacks/profile.h"

struct stack_hot {
  uint32_t frame;
  uint64_t self, total; /* weight */
};

struct stack_hot_list {
  VECTOR(struct stack_hot) list; /* by self, then total, then frame */
};

/* All functions that are in a sample. */
void stack_hot_find(struct stack_hot_list *hot, const struct stack_profile *profile);
void stack_hot_clear(struct stack_hot_list *hot);

/* The interval that holds a share with this confidence, part of whole being seen in `count`
 * independent samples (Clopper and Pearson 1934). 0 <= level < 1. */
void stack_share(double *lower, double *upper, uint64_t part, uint64_t whole, uint64_t count,
                 double level);

#endif
