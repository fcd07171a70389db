/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/loops_whatif.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/latency.h"
#include "cli/question/loops/whatif.h"
#include "trace/loop/causes.h"

/* --- kinds ------------------------------------------------------------------------------------ */

#define KEYS_OF_QUANTILE(key, more)                                                                \
  KEY(key ".ns", NS, .marks = (more)), KEY(key ".lower_ns", NS, .marks = MARK_MAYBE | MARK_LOWER), \
      KEY(key ".upper_ns", NS, .marks = MARK_MAYBE | MARK_UPPER)

static const struct object_key predicted_keys[] = {
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("answer", TEXT, .words = "predicted|cannot tell"),
    KEYS_OF_QUANTILE("recorded", 0),
    KEYS_OF_QUANTILE("replayed", MARK_MAYBE),
    KEYS_OF_QUANTILE("replayed_late", MARK_MAYBE),
    KEYS_OF_QUANTILE("waits_as_recorded", MARK_MAYBE),
    KEYS_OF_QUANTILE("waits_as_recorded_late", MARK_MAYBE),
    KEYS_OF_QUANTILE("waits_as_others", MARK_MAYBE),
    KEYS_OF_QUANTILE("waits_as_others_late", MARK_MAYBE),
    KEYS_OF_QUANTILE("without_collections", MARK_MAYBE),
    KEYS_OF_QUANTILE("observed", MARK_MAYBE),
    KEY("missed", FLAG, .marks = MARK_MAYBE),
    {0}};
static const struct object_kind predicted_kind = {
    "predicted",
    "of `whatif latency` about event logs; `_late`: ready as late as may be; `waits_as`: where "
    "removed work may have made waits long, without `replayed` where nobody can tell; "
    "`without_collections`: without full ones, which may collect what a removed callback leaves",
    predicted_keys};

static const struct object_key waits_keys[] = {
    KEY("verdict", TEXT, .words = "none|longer|alike|cannot tell"),
    KEY("overlap", COUNT, .note = "how many were under way meanwhile"),
    KEY("without_law", COUNT, .note = "of them, of kinds that have too few others"),
    KEY("stretches", COUNT, .note = "of the work"),
    KEY("longer", COUNT, .note = "in how many of them waits were longer than others are"),
    KEY("far", COUNT, .note = "in how many one was longer than nearly all others"),
    {0}};
static const struct object_kind waits_kind = {
    "waits",
    "of `whatif latency` on event logs, where removed work may have made waits for I/O long",
    waits_keys};

static const struct object_key latency_keys[] = {
    KEY("requests", COUNT),
    KEY("readings", COUNT, .note = "2: those ready early and late differ"),
    KEY("behind", COUNT, .note = "callbacks that ran directly behind what is removed"),
    KEY("behind_without_law", COUNT),
    KEY("behind_recorded_ns", NS),
    KEY("behind_as_others_ns", NS),
    {0}};
static const struct object_kind latency_kind = {"latency", "of `whatif latency` about event logs",
                                                latency_keys};

const struct object_kind *const loops_whatif_kinds[] = {
    &latency_kind, &latency_change_kind, &predicted_kind, &waits_kind, &assumption_kind, NULL};

/* --- for people ------------------------------------------------------------------------------- */

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

/* How far the values are from what was observed: of the least and the most. */
static void take_error(struct table *table, const struct loop_quantile *const *q, size_t count,
                       size_t i, double observed) {
  uint64_t least = q[0][i].value_ns, most = least;
  for (size_t r = 1; r < count; r++) {
    least = q[r][i].value_ns < least ? q[r][i].value_ns : least;
    most = q[r][i].value_ns > most ? q[r][i].value_ns : most;
  }
  double low = observed == 0 ? 0 : 100 * ((double)least / observed - 1);
  double high = observed == 0 ? 0 : 100 * ((double)most / observed - 1);
  if (high - low < 0.05)
    table_cell(table, "%+.1f %%", low);
  else
    table_cell(table, "%+.1f .. %+.1f %%", low, high);
}

