/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a log of the Node.js recorder: rows whose times are in order, or one message. The
 * first byte says what the others are: an even one a file, an odd one the records of a whole chunk,
 * which the checksum would keep out otherwise. With clang -fsanitize=fuzzer a libFuzzer target;
 * with -DSTANDALONE a program that replays the files it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/event/node_chunk.h"
#include "trace/event/node_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

static bool is_row(const struct event_log *log, uint32_t row) {
  return row == EVENT_NONE || row < log->begin.count;
}

static void check_row(const struct event_log *log, size_t row) {
  if (log->registered.data[row] > log->ready_low.data[row] ||
      log->ready_low.data[row] > log->ready_high.data[row] ||
      log->ready_high.data[row] > log->begin.data[row] || log->begin.data[row] > log->end.data[row])
    fail("times out of order");
  if (!is_row(log, log->registrar.data[row]) || !is_row(log, log->releaser.data[row]) ||
      !is_row(log, log->inside.data[row]))
    fail("rows that are not there");
  names_text(&log->names, log->type.data[row]);
  names_text(&log->names, log->place.data[row]);
}

static void check_request(const struct event_log *log, const struct event_request *request) {
  if (request->arrived_low > request->arrived_high || request->arrived_high > request->noticed ||
      request->noticed > request->responded)
    fail("a request whose times are out of order");
  if (!is_row(log, request->source) || !is_row(log, request->sink))
    fail("a request in rows that are not there");
  if (request->state == EVENT_ANSWERED &&
      (request->source == EVENT_NONE || request->sink == EVENT_NONE))
    fail("answered nowhere");
}

static void check(const struct event_log *log) {
  for (size_t i = 0; i < log->loops.count; i++) {
    const struct event_loop *loop = &log->loops.data[i];
    for (uint32_t row = loop->first + 1; row < loop->first + loop->count; row++)
      if (log->begin.data[row - 1] > log->begin.data[row])
        fail("rows out of order");
  }
  for (size_t row = 0; row < log->begin.count; row++)
    check_row(log, row);
  for (size_t i = 0; i < log->requests.count; i++)
    check_request(log, &log->requests.data[i]);
}

static void put32(unsigned char *at, uint32_t value) {
  for (unsigned i = 0; i < 4; i++)
    at[i] = (unsigned char)(value >> 8 * i);
}

/* The bytes as the records of the only chunk of a file. */
static size_t wrap(unsigned char *file, const uint8_t *data, size_t size) {
  if (size > NODE_CHUNK_MOST - NODE_CHUNK_HEADER)
    size = NODE_CHUNK_MOST - NODE_CHUNK_HEADER;
  unsigned char *chunk = file + NODE_FILE_HEADER;
  size_t whole = (NODE_CHUNK_HEADER + size + 3) & ~(size_t)3;
  memset(file, 0, NODE_FILE_HEADER + whole);
  memcpy(file, "TPNODE1\n", 8);
  memcpy(chunk, size % 2 == 0 ? "TPNC" : "TPNS", 4);
  put32(chunk + 4, (uint32_t)size);
  put32(chunk + 16, 1000000);
  memcpy(chunk + NODE_CHUNK_HEADER, data, size);
  put32(chunk + 8, node_checksum(chunk, whole / 4));
  return NODE_FILE_HEADER + whole;
}

static void read_path(const char *path) {
  struct event_log log;
  struct text message;
  event_log_init(&log);
  text_init(&message);
  enum status status = node_log_read(&log, &path, 1, &message);
  if ((status == STATUS_OK) != (text_get(&message)[0] == '\0'))
    fail("a status without a message, or a message without a status");
  check(&log);
  event_log_clear(&log);
  text_clear(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned char made[NODE_FILE_HEADER + NODE_CHUNK_MOST + 4];
  char path[] = "/tmp/tailproof-fuzz-XXXXXX";
  if (size > 0 && data[0] % 2 == 1) {
    size = wrap(made, data + 1, size - 1);
    data = made;
  } else if (size > 0) {
    data++;
    size--;
  }
  int file = mkstemp(path);
  if (file < 0 || write(file, data, size) != (ssize_t)size)
    fail("no temporary file");
  close(file);
  read_path(path);
  unlink(path);
  return 0;
}

#include "tests/fuzz/standalone.h"
