/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/present/compare.h"
#include "base/file.h"
#include "base/duration.h"
#include "cli/question/compare/compare.h"
#include "base/jsonl.h"
#include "cli/question/percentiles/percentiles.h"
#include "show/ledger.h"
#include "show/table.h"
#include "show/wrapped.h"

/* A factor with three decimals, rounded down or up. */
static void append_ratio(struct text *text, double ratio, bool up) {
  if (ratio > 1e6)
    text_append(text, up || isinf(ratio) ? "infinite" : "1000000");
  else
    text_format(text, "%.3f", (up ? ceil : floor)(ratio * 1000) / 1000);
}

/* Of a gap's probabilities, which are in units of 10^-18. */
static void append_share(struct text *text, uint64_t share, bool up) {
  double scaled = (double)share / (double)SURVIVAL_ONE * 10000;
  text_format(text, "%.4f", (up ? ceil : floor)(scaled) / 10000);
}

/* --- text ------------------------------------------------------------------------------------- */

static void append_range(struct text *text, const struct range *range) {
  if (range->lower_finite)
    duration_print_lower(text, range->lower_ns);
  else
    text_append(text, "infinite");
  text_append(text, " .. ");
  if (range->upper_finite)
    duration_print_upper(text, range->upper_ns);
  else
    text_append(text, "infinite");
}

static void add_row(struct table *table, const struct compare *compare,
                    const struct compared *row) {
  struct text text;
  text_init(&text);
  table_cell(table, "p%s", compare->wanted.data[row->wanted].text);
  append_range(&text, &row->a);
  table_take(table, &text);
  append_range(&text, &row->b);
  table_take(table, &text);
  append_ratio(&text, range_ratio_least(&row->a, &row->b), false);
  text_append(&text, " .. ");
  append_ratio(&text, range_ratio_most(&row->a, &row->b), true);
  table_take(table, &text);
  table_cell(table, "%s", compared_name(row->verdict));
}

void compare_fill_table(struct table *table, const struct compare *compare,
                        const struct subject *subject) {
  table_init(table);
  table_column(table, TABLE_LEFT, "");
  table_column(table, TABLE_RIGHT, "A");
  table_column(table, TABLE_RIGHT, "B");
  table_column(table, TABLE_RIGHT, "B / A");
  table_column(table, TABLE_LEFT, "B is");
  for (size_t i = 0; i < subject->rows.count; i++)
    add_row(table, compare, &subject->rows.data[i]);
}

static void print_rows(const struct compare *compare, const struct subject *subject) {
  struct table table;
  compare_fill_table(&table, compare, subject);
  table_print(stdout, &table, 2);
  table_clear(&table);
}

void compare_describe_gap(struct text *text, const struct two_sample_gap *gap, const char *slower,
                          const char *faster) {
  struct text at, least, most;
  text_init(&at);
  text_init(&least);
  text_init(&most);
  duration_print_upper(&at, gap->at_ns);
  append_share(&least, gap->slower_least, false);
  append_share(&most, gap->faster_most, true);
  text_format(text, "%s is slower around %s: P(%s >= it) is at least %s, P(%s >= it) at most %s",
              slower, at.data, slower, least.data, faster, most.data);
  text_clear(&at);
  text_clear(&least);
  text_clear(&most);
}

static void print_gap(const struct two_sample_gap *gap, const char *slower, const char *faster) {
  if (!gap->found)
    return;
  struct text text;
  text_init(&text);
  compare_describe_gap(&text, gap, slower, faster);
  wrapped_format(2, 2, "%s.", text.data);
  text_clear(&text);
}

static void print_tendency(const struct tendency *tendency) {
  double least = floor(tendency->least * 1000) / 1000, most = ceil(tendency->most * 1000) / 1000;
  if (tendency->verdict == COMPARED_SLOWER)
    wrapped_format(2, 2, "B tends to be slower: P(b > a) is at least %.3f (ties count half).",
                   least);
  else if (tendency->verdict == COMPARED_FASTER)
    wrapped_format(2, 2, "B tends to be faster: P(b > a) is at most %.3f (ties count half).", most);
  else if (tendency->verdict == COMPARED_UNDECIDED)
    wrapped_format(2, 2,
                   "Cannot tell which tends to be slower: ranks drift or depend on each other for "
                   "too long.");
  else
    wrapped_format(2, 2,
                   "Neither is shown to tend to be slower: P(b > a) is between %.3f and %.3f.",
                   least, most);
}