static void make_table(struct table *table, const struct loops_whatif *a) {
  char title[40];
  const struct loop_quantile *was[] = {a->was}, *seen[] = {a->observed};
  const struct loop_quantile *const *is = (const struct loop_quantile *const *)a->is;
  size_t estimate = loops_estimate(a), count = loops_reading_count(a);
  bool known = estimate < LOOPS_READINGS;
  const struct loop_quantile *held[LOOPS_ALL];
  size_t held_count = 0;
  for (size_t r = 0; r < count; r++)
    held[held_count++] = a->is[r];
  if (a->full != 0)
    held[held_count++] = a->is[LOOPS_LIGHTER];
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
    bool told = loops_untold(a, i) == LOOPS_TOLD;
    if (told) {
      take_value(table, known ? is + estimate : is, known ? a->readings : count, i);
      take_interval(table, held, held_count, i);
    } else {
      table_cell(table, "cannot tell");
      table_cell(table, "-");
    }
    if (a->observed == NULL)
      continue;
    take_value(table, seen, 1, i);
    take_interval(table, seen, 1, i);
    if (told)
      take_error(table, known ? is + estimate : is, known ? a->readings : count, i,
                 (double)a->observed[i].value_ns);
    else
      table_cell(table, "-");
  }
}

static void say_evidence(struct document *document, enum lines lines,
                         const struct loop_contention *c) {
  document_say(document, lines,
               "%" PRIu64 " waits for I/O were under way while what is removed ran.", c->waits);
  if (c->verdict == CONTENTION_LONGER)
    document_say(document, LINES_CLOSE,
                 "In %" PRIu64 " of %" PRIu64 " stretches of it they were longer than others, "
                 "and in %" PRIu64 " one was longer than nearly all others, more than chance "
                 "explains; so `replayed` lets them take what others take.",
                 c->longer, c->stretches, c->far);
  else if (c->verdict == CONTENTION_ALIKE)
    document_say(document, LINES_CLOSE,
                 "In %" PRIu64 " of %" PRIu64 " stretches of it they were longer than others, "
                 "and in %" PRIu64 " one was longer than nearly all others, which chance explains; "
                 "so `replayed` keeps them as recorded.",
                 c->longer, c->stretches, c->far);
  else
    document_say(document, LINES_CLOSE,
                 "Nobody can tell whether they were long because of it (%" PRIu64 " stretches "
                 "with others to compare with), so `replayed` has both. To decide it, record "
                 "for longer: until there are %d such stretches, and %d waits of each kind "
                 "without it.",
                 c->stretches, (int)CONTENTION_STRETCHES, (int)CONTENTION_ALONE);
}

static bool is_any_told(const struct loops_whatif *a) {
  bool told = false;
  for (size_t i = 0; i < a->wanted.count; i++)
    told = told || loops_untold(a, i) == LOOPS_TOLD;
  return told;
}

static void show_waits(struct document *document, const struct loops_whatif *a) {
  const struct loop_quantile *const *is = (const struct loop_quantile *const *)a->is;
  struct table table;
  say_evidence(document, LINES_APART, &a->contention);
  table_init(&table);
  table_column(&table, TABLE_LEFT, "");
  table_column(&table, TABLE_RIGHT, "if long because of it");
  table_column(&table, TABLE_RIGHT, "if not");
  for (size_t i = 0; i < a->wanted.count; i++) {
    if (loops_untold(a, i) != LOOPS_TOLD)
      continue;
    table_cell(&table, "p%s", a->wanted.data[i].text);
    take_value(&table, is + LOOPS_OTHERS, a->readings, i);
    take_value(&table, is, a->readings, i);
  }
  document_grid(document, LINES_CLOSE, 2, &table);
}

