/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `verify` and `bound`.
 */
#ifndef CLI_PRESENT_VERIFY_H
#define CLI_PRESENT_VERIFY_H

#include "cli/present/output.h"
#include "base/ledger.h"

struct bound_report;
struct calculation;
struct model;
struct source;
struct verify_answer;

/* How much is told of a bound. */
struct report_style {
  bool json;
  bool explain;   /* also what the search took */
  bool full;      /* also how large the proof is, and what execution reaches the event */
  bool all_goals; /* of a bound that is unknown all goals that are open */
};

/* One bound's verdict, as text or JSON on stdout. */
void report_bound(const struct bound_report *report, const struct model *model,
                  const struct source *source, const struct report_style *style);

/* The same where the verdict is only what something else begins with: as text, of a proved bound
 * one line is enough. */
void report_verdict(const struct bound_report *report, const struct model *model,
                    const struct source *source, const struct report_style *style);

/* The verdict that percentiles rest on, if there is one; a line on stderr when they cannot. */
void report_calculation(struct output *output, const struct calculation *calculation,
                        const struct report_style *style);

/* One file's answer; then, of all files, what they rest on and how many there are. */
void verify_present(struct output *output, const struct verify_answer *answer,
                    const struct report_style *style);

struct verify_summary {
  size_t verdicts[3];
  struct ledger ledger;
};
void verify_summary_add(struct verify_summary *summary, const struct verify_answer *answer);
void verify_present_summary(const struct output *output, const struct verify_summary *summary,
                            const struct report_style *style);

#endif
