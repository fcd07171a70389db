/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A profile that was sampled at a changing rate, weighed by the phases of the program
 * (measure/profile/phases.h): a sample weighs by what it says of all windows of its phase,
 * however fast it was taken; where shares do not drift all of a phase weigh the same.
 */
#ifndef TRACE_STACKS_POOL_H
#define TRACE_STACKS_POOL_H

#include "measure/profile/phases.h"
#include "trace/stacks/profile.h"

/* The windows' samples are the profile's first ones, in the same order; samples behind the last
 * window keep their weights. The total stays but for rounding. Where the profile has fewer samples
 * than the windows, or there are none, nothing is done, and false is returned. */
bool stack_profile_pool(struct stack_profile *profile, const struct phases *phases);

#endif
