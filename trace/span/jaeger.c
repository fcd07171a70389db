/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/jaeger.h"

#include <string.h>

#include "trace/span/jaeger_inside.h"

static void begin_trace(struct jaeger *jaeger) {
  text_clear(&jaeger->texts);
  text_append(&jaeger->texts, "");
  jaeger->trace_id = (struct piece){0, 0};
  jaeger->trace++;
  jaeger->spans.count = jaeger->links.count = jaeger->tags.count = 0;
}

static void add_span(struct jaeger *jaeger, const struct staged *staged) {
  struct intake *intake = jaeger->intake;
  const struct process *process = &jaeger->processes.data[staged->process];
  bool known = staged->process != 0 && process->trace == jaeger->trace;
  intake->notes.nameless += staged->process != 0 && !known;
  jaeger->span_tags.count = jaeger->slices.count = 0;
  for (size_t i = 0; i < staged->tag_count; i++)
    vector_push(&jaeger->span_tags, jaeger->tags.data[staged->tag_first + i]);
  for (size_t i = 0; known && i < process->tag_count; i++)
    vector_push(&jaeger->span_tags, jaeger->tags.data[process->tag_first + i]);
  for (size_t i = 0; i < staged->link_count; i++)
    vector_push(&jaeger->slices, jaeger_get(jaeger, jaeger->links.data[staged->link_first + i]));
  intake_add(intake,
             &(struct span_record){
                 .id = jaeger_get(jaeger, staged->id),
                 .parent = jaeger_get(jaeger, staged->parent),
                 .service = intake_text(intake, known ? process->service : staged->service),
                 .operation = intake_text(intake, staged->operation),
                 .instance = intake_text(intake, known ? process->instance : staged->instance),
                 .start = staged->start,
                 .end = staged->end,
                 .kind = staged->kind,
                 .status = staged->status,
                 .mark = staged->mark,
                 .tags = jaeger->span_tags.data,
                 .tag_count = jaeger->span_tags.count,
                 .links = jaeger->slices.data,
                 .link_count = jaeger->slices.count,
             });
}

static enum status finish_trace(struct jaeger *jaeger) {
  if (!scan_good(jaeger->scan))
    return jaeger->scan->status;
  intake_begin(jaeger->intake, jaeger_get(jaeger, jaeger->trace_id));
  for (size_t i = 0; i < jaeger->spans.count; i++)
    add_span(jaeger, &jaeger->spans.data[i]);
  return intake_finish(jaeger->intake);
}

/* Takes a list's or an object's opening bracket; null and all else is skipped. */
static bool take_into(struct jaeger *jaeger, enum jaeger_member list, enum jaeger_member object) {
  char c = scan_peek(jaeger->scan);
  jaeger->member = c == '[' ? list : c == '{' ? object : MEMBER_OTHER;
  return jaeger->member == MEMBER_OTHER ? scan_skip(jaeger->scan) : scan_enter(jaeger->scan, c);
}

/* The next member of a trace or of what is around traces. */
static bool take_member(void *context) {
  struct jaeger *jaeger = context;
  struct json_scan *scan = jaeger->scan;
  struct slice key, id;
  jaeger->member = MEMBER_END;
  if (!scan_key(scan, &key))
    return scan_good(scan);
  if (SCAN_IS(key, "spanID"))
    return scan_fail(scan, key.start,
                     "a span without its trace around it; export traces: {\"data\": [...]}");
  if (SCAN_IS(key, "data"))
    return take_into(jaeger, MEMBER_LIST, MEMBER_TRACE);
  if (SCAN_IS(key, "spans"))
    return take_into(jaeger, MEMBER_SPANS, MEMBER_OTHER);
  if (SCAN_IS(key, "processes"))
    return take_into(jaeger, MEMBER_OTHER, MEMBER_PROCESSES);
  jaeger->member = MEMBER_OTHER;
  if (!SCAN_IS(key, "traceID"))
    return scan_skip(scan);
  if (!scan_scalar(scan, &id, NULL))
    return false;
  jaeger->trace_id = jaeger_put(jaeger, id);
  return true;
}

