/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memmem */
#include "trace/event/hooks.h"

#include <string.h>

#include "trace/event/hooks_loop.h"
#include "trace/event/join.h"
#include "trace/event/pause_kind.h"
#include "trace/span/scan.h"
#include "trace/span/value.h"

/* An event as it stands in the file. */
struct hooks_event {
  struct slice phase, name, category, process, thread, time, duration, id;
  struct slice execution, url, status; /* of the arguments */
};

struct hooks {
  struct json_scan scan;
  struct event_log *log;
  struct ledger *ledger;
  struct hooks_event event;
  VECTOR(struct hooks_loop *) loops;
  struct hooks_loop *latest; /* of the event before */
  struct hooks_notes notes;
  struct text room;
  uint64_t broken_off; /* files that end within an event */
  uint64_t operations, requests;
  bool ended;
};

/* ---- numbers */

/* Decimal, or hexadecimal with 0x; what is neither is 0. Of more than 64 bits the lowest count. */
static uint64_t number_of(struct slice text) {
  uint64_t number = 0;
  bool hex = text.length > 2 && text.start[0] == '0' && text.start[1] == 'x';
  for (size_t i = hex ? 2 : 0; i < text.length; i++) {
    unsigned char c = (unsigned char)text.start[i];
    unsigned digit = c >= '0' && c <= '9' ? c - (unsigned)'0' : (c | 0x20u) - 'a' + 10u;
    if (digit >= (hex ? 16u : 10u))
      return 0;
    number = number * (hex ? 16 : 10) + digit;
  }
  return number;
}

/* ---- JSON */

static bool take_arguments(struct hooks *hooks, int depth) {
  struct json_scan *scan = &hooks->scan;
  struct hooks_event *event = &hooks->event;
  struct slice key;
  if (scan_peek(scan) != '{')
    return scan_skip(scan);
  scan_enter(scan, '{');
  while (scan_key(scan, &key)) {
    if (SCAN_IS(key, "executionAsyncId"))
      scan_scalar(scan, &event->execution, NULL);
    else if (SCAN_IS(key, "url"))
      scan_scalar(scan, &event->url, NULL);
    else if (SCAN_IS(key, "statusCode"))
      scan_scalar(scan, &event->status, NULL);
    else if (SCAN_IS(key, "data") && depth == 0)
      take_arguments(hooks, depth + 1);
    else
      scan_skip(scan);
  }
  return scan_good(scan);
}

static struct slice *member(struct hooks_event *event, struct slice key) {
  if (key.length == 2)
    return SCAN_IS(key, "ts")   ? &event->time
           : SCAN_IS(key, "ph") ? &event->phase
           : SCAN_IS(key, "id") ? &event->id
                                : NULL;
  if (key.length == 3)
    return SCAN_IS(key, "pid")   ? &event->process
           : SCAN_IS(key, "tid") ? &event->thread
           : SCAN_IS(key, "cat") ? &event->category
           : SCAN_IS(key, "dur") ? &event->duration
                                 : NULL;
  return SCAN_IS(key, "name") ? &event->name : NULL;
}

static bool take_member(struct hooks *hooks, struct slice key) {
  struct slice *slice = member(&hooks->event, key);
  if (slice != NULL)
    return scan_scalar(&hooks->scan, slice, NULL);
  if (SCAN_IS(key, "args"))
    return take_arguments(hooks, 0);
  return scan_skip(&hooks->scan);
}

/* ---- loops */

static struct hooks_loop *loop_of(struct hooks *hooks) {
  uint64_t process = number_of(hooks->event.process), thread = number_of(hooks->event.thread);
  struct hooks_loop *loop = hooks->latest;
  if (loop != NULL && loop->process == process && loop->thread == thread)
    return loop;
  for (size_t i = 0; i < hooks->loops.count; i++)
    if (hooks->loops.data[i]->process == process && hooks->loops.data[i]->thread == thread)
      return hooks->latest = hooks->loops.data[i];
  loop = mem_alloc(1, sizeof *loop);
  hooks_loop_init(loop, hooks->log, &hooks->notes);
  loop->process = process;
  loop->thread = thread;
  vector_push(&hooks->loops, loop);
  return hooks->latest = loop;
}

static uint32_t name_of(struct hooks *hooks, struct slice written) {
  return names_number(&hooks->log->names, value_text(&hooks->room, written));
}

/* ---- events */

