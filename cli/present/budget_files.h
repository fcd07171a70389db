/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Promises as files of other tools: rules of Prometheus, objectives of OpenSLO.
 */
#ifndef CLI_PRESENT_BUDGET_FILES_H
#define CLI_PRESENT_BUDGET_FILES_H

#include "cli/question/budget/budget.h"

/* `metrics`: by part, the histogram whose NAME_bucket and NAME_count Prometheus has of it; of others
 * the part's name in lower case with _seconds behind it. Appended to an initialised text. */
void budget_rules_print(struct text *text, const struct budget *budget, const settings *metrics);
void budget_openslo_print(struct text *text, const struct budget *budget, const settings *metrics);

#endif
