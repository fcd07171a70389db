/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ways in which requests make their calls, for path.h.
 */
#include <inttypes.h>

#include "cli/present/order.h"
#include "cli/present/path.h"
#include "trace/graph/family.h"

enum { WAYS_LISTED = 5, ITEMS = 100 };

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key difference_keys[] = {KEY("service", TEXT, .marks = MARK_NAMES),
                                                    KEY("operation", TEXT, .marks = MARK_NAMES),
                                                    KEY("more", COUNT),
                                                    {0}};
static const struct object_kind difference_kind = {"difference", NULL, difference_keys};

static const struct object_key loop_keys[] = {KEY("service", TEXT, .marks = MARK_NAMES),
                                              KEY("operation", TEXT, .marks = MARK_NAMES),
                                              KEY("least", COUNT),
                                              KEY("most", COUNT),
                                              {0}};
static const struct object_kind loop_kind = {"loop", NULL, loop_keys};

static const struct object_key way_keys[] = {
    KEY("way", COUNT, .marks = MARK_NAMES),
    KEY("flows", COUNT),
    KEY("requests", COUNT),
    KEY("share", SHARE),
    KEY("share_least", SHARE, .marks = MARK_LOWER),
    KEY("share_most", SHARE, .marks = MARK_UPPER, .note = "95 %"),
    KEY("calls", COUNT, .note = "the least that a request makes"),
    KEY("calls_most", COUNT),
    KEY("root", TEXT, .marks = MARK_NAMES),
    KEY("loops", OBJECTS,
        .note = "calls that are made one after the other, in each request another number of times",
        .objects = &loop_kind),
    {0}};
const struct object_kind path_way_kind = {"way", "of `trace path`", way_keys};

static const struct object_key flow_keys[] = {
    KEY("flow", COUNT, .marks = MARK_NAMES),
    KEY("way", COUNT, .note = "that it is of: flows that differ in the rounds of loops are one"),
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
const struct object_kind path_flow_kind = {"flow", "of `trace path`", flow_keys};

/* --- flows ------------------------------------------------------------------------------------ */

/* ", 1 c/disk more": up to three of them. */
static void append_differences(struct text *text, const struct trace_path *answer, size_t way) {
  enum { LISTED = 3 };
  const struct span_names *names = &answer->store.names;
  size_t listed = 0;
  for (size_t i = 0; i < answer->way_differences.count; i++) {
    const struct path_difference *difference = &answer->way_differences.data[i];
    if (difference->of != way)
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
    if (difference->of != f)
      continue;
    objects_add(list);
    object_text(list, "service", names_text(&answer->store.names, difference->service));
    object_text(list, "operation", names_text(&answer->store.names, difference->operation));
    object_integer(list, "more", difference->more);
  }
}

static void put_flow(struct objects *flows, const struct trace_path *answer, size_t f, size_t way) {
  const struct request_flow *flow = answer->graph.flows.data[f];
  struct text text;
  text_init(&text);
  objects_add(flows);
  object_count(flows, "flow", f);
  object_count(flows, "way", way);
  object_count(flows, "requests", flow->requests.count);
  object_number(flows, "share", answer->shares.data[f].share);
  object_number(flows, "share_least", answer->shares.data[f].lower);
  object_number(flows, "share_most", answer->shares.data[f].upper);
  object_count(flows, "calls", flow->calls.count);
  path_call_say(&text, answer, flow, 0);
  object_text(flows, "root", text_get(&text));
  text_clear(&text);
  put_differences(flows, answer, f);
}

/* --- ways ------------------------------------------------------------------------------------- */

/* ", c/get 1 to 100 times" */
static void put_loops(struct objects *ways, struct text *text, const struct trace_path *answer,
                      const struct flow_shape *shape) {
  struct objects *list = object_list(ways, "loops");
  for (size_t l = 0; l < shape->loops.count; l++) {
    const struct shape_loop *loop = &shape->loops.data[l];
    const struct flow_call *call = &shape->flow->calls.data[loop->call];
    objects_add(list);
    object_text(list, "service", names_text(&answer->store.names, call->service));
    object_text(list, "operation", names_text(&answer->store.names, call->operation));
    object_count(list, "least", loop->least);
    object_count(list, "most", loop->most);
    if (loop->most == 1 && loop->least == 1)
      continue;
    text_append(text, ", ");
    path_call_say(text, answer, shape->flow, loop->call);
    if (loop->most > loop->least)
      text_format(text, " %" PRIu32 " to %" PRIu32 " times", loop->least, loop->most);
    else
      text_format(text, " %" PRIu32 " times", loop->most);
  }
}

static void put_way(struct objects *ways, const struct trace_path *answer, size_t w) {
  const struct flow_family *way = answer->ways.data[w];
  struct family_calls calls = flow_family_calls(way);
  struct text text;
  text_init(&text);
  objects_add(ways);
  object_count(ways, "way", w);
  object_count(ways, "flows", way->fits.count);
  object_count(ways, "requests", way->requests);
  object_number(ways, "share", answer->way_shares.data[w].share);
  object_number(ways, "share_least", answer->way_shares.data[w].lower);
  object_number(ways, "share_most", answer->way_shares.data[w].upper);
  object_count(ways, "calls", calls.least);
  object_count(ways, "calls_most", calls.most);
  if (calls.most > calls.least)
    object_words(ways, "calls", "%zu .. %zu", calls.least, calls.most);
  path_call_say(&text, answer, way->shape.flow, 0);
  object_text(ways, "root", text_get(&text));
  put_loops(ways, &text, answer, &way->shape);
  append_differences(&text, answer, w);
  object_words(ways, "root", "%s", text_get(&text));
  text_clear(&text);
}

static void put_flows(struct document *document, const struct trace_path *answer) {
  size_t count = answer->graph.flows.count;
  size_t *way_of = mem_alloc(count, sizeof *way_of);
  struct objects *flows = document_objects(document, &path_flow_kind);
  struct objects *orders = document_objects(document, &order_kind);
  for (size_t w = 0; w < answer->ways.count; w++)
    for (size_t i = 0; i < answer->ways.data[w]->fits.count; i++)
      way_of[answer->ways.data[w]->fits.data[i].number] = w;
  for (size_t f = 0; f < count; f++) {
    put_flow(flows, answer, f, way_of[f]);
    object_shown(flows, SHOWN_PROGRAMS);
    orders_put(orders, answer->graph.flows.data[f], f, &answer->store.names);
  }
  mem_free(way_of);
}

void path_ways_document(struct document *document, const struct trace_path *answer, bool page) {
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
  size_t count = answer->ways.count, most = page ? ITEMS : WAYS_LISTED;
  struct text text;
  text_init(&text);
  struct objects *ways = document_objects(document, &path_way_kind);
  for (size_t w = 0; w < count; w++) {
    put_way(ways, answer, w);
    object_shown(ways, w < most ? SHOWN_ALWAYS : SHOWN_PROGRAMS);
  }
  put_flows(document, answer);
  if (answer->graph.flows.count < 2)
    return;
  document_section(document, "flows", "The ways in which requests make their calls");
  text_format(&text, "The requests make their calls in %zu way%s:", count, count == 1 ? "" : "s");
  document_take(document, LINES_APART, 0, &text);
  document_table(document, LINES_APART, 2, ways, columns, sizeof columns / sizeof *columns);
  if (count > most)
    document_say(document, LINES_CLOSE, "and %zu further", count - most);
}
