/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/budget.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "cli/question/budget/budget_file.h"

#define ROOM_SHOWN 1e4 /* more is as good as any */

static const struct object_key promise_keys[] = {
    KEY("part", TEXT, .marks = MARK_NAMES),
    KEY("p", DECIMAL, .marks = MARK_NAMES, .note = "the percentile that is promised"),
    KEY("limit_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("miss", DECIMAL, .note = "the chance of an occurrence to take longer than the limit"),
    KEY("also", TEXTS, .marks = MARK_MAYBE, .note = "what it promises besides"),
    KEY("occurrences", COUNT, .note = "that the bound has of it"),
    KEY("fixed", FLAG),
    KEY("now_ns", NS, .marks = MARK_MAYBE | MARK_DIGITS | MARK_UPPER,
        .note = "the same percentile as it was measured"),
    KEY("room", SHARE, .marks = MARK_MAYBE, .note = "how much slower it may become"),
    KEY("alone", SHARE, .marks = MARK_MAYBE, .note = "the same, if all others stay as they are"),
    KEY("cost", NUMBER, .marks = MARK_MAYBE),
    KEY("observations", COUNT),
    KEY("misses_least", SHARE, .marks = MARK_LOWER, .note = "today's chance"),
    KEY("misses_most", SHARE, .marks = MARK_UPPER),
    KEY("kept", TEXT, .words = "yes|no|unknown"),
    {0}};
static const struct object_kind promise_kind = {"promise", "of `budget`", promise_keys};

static const struct object_key quorum_keys[] = {
    KEY("of", TEXT, .marks = MARK_NAMES),
    KEY("branches", COUNT, .note = "that are as fast as it at their limits"),
    KEY("needed", COUNT, .note = "of them to break their promises"),
    KEY("spent", DECIMAL),
    {0}};
static const struct object_kind quorum_kind = {"budget_quorum", "an order statistic in `budget`",
                                               quorum_keys};

static const struct object_key deadline_keys[] = {
    KEY("message", TEXT, .marks = MARK_NAMES),
    KEY("timeout_ns", NS, .marks = MARK_DIGITS | MARK_UPPER,
        .note = "from the request on: it has come if all parts keep their promises"),
    KEY("until_ns", NS, .marks = MARK_DIGITS | MARK_LOWER,
        .note = "the objective is met if it has come, and all that follows is as promised"),
    {0}};
static const struct object_kind deadline_kind = {"deadline", "of a message in `budget`",
                                                 deadline_keys};

static const struct object_key budget_keys[] = {
    KEY("bound", TEXT, .marks = MARK_NAMES),
    KEY("objective", TEXT, .marks = MARK_NAMES),
    KEY("dependence", TEXT, .words = "unknown|independent"),
    KEY("found", FLAG),
    KEY("room", SHARE, .marks = MARK_MAYBE,
        .note = "of all parts alike; below 0: by how much they have to become faster"),
    KEY("cost", NUMBER, .marks = MARK_MAYBE, .note = "of all promises"),
    KEY("least_cost", FLAG, .marks = MARK_MAYBE, .note = "none that suffice cost less"),
    KEY("allowed", DECIMAL, .note = "the chance that the objective allows"),
    KEY("spent", DECIMAL, .marks = MARK_MAYBE, .note = "of it, by the sum"),
    KEY("confirmed", DECIMAL, .marks = MARK_MAYBE, .note = "of it, as the evaluators bound it"),
    {0}};
static const struct object_kind budget_kind = {"budget_split", NULL, budget_keys};

const struct object_kind *const budget_kinds[] = {&budget_kind,   &promise_kind,    &quorum_kind,
                                                  &deadline_kind, &assumption_kind, NULL};

/* Four digits, rounded up. */
void budget_print_percent(struct text *text, uint64_t chance) {
  uint64_t unit = 1;
  while (chance / unit >= 10000)
    unit *= 10;
  decimal_print(text, (chance + unit - 1) / unit * unit, 16);
  text_append(text, " %");
}

static void put_decimal(struct objects *objects, const char *key, uint64_t x, int places) {
  struct text text;
  text_init(&text);
  decimal_print(&text, x, places);
  object_text(objects, key, text_get(&text));
  text_clear(&text);
}

static const char *kept(const struct budget_part *part) {
  return part->lower > part->promise.miss    ? "no"
         : part->upper <= part->promise.miss ? "yes"
                                             : "unknown";
}

static double share_of(uint64_t chance) {
  return (double)chance / (double)SURVIVAL_ONE;
}

static void put_also(struct objects *objects, const struct budget_part *part) {
  struct text words;
  text_init(&words);
  for (size_t i = 0; i < part->also.count; i++) {
    struct text text;
    text_init(&text);
    promise_print(&text, &part->also.data[i]);
    object_item(objects, "also", text_get(&text));
    text_format(&words, "%s%s", i == 0 ? "" : " ", text_get(&text));
    text_clear(&text);
  }
  if (words.length != 0)
    object_words(objects, "also", "%s", text_get(&words));
  text_clear(&words);
}

static void put_part(struct objects *objects, const struct budget *b,
                     const struct budget_part *part) {
  objects_add(objects);
  object_text(objects, "part", part->name);
  put_decimal(objects, "p", SURVIVAL_ONE - part->promise.miss, 16);
  if (part->promise.miss <= 1) /* of a law that ends there */
    object_words(objects, "p", "always");
  else
    object_words(objects, "p", "p%s", object_value(objects, objects->items.count - 1, "p")->text);
  object_time(objects, "limit_ns", true, part->promise.limit_ns);
  if (part->promise.miss >= SURVIVAL_ONE) { /* of branches that an order statistic does not need */
    object_words(objects, "p", "none");
    object_words(objects, "limit_ns", "is needed");
  }
  put_decimal(objects, "miss", part->promise.miss, 18);
  put_also(objects, part);
  object_count(objects, "occurrences", part->occurrences);
  object_flag(objects, "fixed", part->is_fixed);
  bool is_known = part->now_ns != SAMPLE_NS_MAX && part->promise.miss < SURVIVAL_ONE;
  object_time(objects, "now_ns", is_known, part->now_ns);
  if (part->now_ns != SAMPLE_NS_MAX && part->now_ns != 0)
    object_number(objects, "room", (double)part->promise.limit_ns / (double)part->now_ns - 1);
  if (!part->is_seen && part->now_ns != SAMPLE_NS_MAX)
    object_words(objects, "room", "not known");
  if (part->has_alone)
    object_number(objects, "alone", part->alone);
  if (part->has_alone && part->alone >= ROOM_SHOWN)
    object_words(objects, "alone", "any");
  if (b->request->costs != NULL)
    object_number(objects, "cost", part->cost);
  object_count(objects, "observations", part->observations);
  object_number(objects, "misses_least", share_of(part->lower));
  object_number(objects, "misses_most", share_of(part->upper));
  object_text(objects, "kept", kept(part));
}

static void show_parts(struct document *document, const struct budget *b) {
  static const struct object_column columns[] = {
      {.title = "", .key = "part"},
      {.title = "promise", .align = TABLE_RIGHT, .key = "p"},
      {.title = "at most", .align = TABLE_RIGHT, .key = "limit_ns"},
      {.title = "and", .key = "also"},
      {.title = "times", .align = TABLE_RIGHT, .key = "occurrences"},
      {.title = "today", .align = TABLE_RIGHT, .key = "now_ns"},
      {.title = "room", .align = TABLE_RIGHT, .key = "room", .decimals = 0},
      {.title = "alone", .align = TABLE_RIGHT, .key = "alone", .decimals = 0},
      {.title = "cost", .align = TABLE_RIGHT, .key = "cost", .decimals = -1},
      {.title = "kept today", .align = TABLE_RIGHT, .key = "kept"},
  };
  struct objects *promises = document_objects(document, &promise_kind);
  for (size_t g = 0; g < b->parts.count; g++)
    put_part(promises, b, &b->parts.data[g]);
  document_table(document, LINES_APART, 2, promises, columns, sizeof columns / sizeof *columns);
}

/* --- why they suffice ------------------------------------------------------------------------- */

/* The misses that are counted one by one, and what order statistics spend. */
static void say_sum(struct document *document, const struct budget *b) {
  struct text text;
  text_init(&text);
  if (b->by_curves) {
    text_format(&text,
                "They suffice%s: the evaluators bound the chance that the whole takes longer by ",
                b->request->independent ? ", if all occurrences are independent"
                                        : ", whatever the dependence");
    budget_print_percent(&text, b->confirmed);
    text_append(&text, " (the objective allows ");
    budget_print_percent(&text, b->chance);
    text_append(&text, "), from all points that are promised.");
    document_take(document, LINES_APART, 2, &text);
    return;
  }
  text_append(&text, "They suffice");
  text_append(&text, b->request->independent ? ", if all occurrences are independent: "
                                             : ", whatever the dependence: ");
  text_append(&text, "with each part at its limit the bound keeps to the objective, and the chance "
                     "that some promise that it needs is broken is at most ");
  budget_print_percent(&text, b->spent);
  text_append(&text, " (the objective allows ");
  budget_print_percent(&text, b->chance);
  text_append(&text, ")");
  bool first = true;
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    if (part->alone_in_sum == 0)
      continue;
    text_append(&text, first ? ": " : b->request->independent ? ", " : " + ");
    if (part->alone_in_sum > 1)
      text_format(&text, "%zu x ", part->alone_in_sum);
    budget_print_percent(&text, part->promise.miss);
    text_format(&text, " (%s)", part->name);
    first = false;
  }
  for (size_t i = 0; i < b->quorums.count; i++) {
    text_append(&text, first ? ": " : b->request->independent ? ", " : " + ");
    budget_print_percent(&text, b->quorums.data[i].spend.spend);
    text_format(&text, " (%s)", b->quorums.data[i].name);
    first = false;
  }
  text_append(&text, ".");
  document_take(document, LINES_APART, 2, &text);
  if (b->confirmed <= b->chance)
    return;
  text_init(&text);
  text_append(&text, "This rests on that sum alone: the general evaluators, which are less sharp "
                     "where branches share occurrences, bound the chance by ");
  budget_print_percent(&text, b->confirmed);
  text_append(&text, ".");
  document_take(document, LINES_CLOSE, 2, &text);
}

