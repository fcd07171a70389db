/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A budget as a picture: the bound as bars along time, what happens one after the other side by
 * side, branches below each other; within each bar what the part takes today. Below it what of the
 * chance each part spends.
 */
#ifndef CLI_PRESENT_FIGURE_BUDGET_H
#define CLI_PRESENT_FIGURE_BUDGET_H

#include "cli/question/budget/budget.h"
#include "show/page.h"

/* Of a budget that was found; `command` as it was typed. */
struct picture budget_picture(const struct budget *budget, const char *command);

#endif
