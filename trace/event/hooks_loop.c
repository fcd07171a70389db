/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/hooks_loop.h"

#include <string.h>

#include "trace/event/route.h"
#include "trace/event/row.h"

enum { PROGRAM = 1 }; /* the id of the main script */

void hooks_loop_init(struct hooks_loop *loop, struct event_log *log, struct hooks_notes *notes) {
  *loop = (struct hooks_loop){.log = log, .turn = EVENT_NONE, .notes = notes};
}

void hooks_loop_clear(struct hooks_loop *loop) {
  event_log_clear(&loop->part);
  hooks_table_clear(&loop->operations);
  hooks_table_clear(&loop->requests);
  vector_clear(&loop->open);
  vector_clear(&loop->paused);
}

void hooks_loop_at(struct hooks_loop *loop, int64_t time) {
  if (!loop->started)
    loop->start = loop->now = time;
  loop->started = true;
  loop->now = time > loop->now ? time : loop->now;
}

/* ---- types */

enum event_class hooks_class(const char *type) {
  static const struct {
    const char *prefix;
    enum event_class class;
  } classes[] = {
      {"TickObject", EVENT_TICK},   {"PROMISE", EVENT_PROMISE}, {"FS", EVENT_FILE},
      {"Timeout", EVENT_TIMER},     {"Immediate", EVENT_TICK},  {"Microtask", EVENT_TICK},
      {"TCP", EVENT_SOCKET},        {"HTTP", EVENT_SOCKET},     {"TLS", EVENT_SOCKET},
      {"PIPE", EVENT_SOCKET},       {"UDP", EVENT_SOCKET},      {"TTY", EVENT_SOCKET},
      {"WRITEWRAP", EVENT_SOCKET},  {"SHUTDOWN", EVENT_SOCKET}, {"STREAM", EVENT_SOCKET},
      {"JSSTREAM", EVENT_SOCKET},   {"JSUDP", EVENT_SOCKET},    {"QUERYWRAP", EVENT_SOCKET},
      {"DNSCHANNEL", EVENT_SOCKET}, {"FILEHANDLE", EVENT_FILE}, {"DIRHANDLE", EVENT_FILE},
      {"STATWATCHER", EVENT_FILE},  {"BLOB", EVENT_FILE},       {"GETADDRINFO", EVENT_POOL},
      {"GETNAMEINFO", EVENT_POOL},  {"ZLIB", EVENT_POOL},       {"PBKDF2", EVENT_POOL},
      {"SCRYPT", EVENT_POOL},       {"RANDOM", EVENT_POOL},     {"HASH", EVENT_POOL},
      {"HKDF", EVENT_POOL},         {"SIGN", EVENT_POOL},       {"VERIFY", EVENT_POOL},
      {"KEY", EVENT_POOL},          {"DERIVE", EVENT_POOL},     {"CIPHER", EVENT_POOL},
      {"CHECKPRIME", EVENT_POOL},   {"TIMERWRAP", EVENT_TIMER}, {"Timer", EVENT_TIMER},
      {"SIGNAL", EVENT_SIGNAL},     {"PROCESS", EVENT_PROCESS}, {"MESSAGEPORT", EVENT_PROCESS},
      {"WORKER", EVENT_PROCESS},
  };
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strncmp(type, classes[i].prefix, strlen(classes[i].prefix)) == 0)
      return classes[i].class;
  return EVENT_OTHER;
}

static enum event_class class_of(const struct hooks_loop *loop, uint32_t type) {
  return hooks_class(names_text(&loop->log->names, type));
}

/* Runs before the loop goes on. */
static bool is_micro(const struct hooks_loop *loop, uint32_t type) {
  enum event_class class = class_of(loop, type);
  return class == EVENT_PROMISE ||
         (class == EVENT_TICK && strcmp(names_text(&loop->log->names, type), "Immediate") != 0);
}

/* ---- rows */

static struct hooks_open *innermost(const struct hooks_loop *loop) {
  return loop->open.count == 0 ? NULL : &loop->open.data[loop->open.count - 1];
}