static void put_quorums(struct document *document, const struct budget *b) {
  struct objects *quorums = document_objects(document, &quorum_kind);
  document_show(document, SHOWN_ALWAYS);
  for (size_t i = 0; i < b->quorums.count; i++) {
    const struct quorum_spend *spend = &b->quorums.data[i].spend;
    struct text text;
    text_init(&text);
    objects_add(quorums);
    object_text(quorums, "of", b->quorums.data[i].name);
    object_count(quorums, "branches", spend->counted);
    object_count(quorums, "needed", spend->needed);
    put_decimal(quorums, "spent", spend->spend, 18);
    text_format(&text, "%c%s: late only if %zu of %zu branches break their promises.",
                b->quorums.data[i].name[0] == 't' ? 'T' : b->quorums.data[i].name[0],
                b->quorums.data[i].name + 1, spend->needed, spend->counted);
    document_item(document, LINES_CLOSE, 2, &text);
  }
}

/* --- what it says of today -------------------------------------------------------------------- */

static bool some_are_fixed(const struct budget *b) {
  for (size_t g = 0; g < b->parts.count; g++)
    if (b->parts.data[g].is_fixed)
      return true;
  return false;
}

static void say_room(struct document *document, const struct budget *b) {
  const char *which = some_are_fixed(b) ? "other part" : "part";
  if (!b->found) {
    if (b->request->costs != NULL)
      document_say(document, LINES_APART,
                   "NO choice of promises suffices: none of the table, with what is fixed and "
                   "what other parts take today.");
    else
      document_say(document, LINES_APART,
                   "NO promises were found that suffice, even if parts become much faster: what is "
                   "fixed, or a constant of the protocol, may take the objective's time or chance "
                   "by itself.");
    return;
  }
  if (b->request->costs != NULL)
    document_say(document, LINES_APART,
                 b->is_least_cost
                     ? "They cost %g in all; none that suffice by this sum cost less."
                     : "They cost %g in all; cheaper ones may suffice, as there are too "
                       "many to try all.",
                 b->cost);
  else if (b->room_left < 0)
    document_say(document, LINES_APART,
                 "NOT KEPT TODAY: all %ss have to become %.0f %% faster (by their weights) before "
                 "these promises hold.",
                 which, ceil(-100 * b->room_left));
  else if (b->room_left >= 1)
    document_say(document, LINES_APART,
                 "Each %s may take %.1f times what it was measured to take (by its weight).", which,
                 floor(10 * (1 + b->room_left)) / 10);
  else
    document_say(document, LINES_APART,
                 "Each %s may become %.0f %% slower than it was measured (by its weight).", which,
                 floor(100 * b->room_left));
}

