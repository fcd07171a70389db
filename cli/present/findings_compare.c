/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `tailproof compare` as findings about B: a claim for each percentile of each
 * subject, one for its tendency or for each edge of buckets in common, one for the gap between two
 * samples where that decides.
 */
#include <math.h>

#include "base/duration.h"
#include "base/file.h"
#include "cli/present/findings.h"
#include "cli/question/compare/compare.h"

static enum finding_kind kind_of(const struct subject *subject, enum compared_verdict verdict) {
  return subject->assumes_draws || subject->wanders ? FINDING_OPEN
         : verdict == COMPARED_SLOWER               ? FINDING_BAD
         : verdict == COMPARED_UNDECIDED            ? FINDING_OPEN
                                                    : FINDING_GOOD;
}

static void put(struct findings *findings, const struct compare *compare,
                const struct subject *subject, const char *what, enum compared_verdict verdict,
                const struct text *message) {
  struct text name;
  text_init(&name);
  text_format(&name, "%s%s%s", subject->name == NULL ? "" : subject->name,
              subject->name == NULL ? "" : ": ", what);
  enum finding_kind kind = kind_of(subject, verdict);
  enum rule_id rule = kind == FINDING_BAD ? RULE_SLOWER : RULE_INCOMPARABLE;
  findings_add(findings, kind, file_name(compare->request->paths[1]), rule, name.data,
               compared_name(verdict), text_get(message), "");
  text_clear(&name);
}

static void append_range(struct text *text, const char *who, const struct range *range) {
  text_format(text, "%s between ", who);
  if (range->lower_finite)
    duration_print_lower(text, range->lower_ns);
  else
    text_append(text, "infinite");
  text_append(text, " and ");
  if (range->upper_finite)
    duration_print_upper(text, range->upper_ns);
  else
    text_append(text, "infinite");
}

static void add_row(struct findings *findings, const struct compare *compare,
                    const struct subject *subject, const struct compared *row) {
  struct text what, message;
  text_init(&what);
  text_init(&message);
  text_format(&what, "p%s", compare->wanted.data[row->wanted].text);
  text_format(&message, "%s: ", compared_name(row->verdict));
  append_range(&message, "A", &row->a);
  append_range(&message, ", B", &row->b);
  if (compare->has_margin)
    text_format(&message, "; the margin is %s times A", compare->request->margin);
  if (subject->assumes_draws && row->verdict != COMPARED_UNDECIDED)
    text_append(&message, " (if the draws are independent: their order is not known)");
  put(findings, compare, subject, what.data, row->verdict, &message);
  text_clear(&what);
  text_clear(&message);
}

static void add_gap(struct findings *findings, const struct compare *compare,
                    const struct subject *subject) {
  struct text message;
  text_init(&message);
  text_append(&message, "B is slower around ");
  duration_print_upper(&message, subject->b_slower.at_ns);
  put(findings, compare, subject, "gap", COMPARED_SLOWER, &message);
  text_clear(&message);
}

static void add_tendency(struct findings *findings, const struct compare *compare,
                         const struct subject *subject) {
  const struct tendency *tendency = &subject->tendency;
  struct text message;
  text_init(&message);
  text_format(&message, "P(b > a) is between %.3f and %.3f", floor(tendency->least * 1000) / 1000,
              ceil(tendency->most * 1000) / 1000);
  put(findings, compare, subject, "tendency", tendency->verdict, &message);
  text_clear(&message);
}

static void add_edge(struct findings *findings, const struct compare *compare,
                     const struct subject *subject, const struct compared_edge *edge) {
  struct text what, message;
  text_init(&what);
  text_init(&message);
  text_append(&what, "above ");
  duration_print_nearest(&what, (int64_t)edge->ns);
  text_format(&message, "%s: of A %.3f %% take longer, of B %.3f %%", compared_name(edge->verdict),
              100 * (double)edge->a_above / (double)subject->a_total,
              100 * (double)edge->b_above / (double)subject->b_total);
  put(findings, compare, subject, what.data, edge->verdict, &message);
  text_clear(&what);
  text_clear(&message);
}

void findings_add_compare(struct findings *findings, const struct compare *compare) {
  findings_add_file(findings, file_name(compare->request->paths[1]));
  for (size_t i = 0; i < compare->subjects.count; i++) {
    const struct subject *subject = &compare->subjects.data[i];
    for (size_t k = 0; k < subject->rows.count; k++)
      add_row(findings, compare, subject, &subject->rows.data[k]);
    if (subject->unsettled)
      continue;
    if (!compare->has_margin && subject->has_samples && subject->b_slower.found)
      add_gap(findings, compare, subject);
    if (subject->tendency.tested)
      add_tendency(findings, compare, subject);
    for (size_t k = 0; k < subject->edges.count; k++)
      add_edge(findings, compare, subject, &subject->edges.data[k]);
  }
}
