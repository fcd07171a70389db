/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/loops_whatif.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "cli/question/loops/whatif.h"

static void append_upper(struct text *text, uint64_t ns) {
  if (ns == QUANTILE_INFINITE)
    text_append(text, "infinite");
  else
    duration_print_upper(text, ns);
}

/* Of all readings together. */
static void take_interval(struct table *table, const struct loop_quantile *const *q, size_t count,
                          size_t i) {
  struct text text;
  uint64_t lower = q[0][i].lower_ns, upper = q[0][i].upper_ns;
  bool settled = true;
  for (size_t r = 0; r < count; r++) {
    lower = q[r][i].lower_ns < lower ? q[r][i].lower_ns : lower;
    upper = q[r][i].upper_ns > upper ? q[r][i].upper_ns : upper;
    settled = settled && q[r][i].settled;
  }
  text_init(&text);
  if (settled) {
    duration_print_lower(&text, lower);
    text_append(&text, " .. ");
    append_upper(&text, upper);
  } else {
    text_append(&text, "cannot tell");
  }
  table_take(table, &text);
}

static void take_value(struct table *table, const struct loop_quantile *const *q, size_t count,
                       size_t i) {
  struct text text;
  uint64_t least = q[0][i].value_ns, most = least;
  for (size_t r = 1; r < count; r++) {
    least = q[r][i].value_ns < least ? q[r][i].value_ns : least;
    most = q[r][i].value_ns > most ? q[r][i].value_ns : most;
  }
  text_init(&text);
  duration_print_nearest(&text, (int64_t)least);
  if (least != most) {
    text_append(&text, " or ");
    duration_print_nearest(&text, (int64_t)most);
  }
  table_take(table, &text);
}

void loops_whatif_table(struct table *table, const struct loops_whatif *a) {
  char title[40];
  const struct loop_quantile *was[] = {a->was}, *seen[] = {a->observed};
  const struct loop_quantile *const *is = (const struct loop_quantile *const *)a->is;
  size_t estimate = loops_estimate(a), count = loops_reading_count(a);
  bool known = estimate < LOOPS_READINGS;
  snprintf(title, sizeof title, "at %.9g %%", 100 * rational_double(&a->request->confidence));
  table_init(table);
  table_column(table, TABLE_LEFT, "");
  table_column(table, TABLE_RIGHT, "recorded");
  table_column(table, TABLE_RIGHT, title);
  table_column(table, TABLE_RIGHT, "replayed");
  table_column(table, TABLE_RIGHT, title);
  if (a->observed != NULL) {
    table_column(table, TABLE_RIGHT, "observed");
    table_column(table, TABLE_RIGHT, title);
    table_column(table, TABLE_RIGHT, "off by");
  }
  for (size_t i = 0; i < a->wanted.count; i++) {
    table_cell(table, "p%s", a->wanted.data[i].text);
    take_value(table, was, 1, i);
    take_interval(table, was, 1, i);
    take_value(table, known ? is + estimate : is, known ? a->readings : count, i);
    take_interval(table, is, count, i);
    if (a->observed == NULL)
      continue;
    take_value(table, seen, 1, i);
    take_interval(table, seen, 1, i);
    double observed = (double)a->observed[i].value_ns;
    if (known)
      table_cell(table, "%+.1f %%",
                 observed == 0 ? 0 : 100 * ((double)is[estimate][i].value_ns / observed - 1));
    else
      table_cell(table, "cannot tell");
  }
}

static void print_evidence(const struct loop_contention *c) {
  wrapped_format(2, 2, "%" PRIu64 " waits for I/O were under way while what is removed ran.",
                 c->waits);
  if (c->verdict == CONTENTION_LONGER)
    wrapped_format(2, 2,
                   "In %" PRIu64 " of %" PRIu64 " stretches of it they were longer than others, "
                   "and in %" PRIu64 " one was longer than nearly all others, more than chance "
                   "explains; so `replayed` lets them take what others take.",
                   c->longer, c->stretches, c->far);
  else if (c->verdict == CONTENTION_ALIKE)
    wrapped_format(2, 2,
                   "In %" PRIu64 " of %" PRIu64 " stretches of it they were longer than others, "
                   "and in %" PRIu64
                   " one was longer than nearly all others, which chance explains; "
                   "so `replayed` keeps them as recorded.",
                   c->longer, c->stretches, c->far);
  else
    wrapped_format(2, 2,
                   "Nobody can tell whether they were long because of it (%" PRIu64 " stretches "
                   "with others to compare with), so `replayed` has both. To decide it, record "
                   "for longer: until there are %d such stretches, and %d waits of each kind "
                   "without it.",
                   c->stretches, (int)CONTENTION_STRETCHES, (int)CONTENTION_ALONE);
}

