/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace path`, as text and as JSON, on stdout.
 */
#ifndef CLI_PRESENT_PATH_H
#define CLI_PRESENT_PATH_H

#include "cli/question/trace_path/trace_path.h"

struct path_style {
  size_t top; /* how many steps and parts are listed: those that took longest */
  bool full;  /* all undecided orders too, and all assumptions */
};

void path_print_text(const struct trace_path *answer, const struct path_style *style);
void path_print_json(const struct trace_path *answer);

/* What an activity is, without whose it is: "until it calls cart/get". Appended. */
void path_activity(struct text *text, const struct trace_path *answer,
                   const struct request_flow *flow, const struct activity *activity);

#endif
