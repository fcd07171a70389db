/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * any bytes as a store file: refused with one line, or every record that is claimed is of a known
 * name and all counts add up. The first byte says what the rest is: 0 the file itself; 1 changes to
 * a small whole store, four bytes each (a place, 24 bits, and what is combined with the byte
 * there); 2 the same with all checks made anew, so that what stands behind a check is reached. With
 * clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the files it
 * is given.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/core/header.h"
#include "measure/core/record.h"
#include "measure/read/store_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CAPACITY = 8, RECORDS = 5, LOG_BYTES = 2 * FORMAT_PAGE };
#define HISTOGRAM_BYTES ((uint64_t)(FORMAT_PAGE + sizeof(struct histogram) + 4095) / 4096 * 4096)
#define STORE_BYTES (FORMAT_SEGMENTS + LOG_BYTES + HISTOGRAM_BYTES)

static unsigned char *store_bytes; /* the store that is changed */

static void expect(int good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static struct format_header *header(void) {
  return (struct format_header *)(void *)store_bytes;
}

static struct format_name *names(void) {
  return (struct format_name *)(void *)(store_bytes + FORMAT_PAGE);
}

static struct format_segment *segment(size_t at) {
  return (struct format_segment *)(void *)(store_bytes + FORMAT_SEGMENTS + at);
}

static void seal(void) {
  header_seal(header());
  name_seal(&names()[0]);
  name_seal(&names()[1]);
  segment_seal(segment(0));
  segment_seal(segment(LOG_BYTES));
}

/* One writer with a log and a histogram, two names. */
static void make_store(void) {
  memset(store_bytes, 0, STORE_BYTES);
  *header() = (struct format_header){.clock = 1,
                                     .ns_per_tick_up = (uint64_t)1 << 32,
                                     .ns_per_tick_down = (uint64_t)1 << 32,
                                     .node = "node",
                                     .host = "host",
                                     .program = "fuzz",
                                     .mutable = {.names_used = 2, .closed = STORE_BYTES}};
  names()[0] = (struct format_name){.kind = FORMAT_COMPONENT, .name = "Grant", .series = "Grant"};
  names()[1] = (struct format_name){.kind = FORMAT_SEND, .name = "Request"};
  *segment(0) = (struct format_segment){
      .bytes = LOG_BYTES, .kind = FORMAT_LOG, .capacity = CAPACITY, .written = RECORDS};
  *segment(LOG_BYTES) = (struct format_segment){.bytes = HISTOGRAM_BYTES, .kind = FORMAT_HISTOGRAM};
  uint64_t *words = (uint64_t *)(void *)((unsigned char *)segment(0) + FORMAT_PAGE);
  struct histogram *counts =
      (struct histogram *)(void *)((unsigned char *)segment(LOG_BYTES) + FORMAT_PAGE);
  for (uint64_t i = 0; i < RECORDS; i++) {
    struct record record = {.start = i, .end = 2 * i, .kind = FORMAT_COMPONENT};
    record_encode(words + i * RECORD_WORDS, i + 1, &record);
    words[i * RECORD_WORDS] = i + 1;
    histogram_record(counts, i);
  }
  seal();
}

struct seen {
  const struct store_reader *reader;
  uint64_t count;
};

static int check_record(void *context, const struct store_record *at) {
  struct seen *seen = context;
  const struct format_name *name = store_reader_name(seen->reader, at->record.name);
  expect(record_valid(&at->record) && name != NULL && name->kind == at->record.kind,
         "a record that is none");
  seen->count++;
  return 0;
}

static void check_reader(const struct store_reader *reader) {
  static struct histogram histogram;
  const struct store_facts *facts = store_reader_facts(reader);
  struct seen seen = {reader, 0};
  expect(store_reader_each(reader, check_record, &seen) == 0 && seen.count == facts->records,
         "records do not add up");
  for (uint32_t i = 0; i < facts->names; i++) {
    const struct format_name *name = store_reader_name(reader, i);
    expect(memchr(name->name, '\0', sizeof name->name) != NULL &&
               memchr(name->series, '\0', sizeof name->series) != NULL,
           "a name without an end");
    store_reader_histogram(reader, i, &histogram);
    uint64_t sum = histogram.saturated;
    for (size_t k = 0; k < HISTOGRAM_BUCKETS; k++)
      sum += histogram.counts[k];
    expect(sum == histogram_total(&histogram), "counts do not add up");
  }
  expect(store_reader_name(reader, facts->names) == NULL, "a name too many");
  store_reader_moment_ns(reader, UINT64_MAX);
}

static void check_file(const unsigned char *contents, size_t size) {
  int file = memfd_create("store", MFD_CLOEXEC);
  expect(file >= 0 && write(file, contents, size) == (ssize_t)size, "no file in memory");
  char path[64], message[1024] = "";
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  struct store_reader *reader;
  if (store_reader_open(&reader, path, message, sizeof message) == 0) {
    check_reader(reader);
    store_reader_close(reader);
  } else {
    expect(message[0] != '\0' && strchr(message, '\n') == NULL, "not one line");
  }
  close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  if (data[0] % 3 == 0) {
    check_file(data + 1, size - 1);
    return 0;
  }
  store_bytes = malloc(STORE_BYTES);
  expect(store_bytes != NULL, "no memory");
  make_store();
  for (size_t i = 1; i + 4 <= size; i += 4)
    store_bytes[((size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % STORE_BYTES] ^=
        data[i + 3];
  if (data[0] % 3 == 2)
    seal();
  check_file(store_bytes, STORE_BYTES);
  free(store_bytes);
  return 0;
}

#include "tests/fuzz/standalone.h"
