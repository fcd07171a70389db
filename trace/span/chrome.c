/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events are sorted by track first, through trace/span/spans_sort: a record's mark says its phase,
 * its service the process, whose name may come later.
 */
#include "trace/span/chrome.h"

#include <string.h>

#include "trace/span/chrome_track.h"
#include "trace/span/value.h"

enum { GATHERED_BYTES = 32 << 20 };

/* An event as it stands in the file. */
struct chrome_event {
  struct slice phase, time, duration, name, category, process, thread, id, scope;
  bool local;         /* the id is of the process */
  struct slice named; /* of metadata: args.name */
};

struct chrome {
  struct intake *intake;
  struct json_scan *scan;
  struct chrome_event event;
  VECTOR(struct span_tag) tags;
  struct text track_id;
  VECTOR(uint32_t) processes; /* by the name that a process's number is: its own name, or 0 */
  struct spans_sort *gather;
  struct chrome_track track;
  enum status status; /* of the sorting */
  bool listed;        /* a list of events was entered */
  bool ended;
};

/* ---- events */

static bool take_arguments(struct chrome *chrome) {
  struct json_scan *scan = chrome->scan;
  struct slice key, value;
  struct span_tag tag;
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key) && scan_scalar(scan, &value, NULL)) {
    if (SCAN_IS(key, "name"))
      chrome->event.named = value;
    if (intake_tag(chrome->intake, &tag, key, value))
      vector_push(&chrome->tags, tag);
  }
  return scan_good(scan);
}

/* "id2": {"local": "0x1"} or {"global": "0x1"} */
static bool take_id(struct chrome *chrome) {
  struct json_scan *scan = chrome->scan;
  struct slice key;
  if (scan_peek(scan) != '{')
    return scan_scalar(scan, &chrome->event.id, NULL);
  scan_enter(scan, '{');
  while (scan_key(scan, &key) && scan_scalar(scan, &chrome->event.id, NULL))
    chrome->event.local = SCAN_IS(key, "local");
  return scan_good(scan);
}

static bool take_member(struct chrome *chrome, struct slice key) {
  struct json_scan *scan = chrome->scan;
  struct chrome_event *event = &chrome->event;
  if (SCAN_IS(key, "ph"))
    return scan_scalar(scan, &event->phase, NULL);
  if (SCAN_IS(key, "ts"))
    return scan_scalar(scan, &event->time, NULL);
  if (SCAN_IS(key, "dur"))
    return scan_scalar(scan, &event->duration, NULL);
  if (SCAN_IS(key, "name"))
    return scan_scalar(scan, &event->name, NULL);
  if (SCAN_IS(key, "cat"))
    return scan_scalar(scan, &event->category, NULL);
  if (SCAN_IS(key, "pid"))
    return scan_scalar(scan, &event->process, NULL);
  if (SCAN_IS(key, "tid"))
    return scan_scalar(scan, &event->thread, NULL);
  if (SCAN_IS(key, "id") || SCAN_IS(key, "id2"))
    return take_id(chrome);
  if (SCAN_IS(key, "scope"))
    return scan_scalar(scan, &event->scope, NULL);
  if (SCAN_IS(key, "args"))
    return take_arguments(chrome);
  return scan_skip(scan);
}

static void name_process(struct chrome *chrome) {
  const struct chrome_event *event = &chrome->event;
  if (!SCAN_IS(event->name, "process_name"))
    return;
  uint32_t process = intake_name(chrome->intake, event->process);
  while (chrome->processes.count <= process)
    vector_push(&chrome->processes, 0);
  chrome->processes.data[process] = intake_name(chrome->intake, event->named);
}

static void append(struct text *text, struct slice slice) {
  text_append_bytes(text, slice.start, slice.length);
}

/* "PROCESS/THREAD", or "CATEGORY/SCOPE/ID" where those are said. */
static struct slice track_of(struct chrome *chrome, bool threaded) {
  const struct chrome_event *event = &chrome->event;
  struct text *id = &chrome->track_id;
  text_clear(id);
  text_append(id, "");
  if (threaded || event->local)
    append(id, event->process);
  if (threaded) {
    text_append(id, "/");
    append(id, event->thread);
    return (struct slice){id->data, id->length};
  }
  struct slice parts[] = {event->category, event->scope, event->id};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    text_append(id, id->length != 0 && parts[i].length != 0 ? "/" : "");
    append(id, parts[i]);
  }
  return (struct slice){id->data, id->length};
}

static bool take_times(struct chrome *chrome, struct span_record *record) {
  const struct chrome_event *event = &chrome->event;
  int64_t duration = 0;
  if (!value_time(chrome->scan, &record->start, event->time, 3, "ts"))
    return false;
  record->end = record->start;
  if (record->mark != CHROME_WHOLE)
    return true;
  return value_said(event->duration).length == 0 ||
         (value_time(chrome->scan, &duration, event->duration, 3, "dur") &&
          value_end(chrome->scan, &record->end, record->start, duration, event->duration));
}

static enum chrome_phase phase_of(char phase) {
  switch (phase) {
  case 'X':
    return CHROME_WHOLE;
  case 'B':
    return CHROME_BEGIN;
  case 'E':
    return CHROME_END;
  default:
    return phase == 'e' || phase == 'F' ? CHROME_END_ASYNC : CHROME_BEGIN_ASYNC;
  }
}

