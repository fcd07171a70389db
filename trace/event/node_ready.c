/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_ready.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum {
  HEADER_BYTES = 4096,
  RECORD_BYTES = 16,
  KIND_SOCKET = 1,
  KIND_POOL = 2,
  KIND_SENT = 3,
  AGE_UNIT_NS = 16
};

static uint64_t get(const unsigned char *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)at[i] << 8 * i;
  return value;
}

static bool read_header(struct node_ready *ready) {
  struct stat about;
  unsigned char *head = ready->block;
  if (fstat(ready->descriptor, &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_size < HEADER_BYTES || pread(ready->descriptor, head, 24, 0) != 24 ||
      memcmp(head, "TPREADY1", 8) != 0)
    return false;
  ready->capacity = get(head + 12, 4);
  ready->count = get(head + 16, 8);
  uint64_t stored = (uint64_t)(about.st_size - HEADER_BYTES) / RECORD_BYTES;
  if (ready->capacity == 0 ||
      (ready->count < ready->capacity ? ready->count : ready->capacity) > stored)
    return false;
  ready->next = ready->count > ready->capacity ? ready->count - ready->capacity : 0;
  return true;
}

void node_ready_open(struct node_ready *ready, const char *log_path, uint32_t process, uint32_t run,
                     uint32_t thread) {
  const char *slash = strrchr(log_path, '/');
  struct text path;
  text_init(&path);
  text_format(&path, "%.*s%" PRIu32, slash == NULL ? 0 : (int)(slash + 1 - log_path), log_path,
              process);
  if (run != 0)
    text_format(&path, "+%" PRIu32, run);
  if (thread != 0)
    text_format(&path, "-%" PRIu32, thread);
  text_append(&path, ".tpr");
  *ready = (struct node_ready){.descriptor = open(text_get(&path), O_RDONLY | O_CLOEXEC)};
  text_clear(&path);
  ready->damaged = ready->descriptor >= 0 && !read_header(ready);
  if (ready->damaged)
    node_ready_close(ready);
}

void node_ready_close(struct node_ready *ready) {
  if (ready->descriptor >= 0)
    close(ready->descriptor);
  vector_clear(&ready->sent);
  ready->descriptor = -1;
}

/* The bytes of the next record, or NULL. */
static const unsigned char *peek(struct node_ready *ready) {
  if (ready->descriptor < 0 || ready->next >= ready->count)
    return NULL;
  if (ready->next < ready->block_first || ready->next >= ready->block_first + ready->block_count) {
    uint64_t at = ready->next % ready->capacity, most = NODE_READY_BLOCK / RECORD_BYTES;
    if (most > ready->capacity - at)
      most = ready->capacity - at;
    ssize_t got = pread(ready->descriptor, ready->block, (size_t)most * RECORD_BYTES,
                        (off_t)(HEADER_BYTES + at * RECORD_BYTES));
    if (got < RECORD_BYTES)
      return NULL;
    ready->block_first = ready->next;
    ready->block_count = (uint64_t)got / RECORD_BYTES;
  }
  return ready->block + (ready->next - ready->block_first) * RECORD_BYTES;
}

/* The next record that makes sense; its kind, or 0 at the end. */
static uint64_t next_stamp(struct node_ready *ready, struct node_stamp *stamp) {
  for (const unsigned char *at; (at = peek(ready)) != NULL; ready->next++) {
    uint64_t when = get(at, 8), age = get(at + 8, 4), kind = get(at + 12, 2);
    if (when > (uint64_t)INT64_MAX / 2 || kind < KIND_SOCKET || kind > KIND_SENT)
      continue;
    bool known = age != UINT32_MAX && age * AGE_UNIT_NS <= when;
    *stamp = (struct node_stamp){.when = (int64_t)when,
                                 .ready = known ? (int64_t)(when - age * AGE_UNIT_NS) : -1,
                                 .connection = (uint16_t)get(at + 14, 2)};
    return kind;
  }
  return 0;
}

static void take_sent(struct node_ready *ready, const struct node_stamp *stamp) {
  while (ready->sent.count <= stamp->connection)
    vector_push(&ready->sent, 0);
  ready->sent.data[stamp->connection] = stamp->when;
}

static void take(struct node_ready *ready, uint64_t kind, const struct node_stamp *stamp) {
  if (kind == KIND_SOCKET)
    ready->socket = *stamp;
  else if (kind == KIND_POOL)
    ready->pool = *stamp;
  else
    take_sent(ready, stamp);
  ready->next++;
}

void node_ready_advance(struct node_ready *ready, int64_t moment) {
  struct node_stamp stamp;
  for (uint64_t kind; (kind = next_stamp(ready, &stamp)) != 0 && stamp.when <= moment;)
    take(ready, kind, &stamp);
}

int64_t node_ready_next_read(struct node_ready *ready, int64_t from, int64_t to) {
  struct node_stamp stamp;
  uint64_t here = ready->next;
  int64_t found = -1;
  for (uint64_t kind; found < 0 && (kind = next_stamp(ready, &stamp)) != 0 && stamp.when < to;
       ready->next++)
    if (kind == KIND_SOCKET && stamp.ready >= 0 && stamp.when > from)
      found = stamp.when;
  ready->next = here;
  return found;
}
