/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions of a profile, each with one number however its frames are marked: what a frame is
 * called, and in which module where it has no name.
 */
#ifndef TRACE_STACKS_WEIGHTS_H
#define TRACE_STACKS_WEIGHTS_H

#include <stddef.h>

#include "trace/stacks/profile.h"

/* Function 0 is that of stacks without a frame. Owns its arrays. */
struct stack_functions {
  size_t count;
  uint32_t *of_node;  /* the innermost frame's, by node */
  uint32_t *of_frame; /* by frame */
  uint32_t *frame;    /* a frame of each; STACK_NONE of function 0 */
};

void stack_functions_find(struct stack_functions *functions, const struct stack_profile *profile);
void stack_functions_clear(struct stack_functions *functions);

/* The `most` functions with the greatest weights above 0, the heaviest first, equally heavy ones by
 * number; owned by the caller. */
uint32_t *stack_functions_top(const double *weights, size_t functions, size_t most, size_t *count);

#endif
