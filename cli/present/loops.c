/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` about event logs as a document (loops.h).
 */
#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/difference.h"
#include "cli/present/loops.h"
#include "cli/present/tail_hot.h"
#include "cli/question/loops/loops.h"
#include "trace/event/word.h"
#include "trace/loop/seen.h"

enum { SHOWN_ROUTES = 3, SHOWN_FUNCTIONS = 3 };

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key percentile_keys[] = {
    KEY("route", TEXT, .marks = MARK_NAMES),
    KEY("p", TEXT, .marks = MARK_NAMES),
    KEY("ns", NS),
    KEY("settled", FLAG, .note = "false: the requests drift"),
    KEY("lower_ns", NS, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("upper_ns", NS, .marks = MARK_MAYBE | MARK_UPPER),
    {0}};
static const struct object_kind percentile_kind = {"route_percentile", "of `tail` about event logs",
                                                   percentile_keys};

static const struct object_key part_keys[] = {
    KEY("route", TEXT, .marks = MARK_NAMES),
    KEY("phase", TEXT, .marks = MARK_NAMES),
    KEY("name", TEXT, .marks = MARK_NAMES | MARK_MAYBE, .note = "not there: all of the phase"),
    KEYS_OF_DIFFERENCE,
    {0}};
static const struct object_kind part_kind = {"route_part", "of `tail` about event logs", part_keys};

static const struct object_key cause_keys[] = {
    KEY("route", TEXT, .marks = MARK_NAMES),
    KEY("rank", COUNT, .marks = MARK_NAMES),
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("types", TEXT, .marks = MARK_MAYBE, .note = "of Node.js that the name stands for"),
    KEYS_OF_DIFFERENCE,
    KEY("apart_ns", NS, .marks = MARK_MAYBE),
    KEYS_OF_SHARE("necessary", 0),
    KEY("request", COUNT, .note = "for `--route` and `--request`: one that shows it"),
    {0}};
static const struct object_kind cause_kind = {
    "cause", "of `tail` about event logs, those that are named", cause_keys};
static const struct object_kind ordinary_kind = {
    "ordinary", "of `tail` about event logs, what is longer in slow requests without being a cause",
    cause_keys};

static const struct object_key seen_keys[] = {
    KEY("route", TEXT, .marks = MARK_NAMES),
    KEY("cause", TEXT, .marks = MARK_NAMES),
    KEY("function", TEXT, .marks = MARK_NAMES, .note = "file, line, column and name"),
    KEY("stack", TEXT, .note = "of one of the looks: this function, and who called it"),
    KEY("looks", COUNT),
    KEY("of", COUNT, .note = "looks of the recorder at runs of the cause"),
    {0}};
static const struct object_kind seen_kind = {
    "seen", "of `tail` about event logs, functions that the recorder saw in a cause", seen_keys};

static const struct object_key route_keys[] = {
    KEY("route", TEXT, .marks = MARK_NAMES),
    KEY("verdict", TEXT, .words = "explained|too few requests|no cause"),
    KEY("requests", COUNT),
    KEY("slow", COUNT),
    KEY("slow_stretches", COUNT, .note = "of the loop in which those waited"),
    KEY("threshold_ns", NS),
    KEY("causes", COUNT),
    KEYS_OF_DIFFERENCE,
    {0}};
static const struct object_kind route_kind = {"route", "of `tail` about event logs", route_keys};

static const struct object_key loops_keys[] = {
    KEY("loops", COUNT),
    KEY("requests", COUNT),
    KEY("complete", COUNT, .note = "with all of their chain"),
    KEY("replays_exactly", FLAG),
    {0}};
static const struct object_kind loops_kind = {"loops", "of `tail` about event logs", loops_keys};

const struct object_kind *const loops_kinds[] = {
    &loops_kind, &route_kind, &percentile_kind,     &part_kind,       &cause_kind, &ordinary_kind,
    &seen_kind,  &hot_kind,   &joined_profile_kind, &assumption_kind, NULL};

/* --- percentiles ------------------------------------------------------------------------------ */

static void take_ns(struct table *table, uint64_t ns) {
  struct text text;
  text_init(&text);
  duration_print_nearest(&text, (int64_t)ns);
  table_take(table, &text);
}

/* "12.1 .. 14.2 ms", or what is known of it. */
static void take_interval(struct table *table, const struct loop_quantile *q) {
  struct text text;
  text_init(&text);
  if (!q->settled) {
    table_cell(table, "%s", "cannot tell");
    return;
  }
  duration_print_lower(&text, q->lower_ns);
  text_append(&text, " .. ");
  if (q->upper_ns == QUANTILE_INFINITE)
    text_append(&text, "?");
  else
    duration_print_upper(&text, q->upper_ns);
  table_take(table, &text);
}

static void routes_table(struct table *table, const struct loops_answer *a, bool intervals) {
  char title[40];
  table_init(table);
  table_column(table, TABLE_LEFT, "route");
  table_column(table, TABLE_RIGHT, "requests");
  for (size_t i = 0; i < a->wanted.count; i++) {
    snprintf(title, sizeof title, "p%s", a->wanted.data[i].text);
    table_column(table, TABLE_RIGHT, title);
  }
  for (size_t r = 0; r < a->routes.count; r++) {
    const struct loops_route *route = &a->routes.data[r];
    table_cell(table, "%s", loops_route_name(a, route));
    table_cell(table, "%zu", route->judgement.route->causes.requests);
    for (size_t i = 0; i < a->wanted.count; i++)
      take_ns(table, route->percentiles[i].value_ns);
    if (!intervals)
      continue;
    table_cell(table, "  at %.9g %%", 100 * rational_double(&a->request->confidence));
    table_cell(table, "%s", "");
    for (size_t i = 0; i < a->wanted.count; i++)
      take_interval(table, &route->percentiles[i]);
  }
}

static void show_percentiles(struct document *document, const struct loops_answer *a,
                             bool intervals) {
  struct table table;
  routes_table(&table, a, intervals);
  document_show(document, intervals ? SHOWN_FULL : SHOWN_BRIEF);
  document_grid(document, LINES_APART, 2, &table);
  document_show(document, SHOWN_ALWAYS);
}

static void put_percentiles(struct document *document, const struct loops_answer *a,
                            const struct loops_route *route) {
  struct objects *objects = document_objects(document, &percentile_kind);
  for (size_t i = 0; i < a->wanted.count; i++) {
    const struct loop_quantile *q = &route->percentiles[i];
    objects_add(objects);
    object_text(objects, "route", loops_route_name(a, route));
    object_text(objects, "p", a->wanted.data[i].text);
    object_ns(objects, "ns", (int64_t)q->value_ns);
    object_flag(objects, "settled", q->settled);
    if (q->settled) {
      object_ns(objects, "lower_ns", (int64_t)q->lower_ns);
      if (q->upper_ns != QUANTILE_INFINITE)
        object_ns(objects, "upper_ns", (int64_t)q->upper_ns);
    }
  }
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Parts of a hundredth of the difference or more. */
static bool is_shown(const struct loop_judgement *j, const struct loop_line *line) {
  if (line->phase == HOLD_UNSURE) /* one line says all */
    return line->cause == EVENT_NONE && line->difference.slow + line->difference.rest > 0;
  return line->cause == EVENT_NONE ||
         fabs(line->difference.difference) >= fabs(j->report.latency.difference) / 100;
}

static struct objects *put_parts(struct document *document, const struct loops_answer *a,
                                 const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  struct objects *parts = document_objects(document, &part_kind);
  for (size_t i = 0; i < j->lines.count; i++) {
    const struct loop_line *line = &j->lines.data[i];
    objects_add(parts);
    object_text(parts, "route", loops_route_name(a, route));
    object_text(parts, "phase", hold_phase_name(line->phase));
    if (line->cause != EVENT_NONE) {
      const char *name = j->route->causes.causes.data[line->cause].name;
      object_text(parts, "name", name);
      object_words(parts, "phase", "- %s", name);
    }
    object_difference(parts, &line->difference);
    object_shown(parts, is_shown(j, line)            ? SHOWN_ALWAYS
                        : line->phase == HOLD_UNSURE ? SHOWN_PROGRAMS
                                                     : SHOWN_FULL);
  }
  if (j->lines.count == 0)
    return parts;
  objects_add(parts);
  object_shown(parts, SHOWN_PEOPLE);
  object_words(parts, "phase", "all of it");
  object_difference(parts, &j->report.latency);
  return parts;
}

static void show_parts(struct document *document, const struct loops_answer *a,
                       struct objects *parts) {
  static const struct object_column columns[] = {
      {.title = "part of the latency", .key = "phase"},
      {.title = "slow", .align = TABLE_RIGHT, .key = "slow_ns"},
      {.title = "others", .align = TABLE_RIGHT, .key = "rest_ns"},
      {.title = "more", .align = TABLE_RIGHT, .key = "difference_ns"},
      {.align = TABLE_RIGHT, .form = COLUMN_RANGE, .key = "least_ns", .to = "most_ns"},
  };
  document_table(document, LINES_APART, 4, parts, columns, sizeof columns / sizeof *columns);
  document_column_title(document, 4, "%.4g %% interval", 100 * (1 - a->level));
}

/* --- causes ----------------------------------------------------------------------------------- */

/* "FSREQCALLBACK, FSREQPROMISE" */
static void append_types(struct text *text, const struct loops_answer *a,
                         const struct loop_cause *cause) {
  const struct event_log *log = &a->log;
  for (uint32_t name = 1; cause->type != 0 && name < log->names.texts.count; name++)
    if (a->causes.words[name] == cause->type)
      text_format(text, "%s%s", text->length == 0 ? "" : ", ", names_text(&log->names, name));
}

static const struct loop_cause *cause_of(const struct loops_answer *a,
                                         const struct loops_route *route, uint32_t number) {
  const struct loop_judgement *j = &route->judgement;
  return &a->causes.causes.data[j->route->kinds.data[j->report.findings.data[number].cause]];
}

static void put_cause(struct objects *causes, const struct loops_answer *a,
                      const struct loops_route *route, size_t rank, uint32_t number) {
  const struct loop_judgement *j = &route->judgement;
  const struct tail_finding *finding = &j->report.findings.data[number];
  const struct tail_share *share = &finding->necessary;
  const char *name = j->route->causes.causes.data[finding->cause].name;
  objects_add(causes);
  object_text(causes, "route", loops_route_name(a, route));
  object_count(causes, "rank", rank);
  object_text(causes, "name", name);
  object_words(causes, "name", "%zu. %s", rank, name);
  struct text types;
  text_init(&types);
  append_types(&types, a, cause_of(a, route, number));
  if (types.length != 0)
    object_text(causes, "types", text_get(&types));
  text_clear(&types);
  object_difference(causes, &finding->difference);
  if (j->apart[number] != 0 && j->apart[number] != INT64_MAX)
    object_ns(causes, "apart_ns", j->apart[number]);
  size_t place;
  loops_shows(route, number, &place);
  object_share(causes, "necessary", share);
  object_count(causes, "request", place);
  object_words(causes, "necessary.of", "%zu of %zu", share->count, share->of);
}

static void show_causes(struct document *document, struct objects *causes) {
  static const struct object_column columns[] = {
      {.title = "without this", .key = "name"},
      {.title = "slow requests that would not be slow",
       .align = TABLE_RIGHT,
       .key = "necessary.of"},
      {.title = "",
       .align = TABLE_RIGHT,
       .form = COLUMN_RANGE,
       .key = "necessary.least",
       .to = "necessary.most"},
  };
  document_table(document, LINES_CLOSE, 4, causes, columns, sizeof columns / sizeof *columns);
}

static void put_seen(struct objects *seen, const struct loops_answer *a,
                     const struct loops_route *route, size_t rank, uint32_t number) {
  const struct loop_judgement *j = &route->judgement;
  struct loop_seen all;
  struct text said;
  text_init(&said);
  loop_seen_find(&all, &a->causes, cause_of(a, route, number));
  for (size_t i = 0; i < all.functions.count; i++) {
    const struct loop_function *function = &all.functions.data[i];
    struct slice name = loop_stack_function(function->stack);
    objects_add(seen);
    object_text(seen, "route", loops_route_name(a, route));
    object_text(seen, "cause",
                j->route->causes.causes.data[j->report.findings.data[number].cause].name);
    text_clear(&said);
    text_append_bytes(&said, name.start, name.length);
    object_text(seen, "function", text_get(&said));
    text_clear(&said);
    loop_stack_say(&said, function->stack);
    object_text(seen, "stack", text_get(&said));
    object_words(seen, "stack", "%zu. %s", rank, text_get(&said));
    object_count(seen, "looks", function->looks);
    object_count(seen, "of", all.looks);
    object_words(seen, "looks", "%u of %u", function->looks, all.looks);
    object_shown(seen, i < SHOWN_FUNCTIONS ? SHOWN_ALWAYS : SHOWN_FULL);
  }
  text_clear(&said);
  loop_seen_clear(&all);
}

/* Which functions were seen in what is named. */
static void show_seen(struct document *document, const struct loops_answer *a,
                      const struct loops_route *route) {
  static const struct object_column columns[] = {
      {.title = "seen in it by the recorder", .key = "stack"},
      {.title = "looks", .align = TABLE_RIGHT, .key = "looks"},
  };
  const struct loop_judgement *j = &route->judgement;
  struct objects *seen = document_objects(document, &seen_kind);
  for (size_t i = 0; i < j->named.count; i++)
    put_seen(seen, a, route, i + 1, j->named.data[i]);
  document_table(document, LINES_APART, 4, seen, columns, sizeof columns / sizeof *columns);
}

/* "Types of Node.js: request is HTTPINCOMINGMESSAGE; file is FSREQCALLBACK, FSREQPROMISE." */
static void say_types(struct document *document, const struct loops_answer *a) {
  const struct span_names *names = &a->log.names;
  struct text text;
  text_init(&text);
  for (uint32_t name = 1; name < names->texts.count; name++) {
    if (a->causes.words[name] != name || event_word(names_text(names, name)) == NULL)
      continue;
    text_append(&text, text.length == 0 ? "Types of Node.js: " : "; ");
    event_word_append(&text, names_text(names, name));
    text_append(&text, " is ");
    struct text types;
    text_init(&types);
    append_types(&types, a, &(struct loop_cause){.type = name});
    text_append(&text, text_get(&types));
    text_clear(&types);
  }
  document_show(document, SHOWN_FULL);
  if (text.length != 0) {
    text_append(&text, ".");
    document_take(document, LINES_APART, 2, &text);
  }
  document_show(document, SHOWN_ALWAYS);
  text_clear(&text);
}

static struct objects *put_causes(struct document *document, const struct loops_answer *a,
                                  const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  struct objects *ordinary = document_objects(document, &ordinary_kind);
  for (size_t i = 0; i < j->ordinary.count; i++)
    put_cause(ordinary, a, route, i + 1, j->ordinary.data[i]);
  struct objects *causes = document_objects(document, &cause_kind);
  for (size_t i = 0; i < j->named.count; i++)
    put_cause(causes, a, route, i + 1, j->named.data[i]);
  return causes;
}

/* --- a route ---------------------------------------------------------------------------------- */

static const char *verdict_word(enum loops_verdict verdict) {
  return verdict == LOOPS_EXPLAINED ? "explained"
         : verdict == LOOPS_TOO_FEW ? "too few requests"
                                    : "no cause";
}

static void put_route(struct document *document, const struct loops_answer *a,
                      const struct loops_route *route) {
  const struct loop_judgement *j = &route->judgement;
  struct objects *routes = document_objects(document, &route_kind);
  objects_add(routes);
  object_text(routes, "route", loops_route_name(a, route));
  object_text(routes, "verdict", verdict_word(route->verdict));
  object_count(routes, "requests", j->split.requests);
  object_count(routes, "slow", j->split.slow);
  object_count(routes, "slow_stretches", j->report.slow_observed);
  object_ns(routes, "threshold_ns", j->split.threshold);
  object_count(routes, "causes", j->report.tested);
  object_difference(routes, &j->report.latency);
}

static void say(struct document *document, enum lines lines, const struct loops_answer *a,
                const struct loops_route *route,
                void (*what)(struct text *, const struct loops_answer *,
                             const struct loops_route *)) {
  struct text text;
  text_init(&text);
  what(&text, a, route);
  document_take(document, lines, 2, &text);
  text_clear(&text);
}

static void show_route(struct document *document, const struct loops_answer *a, size_t index) {
  const struct loops_route *route = &a->routes.data[index];
  char id[40];
  document_show(document, index < SHOWN_ROUTES ? SHOWN_ALWAYS : SHOWN_FULL);
  snprintf(id, sizeof id, "route%zu", index);
  document_section(document, id, "%s", loops_route_name(a, route));
  say(document, LINES_APART, a, route, loops_slow_say);
  put_percentiles(document, a, route);
  show_parts(document, a, put_parts(document, a, route));
  say(document, route->judgement.lines.count == 0 ? LINES_CLOSE : LINES_APART, a, route,
      loops_verdict_say);
  struct objects *causes = put_causes(document, a, route);
  if (route->verdict == LOOPS_EXPLAINED) {
    show_causes(document, causes);
    show_seen(document, a, route);
  }
  put_route(document, a, route);
  document_show(document, SHOWN_ALWAYS);
}

/* --- all of it -------------------------------------------------------------------------------- */

void loops_document(struct document *document, const struct loops_answer *a,
                    const struct hot_answer *hot, const struct document_page *page) {
  size_t requests = 0, slow = 0, routes = a->routes.count;
  for (size_t i = 0; i < routes; i++) {
    requests += a->routes.data[i].judgement.split.requests;
    slow += a->routes.data[i].judgement.split.slow;
  }
  document_init(document, "tail", loops_kinds);
  document_title(document, "Why %zu of %zu requests are slow", slow, requests);
  document_made(document, page);
  document_figures(document, page, a, 0);
  document_section(document, "routes", "Percentiles");
  show_percentiles(document, a, false);
  show_percentiles(document, a, true);
  for (size_t i = 0; i < routes; i++)
    show_route(document, a, i);
  document_show(document, SHOWN_BRIEF);
  if (routes > SHOWN_ROUTES)
    document_say(document, LINES_APART,
                 "%zu further routes: --route NAME or --full says why their requests are slow.",
                 routes - SHOWN_ROUTES);
  document_show(document, SHOWN_ALWAYS);
  say_types(document, a);
  hot_document(document, hot, a->level);
  struct objects *all = document_objects(document, &loops_kind);
  objects_add(all);
  object_count(all, "loops", a->log.loops.count);
  object_count(all, "requests", a->log.requests.count);
  object_count(all, "complete", a->chains.states[CHAIN_COMPLETE]);
  object_flag(all, "replays_exactly", a->causes.unfaithful == 0);
  document_ledger(document, &a->ledger);
}
