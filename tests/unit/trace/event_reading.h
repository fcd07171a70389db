/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Event logs written as text in a test, read as files would be.
 */
#ifndef TESTS_UNIT_TRACE_EVENT_READING_H
#define TESTS_UNIT_TRACE_EVENT_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "trace/event/read.h"
#include "trace/loop/chain.h"

struct event_reading {
  struct event_log log;
  struct ledger ledger;
  enum status status;
  struct text said, shown;
};

static inline void event_reading_say(void *context, enum saying saying, const char *line) {
  (void)saying;
  const char *name = strstr(line, "/event-reading-");
  text_append(context, name == NULL ? line : name + 21);
}

static inline struct event_reading *event_reading_of_paths(const char *const *paths, size_t count) {
  struct event_reading *reading = mem_alloc(1, sizeof *reading);
  event_log_init(&reading->log);
  ledger_init(&reading->ledger);
  text_init(&reading->said);
  text_init(&reading->shown);
  reading->status =
      event_read(&reading->log, paths, count, &reading->ledger,
                 &(struct asker){.context = &reading->said, .say = event_reading_say});
  return reading;
}

static inline void event_reading_free(struct event_reading *reading) {
  event_log_clear(&reading->log);
  ledger_clear(&reading->ledger);
  text_clear(&reading->said);
  text_clear(&reading->shown);
  mem_free(reading);
}

static inline void event_reading_write(char *path, const char *bytes, size_t length) {
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, bytes, length), (ssize_t)length);
  close(file);
}

static inline struct event_reading *event_reading_of_bytes(const char *bytes, size_t length) {
  char path[] = "/tmp/event-reading-XXXXXX";
  event_reading_write(path, bytes, length);
  struct event_reading *reading = event_reading_of_paths((const char *const[]){path}, 1);
  unlink(path);
  return reading;
}

static inline struct event_reading *event_reading_of(const char *text) {
  return event_reading_of_bytes(text, strlen(text));
}

/* What the header of the log promises of any log. */
static inline void event_reading_check(const struct event_log *log) {
  size_t rows = log->begin.count;
  for (size_t i = 0; i < log->loops.count; i++) {
    const struct event_loop *loop = &log->loops.data[i];
    assert_true((size_t)loop->first + loop->count <= rows);
    for (uint32_t row = loop->first; row < loop->first + loop->count; row++) {
      assert_true(row == loop->first || log->begin.data[row] >= log->begin.data[row - 1]);
      assert_true(log->registered.data[row] <= log->ready_low.data[row]);
      assert_true(log->ready_low.data[row] <= log->ready_high.data[row]);
      assert_true(log->ready_high.data[row] <= log->begin.data[row]);
      assert_true(log->begin.data[row] <= log->end.data[row]);
      const uint32_t others[] = {log->registrar.data[row], log->releaser.data[row],
                                 log->inside.data[row]};
      for (size_t j = 0; j < 3; j++)
        assert_true(others[j] == EVENT_NONE || (others[j] < rows && others[j] != row));
    }
  }
  for (size_t i = 0; i < log->pauses.count; i++)
    assert_true(log->pauses.data[i].start <= log->pauses.data[i].end);
}

static inline void event_reading_row(struct event_reading *reading, uint32_t row, uint32_t number) {
  if (number != EVENT_NONE)
    text_format(&reading->shown, " %s %u", row == 0 ? "by" : row == 1 ? "after" : "in", number);
}

/* A row on each line: "type id registered [ready_low ready_high] begin-end by REGISTRAR after
 * RELEASER in INSIDE", in us. */
static inline const char *event_reading_show(struct event_reading *reading) {
  const struct event_log *log = &reading->log;
  text_clear(&reading->shown);
  for (uint32_t row = 0; row < log->begin.count; row++) {
    text_format(&reading->shown, "%s %u %lld [", names_text(&log->names, log->type.data[row]),
                log->resource.data[row], (long long)log->registered.data[row] / 1000);
    if (log->begin.data[row] == EVENT_NEVER)
      text_append(&reading->shown, "] never");
    else
      text_format(&reading->shown, "%lld %lld] %lld-%lld",
                  (long long)log->ready_low.data[row] / 1000,
                  (long long)log->ready_high.data[row] / 1000,
                  (long long)log->begin.data[row] / 1000, (long long)log->end.data[row] / 1000);
    event_reading_row(reading, 0, log->registrar.data[row]);
    event_reading_row(reading, 1, log->releaser.data[row]);
    event_reading_row(reading, 2, log->inside.data[row]);
    text_append(&reading->shown, "\n");
  }
  return text_get(&reading->shown);
}

static inline void check_events(const char *text, const char *expected) {
  struct event_reading *reading = event_reading_of(text);
  assert_string_equal(text_get(&reading->said), "");
  assert_int_equal(reading->status, STATUS_OK);
  event_reading_check(&reading->log);
  assert_string_equal(event_reading_show(reading), expected);
  event_reading_free(reading);
}

static inline bool event_reading_notes(const struct event_reading *reading, const char *part) {
  bool found = false;
  for (size_t i = 0; i < reading->ledger.count; i++)
    found |= strstr(reading->ledger.lines[i].text, part) != NULL;
  return found;
}

#endif
