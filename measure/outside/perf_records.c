/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/perf_records.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* What starts as a thread of a process is no other process. */
static void read_task(const struct perf_record_sink *sink, bool begins, const uint64_t *words,
                      size_t count) {
  enum { WORDS = 3 };
  if (count < WORDS)
    return;
  uint32_t process = (uint32_t)words[0], parent = (uint32_t)(words[0] >> 32);
  if (begins && process == parent)
    return;
  struct perf_fate fate = {begins ? FATE_FORK : FATE_EXIT, begins ? parent : process,
                           begins ? process : (uint32_t)words[1], words[2]};
  sink->fate(sink->context, &fate);
}

static void read_exec(const struct perf_record_sink *sink, const uint64_t *words, size_t count) {
  enum { WORDS = 5 };
  if (count < WORDS)
    return;
  struct perf_fate fate = {FATE_EXEC, (uint32_t)words[0], (uint32_t)(words[0] >> 32),
                           words[count - 2]};
  sink->fate(sink->context, &fate);
}

size_t perf_records_read(const unsigned char *bytes, size_t count,
                         const struct perf_record_sink *sink) {
  struct perf_event_header header;
  size_t at = 0;
  for (; count - at >= sizeof header; at += header.size) {
    memcpy(&header, bytes + at, sizeof header);
    if (header.size < sizeof header || header.size % 8 != 0 || header.size > count - at)
      break;
    const uint64_t *words = (const uint64_t *)(const void *)(bytes + at + sizeof header);
    size_t length = (header.size - sizeof header) / 8;
    if (header.type == PERF_RECORD_SAMPLE && length != 0)
      sink->sample(sink->context, words, length);
    else if (header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT)
      read_task(sink, header.type == PERF_RECORD_FORK, words, length);
    else if (header.type == PERF_RECORD_COMM && (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
      read_exec(sink, words, length);
  }
  return at;
}
