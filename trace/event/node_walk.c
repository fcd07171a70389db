/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

/* --- which files are one loop --- */

struct part {
  const char *path;
  uint32_t folder; /* the first of the files that is in the same one */
  uint32_t process, run, thread, part;
  int64_t bytes;
};

static int compare_parts(const void *left, const void *right) {
  const struct part *a = left, *b = right;
  if (a->folder != b->folder)
    return a->folder < b->folder ? -1 : 1;
  if (a->process != b->process)
    return a->process < b->process ? -1 : 1;
  if (a->run != b->run)
    return a->run < b->run ? -1 : 1;
  if (a->thread != b->thread)
    return a->thread < b->thread ? -1 : 1;
  return (a->part > b->part) - (a->part < b->part);
}

static bool is_of_one(const struct part *a, const struct part *b) {
  return a->folder == b->folder && a->process == b->process && a->run == b->run &&
         a->thread == b->thread;
}

/* False: it is gone. */
static bool look_at_folder(struct stat *about, const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder =
      slash == NULL ? mem_copy_text(".", 1) : mem_copy_text(path, (size_t)(slash + 1 - path));
  bool found = stat(folder, about) == 0;
  mem_free(folder);
  return found;
}

static void find_folders(struct part *parts, size_t count) {
  struct stat *about = mem_alloc(count, sizeof *about);
  for (uint32_t i = 0; i < count; i++) {
    bool found = look_at_folder(&about[i], parts[i].path);
    for (parts[i].folder = 0; found && parts[i].folder < i; parts[i].folder++) {
      const struct stat *before = &about[parts[i].folder];
      if (before->st_dev == about[i].st_dev && before->st_ino == about[i].st_ino)
        break;
    }
  }
  mem_free(about);
}

static enum status look(struct part *part, const char *path, struct node_file *file,
                        struct text *message) {
  enum status status = node_file_open(file, path, message);
  if (status != STATUS_OK)
    return status;
  *part = (struct part){path, 0, file->process, file->run, file->thread, file->part, file->size};
  node_file_close(file);
  return STATUS_OK;
}

/* --- chunks --- */

/* What is being read; the chunk that may still be written again is held back. */
struct walk {
  const struct node_visitor *visitor;
  struct node_file file;
  struct node_chunk chunk;
  unsigned char bytes[NODE_CHUNK_MOST + 4];
  bool held;
  struct node_walked walked;
  int64_t total; /* bytes of all loops */
};

static void pass_on(struct walk *walk) {
  if (walk->held)
    walk->visitor->chunk(walk->visitor->context, &walk->chunk);
  walk->held = false;
}

static void hold(struct walk *walk, const struct node_chunk *chunk) {
  walk->chunk = *chunk;
  memcpy(walk->bytes, chunk->data, chunk->length);
  walk->chunk.data = walk->bytes;
  walk->held = true;
}

static void walk_part(struct walk *walk) {
  struct node_chunk chunk;
  while (node_file_next(&walk->file, &chunk)) {
    if (chunk.samples) {
      walk->visitor->chunk(walk->visitor->context, &chunk);
      continue;
    }
    if (walk->held && walk->chunk.sequence != chunk.sequence)
      pass_on(walk);
    hold(walk, &chunk);
  }
  walk->walked.damaged += walk->file.skipped != 0;
  if (walk->file.stopped != 0) {
    walk->walked.stopped = walk->file.stopped;
    walk->walked.stopped_at = walk->file.stopped_at;
  }
}

static enum status walk_loop(struct walk *walk, const struct part *parts, size_t count,
                             struct text *message) {
  const struct node_visitor *visitor = walk->visitor;
  enum status status = STATUS_OK;
  walk->held = false;
  walk->walked = (struct node_walked){0};
  for (size_t i = 0; i < count; i++) {
    status = node_file_open(&walk->file, parts[i].path, message);
    if (status != STATUS_OK && i == 0)
      return status;
    if (status != STATUS_OK)
      break;
    walk->file.folder = parts[i].folder;
    if (i == 0)
      visitor->begin(visitor->context, &walk->file, parts[0].path, walk->total);
    walk_part(walk);
    node_file_close(&walk->file);
  }
  pass_on(walk);
  visitor->finish(visitor->context, &walk->walked);
  return status;
}

enum status node_walk(const char *const *paths, size_t count, const struct node_visitor *visitor,
                      struct text *message) {
  struct walk *walk = mem_alloc(1, sizeof *walk);
  struct part *parts = mem_alloc(count, sizeof *parts);
  enum status status = STATUS_OK;
  walk->visitor = visitor;
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    status = look(&parts[i], paths[i], &walk->file, message);
    walk->total += parts[i].bytes;
  }
  if (status == STATUS_OK)
    find_folders(parts, count);
  if (status == STATUS_OK && count > 0)
    qsort(parts, count, sizeof *parts, compare_parts);
  for (size_t i = 0, end; i < count && status == STATUS_OK; i = end) {
    for (end = i + 1; end < count && is_of_one(&parts[end], &parts[i]);)
      end++;
    status = walk_loop(walk, parts + i, end - i, message);
  }
  mem_free(parts);
  mem_free(walk);
  return status;
}
