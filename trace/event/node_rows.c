/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/event/row.h"

enum { MS = 1000000, INTERVALS_MOST = 32, EARLY_NS = 2 * MS /* timers may run early by that */ };

static bool is_run(const struct node_record *record) {
  return record->kind == NODE_WITHIN || record->kind == NODE_PROMISE;
}

/* --- what rows say --- */

static int64_t clip(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

static void set_interval(struct event_row *row, int64_t low, int64_t high) {
  row->ready_low = clip(low, row->registered, row->begin);
  row->ready_high = clip(high, row->ready_low, row->begin);
  row->ready_source = EVENT_READY_KERNEL;
}

static bool accepts(const struct event_log *log, uint32_t row) {
  return row != EVENT_NONE &&
         strcmp(names_text(&log->names, log->type.data[row]), "TCPSERVERWRAP") == 0;
}

/* What came first on a connection was at the socket when the connection was: so the loop could have
 * accepted it by then, though it did only when it had ended what held it. */
static void set_accepted(struct event_log *log, uint32_t row, int64_t arrived) {
  if (arrived >= log->ready_high.data[row])
    return;
  log->ready_high.data[row] = arrived;
  log->ready_source.data[row] = EVENT_READY_KERNEL;
  if (log->ready_low.data[row] > arrived)
    log->ready_low.data[row] = arrived;
  if (log->registered.data[row] > arrived)
    log->registered.data[row] = arrived;
}

/* From stamps of what the loop has read. One read is a turn of a socket, or turns that follow each
 * other: what was read held several requests. One wake-up of the loop is all completions that it
 * finds, of which the first was there when it was woken. */
static void set_stamped(struct node_build *build, struct event_row *row) {
  struct node_ready *ready = build->ready;
  if (ready == NULL)
    return;
  node_ready_advance(ready, row->begin);
  bool is_new = ready->socket.when >= build->turn_end;
  bool is_same = ready->socket.when == build->read && row->resource == build->reader;
  if (row->class == EVENT_SOCKET && ready->socket.ready >= 0 && (is_new || is_same)) {
    build->arrived = ready->socket.ready;
    build->read = ready->socket.when;
    build->reader = row->resource;
    build->connection = ready->socket.connection;
    if (is_new && accepts(build->log, row->registrar))
      set_accepted(build->log, row->registrar, ready->socket.ready);
    if (is_new)
      set_interval(row, ready->socket.ready, ready->socket.ready);
  } else if ((row->class == EVENT_FILE || row->class == EVENT_POOL) && ready->pool.when != 0 &&
             ready->pool.ready >= 0 && ready->pool.when >= row->registered) {
    set_interval(row, ready->pool.ready, ready->pool.when);
  } else if (row->class == EVENT_PROCESS && node_message_is(build->log, row->type)) {
    int64_t from = node_message_ready(row, ready, &build->before);
    uint32_t number = event_log_rows(build->log); /* that it will have */
    if (from >= 0)
      vector_push(&build->messages, (struct node_message){number, from});
  }
}

/* From its class: what the log itself says of when it was ready. */
static void set_ready(struct node_build *build, struct event_row *row,
                      const struct node_resource *resource) {
  row->ready_low = row->registered;
  row->ready_high = row->begin;
  row->ready_source = EVENT_READY_UNKNOWN;
  if (resource->class == EVENT_TIMER && resource->length >= 0) {
    row->ready_low = row->ready_high =
        clip(row->registered + resource->length, row->registered, row->begin);
    row->ready_source = EVENT_READY_TIMER;
  } else if (resource->class == EVENT_TICK) {
    row->ready_high = row->registered;
    row->ready_source = EVENT_READY_AT_ONCE;
  } else if (row->inside == EVENT_NONE) {
    set_stamped(build, row);
  }
}

/* What JavaScript keeps for later (an AsyncResource) is called by the callback within which it runs,
 * which so releases it, unless it keeps it itself. */
static void set_called(const struct event_log *log, struct event_row *row) {
  if (row->class != EVENT_OTHER || row->inside == EVENT_NONE ||
      row->registered >= log->begin.data[row->inside])
    return;
  row->releaser = row->inside;
  row->ready_low = row->ready_high = row->begin;
}

/* Appends to the type the time after which it runs again, of a few dozen times at most: some
 * programs draw them. */
static uint32_t interval_type(struct node_build *build, uint32_t type, int64_t length) {
  struct span_names *names = &build->log->names;
  for (size_t i = 0; i < build->intervals.count; i++)
    if (build->intervals.data[i].length == length)
      return build->intervals.data[i].type;
  if (build->intervals.count >= INTERVALS_MOST)
    return type;
  struct text text;
  text_init(&text);
  text_format(&text, "%s %" PRId64 " ms", names_text(names, type), length / MS);
  uint32_t named = names_number(names, (struct slice){text_get(&text), text.length});
  text_clear(&text);
  vector_push(&build->intervals, (struct node_interval){length, named});
  return named;
}

/* A timer that runs again: it is an interval, or the callback before set another of that length. */
static void name_interval(struct node_build *build, struct node_resource *resource) {
  struct event_log *log = build->log;
  uint32_t before = resource->registrar, first = log->loops.data[build->loop].first;
  if (resource->class != EVENT_TIMER || resource->length < 0 || before == EVENT_NONE ||
      before < first || log->class.data[before] != EVENT_TIMER ||
      strchr(names_text(&log->names, resource->type), ' ') != NULL)
    return;
  int64_t length = log->ready_low.data[before] - log->registered.data[before];
  bool again = resource->length >= length && resource->length - length <= EARLY_NS;
  if (resource->runs == 0 && !again)
    return;
  resource->type = interval_type(build, resource->type, resource->length);
  log->type.data[before] = resource->type;
}

/* A callback of a resource. The next one of it was registered when this one ended. */
static uint32_t add_callback(struct node_build *build, const struct node_record *run,
                             uint32_t inside) {
  struct node_resource *resource = node_resources_find(&build->resources, run->id);
  if (resource == NULL) {
    resource = node_resources_add(&build->resources, run->id);
    *resource = (struct node_resource){.id = run->id,
                                       .registrar = EVENT_NONE,
                                       .registered = build->log->loops.data[build->loop].start,
                                       .length = -1};
    if (run->id == 1) {
      resource->class = EVENT_PROGRAM;
      resource->type = names_number(&build->log->names, (struct slice){"program", 7});
      resource->registered = run->time;
    }
  }
  if (resource->registrar != EVENT_NONE && resource->registrar >= event_log_rows(build->log))
    resource->registrar = EVENT_NONE; /* by this very callback: no recorder writes that */
  name_interval(build, resource);
  struct event_row row = {.registered = clip(resource->registered, 0, run->time),
                          .begin = run->time,
                          .end = run->end,
                          .resource = run->id,
                          .type = resource->type,
                          .registrar = resource->registrar,
                          .releaser = EVENT_NONE,
                          .inside = inside,
                          .class = resource->class};
  set_ready(build, &row, resource);
  set_called(build->log, &row);
  uint32_t number = event_log_add(build->log, &row);
  resource->registered = run->end;
  resource->registrar = number;
  resource->runs = resource->runs < 2 ? resource->runs + 1 : 2;
  return number;
}

/* --- which row a moment is in --- */

/* The last row of the loop from `first` that begins at or before the moment, or EVENT_NONE. */
static uint32_t last_begun(const struct event_log *log, uint32_t first, int64_t moment) {
  uint32_t low = first, high = (uint32_t)log->begin.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (log->begin.data[middle] <= moment)
      low = middle + 1;
    else
      high = middle;
  }
  return low == first ? EVENT_NONE : low - 1;
}

