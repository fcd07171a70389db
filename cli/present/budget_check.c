/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/budget_check.h"

#include "base/duration.h"
#include "cli/present/budget.h"

static const struct object_key checked_keys[] = {
    KEY("part", TEXT, .marks = MARK_NAMES),
    KEY("promise", TEXT, .marks = MARK_NULL, .note = "null: nothing is promised of it"),
    KEY("occurrences", COUNT, .note = "that the bound has of it now"),
    {0}};
static const struct object_kind checked_kind = {"checked_promise", "of `budget --check`",
                                                checked_keys};

static const struct object_key keys[] = {
    KEY("bound", TEXT, .marks = MARK_NAMES),
    KEY("objective", TEXT, .marks = MARK_NAMES),
    KEY("suffices", FLAG),
    KEY("changed", FLAG, .note = "the protocol is another than when the budget was made"),
    KEY("value_ns", NS, .marks = MARK_DIGITS | MARK_UPPER,
        .note = "the bound with each part at its limit"),
    KEY("allowed", DECIMAL, .note = "the chance that the objective allows"),
    KEY("spent", DECIMAL, .note = "of it, by the sum"),
    KEY("confirmed", DECIMAL, .note = "of it, as the evaluators bound it"),
    {0}};
static const struct object_kind check_kind = {"budget_check", NULL, keys};

const struct object_kind *const budget_check_kinds[] = {&check_kind, &checked_kind,
                                                        &assumption_kind, NULL};

static void put_decimal(struct objects *objects, const char *key, uint64_t chance) {
  struct text text;
  text_init(&text);
  decimal_print(&text, chance, 18);
  object_text(objects, key, text_get(&text));
  text_clear(&text);
}

static void show_parts(struct document *document, const struct budget_check *c) {
  static const struct object_column columns[] = {
      {.title = "", .key = "part"},
      {.title = "promise", .key = "promise"},
      {.title = "times", .align = TABLE_RIGHT, .key = "occurrences"},
  };
  struct objects *parts = document_objects(document, &checked_kind);
  for (size_t g = 0; g < c->parts.count; g++) {
    const struct checked_part *part = &c->parts.data[g];
    struct text text;
    text_init(&text);
    promise_print(&text, &part->promise);
    for (size_t i = 0; i < part->also.count; i++) {
      text_append(&text, ", ");
      promise_print(&text, &part->also.data[i]);
    }
    objects_add(parts);
    object_text(parts, "part", part->name);
    object_text(parts, "promise", part->is_promised ? text_get(&text) : NULL);
    if (!part->is_promised)
      object_words(parts, "promise", "NONE");
    object_count(parts, "occurrences", part->occurrences);
    if (part->occurrences == 0)
      object_words(parts, "occurrences", "needed no more");
    text_clear(&text);
  }
  document_table(document, LINES_APART, 2, parts, columns, sizeof columns / sizeof *columns);
}

static void say_verdict(struct document *document, const struct budget_check *c) {
  struct text text, about;
  text_init(&text);
  text_init(&about);
  text_format(&about, "%s for %s", c->bound->name, c->slos.data[0].text);
  bool by_sum = c->within && (c->spent <= c->chance || c->confirmed >= c->spent);
  if (by_sum || !c->within) {
    text_append(&text, "with each part at its limit the bound is ");
    duration_print_upper(&text, c->value_ns);
    text_append(&text, ", and ");
  }
  text_append(&text, by_sum ? "the chance that some promise that it needs is broken is at most "
                            : "the chance that it takes longer than the objective is at most ");
  budget_print_percent(&text, by_sum ? c->spent : c->confirmed);
  text_append(&text, " (the objective allows ");
  budget_print_percent(&text, c->chance);
  text_append(&text, ")");
  text_append(&text, c->file.independent ? ", if all occurrences are independent"
                                         : ", whatever the dependence");
  bool good = c->status == STATUS_OK;
  document_verdict(document, c->status, text_get(&about),
                   good ? "the promises suffice" : "THE PROMISES DO NOT SUFFICE", text_get(&text));
  text_clear(&text);
  text_clear(&about);
}

void budget_check_document(struct document *document, const struct budget_check *c) {
  document_init(document, "budget", budget_check_kinds);
  document_title(document, "Whether promises suffice for %s of %s", c->slos.data[0].text,
                 c->bound->name);
  say_verdict(document, c);
  show_parts(document, c);
  if (c->is_changed)
    document_say(document, LINES_APART, "The protocol has changed since the budget was made%s",
                 c->status == STATUS_OK ? "; its promises suffice for the new one, too."
                                        : ": make a new one, with --fix for what has to stay.");
  struct objects *objects = document_objects(document, &check_kind);
  objects_add(objects);
  object_text(objects, "bound", c->bound->name);
  object_text(objects, "objective", c->slos.data[0].text);
  object_flag(objects, "suffices", c->status == STATUS_OK);
  object_flag(objects, "changed", c->is_changed);
  object_time(objects, "value_ns", true, c->value_ns);
  put_decimal(objects, "allowed", c->chance);
  put_decimal(objects, "spent", c->spent);
  put_decimal(objects, "confirmed", c->confirmed);
  document_ledger(document, &c->ledger);
}
