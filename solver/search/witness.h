/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An execution, with times, in which a bound's event happens, found by running the model at random
 * (hunt_event): what is left when control alone finds executions that no times allow, because some
 * step was due in between. Then steps that nothing needs are left out.
 */
#ifndef SOLVER_SEARCH_WITNESS_H
#define SOLVER_SEARCH_WITNESS_H

#include <stdbool.h>
#include <stddef.h>

struct bound;
struct hunt_options;
struct interpreter;
struct path;
struct replay;
struct values;

/* Whether one was found, after *work steps considered (added to it); `values`, `replay` and `path`
 * (all initialised) then hold it. */
bool witness_find(struct values *values, struct replay *replay, struct path *path,
                  struct interpreter *interpreter, const struct bound *bound,
                  const struct hunt_options *options, size_t *work);

#endif
