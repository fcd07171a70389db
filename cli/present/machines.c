/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/machines.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "show/ledger.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "cli/question/machines/machines.h"

static bool has_observed(const struct machines_answer *answer) {
  return answer->has_bound && answer->measured.has_observed;
}

/* Of the bound's percentile: the upper end, infinite or not. */
static uint64_t bound_ns(const struct machines_percentile *p) {
  return p->bound->interval.upper_finite ? p->bound->interval.upper_ns : UINT64_MAX;
}

static uint64_t observed_ns(const struct machines_percentile *p) {
  return p->bound->observed_finite ? p->bound->observed_ns : UINT64_MAX;
}

/* --- text ------------------------------------------------------------------------------------- */

static void append_time(struct text *text, uint64_t ns) {
  if (ns == UINT64_MAX)
    text_append(text, "infinite");
  else
    duration_print_upper(text, ns);
}

static void cell_time(struct table *table, uint64_t ns) {
  struct text text;
  text_init(&text);
  append_time(&text, ns);
  table_take(table, &text);
}

static void add_row(struct table *table, const struct machines_answer *answer,
                    const struct machines_percentile *p) {
  struct text range;
  text_init(&range);
  duration_print_lower(&range, p->least_ns);
  text_append(&range, " .. ");
  append_time(&range, p->most_ns);
  table_cell(table, "p%s", p->wanted->text);
  cell_time(table, p->ns);
  table_take(table, &range);
  cell_time(table, p->limit_ns);
  if (answer->has_bound)
    cell_time(table, bound_ns(p));
  if (has_observed(answer))
    cell_time(table, observed_ns(p));
}

static void print_table(const struct machines_answer *answer) {
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "simulated");
  table_column(&table, TABLE_RIGHT, "between");
  table_column(&table, TABLE_RIGHT, "bound, at the\nsame times");
  if (answer->has_bound)
    table_column(&table, TABLE_RIGHT, "bound, as\nmeasured, at most");
  if (has_observed(answer))
    table_column(&table, TABLE_RIGHT, "observed");
  for (size_t i = 0; i < answer->percentiles.count; i++)
    add_row(&table, answer, &answer->percentiles.data[i]);
  table_print(stdout, &table, 2);
  table_clear(&table);
}

static void print_head(const struct machines_answer *answer) {
  const char *name = answer->bound->name;
  if (answer->bound->from == NULL)
    printf("%s: simulated %zu times, %zu never ended; the bound is %s\n", name, answer->requests,
           answer->unfinished, verdict_name(answer->verdict));
  else
    printf(
        "%s: simulated %zu requests in one execution behind %zu more, %zu never ended; the bound "
        "is %s\n",
        name, answer->requests, answer->warmup, answer->unfinished, verdict_name(answer->verdict));
}

static void print_unsettled(const struct machines_answer *answer) {
  struct text which;
  text_init(&which);
  for (size_t i = 0; i < answer->percentiles.count; i++)
    if (!answer->percentiles.data[i].settled)
      text_format(&which, "%sp%s", which.length == 0 ? "" : ", ",
                  answer->percentiles.data[i].wanted->text);
  if (which.length != 0)
    wrapped_format(2, 2,
                   "%s: the requests drift, or too few of them are independent of each other; no "
                   "interval can be promised. Is the load more than the machines can do? Else "
                   "simulate more with --requests.",
                   text_get(&which));
  text_clear(&which);
}

static void print_remarks(const struct machines_answer *answer) {
  struct text late;
  text_init(&late);
  duration_print_upper(&late, answer->late_ns);
  if (answer->late_ns != 0)
    wrapped_format(2, 2,
                   "Requests were sent up to %s later than --arrivals says: their sender was busy, "
                   "or kept to the limit that the file declares with \"arrivals\".",
                   text_get(&late));
  text_clear(&late);
  print_unsettled(answer);
  if (answer->standing != 0)
    wrapped_format(2, 2, "%zu of %zu executions stand still: %s.%s", answer->standing,
                   answer->executions, answer->why,
                   answer->verdict == VERDICT_PROVED ? ""
                                                     : " tailproof verify says what to write.");
  if (answer->cut != 0 && answer->unfinished != 0)
    wrapped_format(2, 2,
                   "%zu of %zu executions were ended before the event, after as many steps as "
                   "simulate takes: nothing is known of how they go on.",
                   answer->cut, answer->executions);
  if (answer->otherwise != 0)
    wrapped_format(
        2, 2,
        "%zu more came to rest without the event of the bound: the protocol took another "
        "course. They do not count.",
        answer->otherwise);
  if (answer->outside != 0)
    wrapped_format(2, 2,
                   "%zu of %zu executions have times that break the assumption %s: the bound says "
                   "nothing of them.",
                   answer->outside, answer->executions, answer->broken);
  if (answer->exceeding != 0)
    wrapped_format(2, 2, "%zu of %zu executions took longer than the bound, which is not proved.",
                   answer->exceeding, answer->executions);
  if (!answer->has_bound)
    wrapped_format(2, 2, "No percentiles of the bound as measured: %s", answer->why_not.data);
  wrapped_format(2, 2, "Simulated against the bound at the same times is what the proof costs%s.",
                 has_observed(answer) ? "; observed against simulated is what the model costs"
                                      : "");
}

void machines_print_text(const struct machines_answer *answer, bool full) {
  print_head(answer);
  print_table(answer);
  print_remarks(answer);
  ledger_print_text(&answer->ledger, full);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_time(struct jsonl *json, const char *key, uint64_t ns) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, ns);
  jsonl_text(json, key, ns == UINT64_MAX ? "infinite" : digits);
}

static void print_percentile(const struct machines_answer *answer,
                             const struct machines_percentile *p) {
  struct jsonl *line = jsonl_new("simulated_percentile");
  jsonl_text(line, "bound", answer->bound->name);
  jsonl_text(line, "p", p->wanted->text);
  json_time(line, "ns", p->ns);
  json_time(line, "least_ns", p->least_ns);
  json_time(line, "most_ns", p->most_ns);
  jsonl_flag(line, "settled", p->settled);
  json_time(line, "bound_same_times_ns", p->limit_ns);
  if (answer->has_bound)
    json_time(line, "bound_ns", bound_ns(p));
  if (has_observed(answer))
    json_time(line, "observed_ns", observed_ns(p));
  jsonl_print(line);
}

void machines_print_json(const struct machines_answer *answer) {
  struct jsonl *line = jsonl_new("simulation");
  jsonl_text(line, "bound", answer->bound->name);
  jsonl_text(line, "verdict", verdict_name(answer->verdict));
  jsonl_integer(line, "executions", (int64_t)answer->executions);
  jsonl_integer(line, "requests", (int64_t)answer->requests);
  jsonl_integer(line, "warmup", (int64_t)answer->warmup);
  jsonl_integer(line, "unfinished", (int64_t)answer->unfinished);
  jsonl_integer(line, "otherwise", (int64_t)answer->otherwise);
  jsonl_integer(line, "standing", (int64_t)answer->standing);
  jsonl_integer(line, "cut", (int64_t)answer->cut);
  jsonl_integer(line, "exceeding", (int64_t)answer->exceeding);
  jsonl_integer(line, "outside", (int64_t)answer->outside);
  json_time(line, "late_ns", answer->late_ns);
  jsonl_text(line, "why_no_bound", answer->has_bound ? NULL : answer->why_not.data);
  jsonl_print(line);
  for (size_t i = 0; i < answer->percentiles.count; i++)
    print_percentile(answer, &answer->percentiles.data[i]);
  ledger_print_json(&answer->ledger);
}
