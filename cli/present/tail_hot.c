/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/tail_hot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "trace/hot/runtime.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/unit.h"

enum { SHOWN = 8, SHOWN_ALL = 200, SHOWN_CALLERS = 4, SHOWN_WAITS = 8 };

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key hot_keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("of", TEXT, .marks = MARK_NAMES, .words = "own|with callees|runtime"),
    KEY("while", TEXT, .marks = MARK_NAMES, .words = "executing|waiting"),
    KEY("slow", NUMBER),
    KEY("rest", NUMBER),
    KEY("difference", NUMBER),
    KEY("least", NUMBER, .marks = MARK_LOWER),
    KEY("most", NUMBER, .marks = MARK_UPPER),
    KEY("slow_samples", NUMBER),
    KEY("rest_samples", NUMBER),
    KEY("by_chance", NUMBER),
    KEY("significant", FLAG),
    KEY("largest", SHARE, .marks = MARK_MAYBE,
        .note = "of waits: what one request has of all in slow ones"),
    KEY("called_by", TEXT, .marks = MARK_MAYBE, .note = "not there: no callers known"),
    {0}};
const struct object_kind hot_kind = {"hot", "of `tail --profile`", hot_keys};

static const struct object_key joined_keys[] = {
    KEY("while", TEXT, .marks = MARK_NAMES, .words = "executing|waiting"),
    KEY("verdict", TEXT, .words = "found|nothing|too few|clocks|threads",
        .note = "`clocks`: these are apart; `threads`: of requests are not known"),
    KEY("off_cpu", FLAG, .note = "samples are waits, and rates parts of the time"),
    KEY("slow", COUNT),
    KEY("rest", COUNT, .note = "requests"),
    KEY("slow_ns", NS),
    KEY("rest_ns", NS),
    KEY("slow_samples", NUMBER),
    KEY("rest_samples", NUMBER),
    KEY("samples", COUNT),
    KEY("matched", COUNT),
    KEY("shared", COUNT),
    KEY("outside", COUNT),
    KEY("tested", COUNT),
    KEY("of_processor", FLAG,
        .note = "false: `slow` and `rest` of `hot` are weights for each second"),
    KEY("rate", NUMBER, .note = "0: not said"),
    KEY("shift_ns", NS),
    KEY("clock_samples", COUNT),
    KEY("clock_inside", COUNT, .note = "of the requests' threads; in requests"),
    KEY("clock_best_ns", NS),
    KEY("clock_best_share", SHARE),
    {0}};
const struct object_kind joined_profile_kind = {"joined_profile", "after them", joined_keys};

/* --- functions -------------------------------------------------------------------------------- */

static void append_name(struct text *text, const struct hot_answer *a,
                        const struct hot_finding *finding) {
  if (finding->kind == HOT_RUNTIME)
    text_append(text, hot_runtime_name((enum hot_runtime)finding->item));
  else if (finding->item == 0)
    text_append(text, "[no stack]");
  else
    stack_frame_text(&a->profile, a->functions.frame[finding->item], false, text);
}

/* "render < serve < main"; of waits more, as the first ones are those of the C library. */
static void append_callers(struct text *text, const struct hot_answer *a, uint32_t node) {
  for (unsigned i = 0; node != STACK_NONE && node != 0; i++) {
    node = a->profile.nodes.data[node].parent;
    if (node == 0)
      return;
    text_append(text, i == 0 ? "" : " < ");
    if (i == (a->off_cpu ? SHOWN_WAITS : SHOWN_CALLERS)) {
      text_append(text, "...");
      return;
    }
    stack_frame_text(&a->profile, a->profile.nodes.data[node].frame, false, text);
  }
}

static double percent(double rate) {
  return round(1000 * rate) / 10 + 0.0;
}

/* A part of a processor, or a weight for each second. */
static void put_rate(struct objects *hot, const char *key, const struct hot_answer *a,
                     double rate) {
  object_number(hot, key, rate);
  if (a->processor)
    object_words(hot, key, "%.1f %%", percent(rate));
  else
    object_words(hot, key, "%.4g", rate);
}

