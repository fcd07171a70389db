/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `profile`. */
#include "cli/present/profile.h"

#include <string.h>

#include "base/jsonl.h"
#include "show/table.h"
#include "show/wrapped.h"
#include "measure/profile/jit.h"
#include "trace/stacks/frame.h"

void profile_function_say(struct text *text, const struct stack_profile *profile, uint32_t frame) {
  stack_frame_text(profile, frame, false, text);
  if (profile->frames.data[frame].kind == FRAME_JIT && profile->frames.data[frame].function == 0) {
    text->length = 0;
    text_append(text, "[compiled at run time, without a name]");
  }
}

void profile_module_say(struct text *text, const struct stack_profile *profile, uint32_t frame) {
  const struct stack_frame *what = &profile->frames.data[frame];
  struct slice path = profile->names.texts.data[what->module];
  struct slice name = stack_base_name(path);
  if (what->kind == FRAME_JIT)
    name = (struct slice){"run time", 8};
  else if (what->kind == FRAME_KERNEL)
    name = (struct slice){"kernel", 6};
  text_append_bytes(text, name.start, name.length);
}

static double percent(uint64_t part, const struct profile_answer *a) {
  return a->profile.total == 0 ? 0 : 100 * (double)part / (double)a->profile.total;
}

/* --- text --- */

void profile_head_say(struct text *text, const struct profile_answer *a) {
  const struct stack_profile *profile = &a->profile;
  text_format(text, "%llu samples in %.2f s by %s, %u wanted for a second of processor time.",
              (unsigned long long)profile->count, a->seconds, counter_event_name(a->counters.event),
              a->recording.rate);
  if (a->reached > 0)
    text_format(text, " The threads used %.2f s of it; reached: %.0f a second.",
                (double)a->recording.processor_time / 1e9, a->reached);
  if (profile->lost == 0 && profile->throttled == 0)
    text_append(text, " No sample was lost, and the kernel never held back.");
  else
    text_format(text,
                " %llu records were lost for want of space, and the kernel held back %llu times: "
                "shares may lean to quiet times; ask for a lower --rate or a larger --ring.",
                (unsigned long long)profile->lost, (unsigned long long)profile->throttled);
}

static void print_head(const struct profile_answer *a) {
  struct text text = {0};
  profile_head_say(&text, a);
  wrapped_format(2, 2, "%s", text_get(&text));
  text_clear(&text);
}

/* A long name without what stands between < and >, as in std::map<...>::find. */
static void shorten(struct text *name) {
  enum { LONG = 48 };
  size_t kept = 0;
  int depth = 0;
  struct text text;
  if (name->length <= LONG || strstr(name->data, "operator") != NULL)
    return;
  text_init(&text);
  for (; kept < name->length; kept++) {
    char byte = name->data[kept];
    depth -= byte == '>' && depth > 0 && name->data[kept - 1] != '-';
    if (depth == 0)
      text_append_bytes(&text, &byte, 1);
    if (byte == '<' && depth++ == 0)
      text_append(&text, "...");
  }
  text_clear(name);
  *name = text;
}

static void add_row(struct table *table, const struct profile_answer *a,
                    const struct stack_hot *hot) {
  double lower, upper;
  struct text text;
  stack_share(&lower, &upper, hot->self, &a->evidence);
  table_cell(table, "%.1f %%", percent(hot->self, a));
  table_cell(table, "%.1f .. %.1f", 100 * lower, 100 * upper);
  table_cell(table, "%.1f %%", percent(hot->total, a));
  text_init(&text);
  profile_function_say(&text, &a->profile, hot->frame);
  shorten(&text);
  table_take(table, &text);
  profile_module_say(&text, &a->profile, hot->frame);
  table_take(table, &text);
}

static size_t rows_of(const struct profile_answer *a, size_t top) {
  return top == 0 || top > a->hot.list.count ? a->hot.list.count : top;
}

void profile_table(struct table *table, const struct profile_answer *a, size_t top) {
  char interval[32];
  snprintf(interval, sizeof interval, "%g %% interval", 100 * a->request->level);
  table_init(table);
  table_column(table, TABLE_RIGHT, "self");
  table_column(table, TABLE_RIGHT, interval);
  table_column(table, TABLE_RIGHT, "total");
  table_column(table, TABLE_LEFT, "function");
  table_column(table, TABLE_LEFT, "in");
  for (size_t i = 0; i < rows_of(a, top); i++)
    add_row(table, a, &a->hot.list.data[i]);
}

static void print_table(const struct profile_answer *a, size_t top) {
  struct table table;
  profile_table(&table, a, top);
  table_print(stdout, &table, 2);
  table_clear(&table);
}

/* The weight in a function, by its name. */
static uint64_t weight_of(const struct profile_answer *a, const char *name) {
  uint64_t weight = 0;
  for (size_t i = 0; i < a->hot.list.count; i++) {
    uint32_t function = a->profile.frames.data[a->hot.list.data[i].frame].function;
    if (function != 0 && strcmp(names_text(&a->profile.names, function), name) == 0)
      weight += a->hot.list.data[i].total;
  }
  return weight;
}

