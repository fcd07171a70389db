/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether the assumptions of a protocol leave room for times that were measured.
 *
 * A bare name is a number that each of its occurrences is at most. So executions with these times
 * are among those that the theorem speaks of if there are bare names, each at least the longest
 * time measured, that satisfy the assumptions. A component with a single occurrence is its own bare
 * name: the assumptions must hold of whatever it takes, so for each value from the shortest to the
 * longest that was measured.
 *
 * A solver decides it, as several assumptions may have to be met together. Of single occurrences
 * only the ends are tried: enough where what the assumptions allow is convex, that is, where they
 * are conjunctions of linear comparisons.
 */
#ifndef SOLVER_SEARCH_ROOM_H
#define SOLVER_SEARCH_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rational.h"
#include "lang/model.h"

enum room {
  ROOM_LEFT,    /* the assumptions can be met, perhaps with values of parameters not given */
  ROOM_NONE,    /* they cannot */
  ROOM_UNKNOWN, /* cannot tell: the solver gave up, or assumptions are no such conjunctions */
};

/* What is known. Parameters by param id; times, in ns, by component id, each NULL where nothing is:
 * `exact` of constants that are given, `shortest` and `longest` of what was measured. */
struct room_facts {
  const int64_t *params;
  const bool *given;
  const struct rational *const *exact;
  const struct rational *const *shortest, *const *longest;
};

/* Whether the component has one occurrence only, which is its bare name. */
bool component_is_single(const struct component *component);

/* Whether an assumption is about the component. */
bool assumption_mentions(const struct assumption *assumption, const struct component *component);

/* broken[i] says, when there is no room, whether the i-th assumption is one of those that cannot be
 * met together; none of them can be left out. `broken` has model->assumptions.count elements. */
enum room room_find(const struct model *model, const struct room_facts *facts, bool *broken);

#endif