static uint32_t innermost_row(const struct hooks_loop *loop) {
  return loop->open.count == 0 ? EVENT_NONE : innermost(loop)->row;
}

/* Whoever runs within others lets them last at least as long. */
static void extend(struct hooks_loop *loop, uint32_t row) {
  for (; row != EVENT_NONE && loop->part.end.data[row] < loop->now;
       row = loop->part.inside.data[row])
    loop->part.end.data[row] = loop->now;
}

static void set_ready(struct event_row *row) {
  row->ready_low = row->registered;
  row->ready_high = row->begin;
  if (row->class == EVENT_TICK) {
    row->ready_high = row->registered;
    row->ready_source = EVENT_READY_AT_ONCE;
  }
}

/* A row that begins now, of an operation that may not be known. */
static uint32_t add_row(struct hooks_loop *loop, uint64_t id, uint32_t type) {
  const struct hooks_operation *operation = hooks_table_find(&loop->operations, id);
  struct event_row row = {.registered = operation == NULL ? loop->start : operation->registered,
                          .begin = loop->now,
                          .end = loop->now,
                          .resource = (uint32_t)id,
                          .type = type,
                          .registrar = operation == NULL ? EVENT_NONE : operation->registrar,
                          .releaser = EVENT_NONE,
                          .inside = innermost_row(loop),
                          .class = class_of(loop, type)};
  set_ready(&row);
  return event_log_add(&loop->part, &row);
}

/* Of a promise that an earlier turn registered: this turn has released it. */
static uint32_t add_released(struct hooks_loop *loop, uint64_t id, uint32_t type, uint32_t turn) {
  uint32_t row = add_row(loop, id, type);
  int64_t *low = &loop->part.ready_low.data[row];
  loop->part.releaser.data[row] = turn;
  loop->part.inside.data[row] = turn;
  *low = loop->part.begin.data[turn] > *low ? loop->part.begin.data[turn] : *low;
  return row;
}

static void push(struct hooks_loop *loop, struct hooks_open open) {
  vector_push(&loop->open, open);
}

/* The next callback of the operation is registered when this one ends: of an implicit one, when
 * something happened in it last. */
static void settle(struct hooks_loop *loop, const struct hooks_open *open) {
  struct hooks_operation *operation = hooks_table_find(&loop->operations, open->id);
  if (!open->implicit)
    extend(loop, open->row);
  if (operation == NULL || !open->bound)
    return;
  operation->row = open->row;
  if (open->own) {
    operation->registered = open->implicit ? loop->part.end.data[open->row] : loop->now;
    operation->registrar = open->row;
  }
}

static void pop(struct hooks_loop *loop) {
  struct hooks_open open = loop->open.data[--loop->open.count];
  settle(loop, &open);
}

static void pop_implicit(struct hooks_loop *loop) {
  while (loop->open.count != 0 && innermost(loop)->implicit)
    pop(loop);
}

/* ---- in which row something happens */

static uint32_t open_implicit(struct hooks_loop *loop, uint64_t id, uint32_t type) {
  uint32_t row = add_row(loop, id, type);
  push(loop, (struct hooks_open){id, row, .own = true, .implicit = true, .bound = true});
  loop->turn = row;
  return row;
}

static uint32_t program(struct hooks_loop *loop) {
  uint32_t type = names_number(&loop->log->names, (struct slice){"program", 7});
  uint32_t row = open_implicit(loop, PROGRAM, type);
  loop->part.registered.data[row] = loop->part.ready_low.data[row] = loop->now;
  loop->part.class.data[row] = EVENT_PROGRAM;
  return row;
}

/* The row turns out to be a callback of the operation; one that was registered later is damaged. */
static void take_over(struct event_log *part, uint32_t row, const struct hooks_operation *operation,
                      enum event_class class) {
  int64_t begin = part->begin.data[row];
  int64_t registered = operation->registered < begin ? operation->registered : begin;
  part->type.data[row] = operation->type;
  part->class.data[row] = (uint8_t) class;
  part->registered.data[row] = part->ready_low.data[row] = registered;
  part->registrar.data[row] = operation->registrar;
}

