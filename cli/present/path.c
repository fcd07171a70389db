/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `trace path` as a document (path.h).
 */
#include <inttypes.h>

#include "base/duration.h"
#include "cli/present/order.h"
#include "cli/present/path.h"

enum { FLOWS_LISTED = 5, DOUBTS_LISTED = 3, ITEMS = 100 };

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key part_keys[] = {
    KEY("service", TEXT, .marks = MARK_NAMES),
    KEY("operation", TEXT, .marks = MARK_NAMES),
    KEY("of", TEXT, .marks = MARK_NAMES, .words = "work|network"),
    KEY("requests", COUNT, .note = "on whose critical path it is"),
    KEY("ns", NS, .marks = MARK_DIGITS),
    KEY("ns_of_slowest", NS, .marks = MARK_DIGITS, .note = "the slowest hundredth"),
    KEY("ns_if_free", NS, .marks = MARK_DIGITS, .note = "if nothing undecided is a wait"),
    KEY("mean_ns", NS, .note = "for each request"),
    KEY("share", SHARE, .note = "of all latency"),
    {0}};
static const struct object_kind part_kind = {"part", "of `trace path`, over all requests",
                                             part_keys};

static const struct object_key difference_keys[] = {KEY("service", TEXT, .marks = MARK_NAMES),
                                                    KEY("operation", TEXT, .marks = MARK_NAMES),
                                                    KEY("more", COUNT),
                                                    {0}};
static const struct object_kind difference_kind = {"difference", NULL, difference_keys};

static const struct object_key flow_keys[] = {
    KEY("flow", COUNT, .marks = MARK_NAMES),
    KEY("requests", COUNT),
    KEY("share", SHARE),
    KEY("share_least", SHARE, .marks = MARK_LOWER),
    KEY("share_most", SHARE, .marks = MARK_UPPER, .note = "95 %"),
    KEY("calls", COUNT),
    KEY("root", TEXT, .marks = MARK_NAMES),
    KEY("differences", OBJECTS,
        .note = "calls made more often than in the most frequent flow with the same root; "
                "negative: fewer",
        .objects = &difference_kind),
    {0}};
static const struct object_kind flow_kind = {"flow", "of `trace path`", flow_keys};

static const struct object_key limit_keys[] = {
    KEY("flow", COUNT, .marks = MARK_NAMES),
    KEY("caller", TEXT, .marks = MARK_NAMES),
    KEY("service", TEXT, .marks = MARK_NAMES | MARK_NULL, .note = "null: of several"),
    KEY("calls", COUNT),
    KEY("limit", COUNT),
    KEY("reached", COUNT, .note = "times"),
    KEY("by_chance", NUMBER),
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

const struct object_kind *const path_kinds[] = {
    &paths_kind, &path_request_kind, &path_step_kind, &path_slack_kind, &part_kind,
    &flow_kind,  &order_kind,        &limit_kind,     &assumption_kind, NULL};

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
               part->kind == ACTIVITY_NETWORK ? ", network behind it" : "");
  object_text(parts, "of", part->kind == ACTIVITY_NETWORK ? "network" : "work");
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

/* --- flows ------------------------------------------------------------------------------------ */

/* ", 1 c/disk more": up to three of them. */
static void append_differences(struct text *text, const struct trace_path *answer, size_t f) {
  enum { LISTED = 3 };
  const struct span_names *names = &answer->store.names;
  size_t listed = 0;
  for (size_t i = 0; i < answer->differences.count; i++) {
    const struct path_difference *difference = &answer->differences.data[i];
    if (difference->flow != f)
      continue;
    if (listed++ == LISTED) {
      text_append(text, ", ...");
      return;
    }
    text_format(text, ", %" PRId64 " ",
                difference->more > 0 ? difference->more : -difference->more);
    if (difference->service != 0)
      text_format(text, "%s/", names_text(names, difference->service));
    text_format(text, "%s %s", names_text(names, difference->operation),
                difference->more > 0 ? "more" : "fewer");
  }
}

static void put_differences(struct objects *flows, const struct trace_path *answer, size_t f) {
  struct objects *list = object_list(flows, "differences");
  for (size_t i = 0; i < answer->differences.count; i++) {
    const struct path_difference *difference = &answer->differences.data[i];
    if (difference->flow != f)
      continue;
    objects_add(list);
    object_text(list, "service", names_text(&answer->store.names, difference->service));
    object_text(list, "operation", names_text(&answer->store.names, difference->operation));
    object_integer(list, "more", difference->more);
  }
}

