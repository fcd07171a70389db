/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A store that the recording library made, to be changed byte by byte, and what a reader claims of
 * it.
 */
#ifndef TESTS_UNIT_MEASURE_CHANGED_STORE_H
#define TESTS_UNIT_MEASURE_CHANGED_STORE_H

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/core/header.h"
#include "measure/core/ring.h"
#include "measure/read/store_read.h"
#include "measure/tailproof_measure.h"

enum { LOG = 16, WRITERS = 2, COMPONENTS = 10, LONG = 40 };

static char folder[] = "/tmp/tailproof-read-XXXXXX";
static char path[128], message[1024];
static unsigned char *original; /* of the store that setup made, with its log of writer 0 full */
static size_t original_size;
static struct histogram histogram;

/* --- files --- */

static void write_file(const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static unsigned char *read_file(const char *from, size_t *size) {
  struct stat about;
  assert_int_equal(stat(from, &about), 0);
  *size = (size_t)about.st_size;
  unsigned char *bytes = malloc(*size);
  FILE *file = fopen(from, "r");
  assert_true(bytes != NULL && file != NULL && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

/* Occurrence i of a writer: its times and argument follow from both. */
static void record_some(struct tailproof_writer *writer, int32_t which, uint32_t count, int name) {
  for (uint32_t i = 0; i < count; i++) {
    struct tailproof_event event = {.name = name,
                                    .instance = i,
                                    .start = 1000 * (uint64_t)i,
                                    .end = 1000 * (uint64_t)i + 100 + i,
                                    .count = 1,
                                    .arguments = {which}};
    assert_int_equal(tailproof_record(writer, &event), 0);
  }
}

/* Writer 0 overwrites its log, writer 1 does not; the third name has no histogram of its own. */
static int make_store(void) {
  struct tailproof_options options = {
      .folder = folder, .node = "node[3]", .log_records = LOG, .clock = TAILPROOF_CLOCK_MONOTONIC};
  struct tailproof_store *store;
  if (tailproof_open(&store, &options) != 0)
    return -1;
  int grant = tailproof_component(store, "Grant");
  int act = tailproof_action(store, "node.Hold", "");
  struct tailproof_writer *writers[WRITERS] = {tailproof_writer_open(store),
                                               tailproof_writer_open(store)};
  record_some(writers[0], 0, LONG, grant);
  record_some(writers[1], 1, COMPONENTS, grant);
  record_some(writers[1], 1, 1, act);
  struct tailproof_event bad = {.name = grant, .start = 2, .end = 1};
  assert_int_equal(tailproof_record(writers[1], &bad), -EINVAL);
  snprintf(path, sizeof path, "%s", tailproof_path(store));
  return tailproof_close(store);
}

static int setup(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL || make_store() != 0)
    return -1;
  original = read_file(path, &original_size);
  unlink(path);
  snprintf(path, sizeof path, "%s/changed.tps", folder);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  free(original);
  unlink(path);
  return rmdir(folder);
}

/* --- what is claimed --- */

static uint64_t claimed;

static int check_record(void *context, const struct store_record *at) {
  (void)context;
  const struct record *record = &at->record;
  uint64_t i = record->instance;
  assert_in_range(at->writer, 0, WRITERS - 1);
  if (record->name == 0)
    assert_int_equal(at->position, i + 1);
  else
    assert_true(record->name == 1 && record->kind == FORMAT_ACTION && at->writer == 1);
  assert_int_equal(record->start, 1000 * i);
  assert_int_equal(record->end, 1000 * i + 100 + i);
  assert_int_equal(record->count, 1);
  assert_int_equal(record->arguments[0], at->writer);
  claimed++;
  return 0;
}

/* Opens what is at the path; every record that it claims is one that was made. NULL: refused, with
 * one line that names the file. */
static struct store_reader *open_changed(void) {
  struct store_reader *reader;
  message[0] = '\0';
  int error = store_reader_open(&reader, path, message, sizeof message);
  if (error != 0) {
    assert_null(reader);
    assert_int_equal(strncmp(message, path, strlen(path)), 0);
    assert_null(strchr(message, '\n'));
    return NULL;
  }
  claimed = 0;
  store_reader_each(reader, check_record, NULL);
  assert_int_equal(store_reader_facts(reader)->records, claimed);
  return reader;
}

static unsigned char *copy_original(void) {
  unsigned char *bytes = malloc(original_size);
  assert_non_null(bytes);
  return memcpy(bytes, original, original_size);
}

/* The header of the segment of this kind and writer. */
static struct format_segment *find_segment(unsigned char *bytes, uint32_t kind, uint32_t writer) {
  for (size_t at = FORMAT_SEGMENTS; at < original_size;) {
    struct format_segment *segment = (struct format_segment *)(void *)(bytes + at);
    if (segment->kind == kind && segment->writer == writer)
      return segment;
    at += segment->bytes;
  }
  fail();
  return NULL;
}

static uint64_t *slot_of(struct format_segment *log, uint64_t position) {
  return (uint64_t *)(void *)((unsigned char *)log + FORMAT_PAGE) +
         ring_slot(position, log->capacity) * RECORD_WORDS;
}

#endif
