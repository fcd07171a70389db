/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/file.h"
#include "cli/present/evidence.h"
#include "cli/question/percentiles/percentiles.h"

/* --- kinds ------------------------------------------------------------------------------------ */

#define VERDICTS "slower|faster|no difference shown|within the margin|not decidable"
#define COMPONENT KEY("component", TEXT, .marks = MARK_NAMES | MARK_MAYBE)

static const struct object_key compared_keys[] = {
    COMPONENT,
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("a_lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("a_upper_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("b_lower_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("b_upper_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("ratio_least", DECIMAL, .marks = MARK_LOWER),
    KEY("ratio_most", DECIMAL, .marks = MARK_UPPER),
    KEY("verdict", TEXT, .words = VERDICTS),
    KEY("samples_needed", COUNT, .marks = MARK_MAYBE | MARK_DIGITS,
        .note = "independent ones of each, at least, that make both upper ends finite"),
    {0}};
static const struct object_kind compared_kind = {"compared", "of `compare`", compared_keys};

static const struct object_key gap_keys[] = {
    COMPONENT,
    KEY("slower", TEXT, .marks = MARK_NAMES, .words = "A|B"),
    KEY("at_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("slower_least", DECIMAL, .marks = MARK_LOWER,
        .note = "at least that share of the slower one takes that long"),
    KEY("faster_most", DECIMAL, .marks = MARK_UPPER, .note = "at most that share of the other"),
    {0}};
static const struct object_kind gap_kind = {"gap", "of `compare`", gap_keys};

static const struct object_key edge_keys[] = {
    COMPONENT,
    KEY("at_ns", NS, .marks = MARK_DIGITS, .note = "an edge that buckets of both have"),
    KEY("a_above", SHARE, .note = "of A's observations"),
    KEY("b_above", SHARE),
    KEY("chance", NUMBER, .marks = MARK_UPPER,
        .note = "that they are so far apart, one way, where the shares of both laws are equal"),
    KEY("verdict", TEXT, .words = VERDICTS),
    {0}};
static const struct object_kind edge_kind = {
    "edge", "of `compare` of two histograms with edges in common, without `--margin`", edge_keys};

static const struct object_key tendency_keys[] = {
    COMPONENT,
    KEY("least", DECIMAL, .marks = MARK_LOWER | MARK_MAYBE),
    KEY("most", DECIMAL, .marks = MARK_UPPER | MARK_MAYBE,
        .note = "P(b > a), ties half, lies between"),
    KEY("chance", DECIMAL, .marks = MARK_MAYBE,
        .note = "of few observations, instead: of ranks so far apart, were both of one law"),
    KEY("factor_least", DECIMAL, .marks = MARK_LOWER | MARK_MAYBE),
    KEY("factor_most", DECIMAL, .marks = MARK_UPPER | MARK_MAYBE,
        .note = "B / A, were one a multiple of the other"),
    KEY("verdict", TEXT, .words = VERDICTS),
    {0}};
static const struct object_kind tendency_kind = {
    "tendency", "of `compare` of two samples, without `--margin`", tendency_keys};

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
    &summary_kind,  &compared_kind, &gap_kind,        &edge_kind,
    &tendency_kind, &evidence_kind, &assumption_kind, NULL};

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

/* --- percentiles ------------------------------------------------------------------------------ */

static void put_ratio(struct objects *objects, const char *key, double ratio, bool up) {
  struct text text;
  text_init(&text);
  append_ratio(&text, ratio, up);
  object_text(objects, key, text.data);
  text_clear(&text);
}

static void put_share(struct objects *objects, const char *key, uint64_t share, bool up) {
  struct text text;
  text_init(&text);
  append_share(&text, share, up);
  object_text(objects, key, text.data);
  text_clear(&text);
}

static void put_component(struct objects *objects, const struct subject *subject) {
  objects_add(objects);
  if (subject->name != NULL)
    object_text(objects, "component", subject->name);
}

static void put_rows(struct objects *objects, const struct compare *compare,
                     const struct subject *subject) {
  for (size_t i = 0; i < subject->rows.count; i++) {
    const struct compared *row = &subject->rows.data[i];
    const char *p = compare->wanted.data[row->wanted].text;
    put_component(objects, subject);
    object_text(objects, "p", p);
    object_words(objects, "p", "p%s", p);
    object_time(objects, "a_lower_ns", row->a.lower_finite, row->a.lower_ns);
    object_time(objects, "a_upper_ns", row->a.upper_finite, row->a.upper_ns);
    object_time(objects, "b_lower_ns", row->b.lower_finite, row->b.lower_ns);
    object_time(objects, "b_upper_ns", row->b.upper_finite, row->b.upper_ns);
    put_ratio(objects, "ratio_least", range_ratio_least(&row->a, &row->b), false);
    put_ratio(objects, "ratio_most", range_ratio_most(&row->a, &row->b), true);
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

/* --- where one is slower ---------------------------------------------------------------------- */

static void describe_gap(struct text *text, const struct two_sample_gap *gap, const char *slower,
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

static void show_gap(struct document *document, const struct subject *subject,
                     const struct two_sample_gap *gap, const char *slower, const char *faster) {
  if (!gap->found)
    return;
  struct text text;
  text_init(&text);
  describe_gap(&text, gap, slower, faster);
  text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
  struct objects *objects = document_objects(document, &gap_kind);
  put_component(objects, subject);
  object_text(objects, "slower", slower);
  object_time(objects, "at_ns", true, gap->at_ns);
  put_share(objects, "slower_least", gap->slower_least, false);
  put_share(objects, "faster_most", gap->faster_most, true);
}

/* "1.2e-05", "0.34": a chance, rounded up. */
static void append_chance(struct text *text, double chance) {
  if (chance < 0.001)
    text_format(text, "%.1e", fmin(1, chance * 1.05));
  else
    text_format(text, "%.3f", fmin(1, ceil(chance * 1000) / 1000));
}

static void say_exact(struct document *document, const struct tendency *tendency) {
  struct text text;
  text_init(&text);
  text_append(&text, tendency->verdict == COMPARED_SLOWER   ? "B tends to be slower"
                     : tendency->verdict == COMPARED_FASTER ? "B tends to be faster"
                                                            : "Neither is shown to be slower");
  text_append(&text, ": were both of one law, ranks at least so far apart would come with chance ");
  append_chance(&text, tendency->chance);
  text_append(&text, " (exact).");
  if (tendency->factor_least > 0 || !isinf(tendency->factor_most)) {
    text_append(&text, " If one is a multiple of the other, B is between ");
    append_ratio(&text, tendency->factor_least, false);
    text_append(&text, " and ");
    append_ratio(&text, tendency->factor_most, true);
    text_append(&text, " times A.");
  }
  document_take(document, LINES_CLOSE, 2, &text);
}

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

static void say_tendency(struct document *document, const struct tendency *tendency) {
  if (tendency->exact) {
    say_exact(document, tendency);
    return;
  }
  double least = floor(tendency->least * 1000) / 1000, most = ceil(tendency->most * 1000) / 1000;
  if (tendency->verdict == COMPARED_SLOWER)
    document_say(document, LINES_CLOSE,
                 "B tends to be slower: P(b > a) is at least %.3f (ties count half).", least);
  else if (tendency->verdict == COMPARED_FASTER)
    document_say(document, LINES_CLOSE,
                 "B tends to be faster: P(b > a) is at most %.3f (ties count half).", most);
  else if (tendency->verdict == COMPARED_UNDECIDED)
    document_say(document, LINES_CLOSE,
                 "Cannot tell which tends to be slower: ranks drift or depend on each other for "
                 "too long.");
  else
    document_say(document, LINES_CLOSE,
                 "Neither is shown to tend to be slower: P(b > a) is between %.3f and %.3f.", least,
                 most);
}

static void put_tendency(struct document *document, const struct subject *subject) {
  const struct tendency *tendency = &subject->tendency;
  if (!tendency->tested)
    return;
  struct objects *objects = document_objects(document, &tendency_kind);
  put_component(objects, subject);
  if (tendency->exact) {
    struct text chance;
    text_init(&chance);
    append_chance(&chance, tendency->chance);
    object_text(objects, "chance", chance.data);
    text_clear(&chance);
    put_ratio(objects, "factor_least", tendency->factor_least, false);
    put_ratio(objects, "factor_most", tendency->factor_most, true);
  } else {
    put_ratio(objects, "least", tendency->least, false);
    put_ratio(objects, "most", tendency->most, true);
  }
  object_text(objects, "verdict",
              compared_name(subject->unsettled ? COMPARED_UNDECIDED : tendency->verdict));
}

/* --- at edges of buckets ---------------------------------------------------------------------- */

static const struct object_column edge_columns[] = {
    {.title = "above", .align = TABLE_RIGHT, .key = "at_ns"},
    {.title = "A", .align = TABLE_RIGHT, .key = "a_above", .decimals = 3},
    {.title = "B", .align = TABLE_RIGHT, .key = "b_above", .decimals = 3},
    {.title = "B is", .key = "verdict"},
};

static void show_edges(struct document *document, const struct subject *subject) {
  if (subject->edges.count == 0)
    return;
  document_say(document, LINES_APART, "Of each, so many take longer than an edge of its buckets:");
  struct objects *rows = document_objects(document, &edge_kind);
  for (size_t i = 0; i < subject->edges.count; i++) {
    const struct compared_edge *edge = &subject->edges.data[i];
    put_component(rows, subject);
    object_time(rows, "at_ns", true, edge->ns);
    object_number(rows, "a_above", (double)edge->a_above / (double)subject->a_total);
    object_number(rows, "b_above", (double)edge->b_above / (double)subject->b_total);
    object_number(rows, "chance", edge->chance);
    object_text(rows, "verdict", compared_name(edge->verdict));
  }
  document_table(document, LINES_CLOSE, 2, rows, edge_columns,
                 sizeof edge_columns / sizeof *edge_columns);
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
    show_gap(document, subject, &subject->a_slower, "A", "B");
    show_gap(document, subject, &subject->b_slower, "B", "A");
    if (subject->tendency.tested)
      say_tendency(document, &subject->tendency);
  }
  say_needs(document, compare, subject);
  put_tendency(document, subject);
  show_edges(document, subject);
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
      text_append(&name, compare->request->paths[k]);
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
