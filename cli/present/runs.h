/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `plan --traces` (cli/question/runs/runs.h) as text, or as JSON: a line of kind
 * "run" for each kind of request, and "runs" at the end.
 */
#ifndef CLI_PRESENT_RUNS_H
#define CLI_PRESENT_RUNS_H

struct runs_answer;

void runs_print_text(const struct runs_answer *answer);
void runs_print_json(const struct runs_answer *answer);

#endif