/* "2000 observations (worth 97)" */
static void print_count(const char *name, uint64_t count, uint64_t worth, const char *word) {
  printf("%s: %" PRIu64 "%s", name, count, word);
  if (worth != count)
    printf(" (worth %" PRIu64 ")", worth);
}

static void print_counts(const struct subject *subject) {
  printf("%s", subject->name == NULL ? "  " : "   ");
  print_count("A", subject->a_count, subject->a_worth, " observations");
  print_count(", B", subject->b_count, subject->b_worth, "");
}

static void print_subject(const struct compare *compare, const struct subject *subject) {
  putchar('\n');
  if (subject->name != NULL)
    printf("  %s", subject->name);
  if (subject->has_samples)
    print_counts(subject);
  if (subject->name != NULL || subject->has_samples)
    putchar('\n');
  print_rows(compare, subject);
  if (subject->unsettled)
    wrapped_format(2, 2,
                   "Cannot tell: the observations drift or depend on each other for too long. A "
                   "longer run would tell, or --exchangeable if their order means nothing.");
  else if (subject->has_samples) {
    print_gap(&subject->a_slower, "A", "B");
    print_gap(&subject->b_slower, "B", "A");
    if (subject->tendency.tested)
      print_tendency(&subject->tendency);
  }
}

static void append_margin(struct text *text, const struct compare *compare) {
  if (compare->has_margin)
    text_format(text, "%s times A", compare->request->margin);
  else
    text_append(text, "A");
}

/* Whether that alone keeps something from being decided. */
static bool may_be_infinite(const struct compare *compare) {
  bool found = false;
  for (size_t i = 0; i < compare->subjects.count; i++) {
    const struct subject *subject = &compare->subjects.data[i];
    for (size_t k = 0; k < subject->rows.count && !subject->unsettled; k++)
      found |= subject->rows.data[k].verdict == COMPARED_UNDECIDED;
  }
  return found;
}

static void print_conclusion(const struct compare *compare) {
  struct text margin;
  text_init(&margin);
  append_margin(&margin, compare);
  putchar('\n');
  const char *condition = compare_is_conditional(compare) ? "If the draws are independent: " : "";
  switch (compare_status_of_draws(compare)) {
  case STATUS_REFUTED:
    wrapped_format(2, 2, "%sB is slower than %s, where it says so.", condition, margin.data);
    break;
  case STATUS_UNKNOWN:
    wrapped_format(2, 2, "Not decidable with these data, where it says so: %s.",
                   compare->has_margin ? "the intervals overlap the margin"
                   : may_be_infinite(compare)
                       ? "the percentile of A may be infinite"
                       : "observations drift or depend on each other for too "
                         "long");
    break;
  default:
    if (compare->has_margin)
      wrapped_format(2, 2, "%sB is at most %s at every percentile asked for.", condition,
                     margin.data);
    else
      wrapped_format(2, 2,
                     "%sB is nowhere shown to be slower. To have it shown that it is not, use "
                     "--margin.",
                     condition);
  }
  if (compare_is_conditional(compare))
    wrapped_format(2, 2,
                   "Nothing here shows that they are: the order of those named below is not known. "
                   "Compare what keeps it (.csv), or assert it (--exchangeable).");
  text_clear(&margin);
}

void compare_print_text(const struct compare *compare, bool full) {
  printf("\n  A is %s\n  B is %s\n", file_name(compare->request->paths[0]),
         file_name(compare->request->paths[1]));
  for (size_t i = 0; i < compare->subjects.count; i++)
    print_subject(compare, &compare->subjects.data[i]);
  for (size_t i = 0; i < compare->alone.count; i++)
    printf("%s  %s: only one of the folders has it.\n", i == 0 ? "\n" : "", compare->alone.data[i]);
  print_conclusion(compare);
  ledger_print_text(&compare->ledger, full);
}

