/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `profile --off-cpu`: where threads wait, by thread and stack.
 */
#ifndef CLI_PRESENT_PROFILE_WAITS_H
#define CLI_PRESENT_PROFILE_WAITS_H

#include "cli/question/profile/profile.h"
#include "show/document.h"

extern const struct object_kind waits_kind, waiting_kind;

/* Adds what was seen, and the `top` waits of most time; 0: all. */
void profile_waits_say(struct document *document, const struct profile_answer *answer, size_t top);

/* Says how little of its time a program ran for `used` of `elapsed` ns, where that is less than half
 * of one processor; then a profile of where it ran hides most of its time. */
void profile_ran_say(struct document *document, uint64_t used, double elapsed_ns);

#endif