static void put_flow(struct objects *flows, const struct trace_path *answer, size_t f) {
  const struct request_flow *flow = answer->graph.flows.data[f];
  struct text text;
  text_init(&text);
  objects_add(flows);
  object_count(flows, "flow", f);
  object_count(flows, "requests", flow->requests.count);
  object_number(flows, "share", answer->shares.data[f].share);
  object_number(flows, "share_least", answer->shares.data[f].lower);
  object_number(flows, "share_most", answer->shares.data[f].upper);
  object_count(flows, "calls", flow->calls.count);
  path_call_say(&text, answer, flow, 0);
  object_text(flows, "root", text_get(&text));
  append_differences(&text, answer, f);
  object_words(flows, "root", "%s", text_get(&text));
  text_clear(&text);
  put_differences(flows, answer, f);
}

static void show_flows(struct document *document, const struct trace_path *answer, bool page) {
  static const struct object_column columns[] = {
      {.title = "requests", .align = TABLE_RIGHT, .key = "requests"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share", .decimals = 1},
      {.title = "with 95 % confidence",
       .align = TABLE_RIGHT,
       .form = COLUMN_RANGE,
       .key = "share_least",
       .to = "share_most",
       .decimals = 1},
      {.title = "calls", .align = TABLE_RIGHT, .key = "calls"},
      {.title = "of", .key = "root"},
  };
  size_t count = answer->graph.flows.count, most = page ? ITEMS : FLOWS_LISTED;
  struct text text;
  text_init(&text);
  struct objects *flows = document_objects(document, &flow_kind);
  struct objects *orders = document_objects(document, &order_kind);
  for (size_t f = 0; f < count; f++) {
    put_flow(flows, answer, f);
    object_shown(flows, f < most ? SHOWN_ALWAYS : SHOWN_PROGRAMS);
    orders_put(orders, answer->graph.flows.data[f], f, &answer->store.names);
  }
  if (count < 2)
    return;
  document_section(document, "flows", "The ways in which requests make their calls");
  text_format(&text, "The requests make their calls in %zu ways:", count);
  document_take(document, LINES_APART, 0, &text);
  document_table(document, LINES_APART, 2, flows, columns, sizeof columns / sizeof *columns);
  if (count > most)
    document_say(document, LINES_CLOSE, "and %zu further", count - most);
}

/* --- what is undecided and suspected ---------------------------------------------------------- */

static void show_doubts(struct document *document, const struct trace_path *answer) {
  size_t count = answer->doubts.count;
  struct text text;
  text_init(&text);
  if (count + answer->limits.count != 0)
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

static void show_limits(struct document *document, const struct trace_path *answer) {
  struct objects *limits = document_objects(document, &limit_kind);
  for (size_t i = 0; i < answer->limits.count; i++) {
    const struct suspected_limit *limit = &answer->limits.data[i];
    size_t f = answer->limit_flows.data[i];
    const char *service =
        limit->service == 0 ? NULL : names_text(&answer->store.names, limit->service);
    struct text text;
    text_init(&text);
    path_limit_say(&text, answer, i);
    document_item(document, LINES_APART, 2, &text);
    objects_add(limits);
    object_count(limits, "flow", f);
    path_put_call(limits, "caller", answer, answer->graph.flows.data[f], limit->caller);
    object_text(limits, "service", service);
    object_count(limits, "calls", limit->calls);
    object_count(limits, "limit", limit->limit);
    object_count(limits, "reached", limit->reached);
    object_number(limits, "by_chance", limit->by_chance);
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
  document_show(document, SHOWN_ALWAYS);
  document_figures(document, page, answer, 0);
  path_request_document(document, answer, top);
  document_section(document, "parts", "Where the time of all requests is spent");
  document_show(document, answer->requests > 1 ? SHOWN_ALWAYS : SHOWN_PAGES);
  text_format(&text, "All %" PRIu64 " requests:", answer->requests);
  document_take(document, LINES_APART, 0, &text);
  show_parts(document, answer, top);
  show_flows(document, answer, page != NULL);
  document_show(document, SHOWN_ALWAYS);
  document_figures(document, page, answer, 1);
  show_doubts(document, answer);
  show_limits(document, answer);
  put_summary(document, answer);
  document_ledger(document, &answer->ledger);
}
