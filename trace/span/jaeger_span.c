/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Spans and processes of Jaeger's JSON.
 */
#include <string.h>

#include "trace/span/jaeger_inside.h"
#include "trace/span/kind.h"
#include "trace/span/value.h"

/* ---- tags */

struct tag {
  struct slice key, value;
};

static bool take_tag(struct json_scan *scan, struct tag *tag) {
  struct slice key;
  *tag = (struct tag){{"", 0}, {"", 0}};
  if (!scan_enter(scan, '{'))
    return false;
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "key"))
      scan_scalar(scan, &tag->key, NULL);
    else if (SCAN_IS(key, "value"))
      scan_scalar(scan, &tag->value, NULL);
    else
      scan_skip(scan);
  }
  return scan_good(scan);
}

/* A list of tags, each given to `hear`; anything else is skipped. */
static bool take_tags(struct jaeger *jaeger, void (*hear)(struct jaeger *, const struct tag *)) {
  struct json_scan *scan = jaeger->scan;
  struct tag tag;
  if (scan_peek(scan) != '[')
    return scan_skip(scan);
  scan_enter(scan, '[');
  while (scan_item(scan))
    if (take_tag(scan, &tag))
      hear(jaeger, &tag);
  return scan_good(scan);
}

static void keep_tag(struct jaeger *jaeger, const struct tag *tag) {
  struct span_tag kept;
  if (intake_tag(jaeger->intake, &kept, tag->key, tag->value))
    vector_push(&jaeger->span_tags, kept);
}

static void hear_span_tag(struct jaeger *jaeger, const struct tag *tag) {
  if (SCAN_IS(tag->key, "span.kind"))
    jaeger->written.kind = kind_of_word(tag->value);
  else if (SCAN_IS(tag->key, "error"))
    jaeger->written.status = SCAN_IS(tag->value, "true") ? SPAN_ERROR : jaeger->written.status;
  else if (SCAN_IS(tag->key, "otel.status_code"))
    jaeger->written.status = status_of_word(tag->value);
  keep_tag(jaeger, tag);
}

static void hear_process_tag(struct jaeger *jaeger, const struct tag *tag) {
  uint8_t rank = kind_instance_rank(tag->key);
  if (rank > jaeger->process.rank) {
    jaeger->process.rank = rank;
    jaeger->process.instance = intake_name(jaeger->intake, tag->value);
  }
  keep_tag(jaeger, tag);
}

/* ---- processes */

static bool take_process(struct jaeger *jaeger) {
  struct json_scan *scan = jaeger->scan;
  struct slice key, service = {"", 0};
  jaeger->process = (struct process){.trace = jaeger->trace};
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "serviceName"))
      scan_scalar(scan, &service, NULL);
    else if (SCAN_IS(key, "tags"))
      take_tags(jaeger, hear_process_tag);
    else
      scan_skip(scan);
  }
  if (!scan_good(scan))
    return false;
  jaeger->process.service = intake_name(jaeger->intake, service);
  return true;
}

/* Moves the tags at hand to those of the trace. */
static void keep_tags(struct jaeger *jaeger, size_t *first, size_t *count) {
  *first = jaeger->tags.count;
  *count = jaeger->span_tags.count;
  for (size_t i = 0; i < *count; i++)
    vector_push(&jaeger->tags, jaeger->span_tags.data[i]);
}

static uint32_t process_number(struct jaeger *jaeger, struct slice id) {
  uint32_t number = names_number(&jaeger->process_ids, id);
  while (jaeger->processes.count <= number)
    vector_push(&jaeger->processes, (struct process){0});
  return number;
}

bool jaeger_take_process(void *context) {
  struct jaeger *jaeger = context;
  struct slice id;
  jaeger->span_tags.count = 0;
  jaeger->member = MEMBER_END;
  if (!scan_key(jaeger->scan, &id))
    return scan_good(jaeger->scan);
  if (!take_process(jaeger))
    return false;
  keep_tags(jaeger, &jaeger->process.tag_first, &jaeger->process.tag_count);
  uint32_t number = process_number(jaeger, id);
  jaeger->processes.data[number] = jaeger->process;
  jaeger->member = MEMBER_OTHER;
  return true;
}

/* ---- spans */

static bool take_reference(struct jaeger *jaeger) {
  struct json_scan *scan = jaeger->scan;
  struct slice key, type;
  struct reference reference = {{"", 0}, {"", 0}, false};
  if (!scan_enter(scan, '{'))
    return false;
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "refType")) {
      if (scan_scalar(scan, &type, NULL))
        reference.follows = SCAN_IS(type, "FOLLOWS_FROM");
    } else if (SCAN_IS(key, "traceID")) {
      scan_scalar(scan, &reference.trace, NULL);
    } else if (SCAN_IS(key, "spanID")) {
      scan_scalar(scan, &reference.span, NULL);
    } else {
      scan_skip(scan); /* "span": the whole chain of ancestors */
    }
  }
  if (!scan_good(scan))
    return false;
  vector_push(&jaeger->references, reference);
  return true;
}

static bool take_references(struct jaeger *jaeger) {
  struct json_scan *scan = jaeger->scan;
  if (scan_peek(scan) != '[')
    return scan_skip(scan);
  scan_enter(scan, '[');
  while (scan_item(scan) && take_reference(jaeger))
    ;
  return scan_good(scan);
}

