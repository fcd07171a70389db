/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/otlp.h"

#include <string.h>

#include "trace/span/kind.h"
#include "trace/span/value.h"

/* OTLP writes keys in the first way, and what knows only the names of its messages in the second. */
#define IS_KEY(key, camel, snake) (SCAN_IS(key, camel) || SCAN_IS(key, snake))

/* A span as it stands in the file. */
struct otlp_span {
  struct slice trace, id, parent, name, start, end;
  enum span_kind kind;
  enum span_status status;
};

/* What has been entered or ended by a unit. */
enum entered {
  ENTERED_NOTHING,
  ENTERED_END,
  ENTERED_WRAPPER,
  ENTERED_RESOURCES,
  ENTERED_SCOPES,
  ENTERED_SPANS,
  ENTERED_ITEM
};

struct otlp {
  struct intake *intake;
  struct json_scan *scan;
  enum entered entered;
  struct otlp_span span;
  VECTOR(struct slice) links; /* as written: of the same trace or of another */
  VECTOR(struct slice) link_traces;
  VECTOR(struct span_tag) tags; /* of the resource, then of the span at hand */
  size_t resource_tags;
  uint32_t service, instance; /* of the resource */
  uint8_t rank;               /* of what says the instance */
  bool has_spans;             /* of the resource, so far */
  enum status status;         /* of the intake */
};

/* ---- attributes */

/* {"stringValue": "x"} and its like; lists and objects are empty. */
static bool take_value(struct json_scan *scan, struct slice *value) {
  struct slice key;
  if (scan_peek(scan) != '{')
    return scan_scalar(scan, value, NULL);
  scan_enter(scan, '{');
  while (scan_key(scan, &key) && scan_scalar(scan, value, NULL))
    ;
  return scan_good(scan);
}

static bool take_attribute(struct json_scan *scan, struct slice *name, struct slice *value) {
  struct slice key;
  *name = *value = (struct slice){"", 0};
  if (!scan_enter(scan, '{'))
    return false;
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "key"))
      scan_scalar(scan, name, NULL);
    else if (SCAN_IS(key, "value"))
      take_value(scan, value);
    else
      scan_skip(scan);
  }
  return scan_good(scan);
}

static bool take_attributes(struct otlp *otlp, bool of_resource) {
  struct json_scan *scan = otlp->scan;
  struct slice name, value;
  struct span_tag tag;
  if (scan_peek(scan) != '[')
    return scan_skip(scan);
  scan_enter(scan, '[');
  while (scan_item(scan) && take_attribute(scan, &name, &value)) {
    uint8_t rank = of_resource ? kind_instance_rank(name) : 0;
    if (of_resource && SCAN_IS(name, "service.name"))
      otlp->service = intake_name(otlp->intake, value);
    if (rank > otlp->rank) {
      otlp->rank = rank;
      otlp->instance = intake_name(otlp->intake, value);
    }
    if (intake_tag(otlp->intake, &tag, name, value))
      vector_push(&otlp->tags, tag);
  }
  return scan_good(scan);
}

/* ---- spans */

static bool take_status(struct otlp *otlp) {
  struct json_scan *scan = otlp->scan;
  struct slice key, word;
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key) && scan_scalar(scan, &word, NULL))
    if (SCAN_IS(key, "code"))
      otlp->span.status = status_of_word(word);
  return scan_good(scan);
}

static bool take_link(struct otlp *otlp) {
  struct json_scan *scan = otlp->scan;
  struct slice key, trace = {"", 0}, id = {"", 0};
  if (!scan_enter(scan, '{'))
    return false;
  while (scan_key(scan, &key)) {
    if (IS_KEY(key, "traceId", "trace_id"))
      scan_scalar(scan, &trace, NULL);
    else if (IS_KEY(key, "spanId", "span_id"))
      scan_scalar(scan, &id, NULL);
    else
      scan_skip(scan);
  }
  vector_push(&otlp->links, id);
  vector_push(&otlp->link_traces, trace);
  return scan_good(scan);
}

static bool take_links(struct otlp *otlp) {
  struct json_scan *scan = otlp->scan;
  if (scan_peek(scan) != '[')
    return scan_skip(scan);
  scan_enter(scan, '[');
  while (scan_item(scan) && take_link(otlp))
    ;
  return scan_good(scan);
}

static bool take_span_member(struct otlp *otlp, struct slice key) {
  struct json_scan *scan = otlp->scan;
  struct otlp_span *span = &otlp->span;
  struct slice word;
  if (IS_KEY(key, "traceId", "trace_id"))
    return scan_scalar(scan, &span->trace, NULL);
  if (IS_KEY(key, "spanId", "span_id"))
    return scan_scalar(scan, &span->id, NULL);
  if (IS_KEY(key, "parentSpanId", "parent_span_id"))
    return scan_scalar(scan, &span->parent, NULL);
  if (SCAN_IS(key, "name"))
    return scan_scalar(scan, &span->name, NULL);
  if (IS_KEY(key, "startTimeUnixNano", "start_time_unix_nano"))
    return scan_scalar(scan, &span->start, NULL);
  if (IS_KEY(key, "endTimeUnixNano", "end_time_unix_nano"))
    return scan_scalar(scan, &span->end, NULL);
  if (SCAN_IS(key, "attributes"))
    return take_attributes(otlp, false);
  if (SCAN_IS(key, "status"))
    return take_status(otlp);
  if (SCAN_IS(key, "links"))
    return take_links(otlp);
  if (!SCAN_IS(key, "kind"))
    return scan_skip(scan);
  if (scan_scalar(scan, &word, NULL))
    span->kind = kind_of_word(word);
  return scan_good(scan);
}

