/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What promises cost: a table of what parts can be bought to keep, and the cheapest that suffice.
 *
 *   part,percentile,limit,cost
 *   Pay,99.9,20ms,120
 *   Pay,99.9,30ms,80
 */
#ifndef CLI_QUESTION_BUDGET_COSTS_H
#define CLI_QUESTION_BUDGET_COSTS_H

#include "cli/question/budget/budget.h"

/* Chooses the promises of all parts by the request's table: those in it make one of its promises,
 * others one of what was measured of them, which costs nothing. STATUS_NO_INPUT, STATUS_DATA after
 * the asker was told. */
enum status costs_choose(struct budget *budget, const struct budget_nodes *nodes);

#endif