/* What it costs that promises must do for any dependence. */
static void say_joint(struct document *document, const struct budget *b) {
  if (!b->has_joint || b->request->costs != NULL || !b->joint.upper_finite ||
      b->joint.upper_ns == 0)
    return;
  struct text text;
  text_init(&text);
  text_format(&text, "Whole requests were measured with a p%s of at most ",
              b->slos.data[0].percentile.text);
  duration_print_upper(&text, b->joint.upper_ns);
  text_append(&text, "; promises without any room would prove ");
  duration_print_upper(&text, (uint64_t)ceil(b->without_room_ns));
  text_format(&text,
              ". Between them (%.1f times) is what it costs that each part is promised alone: slow "
              "parts may meet in one request.",
              b->without_room_ns / (double)b->joint.upper_ns);
  document_take(document, LINES_CLOSE, 2, &text);
}

/* As many without a slow one among them would do. */
static double enough(const struct budget *b, const struct budget_part *part) {
  double alpha = share_of(b->calculation.laws.alpha);
  return log(alpha > 0 ? 4 / alpha : 100) / share_of(part->promise.miss);
}

static void say_undecided(struct document *document, const struct budget *b) {
  struct text text;
  text_init(&text);
  for (size_t g = 0; g < b->parts.count; g++) {
    const struct budget_part *part = &b->parts.data[g];
    if (strcmp(kept(part), "unknown") == 0)
      text_format(&text, "%s%s (%" PRIu64 "; some %.0f)", text.length == 0 ? "" : ", ", part->name,
                  part->observations, enough(b, part));
  }
  if (text.length == 0)
    return;
  document_say(document, LINES_CLOSE,
               "Whether it is kept today cannot be told, for the number of observations; some more "
               "decide, if few of them are slow: %s.",
               text_get(&text));
  text_clear(&text);
}

