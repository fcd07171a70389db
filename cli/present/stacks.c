/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `profile show` and `profile diff` as documents. */
#include "cli/present/stacks.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/shown.h"
#include "cli/present/profile_waits.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/unit.h"

enum { NAME_SHOWN = 100 };

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key stacks_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("unit", TEXT, .marks = MARK_NAMES),
    KEY("assumed", FLAG, .marks = MARK_NAMES, .note = "that numbers are samples"),
    KEY("weight", NUMBER, .note = "in the unit"),
    KEY("samples", NUMBER),
    KEY("lost", NUMBER),
    KEY("throttled", NUMBER),
    KEY("threads", COUNT),
    {0}};
static const struct object_kind stacks_kind = {
    "folded_stacks", "of `profile show`, before its functions", stacks_keys};

static const struct object_key function_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("module", TEXT, .marks = MARK_NULL, .note = "the file that its code is in, or `several`"),
    KEY("self", NUMBER),
    KEY("total", NUMBER),
    KEY("self_share", SHARE),
    KEY("total_share", SHARE),
    KEY("self_share_lower", SHARE, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("self_share_upper", SHARE, .marks = MARK_MAYBE | MARK_UPPER),
    {0}};
static const struct object_kind function_kind = {"function", "of `profile show`", function_keys};

static const struct object_key difference_keys[] = {
    KEY("before", TEXT, .marks = MARK_NAMES),
    KEY("after", TEXT, .marks = MARK_NAMES, .note = "files"),
    KEY("samples_before", NUMBER),
    KEY("samples_after", NUMBER),
    KEY("functions", COUNT),
    KEY("significant", COUNT),
    KEY("unsettled", COUNT),
    KEY("dependence", NUMBER),
    KEY("verdict", TEXT,
        .words =
            "more|not shown to be more|within the margin|not decidable|more if the numbers are "
            "samples|not shown to be more if the numbers are samples|within the margin if the "
            "numbers are samples"),
    KEY("judged", FLAG, .marks = MARK_NAMES, .note = "false: the numbers of samples are not known"),
    KEY("assumed", FLAG, .marks = MARK_NAMES, .note = "that the numbers of folded stacks are"),
    {0}};
static const struct object_kind difference_kind = {"difference", "of `profile diff`",
                                                   difference_keys};

static const struct object_key change_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("before", SHARE),
    KEY("after", SHARE, .note = "shares from 0 to 1"),
    KEY("change", SHARE),
    KEY("settled", FLAG, .note = "false: it cannot be told"),
    KEY("chance", NUMBER, .marks = MARK_MAYBE),
    KEY("significant", FLAG, .marks = MARK_MAYBE, .note = "both if it is"),
    KEY("change_lower", NUMBER, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("change_upper", NUMBER, .marks = MARK_MAYBE | MARK_UPPER,
        .note = "with `--margin`: the share grew by so much, -1 to 1; all hold at once"),
    KEY("verdict", TEXT, .words = "more|less|no difference shown|within the margin|not decidable"),
    {0}};
static const struct object_kind change_kind = {"changed_function", "of `profile diff`",
                                               change_keys};

const struct object_kind *const stacks_kinds[] = {&stacks_kind, &function_kind, &assumption_kind,
                                                  NULL};
const struct object_kind *const change_kinds[] = {&difference_kind, &change_kind, &assumption_kind,
                                                  NULL};

/* --- names ------------------------------------------------------------------------------------ */

static struct slice name_of(const struct stack_profile *profile, uint32_t frame) {
  return profile->names.texts.data[profile->frames.data[frame].function];
}

/* As valid UTF-8; of `most` characters, of a longer one the beginning; 0: all of it. */
static char *clean_name(const struct stack_profile *profile, uint32_t frame, size_t most) {
  struct text clean = {0};
  struct slice name = name_of(profile, frame);
  shown_append(&clean, name.start, name.length);
  text_append(&clean, "");
  if (most != 0 && clean.length > most) {
    while (((unsigned char)clean.data[most] & 0xc0) == 0x80)
      most--;
    clean.length = most;
    text_append(&clean, "..");
  }
  return text_take(&clean);
}

static double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : (double)part / (double)whole;
}