static struct slice foreign_link(char room[VALUE_LINK_MAX], struct slice trace, struct slice span) {
  char first[VALUE_ID_MAX], second[VALUE_ID_MAX];
  return value_link(room, value_id(first, trace), value_id(second, span));
}

/* Links, with their ids as ours are; to another trace only if the store keeps them. */
static size_t take_own_links(struct otlp *otlp, struct slice *links, char (*rooms)[VALUE_LINK_MAX],
                             size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < otlp->links.count && count < most; i++) {
    if (slice_same(otlp->link_traces.data[i], otlp->span.trace)) {
      links[count] = value_id(rooms[count], otlp->links.data[i]);
      count++;
    } else if (otlp->intake->store->keeps_foreign) {
      links[count] = foreign_link(rooms[count], otlp->link_traces.data[i], otlp->links.data[i]);
      count++;
    }
  }
  return count;
}

static bool take_times(struct otlp *otlp, struct span_record *record) {
  const struct otlp_span *span = &otlp->span;
  if (!value_time(otlp->scan, &record->start, span->start, 0, "startTimeUnixNano"))
    return false;
  record->end = record->start;
  struct slice end = value_said(span->end);
  if (end.length != 0 && !value_time(otlp->scan, &record->end, end, 0, "endTimeUnixNano"))
    return false;
  if (end.length == 0 || record->end == 0) {
    record->end = record->start;
    record->mark |= SPAN_UNFINISHED;
  }
  return true;
}

static bool scatter(struct otlp *otlp) {
  const struct otlp_span *span = &otlp->span;
  struct intake *intake = otlp->intake;
  char rooms[3][VALUE_ID_MAX], link_rooms[VALUE_LINKS_MAX][VALUE_LINK_MAX];
  struct slice links[VALUE_LINKS_MAX];
  if (value_said(span->start).length == 0 || SCAN_IS(span->start, "0")) {
    intake->notes.untimed++;
    return true;
  }
  struct span_record record = {.id = value_id(rooms[0], span->id),
                               .parent = value_id(rooms[1], span->parent),
                               .service = intake_text(intake, otlp->service),
                               .instance = intake_text(intake, otlp->instance),
                               .kind = span->kind,
                               .status = span->status,
                               .tags = otlp->tags.data,
                               .tag_count = otlp->tags.count,
                               .links = links};
  if (!take_times(otlp, &record))
    return false;
  record.link_count = take_own_links(otlp, links, link_rooms, VALUE_LINKS_MAX);
  record.operation = intake_text(intake, intake_name(intake, value_said(span->name)));
  intake->notes.serviceless += otlp->service == 0;
  otlp->status = intake_scatter(intake, value_id(rooms[2], span->trace), &record);
  return true;
}

static bool take_span(void *context) {
  struct otlp *otlp = context;
  struct slice key;
  otlp->span = (struct otlp_span){0};
  otlp->tags.count = otlp->resource_tags;
  otlp->links.count = otlp->link_traces.count = 0;
  otlp->entered = ENTERED_END;
  if (!scan_item(otlp->scan))
    return scan_good(otlp->scan);
  scan_enter(otlp->scan, '{');
  while (scan_key(otlp->scan, &key) && take_span_member(otlp, key))
    ;
  otlp->entered = ENTERED_NOTHING;
  return scan_good(otlp->scan) && scatter(otlp);
}

/* ---- what is around spans */

static bool take_resource(struct otlp *otlp) {
  struct json_scan *scan = otlp->scan;
  struct slice key;
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "attributes"))
      take_attributes(otlp, true);
    else
      scan_skip(scan);
  }
  otlp->resource_tags = otlp->tags.count;
  return scan_good(scan);
}

/* A key's value: a list or an object that is entered, or else passed over. */
static bool enter(struct otlp *otlp, char bracket, enum entered entered) {
  bool found = scan_peek(otlp->scan) == bracket;
  otlp->entered = found ? entered : ENTERED_NOTHING;
  return found ? scan_enter(otlp->scan, bracket) : scan_skip(otlp->scan);
}

/* The next object of a list. */
static bool take_item(void *context) {
  struct otlp *otlp = context;
  otlp->entered = ENTERED_END;
  return scan_item(otlp->scan) ? enter(otlp, '{', ENTERED_ITEM) : scan_good(otlp->scan);
}