static bool take_span_member(struct jaeger *jaeger, struct slice key) {
  struct json_scan *scan = jaeger->scan;
  struct written *written = &jaeger->written;
  if (SCAN_IS(key, "traceID"))
    return scan_scalar(scan, &written->trace, NULL);
  if (SCAN_IS(key, "spanID"))
    return scan_scalar(scan, &written->id, NULL);
  if (SCAN_IS(key, "operationName"))
    return scan_scalar(scan, &written->operation, NULL);
  if (SCAN_IS(key, "references"))
    return take_references(jaeger);
  if (SCAN_IS(key, "startTime"))
    return scan_scalar(scan, &written->start, NULL);
  if (SCAN_IS(key, "duration"))
    return scan_scalar(scan, &written->duration, NULL);
  if (SCAN_IS(key, "tags"))
    return take_tags(jaeger, hear_span_tag);
  if (SCAN_IS(key, "processID"))
    return scan_scalar(scan, &written->process, NULL);
  if (SCAN_IS(key, "process")) {
    take_process(jaeger);
    written->home = jaeger->process;
    return scan_good(scan);
  }
  if (SCAN_IS(key, "parentSpanID"))
    return scan_scalar(scan, &written->old_parent, NULL);
  return scan_skip(scan);
}

static bool is_missing(struct slice written) {
  return value_said(written).length == 0;
}

/* Whether it is into the span's own trace. */
static bool is_own(const struct jaeger *jaeger, const struct reference *reference) {
  return is_missing(reference->trace) || is_missing(jaeger->written.trace) ||
         slice_same(reference->trace, jaeger->written.trace);
}

/* The first reference of a kind into the same trace; SIZE_MAX without one. */
static size_t find_reference(const struct jaeger *jaeger, bool follows) {
  for (size_t i = 0; i < jaeger->references.count; i++) {
    const struct reference *reference = &jaeger->references.data[i];
    if (is_own(jaeger, reference) && reference->follows == follows)
      return i;
  }
  return SIZE_MAX;
}

/* A link to another trace only if the store keeps them. */
static void stage_link(struct jaeger *jaeger, const struct reference *reference) {
  char room[VALUE_LINK_MAX];
  if (is_own(jaeger, reference))
    vector_push(&jaeger->links, jaeger_put(jaeger, reference->span));
  else if (jaeger->intake->store->keeps_foreign)
    vector_push(&jaeger->links,
                jaeger_put(jaeger, value_link(room, reference->trace, reference->span)));
}

/* The parent is who called; without a caller, what it follows. All else are links. */
static void stage_references(struct jaeger *jaeger, struct staged *staged) {
  size_t parent = find_reference(jaeger, false);
  if (parent == SIZE_MAX) {
    parent = find_reference(jaeger, true);
    staged->mark |= parent == SIZE_MAX ? 0 : SPAN_FOLLOWS;
  }
  if (parent != SIZE_MAX)
    staged->parent = jaeger_put(jaeger, jaeger->references.data[parent].span);
  else if (!is_missing(jaeger->written.old_parent) && !SCAN_IS(jaeger->written.old_parent, "0"))
    staged->parent = jaeger_put(jaeger, jaeger->written.old_parent);
  jaeger->intake->notes.foreign += jaeger->references.count != 0 && parent == SIZE_MAX;
  staged->link_first = jaeger->links.count;
  for (size_t i = 0; i < jaeger->references.count; i++)
    if (i != parent)
      stage_link(jaeger, &jaeger->references.data[i]);
  staged->link_count = jaeger->links.count - staged->link_first;
}

static bool stage_times(struct jaeger *jaeger, struct staged *staged) {
  const struct written *written = &jaeger->written;
  int64_t duration = 0;
  if (!value_time(jaeger->scan, &staged->start, written->start, 3, "startTime"))
    return false;
  staged->end = staged->start;
  if (is_missing(written->duration)) {
    staged->mark |= SPAN_UNFINISHED;
    return true;
  }
  return value_time(jaeger->scan, &duration, written->duration, 3, "duration") &&
         value_end(jaeger->scan, &staged->end, staged->start, duration, written->duration);
}

static bool stage_span(struct jaeger *jaeger) {
  const struct written *written = &jaeger->written;
  struct staged staged = {.kind = (uint8_t)written->kind, .status = (uint8_t)written->status};
  if (is_missing(written->start)) {
    jaeger->intake->notes.untimed++;
    return true;
  }
  if (!stage_times(jaeger, &staged))
    return false;
  staged.id = jaeger_put(jaeger, written->id);
  staged.operation = intake_name(jaeger->intake, written->operation);
  staged.service = written->home.service;
  staged.instance = written->home.instance;
  if (written->home.trace == 0)
    staged.process = process_number(jaeger, written->process);
  stage_references(jaeger, &staged);
  keep_tags(jaeger, &staged.tag_first, &staged.tag_count);
  if (jaeger->trace_id.length == 0)
    jaeger->trace_id = jaeger_put(jaeger, written->trace);
  vector_push(&jaeger->spans, staged);
  return true;
}

bool jaeger_take_span(void *context) {
  struct jaeger *jaeger = context;
  struct slice key;
  jaeger->span_tags.count = jaeger->references.count = 0;
  jaeger->written = (struct written){0};
  jaeger->member = MEMBER_END;
  if (!scan_item(jaeger->scan))
    return scan_good(jaeger->scan);
  if (!scan_enter(jaeger->scan, '{'))
    return false;
  while (scan_key(jaeger->scan, &key) && take_span_member(jaeger, key))
    ;
  jaeger->member = MEMBER_OTHER;
  return scan_good(jaeger->scan) && stage_span(jaeger);
}
