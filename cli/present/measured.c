/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/measured.h"

#include <inttypes.h>

#include "base/duration.h"
#include "base/file.h"
#include "cli/present/evidence.h"
#include "cli/question/measured/measured.h"
#include "cli/question/percentiles/percentiles.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key row_keys[] = {
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("upper_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("settled", FLAG, .marks = MARK_NAMES, .note = "false: no confidence can be promised"),
    KEY("wanders", FLAG, .marks = MARK_NAMES,
        .note = "limits are of this run alone, whose level moves more slowly than it lasts"),
    KEY("samples_needed", COUNT, .marks = MARK_MAYBE | MARK_DIGITS,
        .note = "independent ones that make `upper_ns` finite"),
    {0}};
static const struct object_kind row_kind = {"measured_percentile", "of `percentiles --data FILE`",
                                            row_keys};

#define MEASURED_BASES "one run|runs|independent draws|all there is"

static const struct object_key slo_keys[] = {
    KEY("slo", TEXT, .marks = MARK_NAMES),
    KEY("state", TEXT,
        .words = "met|broken|undecided|met if the draws are independent|"
                 "broken if the draws are independent|met in this run|broken in this run"),
    KEY("basis", TEXT, .words = MEASURED_BASES),
    KEY("reason", TEXT),
    KEY("samples_needed", COUNT, .marks = MARK_MAYBE | MARK_DIGITS),
    {0}};
static const struct object_kind slo_kind_here = {"measured_slo", NULL, slo_keys};

static const struct object_key above_keys[] = {
    KEY("time", TEXT, .marks = MARK_NAMES),
    KEY("lower", DECIMAL, .marks = MARK_LOWER),
    KEY("upper", DECIMAL, .marks = MARK_UPPER, .note = "chances"),
    {0}};
static const struct object_kind above_kind_here = {"measured_above", NULL, above_keys};

const struct object_kind *const measured_kinds[] = {
    &row_kind, &slo_kind_here, &above_kind_here, &evidence_kind, &assumption_kind, NULL};

/* --- percentiles ------------------------------------------------------------------------------ */

static bool is_settled(const struct measured_row *row) {
  return row->ends.lower_settled && row->ends.upper_settled;
}

static void show_rows(struct document *document, const struct measured *m) {
  static const struct object_column columns[] = {
      {.title = "", .key = "p"},
      {.title = "at least", .align = TABLE_RIGHT, .key = "lower_ns"},
      {.title = "at most", .align = TABLE_RIGHT, .key = "upper_ns"},
      {.title = "", .key = "settled"},
  };
  struct objects *rows = document_objects(document, &row_kind);
  for (size_t i = 0; i < m->rows.count; i++) {
    const struct measured_row *row = &m->rows.data[i];
    const struct level_ends *ends = &row->ends;
    objects_add(rows);
    object_text(rows, "p", row->wanted->text);
    object_words(rows, "p", "p%s", row->wanted->text);
    object_time(rows, "lower_ns", ends->lower_ns < SAMPLE_NS_MAX, ends->lower_ns);
    object_time(rows, "upper_ns", ends->upper_finite, ends->upper_ns);
    object_flag(rows, "settled", is_settled(row));
    object_words(rows, "settled", "%s",
                 !is_settled(row) ? "not settled"
                 : m->wanders     ? "of this run"
                                  : "");
    object_flag(rows, "wanders", m->wanders);
    if (row->needed != 0)
      object_count(rows, "samples_needed", row->needed);
  }
  document_table(document, LINES_APART, 2, rows, columns, sizeof columns / sizeof *columns);
}

static void say_heading(struct document *document, const struct measured *m) {
  struct text text;
  text_init(&text);
  text_format(&text, "%" PRIu64 " observations", m->sample.real);
  if (m->sample.evidence.compared)
    text_format(&text, " of %" PRIu64 " runs", m->sample.evidence.runs);
  else
    text_format(&text, " in %s", file_name(m->request->path));
  uint64_t worth = serial_worth(&m->serial, m->sample.real);
  if (m->chance != 0 && worth < m->sample.real)
    text_format(&text, ", worth %" PRIu64 " independent ones for the whole law", worth);
  text_append(&text, ".");
  document_take(document, LINES_APART, 0, &text);
}

