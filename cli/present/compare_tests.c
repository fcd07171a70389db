/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What tests say of two samples as a whole (compare_tests.h).
 */
#include <math.h>

#include "base/duration.h"
#include "cli/present/compare_tests.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key gap_keys[] = {
    KEY_COMPONENT,
    KEY("slower", TEXT, .marks = MARK_NAMES, .words = "A|B"),
    KEY("at_ns", NS, .marks = MARK_DIGITS | MARK_UPPER),
    KEY("slower_least", DECIMAL, .marks = MARK_LOWER,
        .note = "at least that share of the slower one takes that long"),
    KEY("faster_most", DECIMAL, .marks = MARK_UPPER, .note = "at most that share of the other"),
    {0}};
const struct object_kind compared_gap_kind = {"gap", "of `compare`", gap_keys};

static const struct object_key edge_keys[] = {
    KEY_COMPONENT,
    KEY("at_ns", NS, .marks = MARK_DIGITS, .note = "an edge that buckets of both have"),
    KEY("a_above", SHARE, .note = "of A's observations"),
    KEY("b_above", SHARE),
    KEY("chance", NUMBER, .marks = MARK_UPPER,
        .note = "that they are so far apart, one way, where the shares of both laws are equal"),
    KEY("verdict", TEXT, .words = COMPARED_WORDS),
    {0}};
const struct object_kind compared_edge_kind = {
    "edge", "of `compare` of two histograms with edges in common, without `--margin`", edge_keys};

static const struct object_key tendency_keys[] = {
    KEY_COMPONENT,
    KEY("least", DECIMAL, .marks = MARK_LOWER | MARK_MAYBE),
    KEY("most", DECIMAL, .marks = MARK_UPPER | MARK_MAYBE,
        .note = "P(b > a), ties half, lies between"),
    KEY("chance", DECIMAL, .marks = MARK_MAYBE,
        .note = "of few observations, instead: of ranks so far apart, were both of one law"),
    KEY("factor_least", DECIMAL, .marks = MARK_LOWER | MARK_MAYBE),
    KEY("factor_most", DECIMAL, .marks = MARK_UPPER | MARK_MAYBE,
        .note = "B / A, were one a multiple of the other"),
    KEY("verdict", TEXT, .words = COMPARED_WORDS),
    {0}};
const struct object_kind compared_tendency_kind = {
    "tendency", "of `compare` of two samples, without `--margin`", tendency_keys};

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

void compare_put_ratio(struct objects *objects, const char *key, double ratio, bool up) {
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

void compare_put_component(struct objects *objects, const struct subject *subject) {
  objects_add(objects);
  if (subject->name != NULL)
    object_text(objects, "component", subject->name);
}

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

void compare_gap(struct document *document, const struct subject *subject,
                 const struct two_sample_gap *gap, const char *slower, const char *faster) {
  if (!gap->found)
    return;
  struct text text;
  text_init(&text);
  describe_gap(&text, gap, slower, faster);
  text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
  struct objects *objects = document_objects(document, &compared_gap_kind);
  compare_put_component(objects, subject);
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

void compare_say_tendency(struct document *document, const struct tendency *tendency) {
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

void compare_put_tendency(struct document *document, const struct subject *subject) {
  const struct tendency *tendency = &subject->tendency;
  if (!tendency->tested)
    return;
  struct objects *objects = document_objects(document, &compared_tendency_kind);
  compare_put_component(objects, subject);
  if (tendency->exact) {
    struct text chance;
    text_init(&chance);
    append_chance(&chance, tendency->chance);
    object_text(objects, "chance", chance.data);
    text_clear(&chance);
    compare_put_ratio(objects, "factor_least", tendency->factor_least, false);
    compare_put_ratio(objects, "factor_most", tendency->factor_most, true);
  } else {
    compare_put_ratio(objects, "least", tendency->least, false);
    compare_put_ratio(objects, "most", tendency->most, true);
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

void compare_edges(struct document *document, const struct subject *subject) {
  if (subject->edges.count == 0)
    return;
  document_say(document, LINES_APART, "Of each, so many take longer than an edge of its buckets:");
  struct objects *rows = document_objects(document, &compared_edge_kind);
  for (size_t i = 0; i < subject->edges.count; i++) {
    const struct compared_edge *edge = &subject->edges.data[i];
    compare_put_component(rows, subject);
    object_time(rows, "at_ns", true, edge->ns);
    object_number(rows, "a_above", (double)edge->a_above / (double)subject->a_total);
    object_number(rows, "b_above", (double)edge->b_above / (double)subject->b_total);
    object_number(rows, "chance", edge->chance);
    object_text(rows, "verdict", compared_name(edge->verdict));
  }
  document_table(document, LINES_CLOSE, 2, rows, edge_columns,
                 sizeof edge_columns / sizeof *edge_columns);
}
