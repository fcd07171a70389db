/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `compare` as a document (compare.h): percentiles, verdicts, and what they rest on.
 */
#include "cli/present/compare.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "cli/present/compare_tests.h"
#include "cli/present/evidence.h"
#include "cli/question/percentiles/percentiles.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key compared_keys[] = {
    KEY_COMPONENT,
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("a_lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("a_upper_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("b_lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("b_upper_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("ratio_least", DECIMAL, .marks = MARK_LOWER),
    KEY("ratio_most", DECIMAL, .marks = MARK_UPPER),
    KEY("verdict", TEXT, .words = COMPARED_WORDS),
    KEY("samples_needed", COUNT, .marks = MARK_MAYBE | MARK_DIGITS,
        .note = "independent ones of each, at least, that make both upper ends finite"),
    {0}};
static const struct object_kind compared_kind = {"compared", "of `compare`", compared_keys};

static const struct object_key summary_keys[] = {
    KEY("a", TEXT, .marks = MARK_NAMES),
    KEY("b", TEXT, .marks = MARK_NAMES),
    KEY("verdict", TEXT,
        .words = "slower|not shown to be slower|within the margin|not decidable|"
                 "slower if the draws are independent|"
                 "not shown to be slower if the draws are independent|"
                 "within the margin if the draws are independent|slower in these runs|"
                 "not shown to be slower in these runs|within the margin in these runs"),
    KEY("only_one_has", TEXTS, .note = "components"),
    {0}};
static const struct object_kind summary_kind = {"compared_summary", NULL, summary_keys};

const struct object_kind *const compare_kinds[] = {
    &summary_kind,           &compared_kind, &compared_gap_kind, &compared_edge_kind,
    &compared_tendency_kind, &evidence_kind, &assumption_kind,   NULL};

/* --- percentiles ------------------------------------------------------------------------------ */

static void put_rows(struct objects *objects, const struct compare *compare,
                     const struct subject *subject) {
  for (size_t i = 0; i < subject->rows.count; i++) {
    const struct compared *row = &subject->rows.data[i];
    const char *p = compare->wanted.data[row->wanted].text;
    compare_put_component(objects, subject);
    object_text(objects, "p", p);
    object_words(objects, "p", "p%s", p);
    object_time(objects, "a_lower_ns", row->a.lower_finite, row->a.lower_ns);
    object_time(objects, "a_upper_ns", row->a.upper_finite, row->a.upper_ns);
    object_time(objects, "b_lower_ns", row->b.lower_finite, row->b.lower_ns);
    object_time(objects, "b_upper_ns", row->b.upper_finite, row->b.upper_ns);
    compare_put_ratio(objects, "ratio_least", range_ratio_least(&row->a, &row->b), false);
    compare_put_ratio(objects, "ratio_most", range_ratio_most(&row->a, &row->b), true);
    object_text(objects, "verdict", compared_name(row->verdict));
    if (row->needed != 0)
      object_count(objects, "samples_needed", row->needed);
  }
}

static const struct object_column columns[] = {
    {.title = "", .key = "p"},
    {.title = "A",
     .align = TABLE_RIGHT,
     .form = COLUMN_RANGE,
     .key = "a_lower_ns",
     .to = "a_upper_ns"},
    {.title = "B",
     .align = TABLE_RIGHT,
     .form = COLUMN_RANGE,
     .key = "b_lower_ns",
     .to = "b_upper_ns"},
    {.title = "B / A",
     .align = TABLE_RIGHT,
     .form = COLUMN_RANGE,
     .key = "ratio_least",
     .to = "ratio_most"},
    {.title = "B is", .key = "verdict"},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static void say_needs(struct document *document, const struct compare *compare,
                      const struct subject *subject) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < subject->rows.count; i++)
    if (subject->rows.data[i].needed != 0)
      text_format(
          &text, "%s%" PRIu64 " for p%s",
          text.length == 0 ? "Finite ends take, at least, independent observations of each: "
                           : ", ",
          subject->rows.data[i].needed, compare->wanted.data[subject->rows.data[i].wanted].text);
  if (text.length != 0)
    text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
}