static void say_needs(struct document *document, const struct measured *m) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < m->rows.count; i++)
    if (m->rows.data[i].needed != 0)
      text_format(&text, "%s%" PRIu64 " for p%s",
                  text.length == 0 ? "A finite `at most` takes independent observations: " : ", ",
                  m->rows.data[i].needed, m->rows.data[i].wanted->text);
  if (text.length != 0)
    text_append(&text, ".");
  document_take(document, LINES_APART, 0, &text);
}

/* What the limits do not have in them. */
static void say_scope(struct document *document, const struct measured *m) {
  if (m->assumes_draws)
    document_say(document, LINES_APART,
                 sample_has_order(&m->sample)
                     ? "So few observations do not show whether they came in bursts: limits are "
                       "those of independent draws. Measure more, give further runs (--run FILE), "
                       "or assert it (--exchangeable)."
                     : "The order of the observations is not known: limits are those of "
                       "independent draws. Measure with what keeps it (.csv), give further runs "
                       "(--run FILE), or assert it (--exchangeable).");
  else if (m->wanders)
    document_say(document, LINES_APART,
                 "Limits are of this run alone: its level wanders, more the longer one looks, so "
                 "that another run may be at another. Further runs show it (--run FILE), or a "
                 "longer one that it does not.");
  else if (m->one_run)
    document_say(document, LINES_APART,
                 "Limits are of this run: what differs from run to run, or wanders more slowly "
                 "than a run lasts, is not in them. Further runs show it (--run FILE).");
  else if (m->sample.evidence.compared && !m->serial.settled)
    document_say(document, LINES_APART,
                 "The runs drift, one after the other: no confidence can be promised.");
}

/* What stands behind a number: one run, how several differ, that draws are independent (asserted,
 * or assumed), or that nothing else is asked about. */
static const char *basis_of(const struct measured *m) {
  return m->chance == 0                ? "all there is"
         : m->sample.evidence.compared ? "runs"
         : m->one_run                  ? "one run"
                                       : "independent draws";
}

/* --- objectives ------------------------------------------------------------------------------- */

static void put_time(struct text *text, bool finite, uint64_t ns, bool upper) {
  if (!finite)
    text_append(text, "infinite");
  else
    (upper ? duration_print_upper : duration_print_lower)(text, ns);
}

/* The first time above the limit, as of what a bucket does not include. */
static bool is_just_above(const struct slo *slo, uint64_t ns) {
  int64_t limit_ns = 0;
  return !slo->strict && rational_floor(&limit_ns, &slo->limit_ns) && ns == (uint64_t)limit_ns + 1;
}

static void explain(struct text *text, const struct measured_slo *result) {
  const struct level_ends *ends = &result->row.ends;
  bool met = slo_is_met(result->state), broken = slo_is_broken(result->state);
  text_format(text, "p%s is ", result->slo->percentile.text);
  if (result->state == SLO_BROKEN_IN_RUN) {
    text_append(text, "at least ");
    duration_print_lower(text, result->run_lower_ns);
    text_append(text, "; of a run like it, at least ");
    duration_print_lower(text, ends->lower_ns);
    return;
  }
  if (broken && is_just_above(result->slo, ends->lower_ns)) {
    text_append(text, "above ");
    duration_print_lower(text, ends->lower_ns - 1);
  } else if (!met) {
    text_append(text, "at least ");
    put_time(text, ends->lower_ns < SAMPLE_NS_MAX, ends->lower_ns, false);
  }
  if (!broken) {
    text_append(text, met ? "at most " : ", at most ");
    put_time(text, ends->upper_finite, ends->upper_ns, true);
  }
  if (!met && !broken && !is_settled(&result->row))
    text_append(text, ", but observations drift or depend on each other for too long to promise "
                      "that");
}

static void say_bucket(struct document *document, const struct measured_slo *result) {
  struct text text;
  text_init(&text);
  text_append(&text, "More observations cannot change this: that percentile is in a bucket from ");
  duration_print_lower(&text, result->bucket_lower_ns);
  text_append(&text, result->bucket_upper_ns == SAMPLE_NS_MAX ? " on" : " to ");
  if (result->bucket_upper_ns != SAMPLE_NS_MAX)
    duration_print_upper(&text, result->bucket_upper_ns);
  text_append(&text, ", and the limit is within it. Record with a bucket that ends at the limit, "
                     "or ask for an edge that there is.");
  document_take(document, LINES_CLOSE, 2, &text);
}

