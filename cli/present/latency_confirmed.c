/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was measured of a change beside what was predicted.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/latency.h"
#include "cli/question/latency/latency.h"
#include "cli/question/latency/ranges.h"

static const struct object_key confirmed_keys[] = {
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEYS_OF_RANGE("now", 0),
    KEYS_OF_RANGE("changed", 0),
    KEY("off", NUMBER, .note = "of the prediction"),
    KEY("moved", FLAG, .marks = MARK_NAMES, .note = "now is not as recorded"),
    KEY("settled", FLAG, .marks = MARK_NAMES),
    KEY("verdict", TEXT, .words = "agrees|disagrees|cannot tell"),
    {0}};
const struct object_kind confirmed_kind = {
    "confirmed", "of `whatif latency --confirm`, measured as it is and as if changed",
    confirmed_keys};

static const struct object_key measured_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("saved", SHARE),
    KEY("stood", SHARE, .marks = MARK_MAYBE,
        .note = "the share of its work for which another service really stood"),
    KEY("requests_now", COUNT),
    KEY("requests_changed", COUNT),
    KEY("blocks", COUNT),
    KEY("work_ns", NS, .note = "for a call"),
    KEY("pause_ns", NS, .note = "of one"),
    KEY("pauses", COUNT),
    KEY("late", COUNT),
    KEY("cut", COUNT, .note = "requests that outlasted their block"),
    KEY("lost", COUNT),
    KEY("doubt", TEXT, .marks = MARK_NULL, .note = "why nothing can be told"),
    {0}};
const struct object_kind latency_measured_kind = {"measured", "of `whatif latency --confirm`",
                                                  measured_keys};

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

static void show_table(struct document *document, const struct latency_answer *answer) {
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
  document_grid(document, LINES_APART, 2, &table);
}

/* Why a percentile is not told: the first reason counts. */
static void say_reasons(struct document *document, const struct latency_answer *answer) {
  if (answer->doubt != NULL) {
    document_say(document, LINES_CLOSE, "%s", answer->doubt);
    return;
  }
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    if (p->confirmed.verdict != CONFIRM_CANNOT_TELL)
      continue;
    if (p->confirmed.moved)
      document_say(document, LINES_CLOSE,
                   "p%s: even without the change it is not what was recorded. Record the traces "
                   "again, with the services and the load of the plan.",
                   p->wanted->text);
    else if (!p->confirmed.settled)
      document_say(document, LINES_CLOSE, "p%s: the latencies drift. Measure for longer.",
                   p->wanted->text);
    else if (isinf(p->confirmed.most))
      document_say(document, LINES_CLOSE, "p%s: there are too few requests for an upper limit.",
                   p->wanted->text);
    else
      document_say(document, LINES_CLOSE,
                   "p%s: the intervals allow %+.0f %% to %+.0f %% of the prediction; more "
                   "requests make them narrower.",
                   p->wanted->text, 100 * p->confirmed.least, 100 * p->confirmed.most);
  }
}

static void say_measured(struct document *document, const struct speedup *speedup) {
  struct text text;
  text_init(&text);
  text_format(&text, "Measured, not predicted: while %s worked (", speedup->request->service);
  duration_print_nearest(&text, (int64_t)speedup->work_ns);
  text_format(&text, " for a call) all others stood for %g %% of the time, ",
              (double)speedup->request->saved_ppm / 1e4);
  duration_print_nearest(&text, (int64_t)speedup->pause_ns);
  text_format(&text,
              " at once, which is taken out of the latencies. %zu requests as it is, %zu as if "
              "changed.",
              speedup->now.count, speedup->changed.count);
  document_item(document, LINES_APART, 0, &text);
}

static void put_confirmed(struct document *document, const struct latency_answer *answer) {
  struct objects *confirmed = document_objects(document, &confirmed_kind);
  for (size_t i = 0; i < answer->percentiles.count && is_measured(answer); i++) {
    const struct latency_percentile *p = &answer->percentiles.data[i];
    objects_add(confirmed);
    object_text(confirmed, "p", p->wanted->text);
    latency_put_range(confirmed, "now", &p->confirmed.now);
    latency_put_range(confirmed, "changed", &p->confirmed.changed);
    object_number(confirmed, "off", off_by(p));
    object_flag(confirmed, "moved", p->confirmed.moved);
    object_flag(confirmed, "settled", p->confirmed.settled);
    object_text(confirmed, "verdict", words[p->confirmed.verdict]);
  }
}

static void put_measured(struct document *document, const struct latency_answer *answer) {
  const struct speedup *speedup = &answer->speedup;
  struct objects *measured = document_objects(document, &latency_measured_kind);
  objects_add(measured);
  object_text(measured, "service", speedup->request->service);
  object_number(measured, "saved", (double)speedup->request->saved_ppm / 1e6);
  if (speedup->stood >= 0)
    object_number(measured, "stood", speedup->stood);
  object_count(measured, "requests_now", speedup->now.count);
  object_count(measured, "requests_changed", speedup->changed.count);
  object_count(measured, "blocks", speedup->blocks);
  object_ns(measured, "work_ns", (int64_t)speedup->work_ns);
  object_ns(measured, "pause_ns", (int64_t)speedup->pause_ns);
  object_count(measured, "pauses", speedup->pauses);
  object_count(measured, "late", speedup->late);
  object_count(measured, "cut", speedup->cut);
  object_count(measured, "lost", speedup->lost);
  object_text(measured, "doubt", answer->doubt);
}

void latency_confirmed_document(struct document *document, const struct latency_answer *answer) {
  const struct speedup *speedup = &answer->speedup;
  if (answer->request->confirm == NULL)
    return;
  document_section(document, "confirmed", "Measured");
  say_measured(document, speedup);
  put_confirmed(document, answer);
  put_measured(document, answer);
  if (is_measured(answer))
    show_table(document, answer);
  if (speedup->stood >= 0)
    document_say(document, LINES_CLOSE,
                 "Of the time that %s worked another service really stood for %.1f %%.",
                 speedup->request->service, 100 * speedup->stood);
  say_reasons(document, answer);
}