const char *compare_state(const struct compare *compare) {
  enum status status = compare_status_of_draws(compare);
  if (compare_is_conditional(compare))
    return status == STATUS_REFUTED ? "slower if the draws are independent"
           : compare->has_margin    ? "within the margin if the draws are independent"
                                    : "not shown to be slower if the draws are independent";
  return status == STATUS_REFUTED   ? "slower"
         : status == STATUS_UNKNOWN ? "not decidable"
         : compare->has_margin      ? "within the margin"
                                    : "not shown to be slower";
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put_number(struct jsonl *line, const char *key, bool finite, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  jsonl_text(line, key, finite ? digits : "infinite");
}

static void put_ratio(struct jsonl *line, const char *key, double ratio, bool up) {
  struct text text;
  text_init(&text);
  append_ratio(&text, ratio, up);
  jsonl_text(line, key, text.data);
  text_clear(&text);
}

static void put_share(struct jsonl *line, const char *key, uint64_t share, bool up) {
  struct text text;
  text_init(&text);
  append_share(&text, share, up);
  jsonl_text(line, key, text.data);
  text_clear(&text);
}

static void print_row_as_json(const struct compare *compare, const struct subject *subject,
                              const struct compared *row) {
  struct jsonl *line = jsonl_new("compared");
  if (subject->name != NULL)
    jsonl_text(line, "component", subject->name);
  jsonl_text(line, "p", compare->wanted.data[row->wanted].text);
  put_number(line, "a_lower_ns", row->a.lower_finite, row->a.lower_ns);
  put_number(line, "a_upper_ns", row->a.upper_finite, row->a.upper_ns);
  put_number(line, "b_lower_ns", row->b.lower_finite, row->b.lower_ns);
  put_number(line, "b_upper_ns", row->b.upper_finite, row->b.upper_ns);
  put_ratio(line, "ratio_least", range_ratio_least(&row->a, &row->b), false);
  put_ratio(line, "ratio_most", range_ratio_most(&row->a, &row->b), true);
  jsonl_text(line, "verdict", compared_name(row->verdict));
  jsonl_print(line);
}

static void print_gap_as_json(const struct subject *subject, const struct two_sample_gap *gap,
                              const char *slower) {
  if (!gap->found)
    return;
  struct jsonl *line = jsonl_new("gap");
  if (subject->name != NULL)
    jsonl_text(line, "component", subject->name);
  jsonl_text(line, "slower", slower);
  put_number(line, "at_ns", true, gap->at_ns);
  put_share(line, "slower_least", gap->slower_least, false);
  put_share(line, "faster_most", gap->faster_most, true);
  jsonl_print(line);
}

static void print_tendency_as_json(const struct subject *subject) {
  const struct tendency *tendency = &subject->tendency;
  if (!tendency->tested)
    return;
  struct jsonl *line = jsonl_new("tendency");
  if (subject->name != NULL)
    jsonl_text(line, "component", subject->name);
  put_ratio(line, "least", tendency->least, false);
  put_ratio(line, "most", tendency->most, true);
  jsonl_text(line, "verdict",
             compared_name(subject->unsettled ? COMPARED_UNDECIDED : tendency->verdict));
  jsonl_print(line);
}

void compare_print_json(const struct compare *compare) {
  for (size_t i = 0; i < compare->subjects.count; i++) {
    const struct subject *subject = &compare->subjects.data[i];
    for (size_t k = 0; k < subject->rows.count; k++)
      print_row_as_json(compare, subject, &subject->rows.data[k]);
    if (subject->has_samples && !subject->unsettled) {
      print_gap_as_json(subject, &subject->a_slower, "A");
      print_gap_as_json(subject, &subject->b_slower, "B");
    }
    print_tendency_as_json(subject);
  }
  ledger_print_json(&compare->ledger);
  struct jsonl *line = jsonl_new("compared_summary");
  jsonl_text(line, "a", file_name(compare->request->paths[0]));
  jsonl_text(line, "b", file_name(compare->request->paths[1]));
  jsonl_text(line, "verdict", compare_state(compare));
  struct jsonl *alone = jsonl_list(line, "only_one_has");
  for (size_t i = 0; i < compare->alone.count; i++)
    jsonl_item_text(alone, compare->alone.data[i]);
  jsonl_print(line);
}
