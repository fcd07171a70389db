/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When messages come, if promises are kept: of each message whose time an invariant of the protocol
 * bounds ("sent M implies time(M) <= ..."), and that is proved with the bound.
 */
#ifndef CLI_QUESTION_BUDGET_DEADLINES_H
#define CLI_QUESTION_BUDGET_DEADLINES_H

#include "cli/question/budget/budget.h"

/* After the proof, of promises that were found. */
void deadlines_find(struct budget *budget);

#endif
