/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` about traces and tables as a document (tail.h).
 */
#include <math.h>

#include "cli/present/difference.h"
#include "cli/present/tail.h"
#include "cli/present/tail_hot.h"

static const double SHOWN_SHARE = 0.1; /* of the difference that one adds */

enum { SHOWN_CAUSES = 8, SHOWN_GROUPS = 5, SHOWN_TAGS = 8 };

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key cause_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("of", TEXT, .marks = MARK_NAMES, .words = "work|network|other"),
    KEYS_OF_DIFFERENCE,
    KEY("share", SHARE, .marks = MARK_MAYBE, .note = "of the latency's difference"),
    KEY("part_ns", NS, .marks = MARK_MAYBE),
    KEY("usual_ns", NS, .marks = MARK_MAYBE),
    KEY("more_ns", NS, .marks = MARK_MAYBE, .note = "all three with `--request`"),
    KEY("significant", FLAG),
    KEYS_OF_SHARE("necessary", MARK_MAYBE),
    KEYS_OF_SHARE("sufficient", MARK_MAYBE),
    {0}};
static const struct object_kind cause_kind = {"cause", "of `tail` about traces and tables",
                                              cause_keys};

/* A line of what one request is made of. */
static const struct object_key excess_keys[] = {
    KEY("name", TEXT), KEY("part_ns", NS), KEY("usual_ns", NS), KEY("more_ns", NS), {0}};
static const struct object_kind excess_kind = {"excess", NULL, excess_keys};

static const struct object_key group_keys[] = {
    KEY("causes", TEXTS, .marks = MARK_NAMES, .note = "names; none: no few of them"),
    KEYS_OF_SHARE("share", 0),
    {0}};
static const struct object_kind group_kind = {"group", "of `tail`", group_keys};

static const struct object_key tag_keys[] = {
    KEY("key", TEXT, .marks = MARK_NAMES),
    KEY("value", TEXT, .marks = MARK_NAMES),
    KEY("slow", COUNT),
    KEY("rest", COUNT, .note = "requests that have it"),
    KEY("by_chance", NUMBER, .note = "corrected for all that were tried"),
    {0}};
static const struct object_kind tag_kind = {"tag", "of `tail`", tag_keys};

static const struct object_key tail_keys[] = {
    KEY("verdict", TEXT, .words = "explained|too few requests|not slower|no cause|one request"),
    KEY("requests", COUNT),
    KEY("slow", COUNT),
    KEY("rest", COUNT),
    KEY("threshold_ns", NS),
    KEYS_OF_SHARE("slow_above", 0),
    KEYS_OF_SHARE("rest_above", 0),
    KEYS_OF_DIFFERENCE,
    KEY("causes", COUNT),
    KEY("significant", COUNT),
    KEY("tags_tried", COUNT),
    {0}};
static const struct object_kind tail_kind = {"tail", "of traces and tables", tail_keys};

const struct object_kind *const tail_kinds[] = {&tail_kind,       &cause_kind, &group_kind,
                                                &tag_kind,        &hot_kind,   &joined_profile_kind,
                                                &assumption_kind, NULL};

/* --- causes ----------------------------------------------------------------------------------- */

static const struct tail_cause *cause_of(const struct tail_answer *a, uint32_t index) {
  return &a->causes.causes.data[index];
}

static const char *kind_word(enum cause_kind kind) {
  return kind == CAUSE_NETWORK ? "network" : kind == CAUSE_OTHER ? "other" : "work";
}

static void put_name(struct objects *causes, const struct tail_cause *cause) {
  object_text(causes, "name", cause->name);
  if (cause->kind == CAUSE_NETWORK)
    object_words(causes, "name", "%s (network)", cause->name);
}

static void put_difference(struct objects *causes, const struct tail_answer *a,
                           const struct tail_difference *difference) {
  object_difference(causes, difference);
  object_number(causes, "share", difference->difference / a->report.latency.difference);
}

static void put_cause(struct objects *causes, const struct tail_answer *a,
                      const struct tail_finding *finding) {
  const struct tail_cause *cause = cause_of(a, finding->cause);
  objects_add(causes);
  put_name(causes, cause);
  object_text(causes, "of", kind_word(cause->kind));
  put_difference(causes, a, &finding->difference);
  if (a->verdict == TAIL_ONE) {
    object_ns(causes, "part_ns", cause->parts[a->one]);
    object_ns(causes, "usual_ns", cause->usual);
    object_ns(causes, "more_ns", cause->parts[a->one] - cause->usual);
  }
  object_flag(causes, "significant", finding->significant);
  if (finding->significant) {
    object_share(causes, "necessary", &finding->necessary);
    object_share(causes, "sufficient", &finding->sufficient);
  } else if (cause->kind != CAUSE_OTHER && a->report.enough) {
    object_words(causes, "necessary.count", "not significant");
  }
}

/* Causes that are named, and others that add much; or the largest when none is named. */
static bool is_shown(const struct tail_answer *a, size_t place) {
  const struct tail_finding *finding = &a->report.findings.data[place];
  if (cause_of(a, finding->cause)->kind == CAUSE_OTHER)
    return true;
  double least = fabs(a->report.latency.difference) / 100;
  return place < SHOWN_CAUSES && finding->difference.difference >= least &&
         (finding->significant || a->report.significant == 0 ||
          finding->difference.difference >= SHOWN_SHARE * fabs(a->report.latency.difference));
}

/* What the causes that are not shown add together, where that is a per cent. */
static void put_remainder(struct objects *causes, const struct tail_answer *a, double shown) {
  double left = a->report.latency.difference - shown, share = left / a->report.latency.difference;
  if (round(100 * share) == 0)
    return;
  objects_add(causes);
  object_shown(causes, SHOWN_BRIEF);
  object_text(causes, "name", "further causes");
  object_mean(causes, "difference_ns", left);
  object_number(causes, "share", share);
}

static struct objects *put_causes(struct document *document, const struct tail_answer *a) {
  struct objects *causes = document_objects(document, &cause_kind);
  double shown = 0;
  size_t hidden = 0;
  for (size_t i = 0; i < a->report.findings.count; i++) {
    put_cause(causes, a, &a->report.findings.data[i]);
    if (is_shown(a, i)) {
      shown += a->report.findings.data[i].difference.difference;
      continue;
    }
    object_shown(causes, SHOWN_FULL);
    hidden++;
  }
  if (hidden != 0)
    put_remainder(causes, a, shown);
  objects_add(causes);
  object_shown(causes, SHOWN_PEOPLE);
  object_text(causes, "name", "latency");
  put_difference(causes, a, &a->report.latency);
  return causes;
}

static void show_causes(struct document *document, const struct tail_answer *a,
                        struct objects *causes) {
  static const struct object_column columns[] = {
      {.title = "cause", .key = "name"},
      {.title = "adds", .align = TABLE_RIGHT, .key = "difference_ns"},
      {.align = TABLE_RIGHT, .form = COLUMN_RANGE, .key = "least_ns", .to = "most_ns"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share"},
      {.title = "necessary for", .align = TABLE_RIGHT, .form = COLUMN_SHARE, .key = "necessary"},
      {.title = "sufficient in", .align = TABLE_RIGHT, .form = COLUMN_SHARE, .key = "sufficient"},
  };
  document_section(document, "causes", "What each cause adds to slow requests");
  document_table(document, LINES_APART, 2, causes, columns, sizeof columns / sizeof *columns);
  document_column_title(document, 2, "%g %% interval", 100 * (1 - a->level));
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

static void show_one(struct document *document, const struct tail_answer *a) {
  static const struct object_column columns[] = {
      {.title = "on the critical path", .key = "name"},
      {.title = "here", .align = TABLE_RIGHT, .key = "part_ns"},
      {.title = "usual", .align = TABLE_RIGHT, .key = "usual_ns"},
      {.title = "more", .align = TABLE_RIGHT, .key = "more_ns"},
  };
  size_t count = a->causes.causes.count, *order = by_excess(a);
  document_section(document, "causes", "On the critical path");
  struct objects *lines = document_objects(document, &excess_kind);
  for (size_t i = 0; i < count; i++) {
    const struct tail_cause *cause = &a->causes.causes.data[order[i]];
    int64_t part = cause->parts[a->one];
    objects_add(lines);
    object_shown(lines, i < SHOWN_CAUSES && (part != 0 || cause->usual != 0) ? SHOWN_PEOPLE
                                                                             : SHOWN_PEOPLE_FULL);
    put_name(lines, cause);
    object_ns(lines, "part_ns", part);
    object_ns(lines, "usual_ns", cause->usual);
    object_ns(lines, "more_ns", excess_of(a, order[i]));
  }
  document_table(document, LINES_APART, 2, lines, columns, sizeof columns / sizeof *columns);
  mem_free(order);
}

/* --- groups and tags -------------------------------------------------------------------------- */

static void put_group(struct objects *groups, const struct tail_answer *a,
                      const struct tail_group *group) {
  struct text text;
  text_init(&text);
  objects_add(groups);
  object_texts(groups, "causes");
  for (size_t i = 0; i < group->count; i++) {
    object_item(groups, "causes", cause_of(a, group->causes[i])->name);
    text_format(&text, "%s%s", i == 0 ? "" : " and ", cause_of(a, group->causes[i])->name);
  }
  object_words(groups, "causes", "%s",
               group->count == 0 ? "none of these causes, or more than four together"
                                 : text_get(&text));
  object_share(groups, "share", &group->share);
  text_clear(&text);
}

static void show_groups(struct document *document, const struct tail_answer *a) {
  static const struct object_column columns[] = {
      {.title = "", .align = TABLE_RIGHT, .form = COLUMN_SHARE, .key = "share"},
      {.title = "", .key = "causes"},
  };
  if (a->report.groups.count == 0)
    return;
  document_section(document, "groups", "Groups of causes");
  document_say(document, LINES_CLOSE,
               "Without the excess of these alone, a slow request would not be slow:");
  struct objects *groups = document_objects(document, &group_kind);
  size_t left = 0, of = a->report.groups.data[0].share.of;
  for (size_t i = 0; i < a->report.groups.count; i++) {
    const struct tail_share *share = &a->report.groups.data[i].share;
    put_group(groups, a, &a->report.groups.data[i]);
    if (i < SHOWN_GROUPS && (i == 0 || 100 * share->count >= share->of))
      continue;
    object_shown(groups, SHOWN_FULL);
    left += share->count;
  }
  if (left != 0) {
    objects_add(groups);
    object_shown(groups, SHOWN_BRIEF);
    object_words(groups, "share.count", "%.0f %%", 100 * (double)left / (double)of);
    object_words(groups, "causes", "other combinations");
  }
  document_table(document, LINES_CLOSE, 4, groups, columns, sizeof columns / sizeof *columns);
}

static void put_tag(struct objects *tags, const struct tail_answer *a,
                    const struct tag_finding *f) {
  objects_add(tags);
  object_text(tags, "key", names_text(a->names, f->key));
  object_text(tags, "value", names_text(a->names, f->value));
  object_words(tags, "key", "%s=%s", names_text(a->names, f->key), names_text(a->names, f->value));
  object_count(tags, "slow", f->slow);
  object_words(tags, "slow", "%.0f %%", 100 * (double)f->slow / (double)a->split.slow);
  object_count(tags, "rest", f->rest);
  object_words(tags, "rest", "%.0f %%", 100 * (double)f->rest / (double)a->split.rest);
  object_number(tags, "by_chance", f->corrected);
  object_words(tags, "by_chance", "%s%.2g", f->corrected < 1e-99 ? "below " : "",
               fmax(f->corrected, 1e-99));
}

static void show_tags(struct document *document, const struct tail_answer *a) {
  static const struct object_column columns[] = {
      {.title = "tag", .key = "key"},
      {.title = "of the slow", .align = TABLE_RIGHT, .key = "slow"},
      {.title = "of the rest", .align = TABLE_RIGHT, .key = "rest"},
      {.title = "by chance", .align = TABLE_RIGHT, .key = "by_chance"},
  };
  if (a->tags.tried == 0)
    return;
  document_section(document, "tags", "Tags");
  if (a->tags.findings.count == 0) {
    document_say(document, LINES_APART,
                 "No tag separates the slow requests from the rest (%zu values tried).",
                 a->tags.tried);
    return;
  }
  document_say(document, LINES_APART,
               "Tags that slow requests have more often (%zu values tried):", a->tags.tried);
  struct objects *tags = document_objects(document, &tag_kind);
  for (size_t i = 0; i < a->tags.findings.count; i++) {
    put_tag(tags, a, &a->tags.findings.data[i]);
    object_shown(tags, i < SHOWN_TAGS ? SHOWN_ALWAYS : SHOWN_FULL);
  }
  document_table(document, LINES_CLOSE, 4, tags, columns, sizeof columns / sizeof *columns);
}

/* --- all of it -------------------------------------------------------------------------------- */

static const char *verdict_word(enum tail_verdict verdict) {
  switch (verdict) {
  case TAIL_TOO_FEW:
    return "too few requests";
  case TAIL_NOT_SLOWER:
    return "not slower";
  case TAIL_NO_CAUSE:
    return "no cause";
  case TAIL_ONE:
    return "one request";
  default:
    return "explained";
  }
}

static void put_summary(struct document *document, const struct tail_answer *a) {
  struct objects *tail = document_objects(document, &tail_kind);
  objects_add(tail);
  object_text(tail, "verdict", verdict_word(a->verdict));
  object_count(tail, "requests", a->split.requests);
  object_count(tail, "slow", a->split.slow);
  object_count(tail, "rest", a->split.rest);
  object_ns(tail, "threshold_ns", a->split.threshold);
  object_share(tail, "slow_above", &a->report.slow_above);
  object_share(tail, "rest_above", &a->report.rest_above);
  object_difference(tail, &a->report.latency);
  object_count(tail, "causes", a->report.tested);
  object_count(tail, "significant", a->report.significant);
  object_count(tail, "tags_tried", a->tags.tried);
}

static void say(struct document *document, enum lines lines,
                void (*what)(struct text *, const struct tail_answer *),
                const struct tail_answer *a) {
  struct text text;
  text_init(&text);
  what(&text, a);
  document_take(document, lines, 2, &text);
  text_clear(&text);
}

void tail_document(struct document *document, const struct tail_answer *a,
                   const struct document_page *page) {
  document_init(document, "tail", tail_kinds);
  if (a->verdict == TAIL_ONE)
    document_title(document, "Why request %s takes its time", a->request->request);
  else
    document_title(document, "Why %zu of %zu requests are slow", a->split.slow, a->split.requests);
  document_made(document, page);
  say(document, LINES_APART, tail_sides_say, a);
  say(document, LINES_CLOSE, tail_means_say, a);
  if (page != NULL && a->verdict != TAIL_ONE)
    say(document, LINES_CLOSE, tail_verdict_say, a);
  document_figures(document, page, a, 0);
  struct objects *causes = put_causes(document, a);
  if (a->verdict == TAIL_ONE) {
    show_one(document, a);
  } else {
    show_causes(document, a, causes);
    if (page == NULL)
      say(document, LINES_APART, tail_verdict_say, a);
    show_groups(document, a);
    show_tags(document, a);
    hot_document(document, a->hot, a->level);
  }
  put_summary(document, a);
  document_ledger(document, &a->ledger);
}
