/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a frame is called in text: `hash`, `[libc.so.6]` where only the module is known,
 * `libc.so.6+0x1f40` where the place in it is known too, `[unknown]` where nothing is.
 */
#ifndef TRACE_STACKS_FRAME_H
#define TRACE_STACKS_FRAME_H

#include <stdbool.h>

#include "base/text.h"
#include "trace/stacks/profile.h"

/* Appends the text of frame number `frame`. `marks`: what the kernel or a compiler at run time made
 * ends in _[k] or _[j], as in `stackcollapse-perf.pl --all`; inlined frames end in _[i] always. A
 * semicolon is written as a colon and a control byte as a space, as both mean something in folded
 * stacks; all other bytes are as they are, also those that are no UTF-8. */
void stack_frame_text(const struct stack_profile *profile, uint32_t frame, bool marks,
                      struct text *text);

/* The kind that a mark at the end of a name says (FRAME_USER: none), and the name without it. */
enum frame_kind stack_frame_unmark(struct slice *name);

/* Where a string first stands in a text; NULL: nowhere. */
const char *stack_find(struct slice text, const char *string);

/* The part of a path behind its last slash. */
struct slice stack_base_name(struct slice path);

/* Into `copy`, an initialised profile: the same stacks with each frame known by its text alone, so
 * that frames that read the same are the same. Weights, threads and what was counted go along;
 * samples name the nodes of the copy. */
void stack_profile_by_text(struct stack_profile *copy, const struct stack_profile *profile,
                           bool marks);

/* The same with marks, but none of inlined functions: what is inlined here and called there is one
 * function. */
void stack_profile_by_function(struct stack_profile *copy, const struct stack_profile *profile);

/* The number that a frame of the profile has in such a copy. `text` is working space. */
uint32_t stack_function_of(struct stack_profile *copy, const struct stack_profile *profile,
                           uint32_t frame, struct text *text);

#endif