/* An operation is "TYPE", a callback of it "TYPE_CALLBACK". */
static void take_operation(struct hooks *hooks, struct hooks_loop *loop, bool begins) {
  static const char suffix[] = "_CALLBACK";
  const struct hooks_event *event = &hooks->event;
  struct slice type = event->name;
  size_t length = sizeof suffix - 1;
  uint64_t id = number_of(event->id);
  bool callback =
      type.length > length && memcmp(type.start + type.length - length, suffix, length) == 0;
  type.length -= callback ? length : 0;
  if (callback && begins)
    hooks_loop_begin(loop, id, name_of(hooks, type));
  else if (callback)
    hooks_loop_end(loop, id);
  else if (begins)
    hooks_loop_register(loop, id, name_of(hooks, type), number_of(event->execution));
  else
    hooks_loop_destroy(loop, id);
}

static void take_request(struct hooks *hooks, struct hooks_loop *loop, bool begins) {
  const struct hooks_event *event = &hooks->event;
  uint64_t id = number_of(event->id), status = number_of(event->status);
  if (begins)
    hooks_loop_notice(loop, id);
  else
    hooks_loop_answer(loop, id, value_text(&hooks->room, event->url),
                      (uint16_t)(status <= 999 ? status : 0));
}

static void end_pause(struct hooks_loop *loop, enum event_pause_kind kind, int64_t time) {
  for (size_t i = loop->paused.count; i-- > 0;)
    if (loop->paused.data[i].kind == kind) {
      struct event_pause pause = loop->paused.data[i];
      pause.end = time > pause.start ? time : pause.start;
      vector_push(&loop->part.pauses, pause);
      loop->paused.count = i;
      return;
    }
}

static bool take_pause(struct hooks *hooks, char phase, int64_t time) {
  const struct hooks_event *event = &hooks->event;
  struct event_pause pause = {.start = time, .end = time};
  int64_t duration = 0;
  if (!pause_kind(event->name, &pause.kind))
    return true;
  struct hooks_loop *loop = loop_of(hooks);
  if (phase == 'B' && loop->paused.count < HOOKS_DEEP)
    vector_push(&loop->paused, pause);
  if (phase == 'E')
    end_pause(loop, pause.kind, time);
  if (phase != 'X' || value_said(event->duration).length == 0)
    return true;
  if (!value_time(&hooks->scan, &duration, event->duration, 3, "dur") ||
      !value_end(&hooks->scan, &pause.end, time, duration, event->duration))
    return false;
  if (pause.end > pause.start)
    vector_push(&loop->part.pauses, pause);
  return true;
}

/* Before version 10 of Node.js without "node,". */
static bool is_operation(struct slice category) {
  return SCAN_IS(category, "node,node.async_hooks") || SCAN_IS(category, "node.async_hooks");
}

static bool keep_event(struct hooks *hooks) {
  const struct hooks_event *event = &hooks->event;
  char phase = event->phase.length == 1 ? *event->phase.start : 0;
  int64_t time;
  if (phase == 0 || strchr("XBEbe", phase) == NULL || value_said(event->time).length == 0)
    return true;
  if (!value_time(&hooks->scan, &time, event->time, 3, "ts"))
    return false;
  if (strchr("be", phase) == NULL)
    return take_pause(hooks, phase, time);
  bool request = SCAN_IS(event->name, "http.server.request");
  if (!request && !is_operation(event->category))
    return true;
  struct hooks_loop *loop = loop_of(hooks);
  hooks_loop_at(loop, time);
  if (request)
    take_request(hooks, loop, phase == 'b');
  else
    take_operation(hooks, loop, phase == 'b');
  hooks->requests += request;
  hooks->operations += !request;
  return true;
}

/* ---- files */

static bool take_event(void *context) {
  struct hooks *hooks = context;
  struct slice key;
  hooks->event = (struct hooks_event){0};
  hooks->ended = false;
  if (!scan_item(&hooks->scan)) {
    hooks->ended = scan_good(&hooks->scan);
    return hooks->ended;
  }
  scan_enter(&hooks->scan, '{');
  while (scan_key(&hooks->scan, &key) && take_member(hooks, key))
    ;
  return scan_good(&hooks->scan) && keep_event(hooks);
}

