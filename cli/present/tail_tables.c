/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What there is to say of `tail` (tail.h): its tables and sentences, for text and for pages. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/tail.h"

enum { SHOWN_CAUSES = 8, SHOWN_GROUPS = 5, SHOWN_TAGS = 8 };

static const struct tail_cause *cause_of(const struct tail_answer *a, uint32_t index) {
  return &a->causes.causes.data[index];
}

static void append_ns(struct text *text, double ns) {
  if (isfinite(ns))
    duration_print_nearest(text, (int64_t)llround(ns));
  else
    text_append(text, ns < 0 ? "-infinite" : "infinite");
}

/* Of the latency's difference, to a whole per cent; never -0. */
static double part_of(const struct tail_answer *a, double ns) {
  return round(100 * ns / a->report.latency.difference) + 0.0;
}

static double percent(const struct tail_share *share) {
  return share->of == 0 ? 0 : 100 * (double)share->count / (double)share->of;
}

/* "92 % (88 .. 95)" */
static void add_share(struct table *table, const struct tail_share *share) {
  if (share->of == 0)
    table_cell(table, "%s", "");
  else
    table_cell(table, "%.0f %% (%.0f .. %.0f)", percent(share), 100 * share->least,
               100 * share->most);
}

/* --- who is slow ------------------------------------------------------------------------------ */

static void append_labels(struct text *text, const settings *list) {
  for (size_t i = 0; i < list->count; i++)
    text_format(text, "%s%s=%s", i == 0 ? "" : ", ", list->data[i].name, list->data[i].value);
}

static void describe_one(struct text *text, const struct tail_answer *a) {
  text_format(text, "Request %s takes ", a->request->request);
  append_ns(text, (double)a->causes.latency[a->one]);
  text_format(text, "; the %zu others take ", a->split.rest);
  append_ns(text, a->report.latency.rest);
  text_append(text, " on average.");
}

void tail_sides_say(struct text *text, const struct tail_answer *a) {
  const struct tail_split *split = &a->split;
  if (a->verdict == TAIL_ONE) {
    describe_one(text, a);
    return;
  }
  if (!split->by_label) {
    text_format(text, "%zu of %zu requests are slow: they take longer than ", split->slow,
                split->requests);
    append_ns(text, (double)split->threshold);
    if (a->percent > 0)
      text_format(text, " (p%g)", a->percent);
    text_append(text, ".");
    return;
  }
  text_format(text, "%zu of %zu requests are slow: they have ", split->slow, split->requests);
  append_labels(text, &a->request->slow);
  text_format(text, ". They are held against %zu ", split->rest);
  if (a->request->against.count == 0)
    text_append(text, "others. ");
  else {
    text_append(text, "with ");
    append_labels(text, &a->request->against);
    text_append(text, ". ");
  }
  append_ns(text, (double)split->threshold);
  text_format(text,
              " tells them best apart: %.0f %% of the slow ones take longer, %.0f %% of the "
              "others.",
              percent(&a->report.slow_above), percent(&a->report.rest_above));
}

static void describe_latency(struct text *text, const struct tail_difference *d) {
  text_append(text, "On average a slow request takes ");
  append_ns(text, d->slow);
  text_append(text, ", another ");
  append_ns(text, d->rest);
  text_append(text, ".");
}

void tail_means_say(struct text *text, const struct tail_answer *a) {
  if (a->verdict == TAIL_ONE)
    return;
  describe_latency(text, &a->report.latency);
}

/* --- causes ----------------------------------------------------------------------------------- */

static void add_numbers(struct table *table, const struct tail_answer *a,
                        const struct tail_difference *d) {
  struct text text;
  text_init(&text);
  append_ns(&text, d->difference);
  table_take(table, &text);
  if (isfinite(d->least)) {
    append_ns(&text, d->least);
    text_append(&text, " .. ");
    append_ns(&text, d->most);
  }
  table_cell(table, "%s", text_get(&text));
  text_clear(&text);
  table_cell(table, "%.0f %%", part_of(a, d->difference));
}