static void put_name(struct objects *objects, const struct stack_profile *profile, uint32_t frame) {
  char *name = clean_name(profile, frame, 0), *shown = clean_name(profile, frame, NAME_SHOWN);
  object_text(objects, "name", name);
  object_words(objects, "name", "%s", shown);
  mem_free(name);
  mem_free(shown);
}

/* --- one profile ------------------------------------------------------------------------------ */

static size_t rows_of(const struct show_answer *a, size_t top) {
  return top == 0 || top > a->hot.list.count ? a->hot.list.count : top;
}

static void put_module(struct objects *functions, const struct show_answer *a, uint32_t frame) {
  uint32_t module = a->modules[frame];
  struct text text = {0};
  struct slice base = module == 0 || module == UINT32_MAX
                          ? (struct slice){"", 0}
                          : stack_base_name(a->profile.names.texts.data[module]);
  shown_append(&text, base.start, base.length);
  object_text(functions, "module",
              module == 0            ? NULL
              : module == UINT32_MAX ? "several"
                                     : text_get(&text));
  text_clear(&text);
}

static bool has_modules(const struct show_answer *a) {
  for (size_t i = 0; i < a->by_text.frames.count; i++)
    if (a->modules[i] != 0)
      return true;
  return false;
}

static void put_function(struct objects *functions, const struct show_answer *a,
                         const struct stack_hot *hot) {
  const struct stack_profile *profile = &a->by_text;
  double lower, upper;
  objects_add(functions);
  put_name(functions, profile, hot->frame);
  put_module(functions, a, hot->frame);
  object_number(functions, "self", (double)hot->self);
  object_number(functions, "total", (double)hot->total);
  object_number(functions, "self_share", share(hot->self, profile->total));
  object_number(functions, "total_share", share(hot->total, profile->total));
  if (profile->count == 0 || stack_unit_is_waiting(&a->profile))
    return;
  stack_share(&lower, &upper, hot->self, &a->evidence);
  object_number(functions, "self_share_lower", lower);
  object_words(functions, "self_share_lower", "%.2f .. %.2f", floor(1e4 * lower) / 100,
               ceil(1e4 * upper) / 100);
  object_number(functions, "self_share_upper", upper);
}

static void show_functions(struct document *document, const struct show_answer *a, size_t count) {
  static const struct object_column columns[] = {
      {.title = "self", .align = TABLE_RIGHT, .key = "self_share", .decimals = 2},
      {.align = TABLE_RIGHT, .key = "self_share_lower"},
      {.title = "total", .align = TABLE_RIGHT, .key = "total_share", .decimals = 2},
      {.title = "function", .key = "name"},
      {.title = "in", .key = "module"},
  };
  size_t shown = sizeof columns / sizeof *columns - !has_modules(a);
  struct objects *functions = document_objects(document, &function_kind);
  for (size_t i = 0; i < count; i++)
    put_function(functions, a, &a->hot.list.data[i]);
  document_table(document, LINES_APART, 2, functions, columns, shown);
  document_column_title(document, 1, "%g %% interval", 100 * a->request->level);
}

void show_say(struct text *text, const struct show_answer *a) {
  const struct stack_profile *profile = &a->profile;
  text_format(text, "%llu ", (unsigned long long)profile->total);
  stack_unit_append(text, profile);
  if (profile->unit != STACK_SAMPLES && profile->count != 0)
    text_format(text, " in %llu %s", (unsigned long long)profile->count,
                stack_unit_is_waiting(profile) ? "waits" : "samples");
  text_format(text, ", %zu functions", a->hot.list.count);
  if (profile->threads.count != 0)
    text_format(text, ", %zu thread%s", profile->threads.count,
                profile->threads.count == 1 ? "" : "s");
  text_append(text, ".");
  if (profile->assumed && profile->count != 0)
    text_append(text, " If the numbers of the file are samples, which it does not say:");
}

static void put_stacks(struct document *document, const struct show_answer *a) {
  const struct stack_profile *profile = &a->by_text;
  struct objects *stacks = document_objects(document, &stacks_kind);
  struct text unit = {0};
  objects_add(stacks);
  stack_unit_append(&unit, &a->profile);
  object_text(stacks, "file", file_name(a->request->path));
  object_text(stacks, "unit", text_get(&unit));
  text_clear(&unit);
  object_flag(stacks, "assumed", a->profile.assumed);
  object_number(stacks, "weight", (double)profile->total);
  object_number(stacks, "samples", (double)profile->count);
  object_number(stacks, "lost", (double)profile->lost);
  object_number(stacks, "throttled", (double)profile->throttled);
  object_count(stacks, "threads", profile->threads.count);
}

