/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_build.h"

#include <string.h>

#include "base/text.h"
#include "trace/event/node_delays.h"
#include "trace/event/node_rows.h"

enum { SAMPLES_MOST = 1024, DELAYS_MOST = 1 << 20, USES_MOST = 1 << 20 };

static struct event_loop *loop_of(struct node_build *build) {
  return &build->log->loops.data[build->loop];
}

void node_build_init(struct node_build *build, struct event_log *log,
                     const struct node_file *file) {
  *build = (struct node_build){.log = log, .loop = (uint32_t)log->loops.count, .first_number = 1};
  struct event_loop loop = {
      .name = names_number(&log->names, (struct slice){file->name, strlen(file->name)}),
      .process = file->process,
      .run = file->run,
      .thread = file->thread,
      .folder = file->folder,
      .has_http2 = file->has_http2,
      .has_asked = file->has_asked,
      .pool = file->pool,
      .under_way = file->under_way,
      .first = (uint32_t)log->begin.count,
      .start = INT64_MAX};
  vector_push(&log->loops, loop);
}

/* --- requests --- */

/* NULL if the beginning of the request is not in the log. */
static struct node_open *request_slot(struct node_build *build, int64_t number) {
  int64_t index = number - build->first_number;
  return index >= 0 && index < (int64_t)build->open.count ? &build->open.data[index] : NULL;
}

/* At the socket: the kernel's stamp, which may lie before the callback was registered. */
static void set_arrival(const struct node_build *build, struct event_request *request,
                        struct node_open *open) {
  if (build->arrived >= 0 && build->arrived <= request->noticed) {
    request->arrived_low = request->arrived_high = build->arrived;
    open->connection = build->connection;
    return;
  }
  request->arrived_low = build->log->ready_low.data[request->source];
  request->arrived_high = build->log->ready_high.data[request->source];
}

static void add_request(struct node_build *build, const struct node_record *record, uint32_t row) {
  if (build->open.count == 0)
    build->first_number = record->number;
  /* numbers go up by one; a gap is a loss, and a great one begins anew */
  int64_t index = record->number - build->first_number;
  if (index < (int64_t)build->open.count || index > (int64_t)build->open.count + 1000000) {
    build->open.count = 0;
    build->first_number = record->number;
    index = 0;
  }
  while ((int64_t)build->open.count <= index)
    vector_push(&build->open, (struct node_open){0});
  struct event_request request = {.loop = build->loop,
                                  .route = record->text,
                                  .source = row,
                                  .sink = EVENT_NONE,
                                  .arrived_low = record->time,
                                  .arrived_high = record->time,
                                  .noticed = record->time,
                                  .responded = EVENT_NEVER,
                                  .state = EVENT_OPEN};
  struct node_open *open = &build->open.data[index];
  *open = (struct node_open){(uint32_t)build->log->requests.count + 1, -1};
  if (row != EVENT_NONE)
    set_arrival(build, &request, open);
  vector_push(&build->log->requests, request);
}

static void add_upgrade(struct node_build *build, const struct node_record *record, uint32_t row) {
  struct event_request request = {.loop = build->loop,
                                  .route = record->text,
                                  .source = row,
                                  .sink = EVENT_NONE,
                                  .arrived_low = record->time,
                                  .arrived_high = record->time,
                                  .noticed = record->time,
                                  .responded = EVENT_NEVER,
                                  .state = EVENT_UPGRADED};
  vector_push(&build->log->requests, request);
}

static void end_request(struct node_build *build, const struct node_record *record, uint32_t row) {
  struct node_open *slot = request_slot(build, record->number);
  if (slot == NULL || slot->number == 0)
    return;
  struct event_request *request = &build->log->requests.data[slot->number - 1];
  if (record->kind == NODE_ROUTE) {
    request->route = record->text;
    request->is_pattern = true;
    return;
  }
  slot->number = 0;
  if (record->kind == NODE_ABORT) {
    request->state = EVENT_ABORTED;
    return;
  }
  request->responded = record->time < request->noticed ? request->noticed : record->time;
  request->status = (uint16_t)record->code;
  request->sink = row;
  if (request->state == EVENT_OPEN)
    request->state =
        row == EVENT_NONE || request->source == EVENT_NONE ? EVENT_BROKEN : EVENT_ANSWERED;
}

/* The server tells of it only when it goes on, and the client may have had it for long. What was
 * written last may be of another stream. */
int64_t node_build_sent(struct node_build *build, const struct node_record *record, int64_t first) {
  const struct node_open *open = request_slot(build, record->number);
  if (build->ready == NULL || record->streamed || open == NULL || open->number == 0 ||
      open->connection < 0)
    return record->time;
  node_ready_advance(build->ready, record->time);
  size_t connection = (size_t)open->connection;
  int64_t sent = connection < build->ready->sent.count ? build->ready->sent.data[connection] : 0;
  int64_t noticed = build->log->requests.data[open->number - 1].noticed;
  return sent >= noticed && sent >= first ? sent : record->time;
}

