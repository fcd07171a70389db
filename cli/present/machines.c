/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/machines.h"

#include "base/duration.h"
#include "cli/question/machines/machines.h"

static const struct object_key simulation_keys[] = {
    KEY("bound", TEXT, .marks = MARK_NAMES),
    KEY("verdict", TEXT, .words = "proved|refuted|unknown"),
    KEY("executions", COUNT),
    KEY("requests", COUNT, .note = "that count"),
    KEY("warmup", COUNT, .note = "before them, in the same execution"),
    KEY("unfinished", COUNT),
    KEY("otherwise", COUNT, .note = "not among them: came to rest without the event"),
    KEY("standing", COUNT, .note = "executions in which no time passes any more"),
    KEY("cut", COUNT, .note = "executions that were ended"),
    KEY("exceeding", COUNT, .note = "executions beyond a bound that is not proved"),
    KEY("outside", COUNT, .note = "whose times break an assumption"),
    KEY("late_ns", NS, .marks = MARK_DIGITS | MARK_UPPER, .note = "of arrivals, at most"),
    KEY("why_no_bound", TEXT, .marks = MARK_NULL,
        .note = "null: there are percentiles of the bound"),
    {0}};
static const struct object_kind simulation_kind = {"simulation", "of `simulate`", simulation_keys};

