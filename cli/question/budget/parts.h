/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of a bound that make promises, with what was measured of them.
 */
#ifndef CLI_QUESTION_BUDGET_PARTS_H
#define CLI_QUESTION_BUDGET_PARTS_H

#include "cli/question/budget/budget.h"

/* Divides the occurrences into parts, reads what is said of them, and makes their points, for an
 * objective that allows `chance`. STATUS_USAGE, STATUS_DATA after the asker was told. */
enum status parts_make(struct budget *budget);

/* What holds of each part today of the promise it has. */
enum status parts_look(struct budget *budget);

void parts_clear(struct budget *budget);

#endif