/* What a reader can do is to measure more of the same. */
static void say_needed(struct text *text, const struct measured *m,
                       const struct measured_row *row) {
  text_format(text, "To be finite it takes %" PRIu64 " independent observations", row->needed);
  if (m->sample.evidence.compared)
    text_append(text, ": more runs (`tailproof plan` with the same --data and --run says about how "
                      "many)");
  else if (row->worth < m->sample.real)
    text_format(text,
                "; these %" PRIu64 " are worth %" PRIu64 ", so about %" PRIu64 " times as many",
                m->sample.real, row->worth, (row->needed + row->worth - 1) / row->worth);
  text_append(text, ".");
}

static void say_remedy(struct document *document, const struct measured *m,
                       const struct measured_slo *result) {
  struct text text;
  text_init(&text);
  if (result->state == SLO_BROKEN_IN_RUN || result->state == SLO_MET_IN_RUN)
    text_append(&text, m->wanders ? "Its level wanders, so another run may differ: give further "
                                    "runs (--run FILE)."
                                  : "Slow requests came together, so another run may differ: give "
                                    "further runs (--run FILE).");
  else if (result->state != SLO_UNDECIDED)
    return;
  else if (result->in_bucket)
    say_bucket(document, result);
  else if (!is_settled(&result->row))
    text_append(&text, m->sample.evidence.compared
                           ? "Runs that do not drift decide it."
                           : "A longer run or further runs (--run FILE) decide it, or "
                             "--exchangeable if the order means nothing.");
  else if (result->row.needed != 0)
    say_needed(&text, m, &result->row);
  else
    text_append(&text, m->sample.evidence.compared ? "More runs bring the ends together."
                                                   : "More observations bring the ends together.");
  document_take(document, LINES_CLOSE, 2, &text);
}

static const char *title_of(enum slo_state state) {
  return state == SLO_BROKEN      ? "BROKEN"
         : state == SLO_UNDECIDED ? "NOT DECIDABLE with these observations"
                                  : slo_state_name(state);
}

static void show_slo(struct document *document, struct objects *slos, const struct measured *m,
                     const struct measured_slo *result) {
  struct text reason;
  text_init(&reason);
  explain(&reason, result);
  objects_add(slos);
  object_text(slos, "slo", result->slo->text);
  object_text(slos, "state", slo_state_name(result->state));
  object_text(slos, "basis", basis_of(m));
  object_text(slos, "reason", text_get(&reason));
  if (result->state == SLO_UNDECIDED && result->row.needed != 0)
    object_count(slos, "samples_needed", result->row.needed);
  text_append(&reason, ".");
  document_verdict(document, slo_status(result->state), result->slo->text, title_of(result->state),
                   text_get(&reason));
  say_remedy(document, m, result);
  text_clear(&reason);
}

static void show_above(struct document *document, struct objects *objects,
                       const struct measured_above *above) {
  struct text lower, upper;
  text_init(&lower);
  text_init(&upper);
  chance_print(&lower, above->lower, SIDE_LOWER);
  chance_print(&upper, above->upper, SIDE_UPPER);
  document_say(document, LINES_APART, "Above %s with probability at least %s, at most %s.",
               above->text, text_get(&lower), text_get(&upper));
  objects_add(objects);
  object_text(objects, "time", above->text);
  object_text(objects, "lower", text_get(&lower));
  object_text(objects, "upper", text_get(&upper));
  text_clear(&lower);
  text_clear(&upper);
}

/* --- all of it -------------------------------------------------------------------------------- */

void measured_document(struct document *document, const struct measured *m,
                       const struct document_page *page) {
  document_init(document, "percentiles", measured_kinds);
  document_title(document, "Percentiles of %s", file_name(m->request->path));
  document_made(document, page);
  say_heading(document, m);
  document_section(document, "percentiles", "Percentiles");
  show_rows(document, m);
  say_needs(document, m);
  say_scope(document, m);
  struct objects *above = document_objects(document, &above_kind_here);
  for (size_t i = 0; i < m->above.count; i++)
    show_above(document, above, &m->above.data[i]);
  struct objects *slos = document_objects(document, &slo_kind_here);
  for (size_t i = 0; i < m->results.count; i++)
    show_slo(document, slos, m, &m->results.data[i]);
  struct objects *evidence = document_objects(document, &evidence_kind);
  evidence_put(evidence, m->request->path, &m->sample, &m->serial);
  document_ledger(document, &m->ledger);
}