static void print_waits(const struct loops_whatif *a) {
  const struct loop_quantile *const *is = (const struct loop_quantile *const *)a->is;
  struct table table;
  putchar('\n');
  print_evidence(&a->contention);
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "if long because of it");
  table_column(&table, TABLE_RIGHT, "if not");
  for (size_t i = 0; i < a->wanted.count; i++) {
    table_cell(&table, "p%s", a->wanted.data[i].text);
    take_value(&table, is + LOOPS_OTHERS, a->readings, i);
    take_value(&table, is, a->readings, i);
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
}

void loops_whatif_print_text(const struct loops_whatif *a) {
  struct table table;
  wrapped_format(2, 2, "%zu requests, replayed through the recorded loop with what is different:",
                 a->before.count);
  for (size_t i = 0; i < a->affected.count; i++)
    printf("    %s: of %" PRIu64 " %s\n", a->request->changes[i], a->affected.data[i],
           a->affected.data[i] == 1 ? "occurrence" : "occurrences");
  putchar('\n');
  loops_whatif_table(&table, a);
  table_print(stdout, &table, 2);
  table_clear(&table);
  if (a->contended)
    print_waits(a);
  for (size_t i = 0; i < a->wanted.count; i++)
    if (loops_missed(a, i))
      wrapped_format(2, 2, "p%s was really outside of what was predicted.", a->wanted.data[i].text);
}

static void add_quantile(struct jsonl *line, const char *key, const struct loop_quantile *q) {
  struct jsonl *inside = jsonl_inside(line, key);
  jsonl_integer(inside, "ns", (int64_t)q->value_ns);
  if (!q->settled)
    return;
  jsonl_integer(inside, "lower_ns", (int64_t)q->lower_ns);
  if (q->upper_ns != QUANTILE_INFINITE)
    jsonl_integer(inside, "upper_ns", (int64_t)q->upper_ns);
}

static void add_replayed(struct jsonl *line, const struct loops_whatif *a, size_t i) {
  static const char *const keys[] = {"waits_as_recorded", "waits_as_recorded_late",
                                     "waits_as_others", "waits_as_others_late"};
  size_t estimate = loops_estimate(a);
  if (estimate < LOOPS_READINGS) {
    add_quantile(line, "replayed", &a->is[estimate][i]);
    if (a->readings > 1)
      add_quantile(line, "replayed_late", &a->is[estimate + 1][i]);
  }
  for (size_t r = 0; a->contended && r < LOOPS_READINGS; r++)
    if (r % 2 == 0 || a->readings > 1)
      add_quantile(line, keys[r], &a->is[r][i]);
}

static void print_waits_json(const struct loop_contention *c) {
  static const char *const verdicts[] = {"none", "longer", "alike", "cannot tell"};
  struct jsonl *line = jsonl_new("waits");
  jsonl_text(line, "verdict", verdicts[c->verdict]);
  jsonl_integer(line, "overlap", (int64_t)c->waits);
  jsonl_integer(line, "without_law", (int64_t)c->lawless);
  jsonl_integer(line, "stretches", (int64_t)c->stretches);
  jsonl_integer(line, "longer", (int64_t)c->longer);
  jsonl_integer(line, "far", (int64_t)c->far);
  jsonl_print(line);
}

void loops_whatif_print_json(const struct loops_whatif *a) {
  for (size_t i = 0; i < a->affected.count; i++) {
    struct jsonl *line = jsonl_new("change");
    jsonl_text(line, "change", a->request->changes[i]);
    jsonl_integer(line, "calls", (int64_t)a->affected.data[i]);
    jsonl_print(line);
  }
  for (size_t i = 0; i < a->wanted.count; i++) {
    struct jsonl *line = jsonl_new("predicted");
    jsonl_text(line, "p", a->wanted.data[i].text);
    add_quantile(line, "recorded", &a->was[i]);
    add_replayed(line, a, i);
    if (a->observed != NULL) {
      add_quantile(line, "observed", &a->observed[i]);
      jsonl_flag(line, "missed", loops_missed(a, i));
    }
    jsonl_print(line);
  }
  if (a->contention.waits != 0)
    print_waits_json(&a->contention);
  struct jsonl *line = jsonl_new("latency");
  jsonl_integer(line, "requests", (int64_t)a->before.count);
  jsonl_integer(line, "readings", (int64_t)a->readings);
  jsonl_integer(line, "behind", (int64_t)a->following.callbacks);
  jsonl_integer(line, "behind_without_law", (int64_t)a->following.lawless);
  jsonl_integer(line, "behind_recorded_ns", a->following.recorded_ns);
  jsonl_integer(line, "behind_as_others_ns", a->following.other_ns);
  jsonl_print(line);
}