static bool take_all(struct jaeger *jaeger, bool (*take)(void *context)) {
  do
    scan_unit(jaeger->scan, take, jaeger);
  while (scan_good(jaeger->scan) && jaeger->member != MEMBER_END);
  return scan_good(jaeger->scan);
}

/* What take_member has entered. */
static void take_lists(struct jaeger *jaeger) {
  if (jaeger->member == MEMBER_SPANS)
    take_all(jaeger, jaeger_take_span);
  else if (jaeger->member == MEMBER_PROCESSES)
    take_all(jaeger, jaeger_take_process);
}

/* Behind the opening bracket of a trace. */
static enum status read_trace(struct jaeger *jaeger) {
  begin_trace(jaeger);
  while (scan_unit(jaeger->scan, take_member, jaeger) && jaeger->member != MEMBER_END)
    take_lists(jaeger);
  return finish_trace(jaeger);
}

/* The next trace of a list. */
static bool take_trace_item(void *context) {
  struct jaeger *jaeger = context;
  jaeger->member = MEMBER_END;
  return scan_item(jaeger->scan) ? take_into(jaeger, MEMBER_OTHER, MEMBER_TRACE)
                                 : scan_good(jaeger->scan);
}

static enum status read_list(struct jaeger *jaeger) {
  enum status status = STATUS_OK;
  do {
    scan_unit(jaeger->scan, take_trace_item, jaeger);
    if (scan_good(jaeger->scan) && jaeger->member == MEMBER_TRACE) {
      status = read_trace(jaeger);
      jaeger->member = MEMBER_TRACE;
    }
  } while (status == STATUS_OK && scan_good(jaeger->scan) && jaeger->member != MEMBER_END);
  return scan_good(jaeger->scan) ? status : jaeger->scan->status;
}

static bool take_document(void *context) {
  struct jaeger *jaeger = context;
  char c = scan_peek(jaeger->scan);
  return c == '[' || c == '{' ? take_into(jaeger, MEMBER_LIST, MEMBER_TRACE)
                              : scan_enter(jaeger->scan, '{');
}

/* A document is a trace, a list of traces, or either of them as "data". */
static enum status read_document(struct jaeger *jaeger) {
  struct json_scan *scan = jaeger->scan;
  enum status status = STATUS_OK;
  if (!scan_unit(scan, take_document, jaeger))
    return scan->status;
  if (jaeger->member == MEMBER_LIST)
    return read_list(jaeger);
  begin_trace(jaeger);
  while (status == STATUS_OK && scan_unit(scan, take_member, jaeger) &&
         jaeger->member != MEMBER_END) {
    enum jaeger_member member = jaeger->member;
    if (member == MEMBER_LIST)
      status = read_list(jaeger);
    else if (member == MEMBER_TRACE)
      status = read_trace(jaeger);
    else
      take_lists(jaeger);
    if (member == MEMBER_LIST || member == MEMBER_TRACE)
      begin_trace(jaeger);
  }
  return status == STATUS_OK ? finish_trace(jaeger) : status;
}

static void clear(struct jaeger *jaeger) {
  text_clear(&jaeger->texts);
  vector_clear(&jaeger->spans);
  vector_clear(&jaeger->links);
  vector_clear(&jaeger->tags);
  vector_clear(&jaeger->span_tags);
  vector_clear(&jaeger->references);
  vector_clear(&jaeger->slices);
  vector_clear(&jaeger->processes);
  names_clear(&jaeger->process_ids);
}

enum status jaeger_read(struct intake *intake, struct json_scan *scan) {
  struct jaeger jaeger = {.intake = intake, .scan = scan};
  enum status status = STATUS_OK;
  text_init(&jaeger.texts);
  names_init(&jaeger.process_ids);
  vector_push(&jaeger.processes, (struct process){0}); /* of the empty id */
  while (status == STATUS_OK && !scan_at_end(scan))
    status = read_document(&jaeger);
  clear(&jaeger);
  return scan_good(scan) ? status : scan->status;
}
