/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A log of the Node.js recorder, written byte by byte, for tests with cmocka. Times are ns from
 * BASE.
 */
#ifndef TESTS_UNIT_TRACE_NODE_BYTES_H
#define TESTS_UNIT_TRACE_NODE_BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/event/node_chunk.h"

enum { BASE = 1000000, MOST = 65536 };

struct bytes {
  unsigned char data[MOST];
  size_t count, chunk; /* where the open chunk begins */
  int64_t time, id, request;
};

static void put(struct bytes *bytes, uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    bytes->data[bytes->count++] = (unsigned char)(i < 8 ? value >> 8 * i : 0);
}

static void put_text(struct bytes *bytes, const char *text, size_t length) {
  memcpy(bytes->data + bytes->count, text, length);
  bytes->count += length;
}

static void number(struct bytes *bytes, int64_t value) {
  for (; value >= 128; value >>= 7)
    put(bytes, (uint64_t)(value & 127) | 128, 1);
  put(bytes, (uint64_t)value, 1);
}

static void difference(struct bytes *bytes, int64_t *last, int64_t value) {
  int64_t by = value - *last;
  number(bytes, by < 0 ? -2 * by - 1 : 2 * by);
  *last = value;
}

static void begin_file(struct bytes *bytes, uint32_t thread, uint32_t part) {
  *bytes = (struct bytes){.count = 0};
  put_text(bytes, "TPNODE1\n", 8);
  put(bytes, 4711, 4);
  put(bytes, thread, 4);
  put(bytes, part, 4);
  put(bytes, 6, 4);
  put(bytes, 0, 8);
  put(bytes, 0, 32);
  put_text(bytes, "app.js\0\0", 8);
}

static void begin_chunk(struct bytes *bytes, const char *magic, uint32_t sequence, uint64_t records,
                        uint64_t dropped) {
  bytes->chunk = bytes->count;
  put_text(bytes, magic, 4);
  put(bytes, 0, 8);
  put(bytes, sequence, 4);
  put(bytes, BASE, 8);
  put(bytes, records, 8);
  put(bytes, dropped, 8);
  put(bytes, BASE + 100000, 8);
  put(bytes, 0, 16);
  bytes->time = BASE;
  bytes->id = bytes->request = 0;
}

static void end_chunk(struct bytes *bytes) {
  size_t length = bytes->count - bytes->chunk - NODE_CHUNK_HEADER;
  while ((bytes->count - bytes->chunk) % 4 != 0)
    put(bytes, 0, 1);
  size_t end = bytes->count;
  bytes->count = bytes->chunk + 4;
  put(bytes, length, 4);
  put(bytes, node_checksum(bytes->data + bytes->chunk, (end - bytes->chunk) / 4), 4);
  bytes->count = end;
}

static void text(struct bytes *bytes, int64_t which, const char *what) {
  put(bytes, 0, 1);
  number(bytes, which);
  number(bytes, (int64_t)strlen(what));
  put_text(bytes, what, strlen(what));
}

/* Times from BASE, ns. */
static inline void init(struct bytes *bytes, unsigned type, int64_t id, int64_t time) {
  put(bytes, 1 | type << 3, 1);
  difference(bytes, &bytes->id, id);
  difference(bytes, &bytes->time, BASE + time);
}

static inline void timer(struct bytes *bytes, unsigned type, int64_t id, int64_t time, int64_t ms) {
  put(bytes, 2 | type << 3, 1);
  difference(bytes, &bytes->id, id);
  difference(bytes, &bytes->time, BASE + time);
  number(bytes, ms);
}

static void run(struct bytes *bytes, unsigned within, int64_t id, int64_t begin, int64_t end) {
  put(bytes, 3 | within << 3, 1);
  difference(bytes, &bytes->id, id);
  difference(bytes, &bytes->time, BASE + begin);
  number(bytes, end - begin);
  bytes->time = BASE + end;
}

/* Without the name that follows in one of kind 4. */
static inline void pause_of(struct bytes *bytes, unsigned kind, int64_t begin, int64_t duration) {
  int64_t last = bytes->time;
  put(bytes, 6 | kind << 3, 1);
  difference(bytes, &last, BASE + begin);
  number(bytes, duration);
}

static inline void request(struct bytes *bytes, int64_t which, int64_t time, int64_t route) {
  put(bytes, 4, 1);
  difference(bytes, &bytes->request, which);
  difference(bytes, &bytes->time, BASE + time);
  number(bytes, route);
}

static void about_request(struct bytes *bytes, unsigned head, int64_t which) {
  int64_t last = bytes->request;
  put(bytes, head, 1);
  difference(bytes, &last, which);
}

static void response_of(struct bytes *bytes, unsigned code, int64_t which, int64_t time,
                        int64_t status) {
  about_request(bytes, 5 | code << 3, which);
  difference(bytes, &bytes->time, BASE + time);
  number(bytes, status);
}

static inline void response(struct bytes *bytes, int64_t which, int64_t time, int64_t status) {
  response_of(bytes, 0, which, time, status);
}

/* The connection goes to what the text of that number says. */
static inline void peer(struct bytes *bytes, int64_t id, int64_t where) {
  put(bytes, 7 | 6 << 3, 1);
  difference(bytes, &bytes->id, id);
  number(bytes, where);
}

static inline void promise(struct bytes *bytes, int64_t since, int64_t begin, int64_t end) {
  put(bytes, 7, 1);
  difference(bytes, &bytes->time, BASE + begin);
  number(bytes, end - begin);
  number(bytes, begin - since);
  bytes->time = BASE + end;
}

/* --- files of it --- */

struct folder {
  char path[40], files[4][64];
  size_t count;
};

static void folder_init(struct folder *folder) {
  *folder = (struct folder){.count = 0};
  strcpy(folder->path, "/tmp/tailproof-node-XXXXXX");
  assert_non_null(mkdtemp(folder->path));
}

static const char *folder_add(struct folder *folder, const char *name, const unsigned char *data,
                              size_t count) {
  char path[sizeof folder->files[0]];
  snprintf(path, sizeof path, "%s/%s", folder->path, name);
  strcpy(folder->files[folder->count], path);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
  return folder->files[folder->count++];
}

static void folder_clear(struct folder *folder) {
  for (size_t i = 0; i < folder->count; i++)
    unlink(folder->files[i]);
  assert_int_equal(rmdir(folder->path), 0);
}

#endif
