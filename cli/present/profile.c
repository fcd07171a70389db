/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `profile` as a document. */
#include "cli/present/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/present/profile_waits.h"
#include "measure/profile/jit.h"
#include "trace/stacks/frame.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key sampling_keys[] = {
    KEY("event", TEXT, .marks = MARK_NAMES),
    KEY("rate", COUNT),
    KEY("reached", NUMBER, .note = "0: not known"),
    KEY("seconds", SECONDS),
    KEY("processor_seconds", SECONDS),
    KEY("samples", COUNT),
    KEY("lost", COUNT),
    KEY("throttled", COUNT),
    KEY("confidence", NUMBER),
    KEY("unseen", SHARE, .note = "of the processor time; in no sample"),
    KEY("unnamed", SHARE),
    KEY("cut", SHARE),
    KEY("kernel", FLAG),
    KEY("out", TEXT, .marks = MARK_NULL),
    {0}};
static const struct object_kind sampling_kind = {"sampling", "of `profile`", sampling_keys};

static const struct object_key function_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("module", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("named", FLAG),
    KEY("self", NUMBER),
    KEY("total", NUMBER),
    KEY("self_share", SHARE),
    KEY("total_share", SHARE, .note = "shares from 0 to 1"),
    KEY("self_share_lower", SHARE, .marks = MARK_LOWER),
    KEY("self_share_upper", SHARE, .marks = MARK_UPPER),
    KEY("total_share_lower", SHARE, .marks = MARK_LOWER),
    KEY("total_share_upper", SHARE, .marks = MARK_UPPER),
    {0}};
static const struct object_kind function_kind = {"function", "of `profile`", function_keys};

const struct object_kind *const profile_kinds[] = {&sampling_kind, &function_kind,   &waits_kind,
                                                   &waiting_kind,  &assumption_kind, NULL};

/* --- names ------------------------------------------------------------------------------------ */

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

/* --- functions -------------------------------------------------------------------------------- */

static size_t rows_of(const struct profile_answer *a, size_t top) {
  return top == 0 || top > a->hot.list.count ? a->hot.list.count : top;
}

static void put_function(struct objects *functions, const struct profile_answer *a,
                         const struct stack_hot *hot) {
  double lower, upper;
  struct text text;
  text_init(&text);
  objects_add(functions);
  profile_function_say(&text, &a->profile, hot->frame);
  object_text(functions, "name", text_get(&text));
  shorten(&text);
  object_words(functions, "name", "%s", text_get(&text));
  text.length = 0;
  profile_module_say(&text, &a->profile, hot->frame);
  object_text(functions, "module", text.length == 0 ? NULL : text_get(&text));
  text_clear(&text);
  object_flag(functions, "named", a->profile.frames.data[hot->frame].function != 0);
  object_number(functions, "self", (double)hot->self);
  object_number(functions, "total", (double)hot->total);
  object_number(functions, "self_share", percent(hot->self, a) / 100);
  object_number(functions, "total_share", percent(hot->total, a) / 100);
  stack_share(&lower, &upper, hot->self, &a->evidence);
  object_number(functions, "self_share_lower", lower);
  object_words(functions, "self_share_lower", "%.1f .. %.1f", floor(1000 * lower) / 10,
               ceil(1000 * upper) / 10);
  object_number(functions, "self_share_upper", upper);
  stack_share(&lower, &upper, hot->total, &a->evidence);
  object_number(functions, "total_share_lower", lower);
  object_number(functions, "total_share_upper", upper);
}