/* --- a component ------------------------------------------------------------------------------ */

/* "A: 2000 observations (worth 97)" */
static void append_count(struct text *text, const char *name, uint64_t count, uint64_t worth,
                         const char *word) {
  text_format(text, "%s: %" PRIu64 "%s", name, count, word);
  if (worth != count)
    text_format(text, " (worth %" PRIu64 ")", worth);
}

static void append_runs(struct text *text, uint64_t runs) {
  if (runs != 0)
    text_format(text, " of %" PRIu64 " runs", runs);
}

static enum lines say_subject(struct document *document, const struct subject *subject) {
  struct text text;
  text_init(&text);
  text_append(&text, subject->name == NULL ? "" : subject->name);
  if (subject->has_samples) {
    text_append(&text, subject->name == NULL ? "" : "   ");
    append_count(&text, "A", subject->a_count, subject->a_worth, " observations");
    append_runs(&text, subject->a_runs);
    append_count(&text, ", B", subject->b_count, subject->b_worth, "");
    append_runs(&text, subject->b_runs);
  }
  enum lines lines = text.length == 0 ? LINES_APART : LINES_CLOSE;
  document_take(document, LINES_APART, 2, &text);
  return lines;
}

static void show_subject(struct document *document, const struct compare *compare, size_t index,
                         const struct document_page *page) {
  const struct subject *subject = &compare->subjects.data[index];
  char id[40];
  snprintf(id, sizeof id, "subject%zu", index);
  document_section(document, id, "%s", subject->name == NULL ? "Percentiles" : subject->name);
  enum lines lines = say_subject(document, subject);
  struct objects *rows = document_objects(document, &compared_kind);
  put_rows(rows, compare, subject);
  document_table(document, lines, 2, rows, columns, COLUMNS);
  if (subject->unsettled) {
    document_say(document, LINES_CLOSE,
                 "Cannot tell: the observations drift or depend on each other for too long. A "
                 "longer run would tell, or --exchangeable if their order means nothing.");
  } else if (subject->has_samples) {
    compare_gap(document, subject, &subject->a_slower, "A", "B");
    compare_gap(document, subject, &subject->b_slower, "B", "A");
    if (subject->tendency.tested)
      compare_say_tendency(document, &subject->tendency);
  }
  say_needs(document, compare, subject);
  compare_put_tendency(document, subject);
  compare_edges(document, subject);
  document_figures(document, page, compare, index);
}

/* --- all of it -------------------------------------------------------------------------------- */

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

static void say_conclusion(struct document *document, const struct compare *compare) {
  struct text margin;
  text_init(&margin);
  append_margin(&margin, compare);
  const char *condition = compare_is_conditional(compare) ? "If the draws are independent: "
                          : compare_status(compare) == STATUS_OF_RUN ? "In these runs: "
                                                                     : "";
  switch (compare_status_of_draws(compare)) {
  case STATUS_REFUTED:
    document_say(document, LINES_APART, "%sB is slower than %s, where it says so.", condition,
                 margin.data);
    break;
  case STATUS_UNKNOWN:
    document_say(document, LINES_APART, "Not decidable with these data, where it says so: %s.",
                 compare->has_margin        ? "the intervals overlap the margin"
                 : may_be_infinite(compare) ? "the percentile of A may be infinite"
                                            : "observations drift or depend on each other for too "
                                              "long");
    break;
  default:
    if (compare->has_margin)
      document_say(document, LINES_APART, "%sB is at most %s at every percentile asked for.",
                   condition, margin.data);
    else
      document_say(document, LINES_APART,
                   "%sB is nowhere shown to be slower. To have it shown that it is not, use "
                   "--margin.",
                   condition);
  }
  if (compare_is_conditional(compare))
    document_say(
        document, LINES_CLOSE,
        "Nothing here shows that they are: those named below keep no order, or are too few "
        "to show it. Compare more of what keeps it (.csv), or assert it "
        "(--exchangeable).");
  if (compare_status(compare) == STATUS_OF_RUN)
    document_say(
        document, LINES_CLOSE,
        "The level of one wanders, more the longer one looks, so that another run may be "
        "at another. Further runs show it (--run A=FILE --run B=FILE), or longer ones that "
        "it does not.");
  text_clear(&margin);
}

