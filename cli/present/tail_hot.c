/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/tail_hot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "trace/hot/runtime.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/unit.h"

enum { SHOWN = 8, SHOWN_FULL = 200, SHOWN_CALLERS = 4 };

static void append_name(struct text *text, const struct hot_answer *a,
                        const struct hot_finding *finding) {
  if (finding->kind == HOT_RUNTIME)
    text_append(text, hot_runtime_name((enum hot_runtime)finding->item));
  else if (finding->item == 0)
    text_append(text, "[no stack]");
  else
    stack_frame_text(&a->profile, a->functions.frame[finding->item], false, text);
}

/* "render < serve < main" */
static void append_callers(struct text *text, const struct hot_answer *a, uint32_t node) {
  for (unsigned i = 0; node != STACK_NONE && node != 0; i++) {
    node = a->profile.nodes.data[node].parent;
    if (node == 0)
      return;
    text_append(text, i == 0 ? "" : " < ");
    if (i == SHOWN_CALLERS) {
      text_append(text, "...");
      return;
    }
    stack_frame_text(&a->profile, a->profile.nodes.data[node].frame, false, text);
  }
}

/* --- text ------------------------------------------------------------------------------------- */

static double percent(double rate) {
  return round(1000 * rate) / 10 + 0.0;
}

/* A part of a processor, or a weight for each second. */
static void add_rate(struct table *table, const struct hot_answer *a, double rate) {
  if (a->processor)
    table_cell(table, "%.1f %%", percent(rate));
  else
    table_cell(table, "%.4g", rate);
}

static void add_interval(struct table *table, const struct hot_answer *a,
                         const struct hot_finding *finding) {
  if (a->processor)
    table_cell(table, "%.1f .. %.1f %%", percent(finding->least), percent(finding->most));
  else
    table_cell(table, "%.4g .. %.4g", finding->least, finding->most);
}

static void add_row(struct table *table, const struct hot_answer *a,
                    const struct hot_finding *finding) {
  struct text text;
  text_init(&text);
  append_name(&text, a, finding);
  table_take(table, &text);
  add_rate(table, a, finding->slow);
  add_rate(table, a, finding->rest);
  add_rate(table, a, finding->difference);
  add_interval(table, a, finding);
  table_cell(table, "%.0f + %.0f", finding->slow_samples, finding->rest_samples);
  append_callers(&text, a, finding->node);
  if (text.length != 0)
    table_take(table, &text);
  else
    table_cell(table, "%s", finding->significant ? "" : "not significant");
}

static void begin_table(struct table *table, double level, const char *what) {
  struct text title;
  table_init(table);
  table_column(table, TABLE_LEFT, what);
  table_column(table, TABLE_RIGHT, "slow");
  table_column(table, TABLE_RIGHT, "rest");
  table_column(table, TABLE_RIGHT, "more");
  text_init(&title);
  text_format(&title, "with %g %% confidence", 100 * (1 - level));
  table_column(table, TABLE_RIGHT, text_get(&title));
  text_clear(&title);
  table_column(table, TABLE_RIGHT, "samples\nslow + rest");
  table_column(table, TABLE_LEFT, "called by");
}

static size_t print_kind(const struct hot_answer *a, const struct hot_report *report,
                         enum hot_kind kind, double level, bool full) {
  struct table table;
  begin_table(&table, level,
              kind == HOT_RUNTIME
                  ? "part of the runtime"
                  : (kind == HOT_OWN ? "function" : "function,\nwith what it calls"));
  size_t shown = 0, most = full ? SHOWN_FULL : SHOWN;
  for (size_t i = 0; i < report->findings.count && shown < most; i++) {
    const struct hot_finding *finding = &report->findings.data[i];
    if (finding->kind != kind || !(full || finding->significant || kind == HOT_RUNTIME))
      continue;
    add_row(&table, a, finding);
    shown++;
  }
  table_print(stdout, &table, 4);
  table_clear(&table);
  return shown;
}

static const char *const doing[HOT_ROLES] = {"executing", "waiting behind others"};

static void print_few(const struct hot_report *report, const char *what) {
  wrapped_format(2, 2,
                 "What functions slow requests run while they are %s cannot be told: the profile "
                 "has %.0f samples in %zu slow requests and %.0f in %zu others. It takes %d "
                 "samples and %d requests of each side: sample faster or longer, or choose a "
                 "lower --above.",
                 what, report->slow_samples, report->slow, report->rest_samples, report->rest,
                 HOT_LEAST_SIDE, HOT_LEAST_REQUESTS);
}

/* What the numbers of the table are. */
static void print_unit(const struct hot_answer *a) {
  struct text unit;
  text_init(&unit);
  stack_unit_append(&unit, &a->profile);
  wrapped_format(2, 2,
                 "The numbers are %s for each second of a request's own work: the profile does not "
                 "say what part of a processor that is.",
                 text_get(&unit));
  text_clear(&unit);
}

static void print_offset(struct text *text, int64_t ns) {
  text_format(text, "%s%" PRIu64 ".%06" PRIu64 "s", ns < 0 ? "-" : "",
              (uint64_t)llabs((long long)ns) / 1000000000,
              (uint64_t)llabs((long long)ns) % 1000000000 / 1000);
}

