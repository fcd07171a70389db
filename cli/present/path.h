/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace path` as text and as JSON on stdout, and the tables of it.
 */
#ifndef CLI_PRESENT_PATH_H
#define CLI_PRESENT_PATH_H

#include "show/table.h"
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

/* What a table leaves out: so many, with so much of the latency. */
struct path_rest {
  size_t count;
  int64_t ns;
};

/* Tables of the `top` longest steps and parts and the most frequent flows; initialised here. With
 * the longest steps stand undecided ones, as many as that. */
struct path_rest path_steps_table(struct table *table, const struct trace_path *answer, size_t top);
struct path_rest path_parts_table(struct table *table, const struct trace_path *answer, size_t top);
void path_flows_table(struct table *table, const struct trace_path *answer, size_t top);

/* Appends what is undecided, and what would decide it. */
void path_doubt_say(struct text *text, const struct trace_path *answer,
                    const struct path_doubt *doubt);

/* Appends what is suspected of answer->limits.data[i]. */
void path_limit_say(struct text *text, const struct trace_path *answer, size_t i);

#endif