static const struct object_key percentile_keys[] = {
    KEY("bound", TEXT, .marks = MARK_NAMES),
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("least_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("most_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("settled", FLAG, .marks = MARK_NAMES, .note = "false: no interval can be promised"),
    KEY("bound_same_times_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("bound_ns", NS, .marks = MARK_DIGITS | MARK_UPPER | MARK_MAYBE),
    KEY("observed_ns", NS, .marks = MARK_DIGITS | MARK_UPPER | MARK_MAYBE),
    {0}};
static const struct object_kind percentile_kind = {"simulated_percentile", "of `simulate`",
                                                   percentile_keys};

const struct object_kind *const machines_kinds[] = {&simulation_kind, &percentile_kind,
                                                    &assumption_kind, NULL};

static bool has_observed(const struct machines_answer *answer) {
  return answer->has_bound && answer->measured.has_observed;
}

/* --- what was simulated ----------------------------------------------------------------------- */

static void say_head(struct document *document, const struct machines_answer *answer) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s: simulated %zu ", answer->bound->name, answer->requests);
  if (answer->bound->from == NULL)
    text_append(&text, "times");
  else
    text_format(&text, "requests in one execution behind %zu more", answer->warmup);
  text_format(&text, ", %zu never ended; the bound is %s", answer->unfinished,
              verdict_name(answer->verdict));
  document_take(document, LINES_CLOSE, 0, &text);
  document_hang(document, 2);
}

static void put_simulation(struct document *document, const struct machines_answer *answer) {
  struct objects *objects = document_objects(document, &simulation_kind);
  objects_add(objects);
  object_text(objects, "bound", answer->bound->name);
  object_text(objects, "verdict", verdict_name(answer->verdict));
  object_count(objects, "executions", answer->executions);
  object_count(objects, "requests", answer->requests);
  object_count(objects, "warmup", answer->warmup);
  object_count(objects, "unfinished", answer->unfinished);
  object_count(objects, "otherwise", answer->otherwise);
  object_count(objects, "standing", answer->standing);
  object_count(objects, "cut", answer->cut);
  object_count(objects, "exceeding", answer->exceeding);
  object_count(objects, "outside", answer->outside);
  object_count(objects, "late_ns", answer->late_ns);
  object_text(objects, "why_no_bound", answer->has_bound ? NULL : text_get(&answer->why_not));
}

/* --- percentiles ------------------------------------------------------------------------------ */

static void put_time(struct objects *objects, const char *key, uint64_t ns) {
  object_time(objects, key, ns != UINT64_MAX, ns);
}

static void put_percentile(struct objects *objects, const struct machines_answer *answer,
                           const struct machines_percentile *p) {
  objects_add(objects);
  object_text(objects, "bound", answer->bound->name);
  object_text(objects, "p", p->wanted->text);
  object_words(objects, "p", "p%s", p->wanted->text);
  put_time(objects, "ns", p->ns);
  put_time(objects, "least_ns", p->least_ns);
  put_time(objects, "most_ns", p->most_ns);
  object_flag(objects, "settled", p->settled);
  put_time(objects, "bound_same_times_ns", p->limit_ns);
  if (answer->has_bound)
    object_time(objects, "bound_ns", p->bound->interval.upper_finite, p->bound->interval.upper_ns);
  if (has_observed(answer))
    object_time(objects, "observed_ns", p->bound->observed_finite, p->bound->observed_ns);
}

static void show_percentiles(struct document *document, const struct machines_answer *answer) {
  static const struct object_column columns[] = {
      {.title = "", .key = "p"},
      {.title = "simulated", .align = TABLE_RIGHT, .key = "ns"},
      {.title = "between",
       .align = TABLE_RIGHT,
       .form = COLUMN_RANGE,
       .key = "least_ns",
       .to = "most_ns"},
      {.title = "bound, at the\nsame times", .align = TABLE_RIGHT, .key = "bound_same_times_ns"},
      {.title = "bound, as\nmeasured, at most", .align = TABLE_RIGHT, .key = "bound_ns"},
      {.title = "observed", .align = TABLE_RIGHT, .key = "observed_ns"},
  };
  struct objects *objects = document_objects(document, &percentile_kind);
  for (size_t i = 0; i < answer->percentiles.count; i++)
    put_percentile(objects, answer, &answer->percentiles.data[i]);
  document_table(document, LINES_CLOSE, 2, objects, columns, sizeof columns / sizeof *columns);
}

/* --- what to know of it ----------------------------------------------------------------------- */

static void say_unsettled(struct document *document, const struct machines_answer *answer) {
  struct text which;
  text_init(&which);
  for (size_t i = 0; i < answer->percentiles.count; i++)
    if (!answer->percentiles.data[i].settled)
      text_format(&which, "%sp%s", which.length == 0 ? "" : ", ",
                  answer->percentiles.data[i].wanted->text);
  if (which.length != 0)
    document_say(document, LINES_CLOSE,
                 "%s: the requests drift, or too few of them are independent of each other; no "
                 "interval can be promised. Is the load more than the machines can do? Else "
                 "simulate more with --requests.",
                 text_get(&which));
  text_clear(&which);
}

static void say_remarks(struct document *document, const struct machines_answer *answer) {
  struct text late;
  text_init(&late);
  duration_print_upper(&late, answer->late_ns);
  if (answer->late_ns != 0)
    document_say(document, LINES_CLOSE,
                 "Requests were sent up to %s later than --arrivals says: their sender was busy, "
                 "or kept to the limit that the file declares with \"arrivals\".",
                 text_get(&late));
  text_clear(&late);
  say_unsettled(document, answer);
  if (answer->standing != 0)
    document_say(document, LINES_CLOSE, "%zu of %zu executions stand still: %s.%s",
                 answer->standing, answer->executions, answer->why,
                 answer->verdict == VERDICT_PROVED ? "" : " tailproof verify says what to write.");
  if (answer->cut != 0 && answer->unfinished != 0)
    document_say(document, LINES_CLOSE,
                 "%zu of %zu executions were ended before the event, after as many steps as "
                 "simulate takes: nothing is known of how they go on.",
                 answer->cut, answer->executions);
  if (answer->otherwise != 0)
    document_say(document, LINES_CLOSE,
                 "%zu more came to rest without the event of the bound: the protocol took another "
                 "course. They do not count.",
                 answer->otherwise);
  if (answer->outside != 0)
    document_say(document, LINES_CLOSE,
                 "%zu of %zu executions have times that break the assumption %s: the bound says "
                 "nothing of them.",
                 answer->outside, answer->executions, answer->broken);
  if (answer->exceeding != 0)
    document_say(document, LINES_CLOSE,
                 "%zu of %zu executions took longer than the bound, which is not proved.",
                 answer->exceeding, answer->executions);
  if (!answer->has_bound)
    document_say(document, LINES_CLOSE, "No percentiles of the bound as measured: %s",
                 answer->why_not.data);
  document_say(document, LINES_CLOSE,
               "Simulated against the bound at the same times is what the proof costs%s.",
               has_observed(answer) ? "; observed against simulated is what the model costs" : "");
}

void machines_document(struct document *document, const struct machines_answer *answer) {
  document_init(document, "simulate", machines_kinds);
  document_title(document, "%s on simulated machines", answer->bound->name);
  say_head(document, answer);
  put_simulation(document, answer);
  show_percentiles(document, answer);
  say_remarks(document, answer);
  document_ledger(document, &answer->ledger);
}
