/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_record.h"

enum {
  OP_STRING,
  OP_INIT,
  OP_TIMER,
  OP_RUN,
  OP_REQUEST,
  OP_RESPONSE,
  OP_PAUSE,
  OP_MORE,
  CODE_COMPILATION = 4,
  CODE_FOLLOWS = 31,
  TEXT_MOST = 65535
};

struct node_cursor node_cursor_make(const struct node_chunk *chunk) {
  bool sane = chunk->base >= 0 && chunk->base < NODE_TIME_MAX;
  return (struct node_cursor){.at = chunk->data,
                              .end = chunk->data + chunk->length,
                              .base = chunk->base,
                              .time = chunk->base,
                              .broken = !sane};
}

/* Below 2^56, seven bits a byte; 0 and broken when there is none. */
static int64_t varint(struct node_cursor *cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 56 && cursor->at < cursor->end; shift += 7) {
    unsigned char byte = *cursor->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return (int64_t)value;
  }
  cursor->broken = true;
  return 0;
}

static int64_t signed_varint(struct node_cursor *cursor) {
  int64_t value = varint(cursor);
  return (value & 1) == 0 ? value / 2 : -(value / 2) - 1;
}

/* A time in range, or broken. */
static int64_t in_range(struct node_cursor *cursor, int64_t time) {
  if (time >= 0 && time < NODE_TIME_MAX)
    return time;
  cursor->broken = true;
  return 0;
}

static int64_t next_time(struct node_cursor *cursor) {
  return cursor->time = in_range(cursor, cursor->time + signed_varint(cursor));
}

static uint32_t next_id(struct node_cursor *cursor) {
  cursor->id += signed_varint(cursor);
  if (cursor->id < 0 || cursor->id > (int64_t)1 << 53) {
    cursor->broken = true;
    cursor->id = 0;
  }
  return (uint32_t)cursor->id;
}

static uint32_t next_text(struct node_cursor *cursor) {
  int64_t number = varint(cursor);
  if (number > TEXT_MOST)
    cursor->broken = true;
  return (uint32_t)number;
}

/* From time to end; the clock goes on from there. */
static void next_span(struct node_cursor *cursor, struct node_record *record) {
  record->time = next_time(cursor);
  record->end = in_range(cursor, record->time + varint(cursor));
}

static int64_t next_request(struct node_cursor *cursor) {
  int64_t number = cursor->request + signed_varint(cursor);
  if (number < 0 || number > (int64_t)1 << 53)
    cursor->broken = true;
  return number;
}

static void read_string(struct node_cursor *cursor, struct node_record *record) {
  record->kind = NODE_STRING;
  record->number = next_text(cursor);
  int64_t length = varint(cursor);
  if (length > cursor->end - cursor->at)
    cursor->broken = true;
  if (cursor->broken)
    return;
  record->bytes = (struct slice){(const char *)cursor->at, (size_t)length};
  cursor->at += length;
}

static void read_init(struct node_cursor *cursor, struct node_record *record, unsigned code,
                      bool timer) {
  record->kind = timer ? NODE_TIMER : NODE_INIT;
  record->text = code == CODE_FOLLOWS ? next_text(cursor) : code;
  record->id = next_id(cursor);
  record->time = next_time(cursor);
  record->length = timer ? varint(cursor) : 0;
}

static void read_pause(struct node_cursor *cursor, struct node_record *record, unsigned code) {
  record->kind = NODE_PAUSE;
  record->code = code;
  record->time = in_range(cursor, cursor->time + signed_varint(cursor));
  record->end = in_range(cursor, record->time + varint(cursor));
  if (code == CODE_COMPILATION)
    record->text = next_text(cursor);
}

static void read_promise(struct node_cursor *cursor, struct node_record *record) {
  record->kind = NODE_PROMISE;
  next_span(cursor, record);
  record->since = in_range(cursor, record->time - varint(cursor));
  cursor->time = record->end;
}

static void read_delay(struct node_cursor *cursor, struct node_record *record) {
  next_span(cursor, record);
  record->waited = varint(cursor);
  record->throttled = varint(cursor);
  record->stopped = varint(cursor);
}