/* The callback of the parser that has just noticed a request is that of the first operation which
 * is said to run in it. */
static bool bind(struct hooks_loop *loop, uint64_t id) {
  struct hooks_open *open = innermost(loop);
  if (open == NULL || !open->implicit || open->bound)
    return false;
  const struct hooks_operation *operation = hooks_table_find(&loop->operations, id);
  uint32_t row = open->row;
  open->id = id;
  open->bound = true;
  loop->part.resource.data[row] = (uint32_t)id;
  if (operation != NULL)
    take_over(&loop->part, row, operation, class_of(loop, operation->type));
  return true;
}

/* The row in which the operation runs. */
static uint32_t row_of(struct hooks_loop *loop, uint64_t execution) {
  if (execution == 0)
    return EVENT_NONE;
  if (bind(loop, execution))
    return innermost_row(loop);
  for (size_t i = loop->open.count; i-- > 0;)
    if (loop->open.data[i].id == execution)
      return loop->open.data[i].row;
  const struct hooks_operation *operation = hooks_table_find(&loop->operations, execution);
  pop_implicit(loop);
  if (execution == PROGRAM)
    return operation == NULL ? program(loop) : operation->row;
  return operation == NULL || loop->open.count >= HOOKS_DEEP
             ? EVENT_NONE
             : open_implicit(loop, execution, operation->type);
}

/* ---- events */

void hooks_loop_register(struct hooks_loop *loop, uint64_t id, uint32_t type, uint64_t execution) {
  uint32_t registrar = row_of(loop, execution);
  extend(loop, registrar == innermost_row(loop) ? registrar : EVENT_NONE);
  struct hooks_operation *operation = hooks_table_add(&loop->operations, id);
  loop->notes->again += operation->type != 0;
  operation->type = type;
  operation->registered = loop->now;
  operation->registrar = registrar;
  operation->row = EVENT_NONE;
}

/* The turn that a microtask runs in: that of the callback it runs within, or else of the latest. A
 * tick that was registered later than that follows from its own registrar. */
static uint32_t turn_of(const struct hooks_loop *loop, const struct hooks_operation *operation) {
  if (loop->open.count != 0)
    return innermost(loop)->row;
  uint32_t registrar = operation == NULL ? EVENT_NONE : operation->registrar;
  return registrar != EVENT_NONE && (loop->turn == EVENT_NONE || registrar > loop->turn)
             ? registrar
             : loop->turn;
}

static void begin_micro(struct hooks_loop *loop, uint64_t id, uint32_t type) {
  struct hooks_operation *operation = hooks_table_find(&loop->operations, id);
  uint32_t turn = turn_of(loop, operation);
  bool awaited = class_of(loop, type) == EVENT_PROMISE && operation != NULL && turn != EVENT_NONE &&
                 operation->registered < loop->part.begin.data[turn];
  bool own = turn == EVENT_NONE || awaited;
  uint32_t row = turn;
  if (own)
    row = awaited ? add_released(loop, id, type, turn) : add_row(loop, id, type);
  extend(loop, turn);
  push(loop, (struct hooks_open){id, row, .own = own, .bound = true});
}

static void begin_turn(struct hooks_loop *loop, uint64_t id, uint32_t type) {
  uint32_t row = add_row(loop, id, type);
  push(loop, (struct hooks_open){id, row, .own = true, .bound = true});
  loop->turn = row;
}

void hooks_loop_begin(struct hooks_loop *loop, uint64_t id, uint32_t type) {
  struct hooks_open *open = innermost(loop);
  bool parser = strncmp(names_text(&loop->log->names, type), "HTTP", 4) == 0;
  if (open != NULL && open->implicit &&
      ((open->bound && open->id == id) || (!open->bound && parser && bind(loop, id)))) {
    open->implicit = false;
    return;
  }
  if (loop->open.count >= HOOKS_DEEP) {
    loop->notes->deep++;
    return;
  }
  if (is_micro(loop, type)) {
    begin_micro(loop, id, type);
    return;
  }
  pop_implicit(loop);
  begin_turn(loop, id, type);
}