/* Why percentiles are not told, and what would decide it. */
static void say_untold(struct document *document, const struct loops_whatif *a,
                       enum loops_untold why) {
  static const char *const states[] = {
      [LOOP_THREADS_SIZE] = "the log does not say how many threads the pool has, so nobody knows "
                            "what waited for one. To decide it, record with `tailproof record "
                            "--node`, which notes that",
      [LOOP_THREADS_ADDONS] =
          "native addons asked for work, of the pool's threads or of threads of "
          "their own, and no log says which. To decide it, record without what "
          "the change takes away",
      [LOOP_THREADS_STREAMS] = "this log is of a version that did not note when streams asked the "
                               "pool. To decide it, record again",
      [LOOP_THREADS_CONTRADICTED] = "pieces of work were done before a thread of the pool can have "
                                    "begun with them, so it has other threads or other work than "
                                    "the log says. To decide it, record without what the change "
                                    "takes away",
  };
  struct text list, orphan;
  text_init(&list);
  text_init(&orphan);
  loop_callback_say(&orphan, &a->log, a->threads.orphan_type, 0, a->threads.orphan_route);
  for (size_t i = 0; i < a->wanted.count; i++)
    if (loops_untold(a, i) == why)
      text_format(&list, "%sp%s", list.length == 0 ? "" : ", ", a->wanted.data[i].text);
  if (list.length != 0 && why == LOOPS_UNTOLD_THREADS)
    document_say(document, LINES_APART, "%s: CANNOT TELL: %s.", text_get(&list),
                 states[a->threads.state]);
  else if (list.length != 0 && why == LOOPS_UNTOLD_READINGS)
    document_say(document, LINES_APART,
                 "%s: CANNOT TELL: what the pool does is changed, and it depends too much on when "
                 "callbacks became ready, or on whether waits were long because of that. To decide "
                 "it, record for longer, with time in which that work is not done.",
                 text_get(&list));
  else if (list.length != 0 && why == LOOPS_UNTOLD_ORPHANED)
    document_say(document, LINES_APART,
                 "%s: CANNOT TELL: what is removed asked the thread pool for %" PRIu64
                 " pieces of work (%s), and it matters whether they go, too. To decide it, say so: "
                 "--change 'io %s: *0', or *1 if they stay.",
                 text_get(&list), a->threads.orphaned, text_get(&orphan), text_get(&orphan));
  else if (list.length != 0)
    document_say(document, LINES_APART,
                 "%s: CANNOT TELL: threads of the pool share the processors with the loop, and too "
                 "much of what ran or was read beside the removed work has fewer than %d others to "
                 "compare with (%" PRIu64 " callbacks, %" PRIu64 " waits). To decide it, record "
                 "for longer, with time in which that work is not done.",
                 text_get(&list), (int)AFTER_OTHERS, a->following.lawless, a->contention.lawless);
  text_clear(&orphan);
  text_clear(&list);
}

/* --- for programs ----------------------------------------------------------------------------- */

static void put_whole(struct objects *objects, const char *key, const char *end, uint64_t ns) {
  char name[48];
  snprintf(name, sizeof name, "%s.%s", key, end);
  object_count(objects, name, ns);
}

static void put_quantile(struct objects *objects, const char *key, const struct loop_quantile *q) {
  put_whole(objects, key, "ns", q->value_ns);
  if (!q->settled)
    return;
  put_whole(objects, key, "lower_ns", q->lower_ns);
  if (q->upper_ns != QUANTILE_INFINITE)
    put_whole(objects, key, "upper_ns", q->upper_ns);
}

static void put_replayed(struct objects *objects, const struct loops_whatif *a, size_t i) {
  static const char *const keys[] = {"waits_as_recorded", "waits_as_recorded_late",
                                     "waits_as_others", "waits_as_others_late"};
  size_t estimate = loops_estimate(a);
  if (estimate < LOOPS_READINGS) {
    put_quantile(objects, "replayed", &a->is[estimate][i]);
    if (a->readings > 1)
      put_quantile(objects, "replayed_late", &a->is[estimate + 1][i]);
  }
  for (size_t r = 0; a->contended && r < LOOPS_READINGS; r++)
    if (r % 2 == 0 || a->readings > 1)
      put_quantile(objects, keys[r], &a->is[r][i]);
}