static void read_grant(struct node_cursor *cursor, struct node_record *record) {
  record->kind = NODE_GRANT;
  record->time = next_time(cursor);
  record->since = in_range(cursor, record->time - varint(cursor));
  record->id = (uint32_t)varint(cursor);
  record->text = next_text(cursor);
}

/* A turn at the end of a chunk that is not finished, whose numbers are differences to its head. */
static void read_last(struct node_cursor *cursor, struct node_record *record) {
  cursor->id = 0;
  cursor->time = cursor->base;
  record->id = next_id(cursor);
  next_span(cursor, record);
}

static void read_more(struct node_cursor *cursor, struct node_record *record, unsigned code) {
  static const enum node_kind kinds[] = {
      NODE_PROMISE, NODE_ABORT, NODE_UPGRADE, NODE_TYPED, NODE_SAMPLE, NODE_ROUTE,  NODE_PEER,
      NODE_DELAY,   NODE_RUN,   NODE_USE,     NODE_ASKED, NODE_GRANT,  NODE_UNKNOWN};
  if (code >= sizeof kinds / sizeof *kinds) {
    cursor->broken = true;
    return;
  }
  record->kind = kinds[code];
  if (record->kind == NODE_PROMISE) {
    read_promise(cursor, record);
    return;
  }
  if (record->kind == NODE_DELAY) {
    read_delay(cursor, record);
    return;
  }
  if (record->kind == NODE_USE) {
    next_span(cursor, record);
    record->waited = varint(cursor);
    record->number = varint(cursor);
    return;
  }
  if (record->kind == NODE_RUN) {
    read_last(cursor, record);
    return;
  }
  if (record->kind == NODE_GRANT) {
    read_grant(cursor, record);
    return;
  }
  if (record->kind == NODE_ASKED) {
    record->id = next_id(cursor);
    record->time = next_time(cursor);
    return;
  }
  if (record->kind == NODE_ABORT || record->kind == NODE_ROUTE)
    record->number = next_request(cursor);
  if (record->kind == NODE_UPGRADE || record->kind == NODE_SAMPLE)
    record->time = next_time(cursor);
  if (record->kind == NODE_TYPED || record->kind == NODE_PEER)
    record->id = next_id(cursor);
  if (record->kind != NODE_ABORT)
    record->text = next_text(cursor);
}

static void read_request(struct node_cursor *cursor, struct node_record *record) {
  record->kind = NODE_REQUEST;
  record->number = cursor->request = next_request(cursor);
  record->time = next_time(cursor);
  record->text = next_text(cursor);
}

static void read_response(struct node_cursor *cursor, struct node_record *record, unsigned code) {
  record->kind = NODE_RESPONSE;
  record->streamed = code == 1;
  record->number = next_request(cursor);
  record->time = next_time(cursor);
  record->code = (uint32_t)varint(cursor) & 0xffff;
}

static void read_run(struct node_cursor *cursor, struct node_record *record, unsigned code) {
  record->kind = code == 0 ? NODE_RUN : NODE_WITHIN;
  record->id = next_id(cursor);
  next_span(cursor, record);
  cursor->time = record->end;
}

bool node_record_next(struct node_cursor *cursor, struct node_record *record) {
  if (cursor->broken || cursor->at >= cursor->end)
    return false;
  unsigned head = *cursor->at++, code = head >> 3;
  *record = (struct node_record){0};
  switch (head & 7) {
  case OP_STRING:
    read_string(cursor, record);
    break;
  case OP_INIT:
  case OP_TIMER:
    read_init(cursor, record, code, (head & 7) == OP_TIMER);
    break;
  case OP_RUN:
    read_run(cursor, record, code);
    break;
  case OP_REQUEST:
    read_request(cursor, record);
    break;
  case OP_RESPONSE:
    read_response(cursor, record, code);
    break;
  case OP_PAUSE:
    read_pause(cursor, record, code);
    break;
  default:
    read_more(cursor, record, code);
  }
  return !cursor->broken;
}