static bool take_beginning(void *context) {
  struct json_scan *scan = &((struct hooks *)context)->scan;
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

/* Whoever wrote it may have been stopped at any byte. */
static bool ends(struct hooks *hooks) {
  struct json_scan *scan = &hooks->scan;
  if (hooks->ended || (!scan_good(scan) && !scan->truncated))
    return true;
  if (scan->truncated) {
    hooks->broken_off++;
    scan->truncated = false;
    scan->state = SCAN_GOOD;
    scan->status = STATUS_OK;
    return true;
  }
  return scan_at_end(scan);
}

static enum status read_file(struct hooks *hooks, const char *path, const struct asker *asker) {
  struct json_scan *scan = &hooks->scan;
  hooks->ended = false;
  enum status status = scan_open(scan, path);
  if (status == STATUS_OK)
    scan_unit(scan, take_beginning, hooks);
  while (!ends(hooks) && status == STATUS_OK) {
    scan_unit(scan, take_event, hooks);
    status = asker_stopped(asker) ? STATUS_INTERRUPTED : STATUS_OK;
  }
  if (!scan_good(scan))
    status = asker_fail(asker, scan->status, "%s", text_get(&scan->message));
  scan_close(scan);
  return status;
}

static void note(struct ledger *ledger, uint64_t count, const char *what) {
  if (count != 0)
    ledger_note(ledger, LEDGER_DATA, "%llu %s", (unsigned long long)count, what);
}

static void tell(const struct hooks *hooks) {
  note(hooks->ledger, hooks->broken_off, "files end within an event, which is left out");
  note(hooks->ledger, hooks->notes.unbegun, "ends of callbacks have no beginning and are left out");
  note(hooks->ledger, hooks->notes.again,
       "asynchronous operations have an id that is in use; each takes the place of the one before");
  note(hooks->ledger, hooks->notes.deep,
       "callbacks lie within more than 1000 others and are left out");
}

static uint32_t name_loop(struct hooks *hooks, const struct hooks_loop *loop) {
  struct slice name = {"node worker", loop->thread == loop->process ? 4 : 11};
  return names_number(&hooks->log->names, name);
}

static void give(struct hooks *hooks, struct hooks_loop *loop) {
  if (loop->started) {
    hooks_loop_finish(loop);
    event_log_join(
        hooks->log, &loop->part,
        &(struct event_loop){.name = name_loop(hooks, loop),
                             .process = loop->process,
                             .thread = loop->thread == loop->process ? 0 : (uint32_t)loop->thread,
                             .start = loop->start,
                             .end = loop->now});
  }
  hooks_loop_clear(loop);
  mem_free(loop);
}

enum status hooks_read(struct event_log *log, const char *const *paths, size_t path_count,
                       struct ledger *ledger, const struct asker *asker) {
  struct hooks hooks = {.log = log, .ledger = ledger};
  enum status status = STATUS_OK;
  text_init(&hooks.room);
  for (size_t i = 0; i < path_count && status == STATUS_OK; i++)
    status = read_file(&hooks, paths[i], asker);
  if (status == STATUS_OK && hooks.requests != 0 && hooks.operations == 0)
    status =
        asker_fail(asker, STATUS_DATA,
                   "%s has requests, but nothing of what they waited for; run node "
                   "--trace-event-categories node.async_hooks,node.http,v8 app.js, or tailproof "
                   "record --node -- node app.js",
                   paths[0]);
  if (status == STATUS_OK)
    tell(&hooks);
  for (size_t i = 0; i < hooks.loops.count; i++)
    give(&hooks, hooks.loops.data[i]);
  vector_clear(&hooks.loops);
  text_clear(&hooks.room);
  return status;
}

/* Of Node.js's own categories those that say what the program itself measured are no operations of
 * the loop: they are spans like those of others. */
static bool is_own_category(struct slice category) {
  static const char *const own[] = {"node", "v8", "devtools.timeline", "disabled-by-default-v8",
                                    "__metadata"};
  if (slice_starts(category, "node.perf") || slice_starts(category, "node.console"))
    return false;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (slice_starts(category, own[i]))
      return true;
  return false;
}

/* Whether all events at the beginning are of Node.js and of V8. */
static bool is_own(const char *bytes, size_t length) {
  static const char key[] = "\"cat\":\"";
  const char *end = bytes + length;
  bool any = false;
  for (const char *at = bytes;
       (at = memmem(at, (size_t)(end - at), key, sizeof key - 1)) != NULL;) {
    at += sizeof key - 1;
    const char *stop = memchr(at, '"', (size_t)(end - at));
    if (stop == NULL)
      break;
    struct slice rest = {at, (size_t)(stop - at)}, category;
    while (slice_field(&category, &rest, ','))
      if (!is_own_category(category))
        return false;
      else
        any = any || !slice_is(category, "__metadata");
  }
  return any;
}

bool hooks_is(const char *bytes, size_t length) {
  static const char category[] = "node.async_hooks";
  size_t at = 0;
  while (at < length && strchr(" \t\r\n\xef\xbb\xbf", bytes[at]) != NULL && bytes[at] != '\0')
    at++;
  return at < length && (bytes[at] == '{' || bytes[at] == '[') &&
         (memmem(bytes, length, category, sizeof category - 1) != NULL || is_own(bytes, length)) &&
         memmem(bytes, length, "\"ph\"", 4) != NULL;
}