static bool keep_event(struct chrome *chrome) {
  const struct chrome_event *event = &chrome->event;
  struct intake *intake = chrome->intake;
  char phase = event->phase.length == 1 ? *event->phase.start : 0;
  if (phase == 'M')
    name_process(chrome);
  if (phase == 0 || strchr("XBEbeSF", phase) == NULL)
    return true;
  if (value_said(event->time).length == 0) {
    intake->notes.untimed++;
    return true;
  }
  struct span_record record = {
      .id = {"", 0},
      .parent = {"", 0},
      .instance = {"", 0},
      .mark = phase_of(phase),
      .tags = chrome->tags.data,
      .tag_count = chrome->tags.count,
  };
  if (!take_times(chrome, &record))
    return false;
  record.service = intake_text(intake, intake_name(intake, event->process));
  record.operation = intake_text(intake, intake_name(intake, value_said(event->name)));
  bool threaded = strchr("XBE", phase) != NULL;
  chrome->status = spans_sort_add(chrome->gather, track_of(chrome, threaded), &record);
  return true;
}

/* The next event of the list. */
static bool take_event(void *context) {
  struct chrome *chrome = context;
  struct slice key;
  chrome->event = (struct chrome_event){0};
  chrome->tags.count = 0;
  chrome->ended = false;
  if (!scan_item(chrome->scan)) {
    chrome->ended = scan_good(chrome->scan);
    return chrome->ended;
  }
  scan_enter(chrome->scan, '{');
  while (scan_key(chrome->scan, &key) && take_member(chrome, key))
    ;
  return scan_good(chrome->scan) && keep_event(chrome);
}

/* ---- files */

/* Up to the list of events, which may stand in an object; behind it there is nothing of use. */
static bool take_beginning(void *context) {
  struct chrome *chrome = context;
  struct json_scan *scan = chrome->scan;
  struct slice key;
  if (scan_peek(scan) == '[')
    return scan_enter(scan, '[');
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "traceEvents"))
      return scan_enter(scan, '[');
    scan_skip(scan);
  }
  return scan_good(scan) && scan_fail(scan, scan->at, "there are no \"traceEvents\"");
}

static void begin_track(void *context, struct slice id) {
  struct chrome *chrome = context;
  text_clear(&chrome->track.id);
  append(&chrome->track.id, id);
  chrome->track.process = (struct slice){"", 0};
}

static void add_event(void *context, const struct span_record *record) {
  struct chrome *chrome = context;
  struct chrome_track *track = &chrome->track;
  const struct span_names *names = &chrome->intake->store->names;
  uint32_t process = names_find(names, record->service);
  bool named = process < chrome->processes.count && chrome->processes.data[process] != 0;
  track->process = named ? names->texts.data[chrome->processes.data[process]] : record->service;
  vector_push(&track->slices, (struct chrome_slice){.start = record->start,
                                                    .end = record->end,
                                                    .order = track->slices.count,
                                                    .name = record->operation,
                                                    .phase = (enum chrome_phase)record->mark,
                                                    .tag_first = track->tags.count,
                                                    .tag_count = record->tag_count,
                                                    .unfinished = record->mark != CHROME_WHOLE});
  for (size_t i = 0; i < record->tag_count; i++)
    vector_push(&track->tags, record->tags[i]);
}

static enum status finish_track(void *context) {
  struct chrome *chrome = context;
  return chrome_track_give(&chrome->track, chrome->intake);
}

/* The list may end anywhere: whoever wrote it was stopped. */
static bool ends(struct chrome *chrome) {
  struct json_scan *scan = chrome->scan;
  if (asker_stopped(chrome->intake->asker))
    chrome->status = STATUS_INTERRUPTED;
  if (chrome->ended || chrome->status != STATUS_OK)
    return true;
  if (scan_forgive_end(scan)) {
    chrome->intake->notes.broken_off++;
    return true;
  }
  return scan_at_end(scan);
}

static enum status finish(struct chrome *chrome) {
  struct spans_sort_hearer hearer = {chrome, begin_track, add_event, finish_track};
  if (!scan_good(chrome->scan))
    return chrome->scan->status;
  if (chrome->status == STATUS_OK)
    chrome->status = spans_sort_finish(chrome->gather, &hearer);
  const char *failure = spans_sort_failure(chrome->gather);
  if (*failure != '\0')
    asker_say(chrome->intake->asker, SAYING_FAILURE, "%s", failure);
  return chrome->status;
}

enum status chrome_read(struct intake *intake, struct json_scan *scan) {
  struct chrome chrome = {.intake = intake, .scan = scan};
  chrome.gather = spans_sort_new(&intake->store->names, GATHERED_BYTES);
  text_init(&chrome.track_id);
  chrome_track_init(&chrome.track);
  if (scan_unit(scan, take_beginning, &chrome))
    while (!ends(&chrome))
      scan_unit(scan, take_event, &chrome);
  enum status status = finish(&chrome);
  chrome_track_clear(&chrome.track);
  spans_sort_free(chrome.gather);
  text_clear(&chrome.track_id);
  vector_clear(&chrome.processes);
  vector_clear(&chrome.tags);
  return status;
}