static void put_predicted(struct document *document, const struct loops_whatif *a) {
  struct objects *predicted = document_objects(document, &predicted_kind);
  for (size_t i = 0; i < a->wanted.count; i++) {
    objects_add(predicted);
    object_text(predicted, "p", a->wanted.data[i].text);
    bool told = loops_untold(a, i) == LOOPS_TOLD;
    object_text(predicted, "answer", told ? "predicted" : "cannot tell");
    put_quantile(predicted, "recorded", &a->was[i]);
    if (told)
      put_replayed(predicted, a, i);
    if (told && a->full != 0)
      put_quantile(predicted, "without_collections", &a->is[LOOPS_LIGHTER][i]);
    if (a->observed != NULL) {
      put_quantile(predicted, "observed", &a->observed[i]);
      object_flag(predicted, "missed", loops_missed(a, i));
    }
  }
}

static void put_waits(struct document *document, const struct loop_contention *c) {
  static const char *const verdicts[] = {"none", "longer", "alike", "cannot tell"};
  struct objects *waits = document_objects(document, &waits_kind);
  objects_add(waits);
  object_text(waits, "verdict", verdicts[c->verdict]);
  object_count(waits, "overlap", c->waits);
  object_count(waits, "without_law", c->lawless);
  object_count(waits, "stretches", c->stretches);
  object_count(waits, "longer", c->longer);
  object_count(waits, "far", c->far);
}

static void put_latency(struct document *document, const struct loops_whatif *a) {
  struct objects *latency = document_objects(document, &latency_kind);
  objects_add(latency);
  object_count(latency, "requests", a->before.count);
  object_count(latency, "readings", a->readings);
  object_count(latency, "behind", a->following.callbacks);
  object_count(latency, "behind_without_law", a->following.lawless);
  object_ns(latency, "behind_recorded_ns", a->following.recorded_ns);
  object_ns(latency, "behind_as_others_ns", a->following.other_ns);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* "; seen in 12 of the 24 runs of connection to 127.0.0.1:9000 that last 8.2 ms or longer" */
static void append_partly(struct text *text, const struct loop_affected *affected) {
  const struct loop_partly *partly = &affected->partly;
  if (partly->callback.length == 0)
    return;
  text_format(text, "; seen in %" PRIu64 " of the %" PRIu64 " runs of %s that last ", partly->seen,
              partly->runs, text_get(&partly->callback));
  duration_print_nearest(text, partly->least);
  text_append(text, " or longer");
}

static void show_changes(struct document *document, const struct loops_whatif *a) {
  struct objects *changes = document_objects(document, &latency_change_kind);
  struct text text;
  text_init(&text);
  document_say(
      document, LINES_APART,
      "%zu requests, replayed through the recorded loop with what is different:", a->before.count);
  for (size_t i = 0; i < a->affected.count; i++) {
    const struct loop_affected *affected = &a->affected.data[i];
    text_format(&text, "%s: of %" PRIu64 " %s", a->request->changes[i], affected->count,
                affected->count == 1 ? "occurrence" : "occurrences");
    append_partly(&text, affected);
    document_item(document, LINES_CLOSE, 4, &text);
    objects_add(changes);
    object_text(changes, "change", a->request->changes[i]);
    object_count(changes, "calls", affected->count);
  }
}

void loops_whatif_document(struct document *document, const struct loops_whatif *a,
                           const struct document_page *page) {
  struct table table;
  document_init(document, "whatif latency", loops_whatif_kinds);
  document_title(document, "What if the loop's work were different");
  show_changes(document, a);
  document_made(document, page);
  document_figures(document, page, a, 0);
  document_section(document, "percentiles", "Percentiles");
  make_table(&table, a);
  document_grid(document, LINES_APART, 2, &table);
  for (enum loops_untold why = LOOPS_UNTOLD_THREADS; why <= LOOPS_UNTOLD_ORPHANED; why++)
    say_untold(document, a, why);
  if (a->contended && is_any_told(a))
    show_waits(document, a);
  for (size_t i = 0; i < a->wanted.count; i++)
    if (loops_missed(a, i))
      document_say(document, LINES_CLOSE, "p%s was really outside of what was predicted.",
                   a->wanted.data[i].text);
  put_predicted(document, a);
  if (a->contention.waits != 0)
    put_waits(document, &a->contention);
  put_latency(document, a);
  document_ledger(document, &a->ledger);
}
