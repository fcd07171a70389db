/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Promises at several points of a part's curve: with p50 and p90 besides, it is known that few
 * occurrences are near their limit, and all parts may have more room.
 */
#ifndef CLI_QUESTION_BUDGET_CURVES_H
#define CLI_QUESTION_BUDGET_CURVES_H

#include "cli/question/budget/budget.h"

/* Sets limits of whole times for the room, of few digits, so that what is printed suffices; on an
 * edge of the part's buckets where one is left. And b->room_left, the room that they leave to all
 * parts: below 0 where the room is, and else not. */
void curves_set(struct budget *budget, double room);

/* Adds the percentiles that are promised besides, with the room of the rest, and looks for the
 * greatest room at which all together suffice, by the evaluators alone; b->room is not less than
 * before. */
enum status curves_widen(struct budget *budget);

/* Whether the promises suffice by the evaluators: *above is what they bound the chance by. */
enum status curves_confirm(uint64_t *above, const struct budget *budget, unsigned coarse);

#endif
