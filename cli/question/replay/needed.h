/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which parameters an execution of a protocol depends on, so that they must be given, and the
 * bounds that can be judged with those that are.
 */
#ifndef CLI_QUESTION_REPLAY_NEEDED_H
#define CLI_QUESTION_REPLAY_NEEDED_H

#include "cli/question/verify/parameters.h"
#include "solver/judge/interpreter.h"

typedef VECTOR(const struct bound *) bound_list;

/* The interpreter at the parameters set, or NULL with one line in `message` and STATUS_USAGE in
 * *status: a parameter that roles, states or actions mention, or a time, is not given, or an
 * assumption does not hold. Parameters that only bounds mention may be missing; they get some value
 * that the assumptions allow. */
struct interpreter *needed_interpreter(enum status *status, const struct model *model,
                                       struct parameters *parameters, struct text *message);

/* Of the bounds (`only`, or all of the model when it is NULL) those whose parameters are given.
 * Those that are left out are named in `missing`, one line each. */
void needed_bounds(bound_list *bounds, const struct model *model, const struct bound *only,
                   const struct parameters *parameters, struct text *missing);

#endif