void stacks_document(struct document *document, const struct show_answer *a, size_t top) {
  struct text text = {0};
  document_init(document, "profile show", stacks_kinds);
  document_title(document, "Where the time goes in %s", file_name(a->request->path));
  put_stacks(document, a);
  show_say(&text, a);
  document_take(document, LINES_APART, 2, &text);
  if (!stack_unit_is_waiting(&a->profile))
    profile_ran_say(document, a->profile.used, (double)(a->profile.end - a->profile.start));
  document_section(document, "functions", "Functions");
  show_functions(document, a, rows_of(a, top));
  document_ledger(document, &a->ledger);
}

/* --- two of them ------------------------------------------------------------------------------ */

static size_t changes_of(const struct change_answer *a, size_t top) {
  size_t count = a->difference.changes.count;
  return top == 0 || top > count ? count : top;
}

static const char *const verdict_words[] = {
    [CHANGE_MORE] = "more",
    [CHANGE_LESS] = "less",
    [CHANGE_NOT_SHOWN] = "no difference shown",
    [CHANGE_WITHIN] = "within the margin",
    [CHANGE_UNDECIDED] = "not decidable",
};

static void put_change(struct objects *changes, const struct change_answer *a,
                       const struct stack_change *change) {
  bool settled = a->difference.counted && change->settled;
  objects_add(changes);
  put_name(changes, &a->difference.profile, change->frame);
  object_number(changes, "before", change->share_before);
  object_number(changes, "after", change->share_after);
  object_number(changes, "change", change->share_after - change->share_before);
  object_words(changes, "change", "%+.2f", 100 * (change->share_after - change->share_before));
  object_flag(changes, "settled", settled);
  if (settled) {
    object_number(changes, "chance", change->chance);
    object_words(changes, "chance", "%.2g", change->chance);
    object_flag(changes, "significant", change->significant);
  } else {
    object_words(changes, "chance", "?");
    object_words(changes, "significant", "?");
  }
  object_text(changes, "verdict", verdict_words[change_verdict_of(a, change)]);
  if (a->request->margin <= 0)
    return;
  double least = settled ? change->least : -1, most = settled ? change->most : 1;
  object_number(changes, "change_lower", least);
  object_number(changes, "change_upper", most);
  object_words(changes, "change_lower", "%+.2f .. %+.2f", floor(1e4 * least) / 100,
               ceil(1e4 * most) / 100);
}

static void show_changes(struct document *document, const struct change_answer *a, size_t count) {
  static const struct object_column columns[] = {
      {.title = "before", .align = TABLE_RIGHT, .key = "before", .decimals = 2},
      {.title = "after", .align = TABLE_RIGHT, .key = "after", .decimals = 2},
      {.title = "change", .align = TABLE_RIGHT, .key = "change"},
      {.title = "chance", .align = TABLE_RIGHT, .key = "chance"},
      {.title = "significant", .key = "significant"},
      {.title = "function", .key = "name"},
  };
  static const struct object_column of_margin[] = {
      {.title = "before", .align = TABLE_RIGHT, .key = "before", .decimals = 2},
      {.title = "after", .align = TABLE_RIGHT, .key = "after", .decimals = 2},
      {.title = "change", .align = TABLE_RIGHT, .key = "change"},
      {.title = "between", .align = TABLE_RIGHT, .key = "change_lower"},
      {.title = "verdict", .key = "verdict"},
      {.title = "function", .key = "name"},
  };
  struct objects *changes = document_objects(document, &change_kind);
  for (size_t i = 0; i < count; i++)
    put_change(changes, a, &a->difference.changes.data[i]);
  if (a->request->margin > 0)
    document_table(document, LINES_APART, 2, changes, of_margin,
                   sizeof of_margin / sizeof *of_margin);
  else
    document_table(document, LINES_APART, 2, changes, columns, sizeof columns / sizeof *columns);
}

