/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operations are read first. Then they are told to a loop (trace/event/hooks_loop.h) in the order
 * of time, as Node.js itself would have told of them.
 */
#define _GNU_SOURCE /* memmem */
#include "trace/event/bubbleprof.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "trace/event/hooks_loop.h"
#include "trace/event/join.h"
#include "trace/span/scan.h"
#include "trace/span/value.h"

enum bubble_kind { BUBBLE_INIT, BUBBLE_BEFORE, BUBBLE_AFTER, BUBBLE_DESTROY };

/* A moment of an operation. */
struct bubble_moment {
  int64_t time;
  uint64_t id, execution; /* execution: of BUBBLE_INIT */
  size_t order;           /* in the file */
  uint32_t type, place;   /* names */
  enum bubble_kind kind;
};

/* Of what was read. */
struct bubble_counts {
  uint64_t operations, callbacks;
  uint64_t uneven; /* operations whose callbacks do not begin as often as they end */
  int64_t time;    /* ns: in callbacks, those within others included */
};

struct bubbleprof {
  struct json_scan *scan;
  struct event_log *log;
  VECTOR(struct bubble_moment) moments;
  struct text room, place;
  uint32_t type, place_name; /* of the group being read */
  bool done;
  struct bubble_counts counts;
};

/* ---- groups */

struct bubble_frame {
  struct slice function, file, line, column;
};

/* A file of the application; Node.js's own have no folder, or one without a root. */
static bool is_application(struct slice file) {
  return file.length != 0 && (file.start[0] == '/' || (file.length > 2 && file.start[1] == ':')) &&
         memmem(file.start, file.length, "node_modules", 12) == NULL;
}

static void append(struct text *text, struct slice slice) {
  text_append_bytes(text, slice.start, slice.length);
}

/* "app.js:12:3 handler" */
static void name_place(struct bubbleprof *reader, const struct bubble_frame *frame) {
  struct text *place = &reader->place;
  struct slice file = frame->file;
  for (size_t i = 0; i < frame->file.length; i++)
    if (frame->file.start[i] == '/' || frame->file.start[i] == '\\')
      file = (struct slice){frame->file.start + i + 1, frame->file.length - i - 1};
  append(place, file);
  text_append(place, ":");
  append(place, frame->line);
  text_append(place, ":");
  append(place, frame->column);
  text_append(place, frame->function.length != 0 ? " " : "");
  append(place, frame->function);
}

static bool take_frame(struct bubbleprof *reader) {
  struct json_scan *scan = reader->scan;
  struct bubble_frame frame = {0};
  struct slice key;
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    struct slice *slice = SCAN_IS(key, "functionName")   ? &frame.function
                          : SCAN_IS(key, "fileName")     ? &frame.file
                          : SCAN_IS(key, "lineNumber")   ? &frame.line
                          : SCAN_IS(key, "columnNumber") ? &frame.column
                                                         : NULL;
    if (slice == NULL)
      scan_skip(scan);
    else
      scan_scalar(scan, slice, NULL);
  }
  if (scan_good(scan) && reader->place.length == 0 && is_application(frame.file))
    name_place(reader, &frame);
  return scan_good(scan);
}

static bool take_frames(struct bubbleprof *reader) {
  struct json_scan *scan = reader->scan;
  if (scan_peek(scan) != '[')
    return scan_skip(scan);
  scan_enter(scan, '[');
  while (scan_item(scan) && take_frame(reader))
    ;
  return scan_good(scan);
}

/* ---- operations */

static bool take_time(struct bubbleprof *reader, struct slice written, struct bubble_moment *moment,
                      enum bubble_kind kind) {
  moment->kind = kind;
  if (value_said(written).length == 0)
    return true;
  if (!value_time(reader->scan, &moment->time, written, 6, "a time"))
    return false;
  moment->order = reader->moments.count;
  vector_push(&reader->moments, *moment);
  return true;
}

static bool take_times(struct bubbleprof *reader, struct bubble_moment *moment,
                       enum bubble_kind kind) {
  struct json_scan *scan = reader->scan;
  struct slice time;
  if (scan_peek(scan) != '[')
    return scan_skip(scan);
  scan_enter(scan, '[');
  while (scan_item(scan))
    if (!scan_scalar(scan, &time, NULL) || !take_time(reader, time, moment, kind))
      return false;
  return scan_good(scan);
}

static uint64_t number_of(struct slice text) {
  uint64_t number = 0;
  for (size_t i = 0; i < text.length && text.start[i] >= '0' && text.start[i] <= '9'; i++)
    number = number * 10 + (uint64_t)(text.start[i] - '0');
  return number;
}

