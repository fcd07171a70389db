/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/pool_work.h"

#include <string.h>

static enum pool_work kind_of_type(const char *type, uint8_t class) {
  size_t length = strlen(type);
  if (class == EVENT_FILE)
    return strncmp(type, "FSREQ", 5) == 0 || strcmp(type, "FILEHANDLECLOSEREQ") == 0
               ? POOL_WORK_FILE
               : POOL_WORK_NONE;
  if (class != EVENT_POOL || strncmp(type, "NATIVE ", 7) == 0)
    return POOL_WORK_NONE; /* of an addon, which may have threads of its own */
  if (strcmp(type, "GETADDRINFOREQWRAP") == 0 || strcmp(type, "GETNAMEINFOREQWRAP") == 0)
    return POOL_WORK_NAME;
  bool is_request = length > 7 && strcmp(type + length - 7, "REQUEST") == 0;
  return is_request || strcmp(type, "ZLIB") == 0 ? POOL_WORK_OTHER : POOL_WORK_NONE;
}

enum pool_work pool_kind_of(struct pool_kinds *kinds, uint32_t row) {
  const struct event_log *log = kinds->log;
  uint32_t type = log->type.data[row];
  while (kinds->of.count <= type)
    vector_push(&kinds->of, POOL_WORK_UNKNOWN);
  if (kinds->of.data[type] == POOL_WORK_UNKNOWN)
    kinds->of.data[type] =
        (uint8_t)kind_of_type(names_text(&log->names, type), log->class.data[row]);
  return (enum pool_work)kinds->of.data[type];
}

void pool_kinds_clear(struct pool_kinds *kinds) {
  vector_clear(&kinds->of);
}

static bool is_asked(const struct event_log *log, const struct event_loop *loop, uint32_t row) {
  if (strcmp(names_text(&log->names, log->type.data[row]), "ZLIB") != 0)
    return true;
  uint32_t before = log->registrar.data[row];
  bool again = before < row && log->resource.data[before] == log->resource.data[row];
  return loop->has_asked && !(again && log->registered.data[row] == log->end.data[before]);
}

bool pool_is_work(struct pool_kinds *kinds, const struct event_loop *loop, uint32_t row) {
  const struct event_log *log = kinds->log;
  return log->begin.data[row] != EVENT_NEVER && log->inside.data[row] == EVENT_NONE &&
         pool_kind_of(kinds, row) != POOL_WORK_NONE && is_asked(log, loop, row);
}

bool pool_is_shared(const struct event_loop *a, const struct event_loop *b) {
  return a->process == b->process && a->run == b->run && a->folder == b->folder;
}

uint32_t pool_first_loop(const struct event_log *log, uint32_t loop) {
  uint32_t first = 0;
  while (first < loop && !pool_is_shared(&log->loops.data[first], &log->loops.data[loop]))
    first++;
  return first;
}

uint32_t pool_threads_for_names(uint32_t threads) {
  return (threads + 1) / 2;
}