static void show_deadlines(struct document *document, const struct budget *b) {
  static const struct object_column columns[] = {
      {.title = "message", .key = "message"},
      {.title = "has come after", .align = TABLE_RIGHT, .key = "timeout_ns"},
      {.title = "may come until", .align = TABLE_RIGHT, .key = "until_ns"},
  };
  if (b->deadlines.count == 0)
    return;
  document_section(document, "deadlines", "Messages");
  document_say(
      document, LINES_APART,
      "From the request on, while all parts keep their promises: when a message has come (a "
      "time-out for it), and until when the objective is still met if it comes later:");
  struct objects *deadlines = document_objects(document, &deadline_kind);
  for (size_t i = 0; i < b->deadlines.count; i++) {
    objects_add(deadlines);
    object_text(deadlines, "message", b->deadlines.data[i].message);
    object_time(deadlines, "timeout_ns", true, b->deadlines.data[i].timeout_ns);
    object_time(deadlines, "until_ns", true, b->deadlines.data[i].until_ns);
  }
  document_table(document, LINES_APART, 2, deadlines, columns, sizeof columns / sizeof *columns);
}

static void put_budget(struct document *document, const struct budget *b) {
  struct objects *objects = document_objects(document, &budget_kind);
  objects_add(objects);
  object_text(objects, "bound", b->calculation.bound->name);
  object_text(objects, "objective", b->slos.data[0].text);
  object_text(objects, "dependence", b->request->independent ? "independent" : "unknown");
  object_flag(objects, "found", b->found);
  put_decimal(objects, "allowed", b->chance, 18);
  if (!b->found)
    return;
  if (b->request->costs == NULL) {
    object_number(objects, "room", b->room_left);
  } else {
    object_number(objects, "cost", b->cost);
    object_flag(objects, "least_cost", b->is_least_cost);
  }
  put_decimal(objects, "spent", b->spent, 18);
  put_decimal(objects, "confirmed", b->confirmed, 18);
}

void budget_document(struct document *document, const struct budget *b,
                     const struct document_page *page) {
  document_init(document, "budget", budget_kinds);
  document_title(document, "Promises of parts for %s of %s", b->slos.data[0].text,
                 b->calculation.bound->name);
  document_made(document, page);
  if (b->found) {
    document_section(document, "promises", "Promises");
    document_say(document, LINES_APART, "Promises that suffice for %s:", b->slos.data[0].text);
    show_parts(document, b);
    document_figures(document, page, b, 0);
    document_section(document, "why", "Why they suffice");
    say_sum(document, b);
    put_quorums(document, b);
  }
  document_section(document, "today", "Today");
  say_room(document, b);
  if (b->found)
    say_joint(document, b);
  if (b->found)
    say_undecided(document, b);
  if (b->found)
    show_deadlines(document, b);
  put_budget(document, b);
  document_ledger(document, &b->calculation.ledger);
}