/* Records are missing: chains of what is open now may lack one of them. */
static void break_open(struct node_build *build) {
  for (size_t i = 0; i < build->open.count; i++)
    if (build->open.data[i].number != 0)
      build->log->requests.data[build->open.data[i].number - 1].state = EVENT_BROKEN;
}

/* --- turns --- */

static void add_grant(struct node_build *build, const struct node_record *record, uint32_t row) {
  struct event_log *log = build->log;
  if (row == EVENT_NONE)
    return;
  struct event_grant grant = {.loop = build->loop,
                              .asker = node_rows_at(log, loop_of(build)->first, record->since),
                              .row = row,
                              .connection = record->id,
                              .name = record->text,
                              .asked = record->since,
                              .granted = record->time};
  vector_push(&log->grants, grant);
}

void node_build_take(struct node_build *build, const struct node_record *record, uint32_t row) {
  switch (record->kind) {
  case NODE_REQUEST:
    add_request(build, record, row);
    break;
  case NODE_UPGRADE:
    add_upgrade(build, record, row);
    break;
  case NODE_RESPONSE:
  case NODE_ABORT:
  case NODE_ROUTE:
    end_request(build, record, row);
    break;
  case NODE_GRANT:
    add_grant(build, record, row);
    break;
  default:
    break;
  }
}

/* The name that a number stands for at this place of the log. */
static uint32_t name_of(const struct node_build *build, uint32_t number) {
  return number < build->texts.count ? build->texts.data[number] : 0;
}

static uint32_t safe_name(struct node_build *build, struct slice bytes) {
  char safe[256];
  size_t length = bytes.length < sizeof safe ? bytes.length : sizeof safe;
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)bytes.start[i];
    safe[i] = (char)(byte < ' ' || byte == 127 ? '?' : byte);
  }
  return names_number(&build->log->names, (struct slice){safe, length});
}

static void define(struct node_build *build, const struct node_record *record) {
  while ((int64_t)build->texts.count <= record->number)
    vector_push(&build->texts, 0);
  build->texts.data[record->number] = safe_name(build, record->bytes);
}

static void add_pause(struct node_build *build, const struct node_record *record) {
  enum event_pause_kind kind =
      record->code <= EVENT_PAUSE_LOOK ? (enum event_pause_kind)record->code : EVENT_PAUSE_MAJOR;
  struct event_pause pause = {build->loop, kind, record->time, record->end, record->text};
  vector_push(&build->log->pauses, pause);
}

/* Connections to different places are different kinds of resources: "TCPWRAP 10.0.0.2:6379". */
static void set_peer(struct node_build *build, const struct node_record *record) {
  struct node_resource *resource = node_resources_find(&build->resources, record->id);
  if (resource == NULL || resource->runs != 0 ||
      (resource->class != EVENT_SOCKET && resource->class != EVENT_PROCESS))
    return;
  const struct span_names *names = &build->log->names;
  struct text type;
  text_init(&type);
  text_format(&type, "%s %s", names_text(names, resource->type), names_text(names, record->text));
  resource->type = names_number(&build->log->names, (struct slice){text_get(&type), type.length});
  text_clear(&type);
}

/* It was there before the time. */
static void set_type(struct node_build *build, const struct node_record *record, int64_t since) {
  struct node_resource *resource = node_resources_add(&build->resources, record->id);
  *resource = (struct node_resource){.id = record->id,
                                     .type = record->text,
                                     .registrar = EVENT_NONE,
                                     .registered = since,
                                     .length = -1,
                                     .class = node_rows_class(build, record->text),
                                     .runs = 1,
                                     .asks = true};
}

static void add_unknown(struct event_log *log, uint32_t name) {
  for (size_t i = 0; i < log->unknown.count; i++)
    if (log->unknown.data[i] == name)
      return;
  vector_push(&log->unknown, name);
}

static void add_record(struct node_build *build, const struct node_record *record) {
  switch (record->kind) {
  case NODE_STRING:
    define(build, record);
    break;
  case NODE_PAUSE:
    add_pause(build, record);
    break;
  case NODE_SAMPLE:
    break; /* in chunks of their own */
  case NODE_TYPED:
    set_type(build, record, loop_of(build)->start);
    break;
  case NODE_PEER:
    set_peer(build, record);
    break;
  case NODE_UNKNOWN:
    add_unknown(build->log, record->text);
    break;
  case NODE_RUN:
    node_rows_add_turn(build, record);
    break;
  default:
    vector_push(&build->pending, *record);
  }
}

