/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stacks of a profile in the order of the bytes of their folded lines, without the lines: what
 * a tool that sorts lines would give, whatever order the samples came in.
 */
#ifndef TRACE_STACKS_ORDER_H
#define TRACE_STACKS_ORDER_H

#include "trace/stacks/profile.h"

/* Every node but the root by its children: the children of node i are children[first[i]] up to
 * children[first[i + 1]], in the order of the bytes of their names, then of what else differs. Both
 * belong to the caller (mem_free). */
struct stack_children {
  uint32_t *first, *children;
};

void stack_children_find(struct stack_children *children, const struct stack_profile *profile);
void stack_children_clear(struct stack_children *children);

/* Calls visit for each node whose own weight is not 0, in the order of the folded lines; `profile`
 * is one made by stack_profile_by_text. */
void stack_profile_visit(const struct stack_profile *profile,
                         void (*visit)(uint32_t node, void *context), void *context);

/* Puts the samples in the order of time; those of one moment stay as they came. */
void stack_samples_sort(struct stack_profile *profile);

#endif