static bool take_moments(struct bubbleprof *reader, struct slice key,
                         struct bubble_moment *moment) {
  struct json_scan *scan = reader->scan;
  struct slice value;
  if (SCAN_IS(key, "before"))
    return take_times(reader, moment, BUBBLE_BEFORE);
  if (SCAN_IS(key, "after"))
    return take_times(reader, moment, BUBBLE_AFTER);
  if (!scan_scalar(scan, &value, NULL))
    return false;
  if (SCAN_IS(key, "init"))
    return take_time(reader, value, moment, BUBBLE_INIT);
  if (SCAN_IS(key, "destroy"))
    return take_time(reader, value, moment, BUBBLE_DESTROY);
  if (SCAN_IS(key, "asyncId"))
    moment->id = number_of(value);
  if (SCAN_IS(key, "executionAsyncId"))
    moment->execution = number_of(value);
  return true;
}

/* Ids may follow the times. */
static void set_ids(struct bubbleprof *reader, size_t first, const struct bubble_moment *moment) {
  for (size_t i = first; i < reader->moments.count; i++) {
    reader->moments.data[i].id = moment->id;
    reader->moments.data[i].execution = moment->execution;
  }
}

/* Times of damaged files may add up to anything. */
static int64_t wrapping_sum(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The moments of an operation are from `first` on. */
static void count_source(struct bubbleprof *reader, size_t first) {
  struct bubble_counts *counts = &reader->counts;
  uint64_t begun = 0, ended = 0;
  for (size_t i = first; i < reader->moments.count; i++) {
    const struct bubble_moment *moment = &reader->moments.data[i];
    counts->operations += moment->kind == BUBBLE_INIT;
    begun += moment->kind == BUBBLE_BEFORE;
    ended += moment->kind == BUBBLE_AFTER;
    if (moment->kind == BUBBLE_BEFORE)
      counts->time = wrapping_sum(counts->time, -moment->time);
    if (moment->kind == BUBBLE_AFTER)
      counts->time = wrapping_sum(counts->time, moment->time);
  }
  counts->callbacks += begun;
  counts->uneven += begun != ended;
}

static bool take_source(struct bubbleprof *reader) {
  struct json_scan *scan = reader->scan;
  struct bubble_moment moment = {0};
  struct slice key;
  size_t first = reader->moments.count;
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key) && take_moments(reader, key, &moment))
    ;
  set_ids(reader, first, &moment);
  count_source(reader, first);
  return scan_good(scan);
}

static bool take_sources(struct bubbleprof *reader) {
  struct json_scan *scan = reader->scan;
  if (scan_peek(scan) != '[')
    return scan_skip(scan);
  scan_enter(scan, '[');
  while (scan_item(scan) && take_source(reader))
    ;
  return scan_good(scan);
}

/* ---- the file */

static void name_group(struct bubbleprof *reader, size_t first, struct slice type) {
  struct span_names *names = &reader->log->names;
  uint32_t type_name = names_number(names, value_text(&reader->room, type));
  struct slice place = {text_get(&reader->place), reader->place.length};
  uint32_t place_name = names_number(names, value_text(&reader->room, place));
  for (size_t i = first; i < reader->moments.count; i++) {
    reader->moments.data[i].type = type_name;
    reader->moments.data[i].place = place_name;
  }
}

static bool take_group(struct bubbleprof *reader) {
  struct json_scan *scan = reader->scan;
  struct slice key, type = {"", 0};
  size_t first = reader->moments.count;
  text_clear(&reader->place);
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "type"))
      scan_scalar(scan, &type, NULL);
    else if (SCAN_IS(key, "frames"))
      take_frames(reader);
    else if (SCAN_IS(key, "sources"))
      take_sources(reader);
    else
      scan_skip(scan);
  }
  if (scan_good(scan))
    name_group(reader, first, value_said(type));
  return scan_good(scan);
}

static bool take_cluster(struct bubbleprof *reader) {
  struct json_scan *scan = reader->scan;
  struct slice key;
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    if (!SCAN_IS(key, "nodes") || scan_peek(scan) != '[') {
      scan_skip(scan);
      continue;
    }
    scan_enter(scan, '[');
    while (scan_item(scan) && take_group(reader))
      ;
  }
  return scan_good(scan);
}