void hooks_loop_end(struct hooks_loop *loop, uint64_t id) {
  size_t i = loop->open.count;
  while (i != 0 && (loop->open.data[i - 1].id != id || !loop->open.data[i - 1].bound))
    i--;
  if (i == 0) {
    loop->notes->unbegun++;
    return;
  }
  while (loop->open.count >= i)
    pop(loop);
}

void hooks_loop_destroy(struct hooks_loop *loop, uint64_t id) {
  struct hooks_operation *operation = hooks_table_find(&loop->operations, id);
  if (operation != NULL && id != PROGRAM)
    hooks_table_remove(&loop->operations, operation);
}

/* ---- requests */

/* The parser calls the handler before its own callback is said to begin. */
void hooks_loop_notice(struct hooks_loop *loop, uint64_t number) {
  uint32_t type = names_number(&loop->log->names, (struct slice){"HTTPINCOMINGMESSAGE", 19});
  if (loop->open.count >= HOOKS_DEEP) {
    loop->notes->deep++;
    return;
  }
  pop_implicit(loop);
  uint32_t row = open_implicit(loop, 0, type);
  loop->open.data[loop->open.count - 1].bound = false;
  struct event_request request = {.source = row,
                                  .sink = EVENT_NONE,
                                  .noticed = loop->now,
                                  .responded = EVENT_NEVER,
                                  .state = EVENT_OPEN};
  struct hooks_operation *open = hooks_table_add(&loop->requests, number);
  loop->notes->again += open->type != 0;
  open->type = 1;
  open->row = (uint32_t)loop->part.requests.count;
  vector_push(&loop->part.requests, request);
}

void hooks_loop_answer(struct hooks_loop *loop, uint64_t number, struct slice url,
                       uint16_t status) {
  struct hooks_operation *open = hooks_table_find(&loop->requests, number);
  if (open == NULL) {
    loop->notes->unbegun++;
    return;
  }
  struct event_request *request = &loop->part.requests.data[open->row];
  struct text route;
  text_init(&route);
  event_route(&route, (struct slice){"HTTP", 4}, url);
  request->route = names_number(&loop->log->names, (struct slice){text_get(&route), route.length});
  request->sink = loop->open.count != 0 ? innermost_row(loop) : loop->turn;
  extend(loop, request->sink);
  request->responded = loop->now;
  request->status = status;
  request->state = EVENT_ANSWERED;
  text_clear(&route);
  hooks_table_remove(&loop->requests, open);
}

/* ---- the end */

/* The parser had nothing of the request before it ended with the one before. */
static void set_arrivals(struct hooks_loop *loop) {
  for (size_t i = 0; i < loop->part.requests.count; i++) {
    struct event_request *request = &loop->part.requests.data[i];
    request->arrived_high = request->noticed;
    request->arrived_low = loop->part.registered.data[request->source];
  }
}

static void add_waiting(struct hooks_loop *loop, const struct hooks_operation *operation) {
  if (operation->row != EVENT_NONE || operation->type == 0 || is_micro(loop, operation->type))
    return;
  event_log_add(&loop->part, &(struct event_row){.registered = operation->registered,
                                                 .ready_low = operation->registered,
                                                 .ready_high = EVENT_NEVER,
                                                 .begin = EVENT_NEVER,
                                                 .end = EVENT_NEVER,
                                                 .resource = (uint32_t)operation->id,
                                                 .type = operation->type,
                                                 .registrar = operation->registrar,
                                                 .releaser = EVENT_NONE,
                                                 .inside = EVENT_NONE,
                                                 .class = class_of(loop, operation->type)});
}

void hooks_loop_finish(struct hooks_loop *loop) {
  while (loop->open.count != 0)
    pop(loop);
  set_arrivals(loop);
  for (size_t i = 0; i < loop->operations.items.count; i++)
    add_waiting(loop, &loop->operations.items.data[i]);
}
