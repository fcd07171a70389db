/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/stacks.h"

#include "base/file.h"
#include "base/jsonl.h"
#include "base/shown.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "trace/stacks/unit.h"

enum { NAME_SHOWN = 100 };

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

/* --- one profile --- */

static size_t rows_of(const struct show_answer *a, size_t top) {
  return top == 0 || top > a->hot.list.count ? a->hot.list.count : top;
}

void show_table(struct table *table, const struct show_answer *a, size_t top) {
  const struct stack_profile *profile = &a->by_text;
  char interval[32];
  snprintf(interval, sizeof interval, "%g %% interval", 100 * a->request->level);
  table_init(table);
  table_column(table, TABLE_RIGHT, "self");
  if (profile->count != 0)
    table_column(table, TABLE_RIGHT, interval);
  table_column(table, TABLE_RIGHT, "total");
  table_column(table, TABLE_LEFT, "function");
  for (size_t i = 0; i < rows_of(a, top); i++) {
    const struct stack_hot *hot = &a->hot.list.data[i];
    double lower, upper;
    char *name = clean_name(profile, hot->frame, NAME_SHOWN);
    stack_share(&lower, &upper, hot->self, &a->evidence);
    table_cell(table, "%.2f %%", 100 * share(hot->self, profile->total));
    if (profile->count != 0)
      table_cell(table, "%.2f .. %.2f", 100 * lower, 100 * upper);
    table_cell(table, "%.2f %%", 100 * share(hot->total, profile->total));
    table_cell(table, "%s", name);
    mem_free(name);
  }
}

void show_say(struct text *text, const struct show_answer *a) {
  const struct stack_profile *profile = &a->profile;
  text_format(text, "%llu ", (unsigned long long)profile->total);
  stack_unit_append(text, profile);
  if (profile->unit != STACK_SAMPLES && profile->count != 0)
    text_format(text, " in %llu samples", (unsigned long long)profile->count);
  text_format(text, ", %zu functions", a->hot.list.count);
  if (profile->threads.count != 0)
    text_format(text, ", %zu thread%s", profile->threads.count,
                profile->threads.count == 1 ? "" : "s");
  text_append(text, ".");
  if (profile->assumed && profile->count != 0)
    text_append(text, " If the numbers of the file are samples, which it does not say:");
}

void show_print_text(const struct show_answer *a, size_t top) {
  struct table table;
  struct text text = {0};
  show_say(&text, a);
  wrapped_format(2, 2, "%s", text_get(&text));
  putchar('\n');
  show_table(&table, a, top);
  table_print(stdout, &table, 2);
  table_clear(&table);
  text_clear(&text);
}

void show_print_json(const struct show_answer *a, size_t top) {
  const struct stack_profile *profile = &a->by_text;
  struct jsonl *json = jsonl_new("folded_stacks");
  struct text unit = {0};
  stack_unit_append(&unit, &a->profile);
  jsonl_text(json, "file", file_name(a->request->path));
  jsonl_text(json, "unit", text_get(&unit));
  jsonl_flag(json, "assumed", a->profile.assumed);
  text_clear(&unit);
  jsonl_number(json, "weight", (double)profile->total);
  jsonl_number(json, "samples", (double)profile->count);
  jsonl_number(json, "lost", (double)profile->lost);
  jsonl_number(json, "throttled", (double)profile->throttled);
  jsonl_integer(json, "threads", (int64_t)profile->threads.count);
  jsonl_print(json);
  for (size_t i = 0; i < rows_of(a, top); i++) {
    const struct stack_hot *hot = &a->hot.list.data[i];
    double lower, upper;
    char *name = clean_name(profile, hot->frame, 0);
    stack_share(&lower, &upper, hot->self, &a->evidence);
    json = jsonl_new("function");
    jsonl_text(json, "name", name);
    jsonl_number(json, "self", (double)hot->self);
    jsonl_number(json, "total", (double)hot->total);
    jsonl_number(json, "self_share", share(hot->self, profile->total));
    jsonl_number(json, "total_share", share(hot->total, profile->total));
    if (profile->count != 0) {
      jsonl_number(json, "self_share_lower", lower);
      jsonl_number(json, "self_share_upper", upper);
    }
    jsonl_print(json);
    mem_free(name);
  }
}