static void add_cause(struct table *table, const struct tail_answer *a,
                      const struct tail_finding *finding) {
  const struct tail_cause *cause = cause_of(a, finding->cause);
  table_cell(table, "%s%s", cause->name, cause->kind == CAUSE_NETWORK ? " (network)" : "");
  add_numbers(table, a, &finding->difference);
  if (finding->significant) {
    add_share(table, &finding->necessary);
    add_share(table, &finding->sufficient);
  } else {
    bool tested = cause->kind != CAUSE_OTHER && a->report.enough;
    table_cell(table, "%s", tested ? "not significant" : "");
    table_cell(table, "%s", "");
  }
}

/* Causes that are named, or the largest when none is. */
static bool is_shown(const struct tail_answer *a, size_t place, bool full) {
  const struct tail_finding *finding = &a->report.findings.data[place];
  if (full || cause_of(a, finding->cause)->kind == CAUSE_OTHER)
    return true;
  double least = fabs(a->report.latency.difference) / 100;
  return place < SHOWN_CAUSES && finding->difference.difference >= least &&
         (finding->significant || a->report.significant == 0);
}

/* What the causes that are not shown add together. */
static void add_remainder(struct table *table, const struct tail_answer *a, double shown) {
  struct text text;
  text_init(&text);
  table_cell(table, "%s", "further causes");
  append_ns(&text, a->report.latency.difference - shown);
  table_take(table, &text);
  table_cell(table, "%s", "");
  table_cell(table, "%.0f %%", part_of(a, a->report.latency.difference - shown));
  table_cell(table, "%s", "");
  table_cell(table, "%s", "");
}

void tail_causes_table(struct table *table, const struct tail_answer *a, bool full) {
  double shown = 0;
  size_t hidden = 0;
  char title[32];
  snprintf(title, sizeof title, "%g %% interval", 100 * (1 - a->level));
  table_init(table);
  table_column(table, TABLE_LEFT, "cause");
  table_column(table, TABLE_RIGHT, "adds");
  table_column(table, TABLE_RIGHT, title);
  table_column(table, TABLE_RIGHT, "share");
  table_column(table, TABLE_RIGHT, "necessary for");
  table_column(table, TABLE_RIGHT, "sufficient in");
  for (size_t i = 0; i < a->report.findings.count; i++) {
    bool is = is_shown(a, i, full);
    shown += is ? a->report.findings.data[i].difference.difference : 0;
    hidden += !is;
    if (is)
      add_cause(table, a, &a->report.findings.data[i]);
  }
  if (hidden != 0 && part_of(a, a->report.latency.difference - shown) != 0)
    add_remainder(table, a, shown);
  table_cell(table, "%s", "latency");
  add_numbers(table, a, &a->report.latency);
  table_cell(table, "%s", "");
  table_cell(table, "%s", "");
}

/* --- one request ------------------------------------------------------------------------------ */

static int64_t excess_of(const struct tail_answer *a, size_t cause) {
  return a->causes.causes.data[cause].parts[a->one] - a->causes.causes.data[cause].usual;
}