static void put_interval(struct objects *hot, const struct hot_answer *a,
                         const struct hot_finding *finding) {
  object_number(hot, "least", finding->least);
  object_number(hot, "most", finding->most);
  if (a->processor)
    object_words(hot, "least", "%.1f .. %.1f %%", floor(1000 * finding->least) / 10 + 0.0,
                 ceil(1000 * finding->most) / 10 + 0.0);
  else
    object_words(hot, "least", "%.4g .. %.4g", finding->least, finding->most);
}

static void put_finding(struct objects *hot, const struct hot_answer *a, int role,
                        const struct hot_finding *finding) {
  static const char *const kinds[] = {"own", "with callees", "runtime"};
  static const char *const roles[HOT_ROLES] = {"executing", "waiting"};
  struct text text;
  text_init(&text);
  objects_add(hot);
  append_name(&text, a, finding);
  object_text(hot, "name", text_get(&text));
  text_clear(&text);
  object_text(hot, "of", kinds[finding->kind]);
  object_text(hot, "while", roles[role]);
  put_rate(hot, "slow", a, finding->slow);
  put_rate(hot, "rest", a, finding->rest);
  put_rate(hot, "difference", a, finding->difference);
  put_interval(hot, a, finding);
  object_number(hot, "slow_samples", finding->slow_samples);
  object_number(hot, "rest_samples", finding->rest_samples);
  object_words(hot, "slow_samples", "%.0f + %.0f", finding->slow_samples, finding->rest_samples);
  object_number(hot, "by_chance", finding->chance);
  object_flag(hot, "significant", finding->significant);
  if (a->off_cpu) {
    object_number(hot, "largest", finding->largest);
    object_words(hot, "largest", "%.0f %%", 100 * finding->largest);
  }
  append_callers(&text, a, finding->node);
  if (text.length != 0)
    object_text(hot, "called_by", text_get(&text));
  else
    object_words(hot, "called_by", "%s", finding->significant ? "" : "not significant");
  text_clear(&text);
}

/* All findings of a kind; `shown`: to people, and not only when they ask for all. How many those
 * are. */
static size_t show_kind(struct document *document, const struct hot_answer *a, int role,
                        enum hot_kind kind, bool shown, double level) {
  static const char *const titles[] = {"function", "function,\nwith what it calls",
                                       "part of the runtime"};
  static const char *const waited[] = {"waited in", "function,\nwith what it calls", ""};
  static const struct object_column columns[] = {
      {.key = "name"},
      {.title = "slow", .align = TABLE_RIGHT, .key = "slow"},
      {.title = "rest", .align = TABLE_RIGHT, .key = "rest"},
      {.title = "more", .align = TABLE_RIGHT, .key = "difference"},
      {.align = TABLE_RIGHT, .key = "least"},
      {.title = "samples\nslow + rest", .align = TABLE_RIGHT, .key = "slow_samples"},
      {.title = "largest", .align = TABLE_RIGHT, .key = "largest"},
      {.title = "called by", .key = "called_by"},
  };
  const struct hot_report *report = &a->reports[role];
  struct objects *hot = document_objects(document, &hot_kind);
  size_t rank = 0, brief = 0;
  for (size_t i = 0; i < report->findings.count; i++) {
    const struct hot_finding *finding = &report->findings.data[i];
    if (finding->kind != kind)
      continue;
    bool matters = shown && brief < SHOWN && (finding->significant || kind == HOT_RUNTIME);
    put_finding(hot, a, role, finding);
    object_shown(hot, rank++ >= SHOWN_ALL ? SHOWN_PROGRAMS : matters ? SHOWN_ALWAYS : SHOWN_FULL);
    brief += matters;
  }
  document_table(document, LINES_CLOSE, 4, hot, columns, sizeof columns / sizeof *columns);
  document_column_title(document, 0, "%s", a->off_cpu ? waited[kind] : titles[kind]);
  if (a->off_cpu)
    document_column_title(document, 5, "waits\nslow + rest");
  document_column_title(document, 4, "with %g %% confidence", 100 * (1 - level));
  return brief;
}

/* --- what can be told ------------------------------------------------------------------------- */

