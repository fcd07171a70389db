/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Traces written as text in a test, read as a file would be.
 */
#ifndef TESTS_UNIT_TRACE_READING_H
#define TESTS_UNIT_TRACE_READING_H

#include <inttypes.h>
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
#include "trace/span/read.h"

/* What a reading gave. */
struct reading {
  struct span_store store;
  struct ledger ledger;
  enum status status;
  struct text said; /* to the asker, a line each, without the folder of the file */
  struct text shown;
};

static inline void reading_say(void *context, enum saying saying, const char *line) {
  (void)saying;
  struct text *said = context;
  const char *name = strstr(line, "/reading-");
  text_format(said, "%s%s", said->length == 0 ? "" : "\n", name == NULL ? line : name + 15);
}

/* --columns of the readings that follow; NULL: none. */
static const char *reading_columns;

static inline struct reading *reading_of_paths(const char *const *paths, size_t count) {
  struct reading *reading = mem_alloc(1, sizeof *reading);
  span_store_init(&reading->store);
  ledger_init(&reading->ledger);
  text_init(&reading->said);
  text_init(&reading->shown);
  struct trace_reading options = {
      .tags = true, .ids = true, .columns = reading_columns, .keep = true};
  reading->status = trace_read(&reading->store, paths, count, &options, &reading->ledger,
                               &(struct asker){.context = &reading->said, .say = reading_say});
  return reading;
}

static inline void reading_free(struct reading *reading) {
  span_store_clear(&reading->store);
  ledger_clear(&reading->ledger);
  text_clear(&reading->said);
  text_clear(&reading->shown);
  mem_free(reading);
}

static inline struct reading *reading_of_bytes(const char *bytes, size_t length) {
  char path[] = "/tmp/reading-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, bytes, length), (ssize_t)length);
  close(file);
  struct reading *reading = reading_of_paths((const char *const[]){path}, 1);
  unlink(path);
  return reading;
}

static inline struct reading *reading_of(const char *text) {
  return reading_of_bytes(text, strlen(text));
}

/* A row as "id<parent service/operation start+duration"; each on a line, requests by blank lines.
 */
static inline void reading_show_row(struct reading *reading, uint32_t row) {
  static const char *const kinds[] = {"",        " internal", " server",
                                      " client", " producer", " consumer"};
  const struct span_store *store = &reading->store;
  struct slice id = span_store_id(store, row);
  text_format(&reading->shown, "%.*s", (int)id.length, id.start);
  if (store->parent.data[row] != SPAN_NONE) {
    struct slice parent = span_store_id(store, store->parent.data[row]);
    text_format(&reading->shown, "<%.*s", (int)parent.length, parent.start);
  }
  text_format(&reading->shown, " %s/%s %" PRId64 "+%" PRId64 "%s%s%s%s%s\n",
              names_text(&store->names, store->service.data[row]),
              names_text(&store->names, store->operation.data[row]), store->start.data[row],
              store->end.data[row] - store->start.data[row], kinds[store->kind.data[row]],
              store->status.data[row] == SPAN_ERROR ? " error" : "",
              (store->mark.data[row] & SPAN_FOLLOWS) != 0 ? " follows" : "",
              (store->mark.data[row] & SPAN_ORPHAN) != 0 ? " orphan" : "",
              (store->mark.data[row] & SPAN_UNFINISHED) != 0 ? " unfinished" : "");
}

static inline const char *reading_show(struct reading *reading) {
  text_clear(&reading->shown);
  for (size_t i = 0; i < reading->store.requests.count; i++) {
    const struct request *request = &reading->store.requests.data[i];
    text_format(&reading->shown, "%s%.*s:\n", i == 0 ? "" : "\n", (int)request->id.length,
                request->id.start);
    for (uint32_t row = request->first; row < request->first + request->count; row++)
      reading_show_row(reading, row);
  }
  return text_get(&reading->shown);
}

/* The text is read as `expected`. */
static inline void check_read(const char *text, const char *expected) {
  struct reading *reading = reading_of(text);
  assert_string_equal(text_get(&reading->said), "");
  assert_int_equal(reading->status, STATUS_OK);
  assert_string_equal(reading_show(reading), expected);
  reading_free(reading);
}

/* The text is refused with one message. */
static inline void check_refused(const char *text, const char *message) {
  struct reading *reading = reading_of(text);
  assert_string_equal(text_get(&reading->said), message);
  assert_int_equal(reading->status, reading_columns == NULL ? STATUS_DATA : reading->status);
  assert_int_not_equal(reading->status, STATUS_OK);
  reading_free(reading);
}

/* The ledger says it of the text. */
static inline void check_noted(const char *text, const char *line) {
  struct reading *reading = reading_of(text);
  assert_int_equal(reading->status, STATUS_OK);
  bool found = false;
  for (size_t i = 0; i < reading->ledger.count; i++)
    found = found || strstr(reading->ledger.lines[i].text, line) != NULL;
  if (!found && reading->ledger.count != 0)
    assert_string_equal(reading->ledger.lines[0].text, line);
  assert_true(found);
  reading_free(reading);
}

/* The same with columns that are given. */
static inline void check_read_by(const char *text, const char *columns, const char *expected) {
  reading_columns = columns;
  check_read(text, expected);
  reading_columns = NULL;
}

static inline void check_refused_by(const char *text, const char *columns, const char *message) {
  reading_columns = columns;
  check_refused(text, message);
  reading_columns = NULL;
}

static inline void check_noted_by(const char *text, const char *columns, const char *line) {
  reading_columns = columns;
  check_noted(text, line);
  reading_columns = NULL;
}

/* Each beginning of the text is read or refused with one line that names a place. */
static inline void check_truncations(const char *text) {
  size_t refused = 0, length = strlen(text);
  for (size_t i = 0; i < length; i++) {
    struct reading *reading = reading_of_bytes(text, i);
    if (reading->status != STATUS_OK) {
      refused++;
      assert_int_equal(reading->status, STATUS_DATA);
      assert_true(reading->said.length != 0);
      assert_null(strchr(text_get(&reading->said), '\n'));
    }
    reading_free(reading);
  }
  assert_true(refused > length / 2);
}

#endif