static void show_functions(struct document *document, const struct profile_answer *a,
                           size_t count) {
  static const struct object_column columns[] = {
      {.title = "self", .align = TABLE_RIGHT, .key = "self_share", .decimals = 1},
      {.align = TABLE_RIGHT, .key = "self_share_lower"},
      {.title = "total", .align = TABLE_RIGHT, .key = "total_share", .decimals = 1},
      {.title = "function", .key = "name"},
      {.title = "in", .key = "module"},
  };
  struct objects *functions = document_objects(document, &function_kind);
  for (size_t i = 0; i < count; i++)
    put_function(functions, a, &a->hot.list.data[i]);
  document_table(document, LINES_APART, 2, functions, columns, sizeof columns / sizeof *columns);
  document_column_title(document, 1, "%g %% interval", 100 * a->request->level);
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
static void say_unnamed(struct document *document, const struct profile_answer *a) {
  enum { WORTH_SAYING = 1 };
  uint64_t plain = a->unnamed - a->compiled;
  if (percent(a->compiled, a) >= WORTH_SAYING)
    document_say(document, LINES_CLOSE,
                 "%.1f %% is code that was compiled at run time and that nobody named: start "
                 "Node with --perf-basic-prof, Java with -XX:+PreserveFramePointer and a map "
                 "(jcmd PID Compiler.perfmap), Python from 3.12 on with -X perf.",
                 percent(a->compiled, a));
  if (percent(plain, a) >= WORTH_SAYING)
    document_say(document, LINES_CLOSE,
                 "%.1f %% is in functions without a name, shown as the file and where they begin "
                 "in it; packages of debug symbols (-dbgsym, -dbg) have their names.",
                 percent(plain, a));
  if (percent(weight_of(a, "_PyEval_EvalFrameDefault"), a) >= 5)
    document_say(document, LINES_CLOSE,
                 "Python's own functions are not named: this interpreter runs them all in "
                 "_PyEval_EvalFrameDefault. Python from 3.12 on names them with -X perf.");
}

/* Each thread has the beginning and the end of its time on a processor in no sample: a few of them
 * are no reason to speak. */
static void say_unseen(struct document *document, const struct profile_answer *a) {
  enum { WORTH_SAYING = 2, FEW = 4 };
  double share = 100 * a->evidence.unseen;
  double samples = share / (100 - share) * (double)a->profile.count;
  if (share < WORTH_SAYING || share == 100 || samples < FEW)
    return;
  document_say(document, LINES_CLOSE,
               "No sample stands for %.1f %% of the processor time, which may be any function's: "
               "intervals are wider by that.%s",
               share, a->counters.user_only ? " The kernel's own time is in no sample." : "");
  if (!a->counters.processors)
    document_say(document, LINES_CLOSE,
                 "Threads that live for a few times 1/%u s are first sampled after one of them; "
                 "ask for a higher --rate, or as root for --short-threads.",
                 a->recording.rate);
}

static void say_limits(struct document *document, const struct profile_answer *a) {
  if (percent(a->recording.cut, a) >= 1)
    document_say(document, LINES_CLOSE,
                 "Of %.1f %% the outermost callers are not known ([unknown]); --stack %u copies "
                 "more of each stack.",
                 percent(a->recording.cut, a), a->counters.stack_bytes < 16384 ? 16384 : 65520);
  if (a->refused_map != 0)
    document_say(document, LINES_CLOSE,
                 "Names of /tmp/perf-%u.map were not read to its end: it is longer than %u MB or "
                 "%u million lines, or has a line of 64 kB, as no map has. What it names there "
                 "is without a name here.",
                 a->refused_map, (unsigned)(JIT_BYTES_MOST >> 20),
                 (unsigned)(JIT_LINES_MOST >> 20));
  if (a->counters.user_only)
    document_say(document, LINES_CLOSE,
                 "The kernel is left out, and what runs in it is not sampled: run as root, or set "
                 "kernel.perf_event_paranoid to 1, to have it too.");
  say_unseen(document, a);
}

static void put_sampling(struct document *document, const struct profile_answer *a) {
  struct objects *sampling = document_objects(document, &sampling_kind);
  objects_add(sampling);
  object_text(sampling, "event", counter_event_name(a->counters.event));
  object_count(sampling, "rate", a->recording.rate);
  object_number(sampling, "reached", a->reached);
  object_number(sampling, "seconds", a->seconds);
  object_number(sampling, "processor_seconds", (double)a->recording.processor_time / 1e9);
  object_count(sampling, "samples", a->profile.count);
  object_count(sampling, "lost", a->profile.lost);
  object_count(sampling, "throttled", a->profile.throttled);
  object_number(sampling, "confidence", a->request->level);
  object_number(sampling, "unseen", a->evidence.unseen);
  object_number(sampling, "unnamed", percent(a->unnamed, a) / 100);
  object_number(sampling, "cut", percent(a->recording.cut, a) / 100);
  object_flag(sampling, "kernel", !a->counters.user_only);
  object_text(sampling, "out", a->request->out);
}

static void show_samples(struct document *document, const struct profile_answer *a, size_t top) {
  size_t rows = rows_of(a, top);
  struct text text;
  text_init(&text);
  profile_head_say(&text, a);
  document_take(document, LINES_APART, 2, &text);
  profile_ran_say(document, a->recording.processor_time, a->seconds * 1e9);
  if (a->profile.count == 0) {
    document_say(document, LINES_CLOSE,
                 "No processor time was seen: there is nothing to say. Sample longer, or ask for a "
                 "higher --rate.");
    return;
  }
  document_section(document, "functions", "Functions");
  show_functions(document, a, rows);
  if (rows < a->hot.list.count)
    text_format(&text, "%zu more functions with --full.", a->hot.list.count - rows);
  document_take(document, LINES_APART, 2, &text);
  say_unnamed(document, a);
  say_limits(document, a);
}

void profile_document(struct document *document, const struct profile_answer *a, size_t top) {
  bool waits = a->request->off_cpu;
  document_init(document, "profile", profile_kinds);
  document_title(document, waits ? "Where threads wait" : "Where the processor time goes");
  put_sampling(document, a);
  if (waits) {
    profile_waits_say(document, a, top);
    if (a->profile.count != 0)
      say_unnamed(document, a);
  } else {
    show_samples(document, a, top);
  }
  document_ledger(document, &a->ledger);
}