/* Of waits: what is needed to know whose they are. */
static void say_threads(struct document *document) {
  document_say(document, LINES_APART,
               "What slow requests waited in cannot be told: several threads of their process "
               "waited, and no span says which it was on. Give spans a tag thread.id, the system's "
               "number of the thread (gettid; threading.get_native_id() in Python).");
}

static const char *const doing[HOT_ROLES] = {"executing", "waiting behind others"};

static void say_few(struct document *document, const struct hot_report *report, const char *what) {
  document_say(document, LINES_APART,
               "What functions slow requests run while they are %s cannot be told: the profile "
               "has %.0f samples in %zu slow requests and %.0f in %zu others. It takes %d "
               "samples and %d requests of each side: sample faster or longer, or choose a "
               "lower --above.",
               what, report->slow_samples, report->slow, report->rest_samples, report->rest,
               HOT_LEAST_SIDE, HOT_LEAST_REQUESTS);
}

/* What the numbers of the table are. */
static void say_unit(struct document *document, const struct hot_answer *a) {
  struct text unit;
  text_init(&unit);
  stack_unit_append(&unit, &a->profile);
  document_say(document, LINES_CLOSE,
               "The numbers are %s for each second of a request's own work: the profile does not "
               "say what part of a processor that is.",
               text_get(&unit));
  text_clear(&unit);
}

static void append_offset(struct text *text, int64_t ns) {
  text_format(text, "%s%" PRIu64 ".%06" PRIu64 "s", ns < 0 ? "-" : "",
              (uint64_t)llabs((long long)ns) / 1000000000,
              (uint64_t)llabs((long long)ns) % 1000000000 / 1000);
}

static void say_clocks(struct document *document, const struct hot_answer *a) {
  const struct hot_clock *clock = &a->clock;
  struct text text, better, same;
  text_init(&text);
  text_init(&better);
  text_init(&same);
  append_offset(&better, a->shift + clock->shift);
  append_offset(&same, a->shift);
  text_format(&text,
              "What functions slow requests run cannot be told, since nobody can see that the "
              "profile's clock is that of the requests. Of %" PRIu64
              " samples of their threads %.1f %% were taken in requests, ",
              clock->samples, 100 * (double)clock->inside / (double)clock->samples);
  if (clock->apart)
    text_format(&text,
                "and %.1f %% if the profile is put forward by %s. Record both on one clock, or "
                "say --profile-offset %s (%s if you know that the clocks agree).",
                100 * clock->share, text_get(&better), text_get(&better), text_get(&same));
  else
    text_format(&text,
                "no more than at any other moment. Record both on one clock, or say "
                "--profile-offset %s if you know that the clocks agree.",
                text_get(&same));
  document_take(document, LINES_APART, 2, &text);
  text_clear(&text);
  text_clear(&better);
  text_clear(&same);
}

static void say_waits_clocks(struct document *document, const struct hot_answer *a) {
  struct text same;
  text_init(&same);
  append_offset(&same, a->shift);
  document_say(document, LINES_APART,
               "What slow requests waited in cannot be told, since nobody can see that the "
               "profile's clock is that of the requests: of %" PRIu64
               " moments at which they begin or end their work %" PRIu64
               " are in a wait of their thread, as many as by chance. Record both on one clock, "
               "or say --profile-offset %s if you know that the clocks agree.",
               a->clock.samples, a->clock.inside, text_get(&same));
  text_clear(&same);
}

static void say_waited(struct document *document, const struct hot_report *report) {
  if (report->verdict == HOT_NOTHING)
    document_say(document, LINES_APART,
                 "Nothing is waited in significantly more by slow requests, in the same time (%zu "
                 "tested, %.0f + %.0f waits).",
                 report->tested, report->slow_samples, report->rest_samples);
  else
    document_say(document, LINES_APART,
                 "What slow requests wait in more, in the same time (all waits; %zu tested, %.0f + "
                 "%.0f waits); \"largest\" is what one request has of all in slow ones:",
                 report->tested, report->slow_samples, report->rest_samples);
}

