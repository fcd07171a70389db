/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was measured of a change beside what was predicted.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "cli/present/latency.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "cli/question/latency/latency.h"
#include "cli/question/latency/ranges.h"

static const char *const words[] = {[CONFIRM_AGREES] = "agrees",
                                    [CONFIRM_DISAGREES] = "disagrees",
                                    [CONFIRM_CANNOT_TELL] = "cannot tell"};

static bool is_measured(const struct latency_answer *answer) {
  return answer->speedup.now.count != 0 && answer->speedup.changed.count != 0;
}

static double off_by(const struct latency_percentile *p) {
  double predicted = (double)p->after[0].value_ns;
  return predicted == 0 ? 0 : (double)p->confirmed.changed.value_ns / predicted - 1;
}

static void take_ns(struct table *table, uint64_t ns) {
  struct text cell;
  text_init(&cell);
  latency_append(&cell, ns);
  table_take(table, &cell);
}

static void take_range(struct table *table, const struct latency_range *range) {
  struct text cell;
  text_init(&cell);
  latency_append_between(&cell, range->lower_ns, range->upper_ns);
  table_take(table, &cell);
}

static void print_table(const struct latency_answer *answer) {
  char title[60];
  struct table table;
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "as it is");
  table_column(&table, TABLE_RIGHT, "as if changed");
  snprintf(title, sizeof title, "at %.9g %%", 100 * rational_double(&answer->request->confidence));
  table_column(&table, TABLE_RIGHT, title);
  table_column(&table, TABLE_RIGHT, "off the prediction by");
  table_column(&table, TABLE_LEFT, "");
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    table_cell(&table, "p%s", p->wanted->text);
    take_ns(&table, p->confirmed.now.value_ns);
    take_ns(&table, p->confirmed.changed.value_ns);
    take_range(&table, &p->confirmed.changed);
    table_cell(&table, "%+.1f %%", 100 * off_by(p));
    table_cell(&table, "%s", words[p->confirmed.verdict]);
  }
  table_print(stdout, &table, 2);
  table_clear(&table);
}

/* Why a percentile is not told: the first reason counts. */
static void print_reasons(const struct latency_answer *answer) {
  if (answer->doubt != NULL) {
    wrapped_format(2, 2, "%s", answer->doubt);
    return;
  }
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    if (p->confirmed.verdict != CONFIRM_CANNOT_TELL)
      continue;
    if (p->confirmed.moved)
      wrapped_format(2, 2,
                     "p%s: even without the change it is not what was recorded. Record the traces "
                     "again, with the services and the load of the plan.",
                     p->wanted->text);
    else if (!p->confirmed.settled)
      wrapped_format(2, 2, "p%s: the latencies drift. Measure for longer.", p->wanted->text);
    else if (isinf(p->confirmed.most))
      wrapped_format(2, 2, "p%s: there are too few requests for an upper limit.", p->wanted->text);
    else
      wrapped_format(2, 2,
                     "p%s: the intervals allow %+.0f %% to %+.0f %% of the prediction; more "
                     "requests make them narrower.",
                     p->wanted->text, 100 * p->confirmed.least, 100 * p->confirmed.most);
  }
}

void latency_confirmed_print_text(const struct latency_answer *answer) {
  if (answer->request->confirm == NULL)
    return;
  const struct speedup *speedup = &answer->speedup;
  struct text pause, work;
  text_init(&pause);
  text_init(&work);
  duration_print_nearest(&pause, (int64_t)speedup->pause_ns);
  duration_print_nearest(&work, (int64_t)speedup->work_ns);
  putchar('\n');
  wrapped_format(0, 2,
                 "Measured, not predicted: while %s worked (%s for a call) all others stood for "
                 "%g %% of the time, %s at once, which is taken out of the latencies. %zu requests "
                 "as it is, %zu as if changed.",
                 speedup->request->service, text_get(&work),
                 (double)speedup->request->saved_ppm / 1e4, text_get(&pause), speedup->now.count,
                 speedup->changed.count);
  putchar('\n');
  text_clear(&pause);
  text_clear(&work);
  if (is_measured(answer))
    print_table(answer);
  if (speedup->stood >= 0)
    wrapped_format(2, 2, "Of the time that %s worked another service really stood for %.1f %%.",
                   speedup->request->service, 100 * speedup->stood);
  print_reasons(answer);
}

void latency_confirmed_print_json(const struct latency_answer *answer) {
  if (answer->request->confirm == NULL)
    return;
  const struct speedup *speedup = &answer->speedup;
  for (size_t i = 0; i < answer->percentiles.count && is_measured(answer); i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    struct jsonl *line = jsonl_new("confirmed");
    jsonl_text(line, "p", p->wanted->text);
    latency_add_range(line, "now", &p->confirmed.now);
    latency_add_range(line, "changed", &p->confirmed.changed);
    jsonl_number(line, "off", off_by(p));
    jsonl_flag(line, "moved", p->confirmed.moved);
    jsonl_flag(line, "settled", p->confirmed.settled);
    jsonl_text(line, "verdict", words[p->confirmed.verdict]);
    jsonl_print(line);
  }
  struct jsonl *line = jsonl_new("measured");
  jsonl_text(line, "service", speedup->request->service);
  jsonl_number(line, "saved", (double)speedup->request->saved_ppm / 1e6);
  if (speedup->stood >= 0)
    jsonl_number(line, "stood", speedup->stood);
  jsonl_integer(line, "requests_now", (int64_t)speedup->now.count);
  jsonl_integer(line, "requests_changed", (int64_t)speedup->changed.count);
  jsonl_integer(line, "blocks", (int64_t)speedup->blocks);
  jsonl_integer(line, "work_ns", (int64_t)speedup->work_ns);
  jsonl_integer(line, "pause_ns", (int64_t)speedup->pause_ns);
  jsonl_integer(line, "pauses", (int64_t)speedup->pauses);
  jsonl_integer(line, "late", (int64_t)speedup->late);
  jsonl_integer(line, "cut", (int64_t)speedup->cut);
  jsonl_integer(line, "lost", (int64_t)speedup->lost);
  jsonl_text(line, "doubt", answer->doubt);
  jsonl_print(line);
}
