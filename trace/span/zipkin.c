/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/zipkin.h"

#include <string.h>

#include "trace/span/kind.h"
#include "trace/span/value.h"

/* A span as it stands in the file. */
struct zipkin_span {
  struct slice trace, id, parent, name, start, duration, service, address;
  enum span_kind kind;
  enum span_status status;
};

struct zipkin {
  struct intake *intake;
  struct json_scan *scan;
  struct zipkin_span span;
  VECTOR(struct span_tag) tags;
  int depth;          /* of lists */
  enum status status; /* of the intake */
};

static bool take_tags(struct zipkin *zipkin) {
  struct json_scan *scan = zipkin->scan;
  struct slice key, value;
  struct span_tag tag;
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key) && scan_scalar(scan, &value, NULL)) {
    if (SCAN_IS(key, "error") && !SCAN_IS(value, "false"))
      zipkin->span.status = SPAN_ERROR;
    if (intake_tag(zipkin->intake, &tag, key, value))
      vector_push(&zipkin->tags, tag);
  }
  return scan_good(scan);
}

static bool take_endpoint(struct zipkin *zipkin) {
  struct json_scan *scan = zipkin->scan;
  struct slice key;
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "serviceName"))
      scan_scalar(scan, &zipkin->span.service, NULL);
    else if (SCAN_IS(key, "ipv4") || (SCAN_IS(key, "ipv6") && zipkin->span.address.length == 0))
      scan_scalar(scan, &zipkin->span.address, NULL);
    else
      scan_skip(scan);
  }
  return scan_good(scan);
}

static bool take_member(struct zipkin *zipkin, struct slice key) {
  struct json_scan *scan = zipkin->scan;
  struct zipkin_span *span = &zipkin->span;
  struct slice word;
  if (SCAN_IS(key, "traceId"))
    return scan_scalar(scan, &span->trace, NULL);
  if (SCAN_IS(key, "id"))
    return scan_scalar(scan, &span->id, NULL);
  if (SCAN_IS(key, "parentId"))
    return scan_scalar(scan, &span->parent, NULL);
  if (SCAN_IS(key, "name"))
    return scan_scalar(scan, &span->name, NULL);
  if (SCAN_IS(key, "timestamp"))
    return scan_scalar(scan, &span->start, NULL);
  if (SCAN_IS(key, "duration"))
    return scan_scalar(scan, &span->duration, NULL);
  if (SCAN_IS(key, "localEndpoint"))
    return take_endpoint(zipkin);
  if (SCAN_IS(key, "tags"))
    return take_tags(zipkin);
  if (SCAN_IS(key, "binaryAnnotations"))
    return scan_fail(scan, key.start, "this is Zipkin v1; export version 2 (/api/v2/traces)");
  if (!SCAN_IS(key, "kind"))
    return scan_skip(scan);
  if (scan_scalar(scan, &word, NULL))
    span->kind = kind_of_word(word);
  return scan_good(scan);
}

static bool scatter(struct zipkin *zipkin) {
  const struct zipkin_span *span = &zipkin->span;
  struct intake *intake = zipkin->intake;
  struct span_record record = {.id = value_said(span->id),
                               .parent = value_said(span->parent),
                               .kind = span->kind,
                               .status = span->status,
                               .tags = zipkin->tags.data,
                               .tag_count = zipkin->tags.count};
  int64_t duration = 0;
  if (value_said(span->start).length == 0) {
    intake->notes.untimed++;
    return true;
  }
  if (!value_time(zipkin->scan, &record.start, span->start, 3, "timestamp"))
    return false;
  record.end = record.start;
  if (value_said(span->duration).length == 0)
    record.mark |= SPAN_UNFINISHED;
  else if (!value_time(zipkin->scan, &duration, span->duration, 3, "duration") ||
           !value_end(zipkin->scan, &record.end, record.start, duration, span->duration))
    return false;
  record.service = intake_text(intake, intake_name(intake, value_said(span->service)));
  record.operation = intake_text(intake, intake_name(intake, value_said(span->name)));
  record.instance = intake_text(intake, intake_name(intake, value_said(span->address)));
  zipkin->status = intake_scatter(intake, value_said(span->trace), &record);
  return true;
}

static bool take_span(struct zipkin *zipkin) {
  struct slice key;
  zipkin->span = (struct zipkin_span){0};
  zipkin->tags.count = 0;
  scan_enter(zipkin->scan, '{');
  while (scan_key(zipkin->scan, &key) && take_member(zipkin, key))
    ;
  return scan_good(zipkin->scan) && scatter(zipkin);
}

/* A span, or the beginning or the end of a list. */
static bool take_next(void *context) {
  struct zipkin *zipkin = context;
  struct json_scan *scan = zipkin->scan;
  if (zipkin->depth != 0 && !scan_item(scan)) {
    zipkin->depth -= scan_good(scan);
    return scan_good(scan);
  }
  if (scan_peek(scan) != '[' || zipkin->depth == 3)
    return scan_peek(scan) == '{' ? take_span(zipkin) : scan_enter(scan, '{');
  scan_enter(scan, '[');
  zipkin->depth++;
  return true;
}

enum status zipkin_read(struct intake *intake, struct json_scan *scan) {
  struct zipkin zipkin = {.intake = intake, .scan = scan};
  while (zipkin.status == STATUS_OK && scan_good(scan) && (zipkin.depth != 0 || !scan_at_end(scan)))
    scan_unit(scan, take_next, &zipkin);
  vector_clear(&zipkin.tags);
  return scan_good(scan) ? zipkin.status : scan->status;
}