/* How many of those that can be judged. */
static void say_significant(struct text *text, const struct change_answer *a) {
  const struct stack_difference *difference = &a->difference;
  size_t count = difference->changes.count - difference->unsettled;
  if (a->assumed)
    text_append(text, "If the numbers of the files are samples, which is not said, and ");
  if (!difference->timed)
    text_append(text, a->assumed ? "these independent: " : "If samples are independent: ");
  if (difference->significant == 0)
    text_format(text, "%s function of %zu has a significantly different share.",
                difference->timed ? "No" : "no", count);
  else
    text_format(text, "%zu of %zu functions %s a significantly different share.",
                difference->significant, count, difference->significant == 1 ? "has" : "have");
}

/* Which are over the margin, or of how many it cannot be told. */
static void say_margin(struct text *text, const struct change_answer *a) {
  const struct stack_difference *difference = &a->difference;
  size_t more = 0, undecided = 0, count = difference->changes.count;
  double margin = 100 * a->request->margin;
  for (size_t i = 0; i < count; i++) {
    enum change_verdict found = change_verdict_of(a, &difference->changes.data[i]);
    more += found == CHANGE_MORE;
    undecided += found == CHANGE_UNDECIDED;
  }
  if (a->assumed)
    text_append(text, "If the numbers of the files are samples, which is not said: ");
  if (more != 0)
    text_format(text, "%zu of %zu functions %s over the margin of %g %% of the time.", more, count,
                more == 1 ? "is" : "are", margin);
  else if (undecided != 0)
    text_format(text,
                "%s tell of %zu of %zu functions whether they are within the margin of %g %% of "
                "the time: sample for longer, or allow more.",
                a->assumed ? "cannot" : "Cannot", undecided, count, margin);
  else
    text_format(text, "%s function has more than %g %% of the time more than before.",
                a->assumed ? "no" : "No", margin);
}

void change_say(struct text *text, const struct change_answer *a) {
  const struct stack_difference *difference = &a->difference;
  size_t count = difference->changes.count;
  if (!difference->counted)
    text_format(text,
                "Cannot tell which of %zu functions changed: numbers of samples are not known.",
                count);
  else if (a->request->margin > 0)
    say_margin(text, a);
  else if (difference->unsettled == count)
    text_format(text,
                "Cannot tell which of %zu functions changed: they run in stretches too long for "
                "these profiles. Sample for longer.",
                count);
  else
    say_significant(text, a);
  if (difference->counted && a->request->margin <= 0 && difference->unsettled != 0 &&
      difference->unsettled != count)
    text_format(text,
                " Of %zu more it cannot be told, as they run in stretches too long for these "
                "profiles: sample for longer.",
                difference->unsettled);
}

/* What the exit code says, in the words of `compare`. */
static const char *state_of(const struct change_answer *a) {
  enum status found = change_found(a);
  bool margin = a->request->margin > 0;
  if (found == STATUS_UNKNOWN)
    return "not decidable";
  if (a->assumed)
    return found == STATUS_REFUTED ? "more if the numbers are samples"
           : margin                ? "within the margin if the numbers are samples"
                                   : "not shown to be more if the numbers are samples";
  return found == STATUS_REFUTED ? "more" : margin ? "within the margin" : "not shown to be more";
}

static void put_difference(struct document *document, const struct change_answer *a) {
  struct objects *difference = document_objects(document, &difference_kind);
  objects_add(difference);
  object_text(difference, "before", file_name(a->request->before));
  object_text(difference, "after", file_name(a->request->after));
  object_number(difference, "samples_before", (double)a->samples_before);
  object_number(difference, "samples_after", (double)a->samples_after);
  object_count(difference, "functions", a->difference.changes.count);
  object_count(difference, "significant", a->difference.significant);
  object_count(difference, "unsettled", a->difference.unsettled);
  object_number(difference, "dependence", a->difference.dependence);
  object_text(difference, "verdict", state_of(a));
  object_flag(difference, "judged", a->difference.counted);
  object_flag(difference, "assumed", a->assumed);
}

void change_document(struct document *document, const struct change_answer *a, size_t top) {
  struct text text = {0};
  document_init(document, "profile diff", change_kinds);
  document_title(document, "From %s to %s", file_name(a->request->before),
                 file_name(a->request->after));
  put_difference(document, a);
  change_say(&text, a);
  document_take(document, LINES_APART, 2, &text);
  document_section(document, "functions", "Functions");
  show_changes(document, a, changes_of(a, top));
  document_ledger(document, &a->ledger);
}
