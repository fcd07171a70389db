/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a file of traces, behind "columns " with columns for it: requests whose rows are in order, or one message; and the same
 * requests when it is written again with attributes. With clang
 * -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the files it is
 * given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "trace/span/read.h"
#include "trace/span/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

/* Rows are within their request, parents before, and what is below a row directly behind it. */
static enum status check(struct span_store *store, size_t index, void *context) {
  const struct request *request = &store->requests.data[index];
  uint32_t end = request->first + request->count;
  (void)context;
  if (request->count == 0 || end > store->start.count || store->tag_end.count < end)
    fail("rows that are not there");
  for (uint32_t row = request->first; row < end; row++) {
    uint32_t parent = store->parent.data[row];
    if (store->start.data[row] > store->end.data[row] || store->start.data[row] < -SPAN_TIME_MAX ||
        store->end.data[row] > SPAN_TIME_MAX)
      fail("times that are none");
    if (row + store->below.data[row] >= end ||
        (parent != SPAN_NONE &&
         (parent >= row || parent < request->first ||
          row + store->below.data[row] > parent + store->below.data[parent])))
      fail("rows out of order");
    span_store_id(store, row);
  }
  return STATUS_OK;
}

static void count_line(void *context, enum saying saying, const char *line) {
  (void)saying;
  *(int *)context += 1;
  if (strchr(line, '\n') != NULL || *line == '\0')
    fail("a message that is no line");
}

/* --columns of the input: its first line, behind "columns "; NULL: it has none. */
static char columns[256];
static const char *given;

static void take_columns(const uint8_t **data, size_t *size) {
  static const char mark[] = "columns ";
  const size_t length = sizeof mark - 1;
  given = NULL;
  if (*size < length || memcmp(*data, mark, length) != 0)
    return;
  size_t end = length;
  while (end < *size && (*data)[end] != '\n' && (*data)[end] != '\0' &&
         end - length + 1 < sizeof columns)
    end++;
  memcpy(columns, *data + length, end - length);
  columns[end - length] = '\0';
  given = columns;
  *data += end;
  *size -= end;
}

static void read_path(const char *path, bool keep) {
  struct span_store store;
  struct ledger ledger;
  int lines = 0;
  span_store_init(&store);
  ledger_init(&ledger);
  struct trace_reading reading = {
      .tags = keep, .ids = keep, .columns = given, .keep = keep, .visit = check};
  enum status status = trace_read(&store, &path, 1, &reading, &ledger,
                                  &(struct asker){.context = &lines, .say = count_line});
  if ((status == STATUS_OK) != (lines == 0) || lines > 1)
    fail("a status without a message, or a message without a status");
  ledger_clear(&ledger);
  span_store_clear(&store);
}

static size_t attribute(void *context, struct slice request, struct slice span,
                        struct span_attribute attributes[REWRITE_MOST]) {
  (void)request;
  (void)span;
  *(size_t *)context += 1;
  attributes[0] = (struct span_attribute){REWRITE_PREFIX "x", INT64_MIN};
  return 1;
}

static void hush(void *context, enum saying saying, const char *line) {
  (void)context;
  (void)saying;
  (void)line;
}

/* How many rows a file has; SIZE_MAX: it is not read. */
static size_t count_rows(const char *path) {
  struct span_store store;
  struct ledger ledger;
  span_store_init(&store);
  ledger_init(&ledger);
  const struct trace_reading reading = {.keep = true};
  bool is_read =
      trace_read(&store, &path, 1, &reading, &ledger, &(struct asker){.say = hush}) == STATUS_OK;
  size_t rows = is_read ? store.start.count : SIZE_MAX;
  ledger_clear(&ledger);
  span_store_clear(&store);
  return rows;
}

/* What is read with certain rows is read with the same when it was written again. */
static void rewrite(const char *path) {
  char again[] = "/tmp/tailproof-fuzz-XXXXXX";
  size_t rows = count_rows(path), asked = 0;
  int file = mkstemp(again);
  FILE *out = file < 0 ? NULL : fdopen(file, "w");
  if (out == NULL)
    fail("no temporary file");
  const struct trace_rewriting rewriting = {attribute, &asked};
  bool is_written = trace_rewrite(out, path, &rewriting, &(struct asker){.say = hush}) == STATUS_OK;
  fclose(out);
  if (rows != SIZE_MAX && is_written && count_rows(again) != rows)
    fail("other requests after a rewrite");
  unlink(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[] = "/tmp/tailproof-fuzz-XXXXXX";
  int file = mkstemp(path);
  take_columns(&data, &size);
  if (file < 0 || write(file, data, size) != (ssize_t)size)
    fail("no temporary file");
  close(file);
  read_path(path, true);
  read_path(path, false);
  rewrite(path);
  unlink(path);
  return 0;
}

#include "tests/fuzz/standalone.h"
