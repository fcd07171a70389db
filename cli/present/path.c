/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace path` as a document (path.h).
 */
#include <inttypes.h>

#include "base/duration.h"
#include "cli/present/order.h"
#include "cli/present/path.h"

enum { DOUBTS_LISTED = 3 };

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key part_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("operation", TEXT, .marks = MARK_NAMES),
    KEY("of", TEXT, .marks = MARK_NAMES, .words = "work|network|queue"),
    KEY("requests", COUNT, .note = "on whose critical path it is"),
    KEY("ns", NS, .marks = MARK_DIGITS),
    KEY("ns_of_slowest", NS, .marks = MARK_DIGITS, .note = "the slowest hundredth"),
    KEY("ns_if_free", NS, .marks = MARK_DIGITS, .note = "if nothing undecided is a wait"),
    KEY("mean_ns", NS, .note = "for each request"),
    KEY("share", SHARE, .note = "of all latency"),
    {0}};
static const struct object_kind part_kind = {"part", "of `trace path`, over all requests",
                                             part_keys};

static const struct object_key limit_keys[] = {
    KEY("flow", COUNT, .marks = MARK_NAMES),
    KEY("caller", TEXT, .marks = MARK_NAMES),
    KEY("service", TEXT, .marks = MARK_NAMES | MARK_NULL, .note = "null: of several"),
    KEY("calls", COUNT),
    KEY("limit", COUNT),
    KEY("reached", COUNT, .note = "times"),
    KEY("by_chance", NUMBER),
    KEY("verdict", TEXT, .words = "pool|undecided|unread"),
    {0}};
static const struct object_kind limit_kind = {"limit", "suspected", limit_keys};

static const struct object_key paths_keys[] = {KEY("requests", COUNT),
                                               KEY("latency_ns", NS, .marks = MARK_DIGITS),
                                               KEY("slowest_requests", COUNT),
                                               KEY("slowest_from_ns", NS),
                                               KEY("slowest_latency_ns", NS, .marks = MARK_DIGITS),
                                               {0}};
static const struct object_kind paths_kind = {"paths", "of `trace path`; latencies are sums",
                                              paths_keys};

const struct object_kind *const path_kinds[] = {&paths_kind,
                                                &path_request_kind,
                                                &path_step_kind,
                                                &path_slack_kind,
                                                &part_kind,
                                                &path_way_kind,
                                                &path_flow_kind,
                                                &order_kind,
                                                &limit_kind,
                                                &assumption_kind,
                                                NULL};

double path_share_of(int64_t part, int64_t whole) {
  return whole > 0 ? (double)part / (double)whole : 0;
}

void path_put_call(struct objects *objects, const char *key, const struct trace_path *answer,
                   const struct request_flow *flow, uint32_t position) {
  struct text text;
  text_init(&text);
  path_call_say(&text, answer, flow, position);
  object_text(objects, key, text_get(&text));
  text_clear(&text);
}

/* --- all requests ----------------------------------------------------------------------------- */

static void put_part(struct objects *parts, const struct trace_path *answer,
                     const struct path_part *part) {
  const struct span_names *names = &answer->store.names;
  const char *service = names_text(names, part->service);
  const char *operation = names_text(names, part->operation);
  objects_add(parts);
  object_text(parts, "service", service);
  object_text(parts, "operation", operation);
  object_words(parts, "operation", "%s%s%s%s", part->service == 0 ? "" : service,
               part->service == 0 ? "" : "/", operation,
               part->kind == ACTIVITY_NETWORK ? ", network behind it"
               : part->kind == ACTIVITY_QUEUE ? ", in the queue"
                                              : "");
  object_text(parts, "of",
              part->kind == ACTIVITY_NETWORK ? "network"
              : part->kind == ACTIVITY_QUEUE ? "queue"
                                             : "work");
  object_count(parts, "requests", part->requests);
  object_words(parts, "requests", "%.1f %%",
               100 * path_share_of((int64_t)part->requests, (int64_t)answer->requests));
  object_ns(parts, "ns", part->total);
  object_ns(parts, "ns_of_slowest", part->tail_total);
  object_words(parts, "ns_of_slowest", "%.1f %%",
               100 * path_share_of(part->tail_total, answer->tail_total));
  object_ns(parts, "ns_if_free", part->free_total);
  object_words(parts, "ns_if_free", "%.1f %%",
               100 * path_share_of(part->free_total, answer->latency_total));
  object_ns(parts, "mean_ns", part->total / (int64_t)answer->requests);
  object_number(parts, "share", path_share_of(part->total, answer->latency_total));
}

static void show_parts(struct document *document, const struct trace_path *answer, size_t top) {
  static const struct object_column columns[] = {
      {.title = "on critical paths", .key = "operation"},
      {.title = "mean", .align = TABLE_RIGHT, .key = "mean_ns"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share", .decimals = 1},
      {.title = "requests", .align = TABLE_RIGHT, .key = "requests"},
      {.title = "share of\nthe slowest 1 %", .align = TABLE_RIGHT, .key = "ns_of_slowest"},
      {.title = "share if nothing\nundecided is a wait", .align = TABLE_RIGHT, .key = "ns_if_free"},
  };
  struct path_rest rest = {0};
  size_t count = sizeof columns / sizeof *columns;
  struct objects *parts = document_objects(document, &part_kind);
  for (size_t i = 0; i < answer->parts.count; i++) {
    put_part(parts, answer, &answer->parts.data[i]);
    if (i < top)
      continue;
    object_shown(parts, SHOWN_PROGRAMS);
    rest.ns += answer->parts.data[i].total;
    rest.count++;
  }
  document_table(document, LINES_APART, 2, parts, columns,
                 answer->doubts.count == 0 ? count - 1 : count);
  if (rest.count != 0)
    document_say(document, LINES_CLOSE, "and %zu further: %.1f %%", rest.count,
                 100 * path_share_of(rest.ns, answer->latency_total));
}

/* --- what is undecided and suspected ---------------------------------------------------------- */

static bool has_limits(const struct trace_path *answer) {
  for (size_t f = 0; f < answer->graph.flows.count; f++)
    if (answer->graph.flows.data[f]->limits.count != 0)
      return true;
  return false;
}

static void show_doubts(struct document *document, const struct trace_path *answer) {
  size_t count = answer->doubts.count;
  struct text text;
  text_init(&text);
  if (count != 0 || has_limits(answer))
    document_section(document, "undecided", "Undecided and suspected");
  if (count != 0)
    text_append(&text, "Undecided on critical paths, and taken for waits above:");
  document_take(document, LINES_APART, 0, &text);
  for (size_t i = 0; i < count; i++) {
    document_show(document, i < DOUBTS_LISTED ? SHOWN_ALWAYS : SHOWN_FULL);
    path_doubt_say(&text, answer, &answer->doubts.data[i]);
    document_item(document, i == 0 ? LINES_APART : LINES_CLOSE, 2, &text);
  }
  document_show(document, SHOWN_BRIEF);
  if (count > DOUBTS_LISTED)
    document_say(document, LINES_CLOSE, "and %zu further: --full lists them",
                 count - DOUBTS_LISTED);
  document_show(document, SHOWN_ALWAYS);
}

static void show_limit(struct document *document, struct objects *limits,
                       const struct trace_path *answer, size_t f,
                       const struct suspected_limit *limit) {
  const struct request_flow *flow = answer->graph.flows.data[f];
  struct text text;
  text_init(&text);
  path_limit_say(&text, answer, flow, limit);
  document_item(document, LINES_APART, 2, &text);
  objects_add(limits);
  object_count(limits, "flow", f);
  path_put_call(limits, "caller", answer, flow, limit->caller);
  object_text(limits, "service",
              limit->service == 0 ? NULL : names_text(&answer->store.names, limit->service));
  object_count(limits, "calls", limit->calls);
  object_count(limits, "limit", limit->limit);
  object_count(limits, "reached", limit->reached);
  object_number(limits, "by_chance", limit->by_chance);
  object_text(limits, "verdict", limit->decided ? "pool" : limit->is_read ? "undecided" : "unread");
}

static void show_limits(struct document *document, const struct trace_path *answer) {
  struct objects *limits = document_objects(document, &limit_kind);
  for (size_t f = 0; f < answer->graph.flows.count; f++) {
    const struct request_flow *flow = answer->graph.flows.data[f];
    for (size_t i = 0; i < flow->limits.count; i++)
      show_limit(document, limits, answer, f, &flow->limits.data[i]);
  }
}

/* --- all of it -------------------------------------------------------------------------------- */

static void put_summary(struct document *document, const struct trace_path *answer) {
  struct objects *paths = document_objects(document, &paths_kind);
  objects_add(paths);
  object_count(paths, "requests", answer->requests);
  object_ns(paths, "latency_ns", answer->latency_total);
  object_count(paths, "slowest_requests", answer->tail_requests);
  object_ns(paths, "slowest_from_ns", answer->tail_from);
  object_ns(paths, "slowest_latency_ns", answer->tail_total);
}

void path_document(struct document *document, const struct trace_path *answer, size_t top,
                   const struct document_page *page) {
  struct text text;
  document_init(document, "trace path", path_kinds);
  text_init(&text);
  path_title_say(&text, answer);
  document_title(document, "%s", text_get(&text));
  text_clear(&text);
  document_made(document, page);
  document_show(document, SHOWN_PAGES);
  path_flows_say(&text, answer);
  document_take(document, LINES_APART, 2, &text);
  document_show(document, SHOWN_FULL);
  path_started_say(&text, answer);
  if (text.length != 0)
    document_say(document, LINES_CLOSE, "The request began at %s.", text.data);
  text_clear(&text);
  document_show(document, SHOWN_ALWAYS);
  document_figures(document, page, answer, 0);
  path_request_document(document, answer, top);
  document_section(document, "parts", "Where the time of all requests is spent");
  document_show(document, answer->requests > 1 ? SHOWN_ALWAYS : SHOWN_PAGES);
  text_format(&text,
              answer->sampled ? "A sample of %" PRIu64 " requests:" : "All %" PRIu64 " requests:",
              answer->requests);
  document_take(document, LINES_APART, 0, &text);
  show_parts(document, answer, top);
  path_ways_document(document, answer, page != NULL);
  document_show(document, SHOWN_ALWAYS);
  document_figures(document, page, answer, 1);
  show_doubts(document, answer);
  show_limits(document, answer);
  put_summary(document, answer);
  document_ledger(document, &answer->ledger);
}