uint32_t node_rows_at(const struct event_log *log, uint32_t first, int64_t moment) {
  uint32_t row = last_begun(log, first, moment);
  while (row != EVENT_NONE && log->end.data[row] < moment)
    row = log->inside.data[row];
  return row == EVENT_NONE || row < first ? EVENT_NONE : row;
}

static uint32_t add_promise(struct node_build *build, const struct node_record *run, uint32_t turn,
                            uint32_t inside) {
  struct event_log *log = build->log;
  uint32_t first = log->loops.data[build->loop].first;
  struct event_row row = {.registered = run->since,
                          .begin = run->time,
                          .end = run->end,
                          .type = names_number(&log->names, (struct slice){"PROMISE", 7}),
                          .registrar = node_rows_at(log, first, run->since),
                          .releaser = turn,
                          .inside = inside,
                          .class = EVENT_PROMISE,
                          .ready_low = clip(log->begin.data[turn], run->since, run->time),
                          .ready_high = run->time,
                          .ready_source = EVENT_READY_UNKNOWN};
  return event_log_add(log, &row);
}

/* --- turns --- */

static int compare_runs(const void *left, const void *right) {
  const struct node_record *a = left, *b = right;
  if (a->time != b->time)
    return a->time < b->time ? -1 : 1;
  return (a->end < b->end) - (a->end > b->end);
}

