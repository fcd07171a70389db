/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An execution as a person reads it: one line a step, with the numbers.
 */
#ifndef SOLVER_TELL_TIMELINE_H
#define SOLVER_TELL_TIMELINE_H

#include "solver/judge/replay.h"

/* Appends a table of the steps (start, end, node, action, what it waited for, took, read, set and
 * sent); idle steps of one node that follow one another share a line.
 * `valuation` NULL: without times. */
void timeline_print(struct text *text, const struct replay *replay,
                    const struct valuation *valuation);

#endif
