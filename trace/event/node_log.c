/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_log.h"

#include <stdlib.h>
#include <string.h>

#include "trace/event/node_build.h"

bool node_log_is(const char *bytes, size_t length) {
  return node_file_is(bytes, length);
}

/* --- which files are one loop --- */

struct part {
  const char *path;
  uint32_t process, thread, part;
};

static int compare_parts(const void *left, const void *right) {
  const struct part *a = left, *b = right;
  if (a->process != b->process)
    return a->process < b->process ? -1 : 1;
  if (a->thread != b->thread)
    return a->thread < b->thread ? -1 : 1;
  return (a->part > b->part) - (a->part < b->part);
}

static enum status look(struct part *part, const char *path, struct node_file *file,
                        struct text *message) {
  enum status status = node_file_open(file, path, message);
  if (status != STATUS_OK)
    return status;
  *part = (struct part){path, file->process, file->thread, file->part};
  node_file_close(file);
  return STATUS_OK;
}

/* --- reading --- */

/* A chunk that was written before it was full is written again when it is: the last one counts. */
struct held {
  struct node_chunk chunk;
  unsigned char bytes[NODE_CHUNK_MOST + 4];
  bool any;
};

static void hold(struct held *held, const struct node_chunk *chunk) {
  held->chunk = *chunk;
  memcpy(held->bytes, chunk->data, chunk->length);
  held->chunk.data = held->bytes;
  held->any = true;
}

static void read_part(struct node_build *build, struct node_file *file, struct held *held) {
  struct node_chunk chunk;
  while (node_file_next(file, &chunk)) {
    if (chunk.samples) {
      node_build_samples(build, &chunk);
      continue;
    }
    if (held->any && held->chunk.sequence != chunk.sequence)
      node_build_chunk(build, &held->chunk);
    hold(held, &chunk);
  }
  if (file->skipped != 0)
    build->log->loops.data[build->loop].dropped++;
}

static enum status read_loop(struct event_log *log, const struct part *parts, size_t count,
                             struct node_file *file, struct text *message) {
  struct node_build build;
  struct held *held = mem_alloc(1, sizeof *held);
  struct node_ready *ready = mem_alloc(1, sizeof *ready);
  enum status status = node_file_open(file, parts[0].path, message);
  bool begun = status == STATUS_OK;
  ready->descriptor = -1;
  if (status == STATUS_OK) {
    node_build_init(&build, log, file);
    if (parts[0].thread == 0)
      node_ready_open(ready, parts[0].path, parts[0].process);
    build.ready = ready->descriptor < 0 ? NULL : ready;
  }
  for (size_t i = 0; status == STATUS_OK && i < count; i++) {
    if (i > 0)
      status = node_file_open(file, parts[i].path, message);
    if (status == STATUS_OK) {
      read_part(&build, file, held);
      node_file_close(file);
    }
  }
  if (status == STATUS_OK && held->any)
    node_build_chunk(&build, &held->chunk);
  if (begun)
    node_build_finish(&build);
  node_ready_close(ready);
  mem_free(ready);
  mem_free(held);
  return status;
}

/* --- the order between loops --- */

static int compare_requests(const void *left, const void *right) {
  const struct event_request *a = left, *b = right;
  if (a->noticed != b->noticed)
    return a->noticed < b->noticed ? -1 : 1;
  return (a->loop > b->loop) - (a->loop < b->loop);
}

static int compare_pauses(const void *left, const void *right) {
  const struct event_pause *a = left, *b = right;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->loop > b->loop) - (a->loop < b->loop);
}

enum status node_log_read(struct event_log *log, const char *const *paths, size_t count,
                          struct text *message) {
  struct node_file *file = mem_alloc(1, sizeof *file);
  struct part *parts = mem_alloc(count, sizeof *parts);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < count && status == STATUS_OK; i++)
    status = look(&parts[i], paths[i], file, message);
  if (status == STATUS_OK && count > 0)
    qsort(parts, count, sizeof *parts, compare_parts);
  for (size_t i = 0, end; i < count && status == STATUS_OK; i = end) {
    for (end = i + 1; end < count && parts[end].process == parts[i].process &&
                      parts[end].thread == parts[i].thread;)
      end++;
    status = read_loop(log, parts + i, end - i, file, message);
  }
  if (log->requests.count != 0)
    qsort(log->requests.data, log->requests.count, sizeof *log->requests.data, compare_requests);
  if (log->pauses.count != 0)
    qsort(log->pauses.data, log->pauses.count, sizeof *log->pauses.data, compare_pauses);
  mem_free(parts);
  mem_free(file);
  return status;
}
