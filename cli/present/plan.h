/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `plan`, as text and as JSON, on stdout.
 */
#ifndef CLI_PRESENT_PLAN_H
#define CLI_PRESENT_PLAN_H

#include "cli/question/plan/plan.h"

void plan_print_text(const struct planning *planning);
void plan_print_json(const struct planning *planning);

#endif
