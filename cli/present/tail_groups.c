/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Groups of causes, and tags of slow requests (tail_groups.h).
 */
#include <math.h>

#include "cli/present/difference.h"
#include "cli/present/tail_groups.h"

enum { SHOWN_GROUPS = 5, SHOWN_TAGS = 8 };

static const struct object_key group_keys[] = {
    KEY("causes", TEXTS, .marks = MARK_NAMES, .note = "names; none: no few of them"),
    KEYS_OF_SHARE("share", 0),
    {0}};
const struct object_kind tail_group_kind = {"group", "of `tail`", group_keys};

static const struct object_key tag_keys[] = {
    KEY("key", TEXT, .marks = MARK_NAMES),
    KEY("value", TEXT, .marks = MARK_NAMES),
    KEY("slow", COUNT),
    KEY("rest", COUNT, .note = "requests that have it"),
    KEY("by_chance", NUMBER, .note = "corrected for all that were tried"),
    {0}};
const struct object_kind tail_tag_kind = {"tag", "of `tail`", tag_keys};

/* A cause, or a service of which no cause is significant by itself. */
static void append_member(struct text *text, const struct tail_answer *a, uint32_t member) {
  if (member < a->causes.causes.count) {
    text_append(text, a->causes.causes.data[member].name);
    return;
  }
  const struct tail_service *service = &a->causes.services.data[member - a->causes.causes.count];
  text_format(text, "%s%s", service->way ? "the way to " : "", service->name);
}

static void put_group(struct objects *groups, const struct tail_answer *a,
                      const struct tail_group *group) {
  struct text text;
  text_init(&text);
  objects_add(groups);
  object_texts(groups, "causes");
  for (size_t i = 0; i < group->count; i++) {
    struct text name;
    text_init(&name);
    append_member(&name, a, group->causes[i]);
    object_item(groups, "causes", text_get(&name));
    text_format(&text, "%s%s", i == 0 ? "" : " and ", text_get(&name));
    text_clear(&name);
  }
  object_words(groups, "causes", "%s",
               group->count == 0 ? "none of these causes, or more than four together"
                                 : text_get(&text));
  object_share(groups, "share", &group->share);
  text_clear(&text);
}

void tail_show_groups(struct document *document, const struct tail_answer *a) {
  static const struct object_column columns[] = {
      {.title = "", .align = TABLE_RIGHT, .form = COLUMN_SHARE, .key = "share"},
      {.title = "", .key = "causes"},
  };
  if (a->report.groups.count == 0)
    return;
  document_section(document, "groups", "Groups of causes");
  document_say(document, LINES_CLOSE,
               "Without the excess of these alone, a slow request would not be slow:");
  struct objects *groups = document_objects(document, &tail_group_kind);
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

void tail_show_tags(struct document *document, const struct tail_answer *a) {
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
  struct objects *tags = document_objects(document, &tail_tag_kind);
  for (size_t i = 0; i < a->tags.findings.count; i++) {
    put_tag(tags, a, &a->tags.findings.data[i]);
    object_shown(tags, i < SHOWN_TAGS ? SHOWN_ALWAYS : SHOWN_FULL);
  }
  document_table(document, LINES_CLOSE, 4, tags, columns, sizeof columns / sizeof *columns);
}
