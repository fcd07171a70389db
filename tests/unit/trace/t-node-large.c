/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Logs of the Node.js recorder that are larger than what is read at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/trace/node_bytes.h"
#include "trace/event/node_log.h"

/* A loop's log of that many chunks of 40 kB, a millisecond each; how many requests a chunk has. At
 * the end of each a connection is made that is used at the start of the next. */
static int64_t write_chunks(struct folder *folder, const char **path, const char *name,
                            uint32_t thread, uint64_t chunks) {
  struct bytes *bytes = malloc(sizeof *bytes);
  assert_non_null(bytes);
  begin_file(bytes, thread, 0);
  *path = folder_add(folder, name, bytes->data, bytes->count);
  FILE *file = fopen(*path, "ab");
  assert_non_null(file);
  bytes->count = 0;
  begin_chunk(bytes, "TPNC", 0, 0, 0);
  text(bytes, 1, "GET /");
  text(bytes, 2, "TCPWRAP");
  text(bytes, 3, "10.0.0.2:6379");
  run(bytes, 0, 8, 0, 5);
  int64_t turns = 0;
  for (; bytes->count < 40000; turns++) {
    request(bytes, turns + 1, turns * 10 + 11, 1);
    response(bytes, turns + 1, turns * 10 + 15, 200);
    run(bytes, 0, 6, turns * 10 + 10, turns * 10 + 19);
  }
  init(bytes, 2, 8, turns * 10 + 12);
  run(bytes, 0, 6, turns * 10 + 11, turns * 10 + 19);
  peer(bytes, 8, 3);
  for (uint64_t i = 0; i < chunks; i++) {
    size_t at = bytes->count;
    bytes->count = bytes->chunk + 12;
    put(bytes, i, 4);
    put(bytes, BASE + i * 1000000, 8);
    put(bytes, i * (3 * (uint64_t)turns + 4), 8);
    bytes->count = bytes->chunk + 40;
    put(bytes, BASE + (i + 1) * 1000000, 8);
    bytes->count = bytes->chunk + 8;
    put(bytes, 0, 4);
    bytes->count = at;
    end_chunk(bytes);
    assert_int_equal(fwrite(bytes->data, 1, bytes->count, file), bytes->count);
    bytes->count = at; /* without what fills the last word */
  }
  assert_int_equal(fclose(file), 0);
  free(bytes);
  return turns;
}

/* All but the first, which nobody has made. */
static void check_connections(const struct event_log *log, const struct event_loop *loop) {
  uint32_t row = loop->first + 1, end = loop->first + loop->count;
  assert_int_equal(log->resource.data[loop->first], 8);
  for (; row < end; row++)
    if (log->resource.data[row] == 8)
      assert_string_equal(names_text(&log->names, log->type.data[row]), "TCPWRAP 10.0.0.2:6379");
}

/* Of a log that is too large stretches are read, and what was left out is neither missing nor held
 * to be idle. Of two loops no more is read than of one. */
static void test_large(void **state) {
  (void)state;
  enum { CHUNKS = 600 };
  for (int64_t loops = 1; loops <= 2; loops++) {
    struct event_log log;
    struct folder folder;
    struct text message;
    const char *paths[2];
    int64_t turns = 0, left_out = 0;
    folder_init(&folder);
    for (int64_t i = 0; i < loops; i++)
      turns = write_chunks(&folder, &paths[i], i == 0 ? "4711.0.tpn" : "4711-3.0.tpn",
                           (uint32_t)i * 3, (uint64_t)(CHUNKS / loops));
    text_init(&message);
    event_log_init(&log);
    assert_int_equal(node_log_read(&log, paths, (size_t)loops, &message), STATUS_OK);
    assert_int_equal(log.loops.count, loops);
    for (int64_t i = 0; i < loops; i++) {
      const struct event_loop *loop = &log.loops.data[i];
      assert_int_equal(loop->dropped, 0);
      assert_int_equal(loop->end - loop->start, CHUNKS / loops * 1000000LL);
      left_out += loop->unread;
      check_connections(&log, loop);
    }
    assert_true(left_out > CHUNKS * 400000LL && left_out < CHUNKS * 560000LL);
    for (size_t i = 0; i < log.requests.count; i++)
      assert_int_equal(log.requests.data[i].state, EVENT_ANSWERED);
    assert_int_equal(log.requests.count, (CHUNKS - left_out / 1000000) * turns);
    event_log_clear(&log);
    text_clear(&message);
    folder_clear(&folder);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