uint8_t node_rows_class(struct node_build *build, uint32_t type) {
  while (build->classes.count <= type)
    vector_push(&build->classes, 0);
  uint8_t *class = &build->classes.data[type];
  if (*class == 0)
    *class = (uint8_t)(node_class(names_text(&build->log->names, type)) + 1);
  return (uint8_t)(*class - 1);
}

void node_rows_add_resource(struct node_build *build, const struct node_record *record,
                            uint32_t row) {
  node_resources_purge(&build->resources, record->time);
  struct node_resource *resource = node_resources_add(&build->resources, record->id);
  int64_t length = record->length < INT64_MAX / MS / 4 ? record->length * MS : INT64_MAX / 4;
  *resource = (struct node_resource){.id = record->id,
                                     .type = record->text,
                                     .registrar = row,
                                     .registered = record->time,
                                     .length = record->kind == NODE_TIMER ? length : -1,
                                     .class = node_rows_class(build, record->text)};
  resource->asks = resource->class == EVENT_POOL &&
                   node_is_native(names_text(&build->log->names, resource->type));
}

/* The runs among the kept records, in the order of their begin, go to the end of the list; how many
 * there are. */
static size_t gather_runs(struct node_build *build) {
  size_t rest = 0, runs = 0, count = build->pending.count;
  struct node_record *pending = build->pending.data;
  for (size_t i = 0; i < count; i++)
    runs += is_run(&pending[i]);
  if (runs == 0)
    return 0;
  struct node_record *sorted = mem_alloc(runs, sizeof *sorted);
  runs = 0;
  for (size_t i = 0; i < count; i++)
    if (is_run(&pending[i]))
      sorted[runs++] = pending[i];
    else
      pending[rest++] = pending[i];
  qsort(sorted, runs, sizeof *sorted, compare_runs);
  memcpy(pending + rest, sorted, runs * sizeof *sorted);
  mem_free(sorted);
  return runs;
}

/* Rows within a turn, each inside the innermost before it that has not ended. */
static void add_inner(struct node_build *build, const struct node_record *runs, size_t count,
                      uint32_t turn) {
  struct event_log *log = build->log;
  uint32_t inside = turn;
  for (size_t i = 0; i < count; i++) {
    while (inside != turn && log->end.data[inside] <= runs[i].time)
      inside = log->inside.data[inside];
    if (runs[i].time < log->begin.data[inside] || runs[i].end > log->end.data[inside]) {
      log->loops.data[build->loop].dropped++; /* no recorder writes that */
      continue;
    }
    inside = runs[i].kind == NODE_WITHIN ? add_callback(build, &runs[i], inside)
                                         : add_promise(build, &runs[i], turn, inside);
  }
}

/* What is registered before a moment has no row; from there on it is the turn, until `settle` knows
 * better. Callbacks of the turn may belong to a resource that is registered in the turn itself. */
static void add_resources(struct node_build *build, const struct node_record *records, size_t count,
                          int64_t moment, uint32_t turn) {
  for (size_t i = 0; i < count; i++) {
    const struct node_record *record = &records[i];
    if (record->kind == NODE_INIT || record->kind == NODE_TIMER)
      node_rows_add_resource(build, record, record->time < moment ? EVENT_NONE : turn);
  }
}

/* What happened in the turn gets the innermost row of its time. */
static void settle(struct node_build *build, const struct node_record *records, size_t count,
                   uint32_t turn) {
  for (size_t i = 0; i < count; i++) {
    struct node_record record = records[i];
    bool is_resource = record.kind == NODE_INIT || record.kind == NODE_TIMER;
    if (record.kind == NODE_RESPONSE && turn != EVENT_NONE)
      record.time = node_build_sent(build, &record, build->log->begin.data[turn]);
    uint32_t row = turn == EVENT_NONE ? EVENT_NONE : node_rows_at(build->log, turn, record.time);
    struct node_resource *resource =
        is_resource ? node_resources_find(&build->resources, record.id) : NULL;
    if (record.kind == NODE_ASKED)
      node_resources_ask(&build->resources, record.id, record.time, row);
    else if (resource != NULL && resource->runs == 0)
      resource->registrar = row;
    else if (!is_resource)
      node_build_take(build, &record, row);
  }
}

/* What was seen in the turn is of the innermost row of its time. Samples of the past are
 * forgotten. */