static void say_found(struct document *document, const struct hot_answer *a, int role) {
  const struct hot_report *report = &a->reports[role];
  if (a->off_cpu) {
    say_waited(document, report);
    return;
  }
  if (report->verdict == HOT_NOTHING)
    document_say(document, LINES_APART,
                 "No function runs significantly more in slow requests, in the same time, while "
                 "they are %s (%zu tested, %.0f + %.0f samples).",
                 doing[role], report->tested, report->slow_samples, report->rest_samples);
  else
    document_say(document, LINES_APART,
                 "Functions that run more in slow requests, in the same time, while they are %s "
                 "(sampled; %zu tested, %.0f + %.0f samples):",
                 doing[role], report->tested, report->slow_samples, report->rest_samples);
  if (!a->processor)
    say_unit(document, a);
}

static void put_summary(struct document *document, const struct hot_answer *a, int role) {
  static const char *const verdicts[] = {"found", "nothing", "too few", "clocks", "threads"};
  static const char *const roles[HOT_ROLES] = {"executing", "waiting"};
  const struct hot_report *report = &a->reports[role];
  struct objects *joined = document_objects(document, &joined_profile_kind);
  objects_add(joined);
  object_text(joined, "while", roles[role]);
  object_text(joined, "verdict", verdicts[report->verdict]);
  object_flag(joined, "off_cpu", a->off_cpu);
  object_count(joined, "slow", report->slow);
  object_count(joined, "rest", report->rest);
  object_ns(joined, "slow_ns", (int64_t)report->slow_time);
  object_ns(joined, "rest_ns", (int64_t)report->rest_time);
  object_number(joined, "slow_samples", report->slow_samples);
  object_number(joined, "rest_samples", report->rest_samples);
  object_count(joined, "samples", a->joins[role].samples);
  object_count(joined, "matched", a->joins[role].matched);
  object_count(joined, "shared", a->joins[role].shared);
  object_count(joined, "outside", a->joins[role].outside);
  object_count(joined, "tested", report->tested);
  object_flag(joined, "of_processor", a->processor);
  object_number(joined, "rate", (double)a->profile.rate);
  object_ns(joined, "shift_ns", a->shift);
  object_count(joined, "clock_samples", a->clock.samples);
  object_count(joined, "clock_inside", a->clock.inside);
  object_ns(joined, "clock_best_ns", a->shift + a->clock.shift);
  object_number(joined, "clock_best_share", a->clock.share);
}

/* Where nothing can be told the functions are for programs alone, which see the verdict. */
static void show_role(struct document *document, const struct hot_answer *a, int role,
                      double level) {
  const struct hot_report *report = &a->reports[role];
  bool told = report->verdict == HOT_FOUND || report->verdict == HOT_NOTHING;
  if (role == HOT_WAITING && a->refused)
    told = false;
  else if (report->verdict == HOT_THREADS)
    say_threads(document);
  else if (report->verdict == HOT_CLOCKS && a->off_cpu)
    say_waits_clocks(document, a);
  else if (report->verdict == HOT_CLOCKS)
    say_clocks(document, a);
  else if (report->verdict == HOT_TOO_FEW)
    say_few(document, report, doing[role]);
  else
    say_found(document, a, role);
  if (told) {
    size_t own = show_kind(document, a, role, HOT_OWN, true, level);
    show_kind(document, a, role, HOT_WITH_CALLEES, own == 0, level);
    show_kind(document, a, role, HOT_RUNTIME, true, level);
  } else {
    struct objects *hot = document_objects(document, &hot_kind);
    for (size_t i = 0; i < report->findings.count; i++)
      put_finding(hot, a, role, &report->findings.data[i]);
  }
  put_summary(document, a, role);
}

void hot_document(struct document *document, const struct hot_answer *a, double level) {
  if (a == NULL || !a->found)
    return;
  for (int role = 0; role < (a->waits ? HOT_ROLES : HOT_WAITING); role++) {
    document_section(document, role == 0 ? "functions" : "functions-waiting", "%s",
                     a->off_cpu  ? "Waits"
                     : role == 0 ? "Functions"
                                 : "Functions, while waiting");
    show_role(document, a, role, level);
  }
}