/* --- two of them --- */

static size_t changes_of(const struct change_answer *a, size_t top) {
  size_t count = a->difference.changes.count;
  return top == 0 || top > count ? count : top;
}

void change_table(struct table *table, const struct change_answer *a, size_t top) {
  table_init(table);
  table_column(table, TABLE_RIGHT, "before");
  table_column(table, TABLE_RIGHT, "after");
  table_column(table, TABLE_RIGHT, "change");
  table_column(table, TABLE_RIGHT, "chance");
  table_column(table, TABLE_LEFT, "significant");
  table_column(table, TABLE_LEFT, "function");
  for (size_t i = 0; i < changes_of(a, top); i++) {
    const struct stack_change *change = &a->difference.changes.data[i];
    char *name = clean_name(&a->difference.profile, change->frame, NAME_SHOWN);
    table_cell(table, "%.2f %%", 100 * change->share_before);
    table_cell(table, "%.2f %%", 100 * change->share_after);
    table_cell(table, "%+.2f", 100 * (change->share_after - change->share_before));
    if (a->difference.counted && change->settled)
      table_cell(table, "%.2g", change->chance);
    else
      table_cell(table, "?");
    table_cell(table, !a->difference.counted || !change->settled ? "?"
                      : change->significant                      ? "yes"
                                                                 : "no");
    table_cell(table, "%s", name);
    mem_free(name);
  }
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

void change_say(struct text *text, const struct change_answer *a) {
  const struct stack_difference *difference = &a->difference;
  size_t count = difference->changes.count;
  if (!difference->counted)
    text_format(text,
                "Cannot tell which of %zu functions changed: numbers of samples are not known.",
                count);
  else if (difference->unsettled == count)
    text_format(text,
                "Cannot tell which of %zu functions changed: they run in stretches too long for "
                "these profiles. Sample for longer.",
                count);
  else
    say_significant(text, a);
  if (difference->counted && difference->unsettled != 0 && difference->unsettled != count)
    text_format(text,
                " Of %zu more it cannot be told, as they run in stretches too long for these "
                "profiles: sample for longer.",
                difference->unsettled);
}

void change_print_text(const struct change_answer *a, size_t top) {
  struct table table;
  struct text text = {0};
  change_say(&text, a);
  wrapped_format(2, 2, "%s", text_get(&text));
  putchar('\n');
  change_table(&table, a, top);
  table_print(stdout, &table, 2);
  table_clear(&table);
  text_clear(&text);
}

void change_print_json(const struct change_answer *a, size_t top) {
  struct jsonl *json = jsonl_new("difference");
  jsonl_text(json, "before", file_name(a->request->before));
  jsonl_text(json, "after", file_name(a->request->after));
  jsonl_number(json, "samples_before", (double)a->samples_before);
  jsonl_number(json, "samples_after", (double)a->samples_after);
  jsonl_integer(json, "functions", (int64_t)a->difference.changes.count);
  jsonl_integer(json, "significant", (int64_t)a->difference.significant);
  jsonl_integer(json, "unsettled", (int64_t)a->difference.unsettled);
  jsonl_number(json, "dependence", a->difference.dependence);
  jsonl_flag(json, "judged", a->difference.counted);
  jsonl_flag(json, "assumed", a->assumed);
  jsonl_print(json);
  for (size_t i = 0; i < changes_of(a, top); i++) {
    const struct stack_change *change = &a->difference.changes.data[i];
    char *name = clean_name(&a->difference.profile, change->frame, 0);
    json = jsonl_new("changed_function");
    jsonl_text(json, "name", name);
    jsonl_number(json, "before", change->share_before);
    jsonl_number(json, "after", change->share_after);
    jsonl_flag(json, "settled", a->difference.counted && change->settled);
    if (a->difference.counted && change->settled) {
      jsonl_number(json, "chance", change->chance);
      jsonl_flag(json, "significant", change->significant);
    }
    jsonl_print(json);
    mem_free(name);
  }
}
