/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/replay_traces.h"

#include <inttypes.h>

#include "cli/present/replay.h"
#include "cli/question/replay/traces.h"

enum { FEW = 5 };

static const struct object_key other_keys[] = {
    KEY("trace", TEXT, .marks = MARK_NAMES),
    KEY("reason", TEXT, .marks = MARK_NULL, .note = "null: it makes other calls"),
    {0}};
static const struct object_kind other_kind = {"other", NULL, other_keys};

static const struct object_key followed_keys[] = {
    KEY("protocol", TEXT, .marks = MARK_NAMES),
    KEY("follows", FLAG),
    KEY("fitting", COUNT),
    KEY("misfits", COUNT),
    KEY("strangers", COUNT, .note = "requests"),
    KEY("bounds", OBJECTS, .objects = &replayed_bound_kind),
    KEY("others", OBJECTS, .objects = &other_kind),
    {0}};
static const struct object_kind followed_kind = {"followed", "of `replay --traces`", followed_keys};

const struct object_kind *const followed_kinds[] = {&followed_kind, &assumption_kind, NULL};

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

/* A few, or all to who asks for all. */
static void say_others(struct document *document, const struct traces_answer *answer,
                       bool strangers) {
  uint64_t said = 0, all = strangers ? answer->strangers : answer->misfits;
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < answer->others.count; i++) {
    const struct traces_other *other = &answer->others.data[i];
    if ((other->reason == NULL) != strangers)
      continue;
    document_show(document, said++ < FEW ? SHOWN_ALWAYS : SHOWN_FULL);
    text_format(&text, strangers ? "%s" : "%s: %s", other->id, other->reason);
    document_item(document, LINES_CLOSE, 4, &text);
  }
  document_show(document, SHOWN_BRIEF);
  if (all > FEW)
    text_format(&text, "and %" PRIu64 " more: --full names them", all - FEW);
  document_item(document, LINES_CLOSE, 4, &text);
  document_show(document, SHOWN_ALWAYS);
}

static void put_followed(struct document *document, const struct traces_answer *answer) {
  struct objects *objects = document_objects(document, &followed_kind);
  objects_add(objects);
  object_text(objects, "protocol", answer->run.request->path);
  object_flag(objects, "follows", answer->status == STATUS_OK);
  object_count(objects, "fitting", answer->fitting);
  object_count(objects, "misfits", answer->misfits);
  object_count(objects, "strangers", answer->strangers);
  replay_put_bounds(object_list(objects, "bounds"), &answer->run, answer->conform);
  struct objects *others = object_list(objects, "others");
  for (size_t i = 0; i < answer->others.count; i++) {
    objects_add(others);
    object_text(others, "trace", answer->others.data[i].id);
    object_text(others, "reason", answer->others.data[i].reason);
  }
}

void followed_document(struct document *document, const struct traces_answer *answer) {
  const char *path = answer->run.request->path;
  uint64_t shaped = answer->fitting + answer->misfits;
  struct text text;
  text_init(&text);
  document_init(document, "replay", followed_kinds);
  document_title(document, "Recorded requests beside %s", path);
  text_format(&text, "%s: %" PRIu64 " of %" PRIu64 " request%s with its calls follow%s it", path,
              answer->fitting, shaped, plural(shaped), answer->fitting == 1 ? "s" : "");
  document_take(document, LINES_CLOSE, 0, &text);
  document_hang(document, 4);
  put_followed(document, answer);
  if (answer->fitting > 0)
    replay_say_bounds(document, &answer->run, answer->conform);
  if (answer->misfits > 0)
    document_say(document, LINES_CLOSE, "%" PRIu64 " request%s not follow it:", answer->misfits,
                 answer->misfits == 1 ? " does" : "s do");
  say_others(document, answer, false);
  if (answer->strangers > 0)
    document_say(document, LINES_CLOSE,
                 "%" PRIu64 " request%s other calls, of which the protocol says nothing:",
                 answer->strangers, answer->strangers == 1 ? " makes" : "s make");
  say_others(document, answer, true);
  document_ledger(document, &answer->ledger);
}