static const char *state_of(const struct compare *compare) {
  enum status status = compare_status_of_draws(compare);
  if (compare_is_conditional(compare))
    return status == STATUS_REFUTED ? "slower if the draws are independent"
           : compare->has_margin    ? "within the margin if the draws are independent"
                                    : "not shown to be slower if the draws are independent";
  if (compare_status(compare) == STATUS_OF_RUN)
    return status == STATUS_REFUTED ? "slower in these runs"
           : compare->has_margin    ? "within the margin in these runs"
                                    : "not shown to be slower in these runs";
  return status == STATUS_REFUTED   ? "slower"
         : status == STATUS_UNKNOWN ? "not decidable"
         : compare->has_margin      ? "within the margin"
                                    : "not shown to be slower";
}

static void put_summary(struct document *document, const struct compare *compare) {
  struct objects *summary = document_objects(document, &summary_kind);
  objects_add(summary);
  object_text(summary, "a", file_name(compare->request->paths[0]));
  object_text(summary, "b", file_name(compare->request->paths[1]));
  object_text(summary, "verdict", state_of(compare));
  object_texts(summary, "only_one_has");
  for (size_t i = 0; i < compare->alone.count; i++)
    object_item(summary, "only_one_has", compare->alone.data[i]);
}

static void say_confidence(struct document *document, const struct compare *compare) {
  struct text text;
  text_init(&text);
  text_append(&text, "All intervals hold together with confidence ");
  rational_print_short(&text, &compare->request->of.confidence);
  text_append(&text, ".");
  document_show(document, SHOWN_PAGES);
  document_take(document, LINES_CLOSE, 2, &text);
  document_show(document, SHOWN_ALWAYS);
}

/* Of two files by their names, of folders by component. */
static void put_evidence(struct document *document, const struct compare *compare) {
  for (size_t i = 0; i < compare->subjects.count; i++) {
    const struct subject *subject = &compare->subjects.data[i];
    for (size_t k = 0; k < 2 && subject->has_samples; k++) {
      const struct compared_evidence *of = &subject->evidence[k];
      struct text name;
      text_init(&name);
      text_append(&name, file_name(compare->request->paths[k]));
      if (subject->name != NULL)
        text_format(&name, "/%s", subject->name);
      const struct evidence_known known = {text_get(&name), &of->evidence,
                                           k == 0 ? subject->a_count : subject->b_count,
                                           of->ordered, of->serial};
      evidence_put_known(document_objects(document, &evidence_kind), &known);
      text_clear(&name);
    }
  }
}

void compare_document(struct document *document, const struct compare *compare,
                      const struct document_page *page) {
  document_init(document, "comparison", compare_kinds);
  if (compare->has_margin)
    document_title(document, "B is %s, the margin being %s times A", state_of(compare),
                   compare->request->margin);
  else
    document_title(document, "B is %s", state_of(compare));
  document_made(document, page);
  document_say(document, LINES_APART, "A is %s", file_name(compare->request->paths[0]));
  document_say(document, LINES_CLOSE, "B is %s", file_name(compare->request->paths[1]));
  say_confidence(document, compare);
  for (size_t i = 0; i < compare->subjects.count; i++)
    show_subject(document, compare, i, page);
  document_section(document, "conclusion", "Conclusion");
  for (size_t i = 0; i < compare->alone.count; i++)
    document_say(document, i == 0 ? LINES_APART : LINES_CLOSE,
                 "%s: only one of the folders has it.", compare->alone.data[i]);
  say_conclusion(document, compare);
  document_ledger(document, &compare->ledger);
  put_evidence(document, compare);
  put_summary(document, compare);
}