static void add_use(struct node_build *build, const struct node_record *record) {
  int64_t most = INT64_MAX / 1024;
  struct event_use use = {.loop = build->loop,
                          .start = record->time,
                          .end = record->end,
                          .processor = record->waited,
                          .memory = (record->number < most ? record->number : most) * 1024};
  vector_push(&build->log->uses, use);
}

void node_build_samples(struct node_build *build, const struct node_chunk *chunk) {
  struct node_cursor cursor = node_cursor_make(chunk);
  struct node_record record;
  uint32_t name = 0;
  while (node_record_next(&cursor, &record))
    if (record.kind == NODE_STRING) {
      define(build, &record); /* each chunk says its own anew */
      name = name_of(build, (uint32_t)record.number);
    } else if (record.kind == NODE_TYPED) {
      record.text = name_of(build, record.text);
      if (node_resources_find(&build->resources, record.id) == NULL)
        set_type(build, &record, chunk->base);
    } else if (record.kind == NODE_SAMPLE && build->samples.count < SAMPLES_MOST) {
      record.text = name;
      vector_push(&build->samples, record);
    } else if (record.kind == NODE_PAUSE) {
      add_pause(build, &record);
    } else if (record.kind == NODE_DELAY && build->delays.count < DELAYS_MOST) {
      vector_push(&build->delays, record);
    } else if (record.kind == NODE_USE && build->log->uses.count < USES_MOST) {
      add_use(build, &record);
    }
}

/* Counts what is missing before a chunk; true if something is. */
static bool find_gap(struct node_build *build, const struct node_chunk *chunk) {
  struct event_loop *loop = loop_of(build);
  uint64_t missing = chunk->records > build->records ? chunk->records - build->records : 0;
  uint64_t left_out = chunk->dropped > build->dropped ? chunk->dropped - build->dropped : 0;
  loop->dropped += missing + left_out;
  if (chunk->base >= 0 && chunk->base < NODE_TIME_MAX && chunk->base < loop->start)
    loop->start = chunk->base;
  if (chunk->end > loop->end && chunk->end < NODE_TIME_MAX)
    loop->end = chunk->end;
  build->records = chunk->records;
  build->dropped = chunk->dropped;
  return missing + left_out != 0;
}

static void cut(struct node_build *build) {
  node_rows_lose_turn(build);
  break_open(build);
}

void node_build_chunk(struct node_build *build, const struct node_chunk *chunk) {
  if (find_gap(build, chunk))
    cut(build);
  build->skimming = false;
  struct node_cursor cursor = node_cursor_make(chunk);
  struct node_record record;
  while (node_record_next(&cursor, &record)) {
    record.text = name_of(build, record.text);
    build->records += record.kind != NODE_STRING;
    add_record(build, &record);
  }
  if (cursor.broken) {
    loop_of(build)->dropped++;
    break_open(build);
  }
}

static void skim_record(struct node_build *build, const struct node_record *record) {
  if (record->kind == NODE_STRING || record->kind == NODE_TYPED || record->kind == NODE_PEER ||
      record->kind == NODE_UNKNOWN) {
    add_record(build, record);
  } else if (record->kind == NODE_INIT || record->kind == NODE_TIMER) {
    node_rows_add_resource(build, record, EVENT_NONE);
  } else if (record->kind == NODE_RUN || record->kind == NODE_WITHIN) {
    struct node_resource *resource = node_resources_find(&build->resources, record->id);
    build->before = (struct node_before){record->time, record->end, EVENT_OTHER};
    build->turn_end = record->end;
    if (resource == NULL)
      return;
    resource->registered = record->end;
    resource->registrar = EVENT_NONE;
    resource->runs = 2;
  } else if (record->kind == NODE_ASKED) {
    node_resources_ask(&build->resources, record->id, record->time, EVENT_NONE);
  }
}

void node_build_skim(struct node_build *build, const struct node_chunk *chunk) {
  if (find_gap(build, chunk) || !build->skimming)
    cut(build);
  build->skimming = true;
  build->open.count = 0;
  if (chunk->end > chunk->base)
    loop_of(build)->unread += chunk->end - chunk->base;
  struct node_cursor cursor = node_cursor_make(chunk);
  struct node_record record;
  while (node_record_next(&cursor, &record)) {
    record.text = name_of(build, record.text);
    build->records += record.kind != NODE_STRING;
    skim_record(build, &record);
  }
}

void node_build_finish(struct node_build *build) {
  node_rows_lose_turn(build);
  node_delays_place(build->log, build->loop, build->delays.data, build->delays.count);
  node_messages_place(build->log, build->loop, build->messages.data, build->messages.count);
  node_rows_finish(build);
  vector_clear(&build->texts);
  vector_clear(&build->classes);
  vector_clear(&build->pending);
  vector_clear(&build->open);
  vector_clear(&build->samples);
  vector_clear(&build->intervals);
  vector_clear(&build->delays);
  vector_clear(&build->messages);
  node_resources_clear(&build->resources);
}
