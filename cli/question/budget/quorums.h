/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Order statistics of a bound by what their branches are made of: "the 2nd of 3 of d.Write + Apply".
 */
#ifndef CLI_QUESTION_BUDGET_QUORUMS_H
#define CLI_QUESTION_BUDGET_QUORUMS_H

#include "cli/question/budget/budget.h"

/* Adds what is counted by itself, and each order statistic of the whole with what it spends (those
 * within others are in theirs); after spending_total. */
void quorums_add(struct budget *budget, const struct spending *spending);
void quorums_clear(struct budget *budget);

#endif
