/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `whatif latency` about event logs (cli/question/loops/whatif.h) as text, or as
 * JSON: a line of kind "change" for each change, "predicted" for each percentile, and "latency" at
 * the end.
 */
#ifndef CLI_PRESENT_LOOPS_WHATIF_H
#define CLI_PRESENT_LOOPS_WHATIF_H

struct loops_whatif;
struct table;

void loops_whatif_print_text(const struct loops_whatif *answer);
void loops_whatif_print_json(const struct loops_whatif *answer);

/* The percentiles; initialised here. */
void loops_whatif_table(struct table *table, const struct loops_whatif *answer);

#endif