/* What a reader can do about what is not named. */
static void print_unnamed(const struct profile_answer *a) {
  enum { WORTH_SAYING = 1 };
  uint64_t plain = a->unnamed - a->compiled;
  if (percent(a->compiled, a) >= WORTH_SAYING)
    wrapped_format(2, 2,
                   "%.1f %% is code that was compiled at run time and that nobody named: start "
                   "Node with --perf-basic-prof, Java with -XX:+PreserveFramePointer and a map "
                   "(jcmd PID Compiler.perfmap), Python from 3.12 on with -X perf.",
                   percent(a->compiled, a));
  if (percent(plain, a) >= WORTH_SAYING)
    wrapped_format(2, 2,
                   "%.1f %% is in functions without a name, shown as the file and where they begin "
                   "in it; packages of debug symbols (-dbgsym, -dbg) have their names.",
                   percent(plain, a));
  if (percent(weight_of(a, "_PyEval_EvalFrameDefault"), a) >= 5)
    wrapped_format(2, 2,
                   "Python's own functions are not named: this interpreter runs them all in "
                   "_PyEval_EvalFrameDefault. Python from 3.12 on names them with -X perf.");
}

static void print_limits(const struct profile_answer *a) {
  if (percent(a->recording.cut, a) >= 1)
    wrapped_format(2, 2,
                   "Of %.1f %% the outermost callers are not known ([unknown]); --stack %u copies "
                   "more of each stack.",
                   percent(a->recording.cut, a), a->counters.stack_bytes < 16384 ? 16384 : 65520);
  if (a->refused_map != 0)
    wrapped_format(2, 2,
                   "Names of /tmp/perf-%u.map were not read to its end: it is longer than %u MB or "
                   "%u million lines, or has a line of 64 kB, as no map has. What it names there "
                   "is without a name here.",
                   a->refused_map, (unsigned)(JIT_BYTES_MOST >> 20),
                   (unsigned)(JIT_LINES_MOST >> 20));
  if (a->counters.user_only)
    wrapped_format(
        2, 2,
        "The kernel is left out, and what runs in it is not sampled: run as root, or set "
        "kernel.perf_event_paranoid to 1, to have it too.");
  if (!a->request->adaptive && a->reached > 0 && a->reached < 0.9 * a->recording.rate &&
      !a->counters.user_only)
    wrapped_format(2, 2,
                   "Fewer samples than wanted: threads that live for less than 1/%u s are seldom "
                   "seen, so their share is too low; ask for a higher --rate.",
                   a->recording.rate);
}

void profile_print_text(const struct profile_answer *a, size_t top) {
  size_t rows = rows_of(a, top);
  print_head(a);
  if (a->profile.count == 0) {
    wrapped_format(2, 2,
                   "No processor time was seen: there is nothing to say. Sample longer, or "
                   "ask for a higher --rate.");
    return;
  }
  putchar('\n');
  print_table(a, rows);
  putchar('\n');
  if (rows < a->hot.list.count)
    wrapped_format(2, 2, "%zu more functions with --full.", a->hot.list.count - rows);
  print_unnamed(a);
  print_limits(a);
}

/* --- JSON --- */

static void print_function_json(const struct profile_answer *a, const struct stack_hot *hot) {
  double lower, upper;
  struct text text;
  text_init(&text);
  struct jsonl *json = jsonl_new("function");
  profile_function_say(&text, &a->profile, hot->frame);
  jsonl_text(json, "name", text_get(&text));
  text.length = 0;
  profile_module_say(&text, &a->profile, hot->frame);
  jsonl_text(json, "module", text.length == 0 ? NULL : text_get(&text));
  jsonl_flag(json, "named", a->profile.frames.data[hot->frame].function != 0);
  jsonl_number(json, "self", (double)hot->self);
  jsonl_number(json, "total", (double)hot->total);
  jsonl_number(json, "self_share", percent(hot->self, a) / 100);
  jsonl_number(json, "total_share", percent(hot->total, a) / 100);
  stack_share(&lower, &upper, hot->self, &a->evidence);
  jsonl_number(json, "self_share_lower", lower);
  jsonl_number(json, "self_share_upper", upper);
  stack_share(&lower, &upper, hot->total, &a->evidence);
  jsonl_number(json, "total_share_lower", lower);
  jsonl_number(json, "total_share_upper", upper);
  jsonl_print(json);
  text_clear(&text);
}

void profile_print_json(const struct profile_answer *a, size_t top) {
  struct jsonl *json = jsonl_new("sampling");
  jsonl_text(json, "event", counter_event_name(a->counters.event));
  jsonl_integer(json, "rate", a->recording.rate);
  jsonl_number(json, "reached", a->reached);
  jsonl_seconds(json, "seconds", a->seconds);
  jsonl_seconds(json, "processor_seconds", (double)a->recording.processor_time / 1e9);
  jsonl_integer(json, "samples", (int64_t)a->profile.count);
  jsonl_integer(json, "lost", (int64_t)a->profile.lost);
  jsonl_integer(json, "throttled", (int64_t)a->profile.throttled);
  jsonl_number(json, "confidence", a->request->level);
  jsonl_number(json, "unnamed", percent(a->unnamed, a) / 100);
  jsonl_number(json, "cut", percent(a->recording.cut, a) / 100);
  jsonl_flag(json, "kernel", !a->counters.user_only);
  jsonl_text(json, "out", a->request->out);
  jsonl_print(json);
  for (size_t i = 0; i < rows_of(a, top); i++)
    print_function_json(a, &a->hot.list.data[i]);
}