static void take_looks(struct node_build *build, uint32_t turn) {
  size_t kept = 0;
  for (size_t i = 0; i < build->samples.count; i++) {
    const struct node_record *sample = &build->samples.data[i];
    if (sample->time > build->turn_end) {
      build->samples.data[kept++] = *sample;
      continue;
    }
    uint32_t row = node_rows_at(build->log, turn, sample->time);
    if (row != EVENT_NONE)
      vector_push(&build->log->looks, (struct event_look){row, sample->text});
  }
  build->samples.count = kept;
}

/* A part of a turn, and what is kept of it. */
struct part {
  struct node_record run;
  const struct node_record *records, *inner;
  size_t count, inner_count;
};

static void add_part(struct node_build *build, const struct part *part) {
  build->arrived = -1;
  add_resources(build, part->records, part->count, part->run.time, event_log_rows(build->log));
  uint32_t turn = add_callback(build, &part->run, EVENT_NONE);
  build->before = (struct node_before){part->run.time, part->run.end, build->log->class.data[turn]};
  build->turn_end = part->run.end;
  add_inner(build, part->inner, part->inner_count, turn);
  settle(build, part->records, part->count, turn);
  take_looks(build, turn);
}

/* The recorder merges callbacks of a connection that follow each other closely. Nothing is read
 * within a callback, so where the loop reads another one begins; -1: nowhere. */
static int64_t next_read(struct node_build *build, const struct node_record *run) {
  const struct node_resource *resource = node_resources_find(&build->resources, run->id);
  if (build->ready == NULL || resource == NULL || resource->class != EVENT_SOCKET)
    return -1;
  node_ready_advance(build->ready, run->time);
  return node_ready_next_read(build->ready, run->time, run->end);
}

/* How many come before the first that is not before the moment. */
static size_t count_before(const struct node_record *records, size_t count, int64_t moment) {
  size_t before = 0;
  while (before < count && records[before].time < moment)
    before++;
  return before;
}

/* Of none there may be no list. */
static const struct node_record *behind(const struct node_record *records, size_t count) {
  return count == 0 ? records : records + count;
}

static void add_parts(struct node_build *build, struct part rest) {
  for (int64_t read; (read = next_read(build, &rest.run)) >= 0;) {
    struct part part = rest;
    part.run.end = rest.run.time = read;
    part.count = count_before(rest.records, rest.count, read);
    part.inner_count = count_before(rest.inner, rest.inner_count, read);
    add_part(build, &part);
    rest.records = behind(rest.records, part.count);
    rest.count -= part.count;
    rest.inner = behind(rest.inner, part.inner_count);
    rest.inner_count -= part.inner_count;
  }
  add_part(build, &rest);
}

void node_rows_add_turn(struct node_build *build, const struct node_record *run) {
  if (run->time < build->turn_end) { /* no recorder writes that */
    node_rows_lose_turn(build);
    build->log->loops.data[build->loop].dropped++;
    return;
  }
  size_t runs = gather_runs(build), count = build->pending.count - runs;
  const struct node_record *records = build->pending.data;
  add_parts(build, (struct part){*run, records, runs == 0 ? NULL : records + count, count, runs});
  build->pending.count = 0;
}

void node_rows_lose_turn(struct node_build *build) {
  size_t runs = gather_runs(build), rest = build->pending.count - runs;
  build->log->loops.data[build->loop].dropped += runs;
  add_resources(build, build->pending.data, rest, 0, EVENT_NONE);
  settle(build, build->pending.data, rest, EVENT_NONE);
  build->pending.count = 0;
}

/* --- the end of a loop --- */

/* Whether it can still begin: timers that were due were cancelled. */
static bool is_waiting(const struct node_resource *resource, const struct event_loop *loop) {
  return resource->runs == 0 && resource->class != EVENT_OTHER &&
         (resource->length < 0 || resource->registered + resource->length > loop->end);
}

void node_rows_finish(struct node_build *build) {
  struct event_loop *loop = &build->log->loops.data[build->loop];
  if (loop->start > loop->end)
    loop->start = loop->end;
  for (size_t i = 0; i < build->resources.items.count; i++) {
    const struct node_resource *resource = &build->resources.items.data[i];
    if (!is_waiting(resource, loop))
      continue;
    struct event_row row = {.registered = resource->registered,
                            .ready_low = resource->registered,
                            .ready_high = EVENT_NEVER,
                            .begin = EVENT_NEVER,
                            .end = EVENT_NEVER,
                            .resource = resource->id,
                            .type = resource->type,
                            .registrar = resource->registrar,
                            .releaser = EVENT_NONE,
                            .inside = EVENT_NONE,
                            .class = resource->class};
    event_log_add(build->log, &row);
  }
  loop->count = (uint32_t)build->log->begin.count - loop->first;
}
