/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps that take no time. A component that is charged takes some time in a real system, unless the
 * assumptions make it 0; a parameter may be 0 unless they say otherwise.
 */
#ifndef SOLVER_PROVE_ZERO_TIME_H
#define SOLVER_PROVE_ZERO_TIME_H

#include "solver/prove/session.h"

/* Whether the assumptions may keep the component at 0; and that they do, of the session's state. */
bool zero_component_is_possible(const struct model *model, const struct component *component);
smt_term zero_component(struct session *session, const struct component *component);

/* False: every step of the action is charged something that may take time, whatever the other times
 * are. */
bool zero_time_is_possible(const struct model *model, const struct action *action);

/* That a step of the action takes no time in the state `at`. All its costs have conditions that do
 * not hold, are of batches without members, or are of components that are 0 and, as the assumptions
 * are, cannot be a little more while all else stays. Its node, fields and choices are in the
 * environment. */
smt_term zero_time(struct session *session, const struct action *action, const struct symbolic *at);

#endif