/* The causes with the largest excess first. */
static size_t *by_excess(const struct tail_answer *a) {
  size_t count = a->causes.causes.count, *order = mem_alloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++) {
    size_t at = i;
    for (; at > 0 && excess_of(a, order[at - 1]) < excess_of(a, i); at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}

void tail_one_table(struct table *table, const struct tail_answer *a, bool full) {
  struct text text;
  size_t count = a->causes.causes.count, *order = by_excess(a);
  table_init(table);
  text_init(&text);
  table_column(table, TABLE_LEFT, "on the critical path");
  table_column(table, TABLE_RIGHT, "here");
  table_column(table, TABLE_RIGHT, "usual");
  table_column(table, TABLE_RIGHT, "more");
  for (size_t i = 0; i < count && (full || i < SHOWN_CAUSES); i++) {
    const struct tail_cause *cause = &a->causes.causes.data[order[i]];
    int64_t numbers[] = {cause->parts[a->one], cause->usual, excess_of(a, order[i])};
    if (!full && numbers[0] == 0 && numbers[1] == 0)
      continue;
    table_cell(table, "%s%s", cause->name, cause->kind == CAUSE_NETWORK ? " (network)" : "");
    for (size_t k = 0; k < 3; k++) {
      append_ns(&text, (double)numbers[k]);
      table_take(table, &text);
    }
  }
  mem_free(order);
}

/* --- groups and tags -------------------------------------------------------------------------- */

static void append_group(struct text *text, const struct tail_answer *a,
                         const struct tail_group *group) {
  if (group->count == 0)
    text_append(text, "none of these causes, or more than four together");
  for (size_t i = 0; i < group->count; i++)
    text_format(text, "%s%s", i == 0 ? "" : " and ", cause_of(a, group->causes[i])->name);
}

void tail_groups_table(struct table *table, const struct tail_answer *a, bool full) {
  const struct tail_report *report = &a->report;
  table_init(table);
  table_column(table, TABLE_RIGHT, "");
  table_column(table, TABLE_LEFT, "");
  size_t shown = 0, left = 0, of = report->groups.count == 0 ? 0 : report->groups.data[0].share.of;
  for (size_t i = 0; i < report->groups.count; i++) {
    const struct tail_group *group = &report->groups.data[i];
    if (!full && (shown == SHOWN_GROUPS || (shown != 0 && percent(&group->share) < 1))) {
      left += group->share.count;
      continue;
    }
    struct text text;
    text_init(&text);
    append_group(&text, a, group);
    add_share(table, &group->share);
    table_take(table, &text);
    shown++;
  }
  if (left != 0) {
    table_cell(table, "%.0f %%", 100 * (double)left / (double)of);
    table_cell(table, "%s", "other combinations");
  }
}

void tail_tags_table(struct table *table, const struct tail_answer *a, bool full) {
  table_init(table);
  table_column(table, TABLE_LEFT, "tag");
  table_column(table, TABLE_RIGHT, "of the slow");
  table_column(table, TABLE_RIGHT, "of the rest");
  table_column(table, TABLE_RIGHT, "by chance");
  for (size_t i = 0; i < a->tags.findings.count && (full || i < SHOWN_TAGS); i++) {
    const struct tag_finding *f = &a->tags.findings.data[i];
    table_cell(table, "%s=%s", names_text(a->names, f->key), names_text(a->names, f->value));
    table_cell(table, "%.0f %%", 100 * (double)f->slow / (double)a->split.slow);
    table_cell(table, "%.0f %%", 100 * (double)f->rest / (double)a->split.rest);
    table_cell(table, "%s%.2g", f->corrected < 1e-99 ? "below " : "", fmax(f->corrected, 1e-99));
  }
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* What would be enough. */
static void describe_too_few(struct text *text, const struct tail_answer *a) {
  size_t requests = a->split.requests;
  text_format(text,
              "CANNOT TELL: %zu %s slow and %zu %s not; with fewer than %d of each nothing can be "
              "told from chance.",
              a->split.slow, a->split.slow == 1 ? "is" : "are", a->split.rest,
              a->split.rest == 1 ? "is" : "are", TAIL_LEAST);
  if (a->percent > 0)
    text_format(text, " For p%g it takes %.0f requests.", a->percent,
                ceil(TAIL_LEAST / (1 - a->percent / 100) - 1e-6));
  if (!a->split.by_label && requests >= 2 * TAIL_LEAST)
    text_format(text, " These do for --above p%.0f.",
                floor(100 * (1 - (double)TAIL_LEAST / (double)requests)));
}

void tail_verdict_say(struct text *text, const struct tail_answer *a) {
  const struct tail_report *report = &a->report;
  switch (a->verdict) {
  case TAIL_TOO_FEW:
    describe_too_few(text, a);
    break;
  case TAIL_NOT_SLOWER:
    text_append(text, "CANNOT TELL: the requests with that label are not slower than the others "
                      "beyond chance. More requests would show a smaller difference.");
    break;
  case TAIL_NO_CAUSE:
    text_format(text,
                "CANNOT TELL: none of %zu causes is significant. More slow requests would show "
                "smaller differences.",
                report->tested);
    break;
  default:
    text_format(text,
                "%zu of %zu causes %s significant: with %g %% confidence none is named by chance.",
                report->significant, report->tested, report->significant == 1 ? "is" : "are",
                100 * (1 - a->level));
  }
}