/* A unit is taken again when its bytes were not all there. */
static bool take_next(void *context) {
  struct bubbleprof *reader = context;
  size_t moments = reader->moments.count;
  struct bubble_counts counts = reader->counts;
  reader->done = false;
  if (!scan_item(reader->scan))
    reader->done = scan_good(reader->scan);
  else
    take_cluster(reader);
  if (!scan_good(reader->scan)) {
    reader->moments.count = moments;
    reader->counts = counts;
  }
  return scan_good(reader->scan);
}

static bool take_beginning(void *context) {
  struct json_scan *scan = ((struct bubbleprof *)context)->scan;
  struct slice key;
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "data"))
      return scan_enter(scan, '[');
    scan_skip(scan);
  }
  return scan_good(scan) && scan_fail(scan, scan->at, "there is no \"data\"");
}

/* ---- in the order of time */

/* What registered something at the same moment comes before it, and so does what ended. */
static int by_time(const void *a, const void *b) {
  static const int ranks[] = {
      [BUBBLE_AFTER] = 0, [BUBBLE_BEFORE] = 1, [BUBBLE_INIT] = 2, [BUBBLE_DESTROY] = 3};
  const struct bubble_moment *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->id == y->id && x->order != y->order)
    return x->order < y->order ? -1 : 1;
  if (x->kind != y->kind)
    return ranks[x->kind] - ranks[y->kind];
  return (x->id > y->id) - (x->id < y->id);
}

static void tell_moment(struct hooks_loop *loop, const struct bubble_moment *moment) {
  size_t rows = loop->part.begin.count;
  hooks_loop_at(loop, moment->time);
  switch (moment->kind) {
  case BUBBLE_INIT:
    hooks_loop_register(loop, moment->id, moment->type, moment->execution);
    break;
  case BUBBLE_BEFORE:
    hooks_loop_begin(loop, moment->id, moment->type);
    break;
  case BUBBLE_AFTER:
    hooks_loop_end(loop, moment->id);
    break;
  case BUBBLE_DESTROY:
    hooks_loop_destroy(loop, moment->id);
    break;
  }
  if (moment->kind == BUBBLE_BEFORE && loop->part.begin.count != rows)
    loop->part.place.data[rows] = moment->place;
}

static void tell(struct bubbleprof *reader, struct hooks_notes *notes) {
  struct hooks_loop loop;
  hooks_loop_init(&loop, reader->log, notes);
  if (reader->moments.count != 0)
    qsort(reader->moments.data, reader->moments.count, sizeof *reader->moments.data, by_time);
  for (size_t i = 0; i < reader->moments.count; i++)
    tell_moment(&loop, &reader->moments.data[i]);
  hooks_loop_finish(&loop);
  event_log_join(
      reader->log, &loop.part,
      &(struct event_loop){.name = names_number(&reader->log->names, (struct slice){"node", 4}),
                           .start = loop.start,
                           .end = loop.now});
  hooks_loop_clear(&loop);
}

static void note(struct ledger *ledger, uint64_t count, const char *what) {
  if (count != 0)
    ledger_note(ledger, LEDGER_DATA, "%llu %s", (unsigned long long)count, what);
}

enum status bubbleprof_read(struct event_log *log, const char *path, struct ledger *ledger,
                            const struct asker *asker) {
  struct json_scan scan;
  struct hooks_notes notes = {0};
  struct bubbleprof reader = {.scan = &scan, .log = log};
  enum status status = scan_open(&scan, path);
  text_init(&reader.room);
  text_init(&reader.place);
  if (status == STATUS_OK && scan_unit(&scan, take_beginning, &reader))
    while (!reader.done && scan_unit(&scan, take_next, &reader))
      ;
  if (!scan_good(&scan))
    status = asker_fail(asker, scan.status, "%s", text_get(&scan.message));
  if (status == STATUS_OK) {
    tell(&reader, &notes);
    ledger_add(ledger, LEDGER_DATA,
               "%s holds %llu asynchronous operations with %llu callbacks of %.3f ms",
               file_name(path), (unsigned long long)reader.counts.operations,
               (unsigned long long)reader.counts.callbacks, (double)reader.counts.time / 1e6);
    note(ledger, reader.counts.uneven,
         "operations have callbacks that do not begin as often as they end");
    note(ledger, notes.unbegun, "ends of callbacks have no beginning and are left out");
    note(ledger, notes.again,
         "asynchronous operations have an id that is in use; each takes the "
         "place of the one before");
    note(ledger, notes.deep, "callbacks lie within more than 1000 others and are left out");
  }
  vector_clear(&reader.moments);
  text_clear(&reader.room);
  text_clear(&reader.place);
  scan_close(&scan);
  return status;
}
