/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An execution as a table, a line or more for each step, or as JSON.
 */
#ifndef CLI_PRESENT_EXECUTION_H
#define CLI_PRESENT_EXECUTION_H

#include "base/jsonl.h"
#include "solver/tell/timeline.h"

/* On stdout, as wide as the terminal; what the execution shows comes behind it. */
void execution_print(const struct timeline *execution);

/* Appends the same, a line for each step. */
void execution_format(struct text *text, const struct timeline *execution);

/* Under "execution" the text, under "steps" and "messages" what it consists of. */
void execution_json(struct jsonl *json, const struct timeline *execution);

#endif
