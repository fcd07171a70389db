/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The return instructions of a function, for a probe on each: where the kernel cannot wait for the
 * return by itself, as the stack moves (Go) or is switched (coroutines).
 */
#ifndef MEASURE_OUTSIDE_FIND_RETURNS_H
#define MEASURE_OUTSIDE_FIND_RETURNS_H

#include "measure/outside/place_check.h"
#include "measure/outside/target.h"

/* Adds a place for each. STATUS_DATA with one line in `message` where one may be missing: the
 * function has instructions that are not known, or is left by a jump, so that another one returns
 * in its place. */
enum status find_returns(struct outside_target *target, const struct outside_site *site,
                         struct target_file *file, const struct place_name *name,
                         struct text *message);

#endif