static void print_clocks(const struct hot_answer *a) {
  const struct hot_clock *clock = &a->clock;
  struct text text, better, same;
  text_init(&text);
  text_init(&better);
  text_init(&same);
  print_offset(&better, a->shift + clock->shift);
  print_offset(&same, a->shift);
  text_format(&text,
              "What functions slow requests run cannot be told, since nobody can see that the "
              "profile's clock is that of the requests. Of %" PRIu64
              " samples of their threads %.1f %% were taken in requests, ",
              clock->samples, 100 * (double)clock->inside / (double)clock->samples);
  if (clock->apart)
    text_format(&text,
                "and %.1f %% if the profile is put forward by %s. Record both on one clock, or "
                "say --profile-offset %s (%s if you know that the clocks agree).",
                100 * clock->share, text_get(&better), text_get(&better), text_get(&same));
  else
    text_format(&text,
                "no more than at any other moment. Record both on one clock, or say "
                "--profile-offset %s if you know that the clocks agree.",
                text_get(&same));
  wrapped_format(2, 2, "%s", text_get(&text));
  text_clear(&text);
  text_clear(&better);
  text_clear(&same);
}

static void print_report(const struct hot_answer *a, int role, double level, bool full) {
  const struct hot_report *report = &a->reports[role];
  const char *what = doing[role];
  putchar('\n');
  if (report->verdict == HOT_CLOCKS) {
    print_clocks(a);
    return;
  }
  if (report->verdict == HOT_TOO_FEW) {
    print_few(report, what);
    return;
  }
  if (report->verdict == HOT_NOTHING)
    wrapped_format(2, 2,
                   "No function runs significantly more in slow requests, in the same time, while "
                   "they are %s (%zu tested, %.0f + %.0f samples).",
                   what, report->tested, report->slow_samples, report->rest_samples);
  else
    wrapped_format(2, 2,
                   "Functions that run more in slow requests, in the same time, while they are %s "
                   "(sampled; %zu tested, %.0f + %.0f samples):",
                   what, report->tested, report->slow_samples, report->rest_samples);
  if (!a->processor)
    print_unit(a);
  size_t own = print_kind(a, report, HOT_OWN, level, full);
  if (own == 0 || full)
    print_kind(a, report, HOT_WITH_CALLEES, level, full);
  print_kind(a, report, HOT_RUNTIME, level, full);
}

void hot_print_text(const struct hot_answer *a, double level, bool full) {
  if (a == NULL || !a->found)
    return;
  print_report(a, HOT_EXECUTING, level, full);
  if (a->waits && !a->refused)
    print_report(a, HOT_WAITING, level, full);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static const char *const role_words[HOT_ROLES] = {"executing", "waiting"};

static void print_finding(const struct hot_answer *a, int role, const struct hot_finding *finding) {
  static const char *const kinds[] = {"own", "with callees", "runtime"};
  struct jsonl *line = jsonl_new("hot");
  struct text text;
  text_init(&text);
  append_name(&text, a, finding);
  jsonl_text(line, "name", text_get(&text));
  text_clear(&text);
  jsonl_text(line, "of", kinds[finding->kind]);
  jsonl_text(line, "while", role_words[role]);
  jsonl_number(line, "slow", finding->slow);
  jsonl_number(line, "rest", finding->rest);
  jsonl_number(line, "difference", finding->difference);
  jsonl_number(line, "least", finding->least);
  jsonl_number(line, "most", finding->most);
  jsonl_number(line, "slow_samples", finding->slow_samples);
  jsonl_number(line, "rest_samples", finding->rest_samples);
  jsonl_number(line, "by_chance", finding->chance);
  jsonl_flag(line, "significant", finding->significant);
  append_callers(&text, a, finding->node);
  if (text.length != 0)
    jsonl_text(line, "called_by", text_get(&text));
  text_clear(&text);
  jsonl_print(line);
}

static void print_summary(const struct hot_answer *a, int role) {
  static const char *const verdicts[] = {"found", "nothing", "too few", "clocks"};
  const struct hot_report *report = &a->reports[role];
  struct jsonl *line = jsonl_new("joined_profile");
  jsonl_text(line, "while", role_words[role]);
  jsonl_text(line, "verdict", verdicts[report->verdict]);
  jsonl_integer(line, "slow", (int64_t)report->slow);
  jsonl_integer(line, "rest", (int64_t)report->rest);
  jsonl_integer(line, "slow_ns", (int64_t)report->slow_time);
  jsonl_integer(line, "rest_ns", (int64_t)report->rest_time);
  jsonl_number(line, "slow_samples", report->slow_samples);
  jsonl_number(line, "rest_samples", report->rest_samples);
  jsonl_integer(line, "samples", (int64_t)a->joins[role].samples);
  jsonl_integer(line, "matched", (int64_t)a->joins[role].matched);
  jsonl_integer(line, "shared", (int64_t)a->joins[role].shared);
  jsonl_integer(line, "outside", (int64_t)a->joins[role].outside);
  jsonl_integer(line, "tested", (int64_t)report->tested);
  jsonl_flag(line, "of_processor", a->processor);
  jsonl_number(line, "rate", (double)a->profile.rate);
  jsonl_integer(line, "shift_ns", a->shift);
  jsonl_integer(line, "clock_samples", (int64_t)a->clock.samples);
  jsonl_integer(line, "clock_inside", (int64_t)a->clock.inside);
  jsonl_integer(line, "clock_best_ns", a->shift + a->clock.shift);
  jsonl_number(line, "clock_best_share", a->clock.share);
  jsonl_print(line);
}

void hot_print_json(const struct hot_answer *a) {
  if (a == NULL || !a->found)
    return;
  for (int role = 0; role < (a->waits ? HOT_ROLES : HOT_WAITING); role++) {
    for (size_t i = 0; i < a->reports[role].findings.count; i++)
      print_finding(a, role, &a->reports[role].findings.data[i]);
    print_summary(a, role);
  }
}