/* A member of an item of "resourceSpans". */
static bool take_resource_key(struct otlp *otlp, struct slice key) {
  struct json_scan *scan = otlp->scan;
  if (IS_KEY(key, "scopeSpans", "scope_spans") ||
      IS_KEY(key, "instrumentationLibrarySpans", "instrumentation_library_spans"))
    return enter(otlp, '[', ENTERED_SCOPES);
  otlp->entered = ENTERED_NOTHING;
  if (!SCAN_IS(key, "resource"))
    return scan_skip(scan);
  if (otlp->has_spans)
    return scan_fail(scan, key.start, "the resource stands behind its spans; write it before them");
  otlp->tags.count = 0;
  otlp->rank = 0;
  return take_resource(otlp);
}

static bool take_resource_member(void *context) {
  struct otlp *otlp = context;
  struct slice key;
  otlp->entered = ENTERED_END;
  return scan_key(otlp->scan, &key) ? take_resource_key(otlp, key) : scan_good(otlp->scan);
}

/* The next member around resources: {"resourceSpans": [...]}; what logs of SDKs have is an item of
 * that list alone. */
static bool take_outer(void *context) {
  struct otlp *otlp = context;
  struct slice key;
  otlp->entered = ENTERED_END;
  if (!scan_key(otlp->scan, &key))
    return scan_good(otlp->scan);
  if (IS_KEY(key, "resourceSpans", "resource_spans") || SCAN_IS(key, "batches"))
    return enter(otlp, '[', ENTERED_RESOURCES);
  if (SCAN_IS(key, "result") || SCAN_IS(key, "trace"))
    return enter(otlp, '{', ENTERED_WRAPPER);
  return take_resource_key(otlp, key);
}

/* The next member of an item of "scopeSpans". */
static bool take_scope_member(void *context) {
  struct otlp *otlp = context;
  struct slice key;
  otlp->entered = ENTERED_END;
  if (!scan_key(otlp->scan, &key))
    return scan_good(otlp->scan);
  if (SCAN_IS(key, "spans"))
    return enter(otlp, '[', ENTERED_SPANS);
  otlp->entered = ENTERED_NOTHING;
  return scan_skip(otlp->scan);
}

/* Takes the next unit; false at the end of what it is in, and when something went wrong. */
static bool more(struct otlp *otlp, bool (*take)(void *context)) {
  return otlp->status == STATUS_OK && scan_unit(otlp->scan, take, otlp) &&
         otlp->entered != ENTERED_END;
}

static void read_spans(struct otlp *otlp) {
  while (more(otlp, take_span))
    otlp->has_spans = true;
}

static void read_scopes(struct otlp *otlp) {
  while (more(otlp, take_item))
    if (otlp->entered == ENTERED_ITEM)
      while (more(otlp, take_scope_member))
        if (otlp->entered == ENTERED_SPANS)
          read_spans(otlp);
}

static void begin_resource(struct otlp *otlp) {
  otlp->service = otlp->instance = 0;
  otlp->rank = 0;
  otlp->has_spans = false;
  otlp->resource_tags = otlp->tags.count = 0;
}

static void read_resource(struct otlp *otlp) {
  begin_resource(otlp);
  while (more(otlp, take_resource_member))
    if (otlp->entered == ENTERED_SCOPES)
      read_scopes(otlp);
}

/* Behind an opening bracket; wrappers are entered and left without more ado. */
static void read_outer(struct otlp *otlp) {
  begin_resource(otlp);
  for (int depth = 1; depth != 0 && otlp->status == STATUS_OK && scan_good(otlp->scan);) {
    if (!more(otlp, take_outer))
      depth--;
    else if (otlp->entered == ENTERED_WRAPPER)
      depth++;
    else if (otlp->entered == ENTERED_SCOPES)
      read_scopes(otlp);
    else if (otlp->entered == ENTERED_RESOURCES)
      while (more(otlp, take_item))
        if (otlp->entered == ENTERED_ITEM)
          read_resource(otlp);
  }
}

/* Documents stand one behind another, or in a list. */
static bool take_document(void *context) {
  struct otlp *otlp = context;
  char c = scan_peek(otlp->scan);
  otlp->entered = c == '[' ? ENTERED_RESOURCES : ENTERED_ITEM;
  return scan_enter(otlp->scan, c == '[' ? '[' : '{');
}

static void read_document(struct otlp *otlp) {
  if (!scan_unit(otlp->scan, take_document, otlp))
    return;
  if (otlp->entered == ENTERED_ITEM) {
    read_outer(otlp);
    return;
  }
  while (more(otlp, take_item))
    if (otlp->entered == ENTERED_ITEM)
      read_outer(otlp);
}

enum status otlp_read(struct intake *intake, struct json_scan *scan) {
  struct otlp otlp = {.intake = intake, .scan = scan};
  for (bool first = true; otlp.status == STATUS_OK && !scan_at_end(scan); first = false) {
    read_document(&otlp);
    if (!first && scan_forgive_end(scan)) { /* it is being written, a document at a time */
      intake->notes.broken_off++;
      break;
    }
  }
  vector_clear(&otlp.links);
  vector_clear(&otlp.link_traces);
  vector_clear(&otlp.tags);
  return scan_good(scan) ? otlp.status : scan->status;
}
