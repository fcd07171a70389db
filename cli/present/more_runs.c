/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/more_runs.h"

#include <inttypes.h>

#include "base/duration.h"
#include "cli/question/plan/more_runs.h"

static const struct object_key keys[] = {
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("slo", TEXT, .marks = MARK_MAYBE),
    KEY("runs", COUNT, .note = "there are"),
    KEY("observations", COUNT, .note = "of all of them"),
    KEY("lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("upper_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("settled", FLAG, .note = "false: the runs drift, and nothing is predicted"),
    KEY("then_runs", COUNT, .marks = MARK_MAYBE, .note = "in all that do, predicted"),
    KEY("then_lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("then_upper_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    {0}};
static const struct object_kind kind = {"more_runs", "of `plan --data FILE --run FILE`", keys};

const struct object_kind *const more_runs_kinds[] = {&kind, &assumption_kind, NULL};

static void append_ends(struct text *text, const struct level_ends *ends) {
  text_append(text, "at least ");
  if (ends->lower_ns < SAMPLE_NS_MAX)
    duration_print_lower(text, ends->lower_ns);
  else
    text_append(text, "infinite");
  text_append(text, ", at most ");
  if (ends->upper_finite)
    duration_print_upper(text, ends->upper_ns);
  else
    text_append(text, "infinite");
}

static void say_goal(struct text *text, const struct more_runs *answer) {
  if (answer->slos.count != 0)
    text_format(text, "To decide %s", answer->request->slo);
  else
    text_format(text, "For an interval %g times narrower", answer->factor);
}

static void say_then(struct document *document, const struct more_runs *answer) {
  struct text text;
  text_init(&text);
  say_goal(&text, answer);
  if (!answer->settled) {
    text_append(&text, " no number of runs can be told: these drift, one after the other.");
  } else if (answer->then == 0) {
    text_format(&text, " not even %d runs such as these do: p%s would be ", MORE_RUNS_MOST,
                answer->wanted.text);
    append_ends(&text, &answer->ends);
    text_append(&text, answer->slos.count != 0 ? "; the limit is too close to it." : ".");
  } else if (answer->then == answer->count) {
    text_append(&text, " these runs do.");
  } else {
    text_format(&text, " it takes about %zu runs such as these, %zu more: p%s is then, predicted, ",
                answer->then, answer->then - answer->count, answer->wanted.text);
    append_ends(&text, &answer->ends);
    text_append(&text, ".");
  }
  document_take(document, LINES_APART, 2, &text);
}

static void put(struct document *document, const struct more_runs *answer) {
  struct objects *objects = document_objects(document, &kind);
  objects_add(objects);
  object_text(objects, "p", answer->wanted.text);
  if (answer->slos.count != 0)
    object_text(objects, "slo", answer->request->slo);
  object_count(objects, "runs", answer->count);
  object_count(objects, "observations", answer->observations);
  object_time(objects, "lower_ns", answer->now.lower_ns < SAMPLE_NS_MAX, answer->now.lower_ns);
  object_time(objects, "upper_ns", answer->now.upper_finite, answer->now.upper_ns);
  object_flag(objects, "settled", answer->settled);
  if (answer->then != 0)
    object_count(objects, "then_runs", answer->then);
  object_time(objects, "then_lower_ns", answer->ends.lower_ns < SAMPLE_NS_MAX,
              answer->ends.lower_ns);
  object_time(objects, "then_upper_ns", answer->ends.upper_finite, answer->ends.upper_ns);
}

void more_runs_document(struct document *document, const struct more_runs *answer) {
  document_init(document, "plan", more_runs_kinds);
  document_title(document, "Runs for p%s", answer->wanted.text);
  struct text text;
  text_init(&text);
  text_format(&text, "%zu runs with %" PRIu64 " observations: p%s is ", answer->count,
              answer->observations, answer->wanted.text);
  append_ends(&text, &answer->now);
  text_append(&text, ".");
  document_take(document, LINES_APART, 2, &text);
  say_then(document, answer);
  put(document, answer);
  document_ledger(document, &answer->ledger);
}
