/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/jit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void jit_clear(struct jit *jit) {
  if (jit->descriptor > 0)
    close(jit->descriptor);
  arena_clear(&jit->names);
  vector_clear(&jit->codes);
  *jit = (struct jit){0};
}

/* The first code that ends behind the address. */
static size_t find_first(const struct jit *jit, uint64_t address) {
  size_t low = 0, high = jit->codes.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (jit->codes.data[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct jit_code *jit_find(const struct jit *jit, uint64_t address) {
  size_t at = find_first(jit, address);
  return at < jit->codes.count && jit->codes.data[at].start <= address ? &jit->codes.data[at]
                                                                       : NULL;
}

/* Code that was there before is gone, also where only a part of it is covered. */
static void add_code(struct jit *jit, const struct jit_code *code) {
  size_t first = find_first(jit, code->start), last = first;
  while (last < jit->codes.count && jit->codes.data[last].start < code->end)
    last++;
  if (first == last) {
    vector_push(&jit->codes, *code);
    last = first + 1;
    memmove(jit->codes.data + last, jit->codes.data + first,
            (jit->codes.count - last) * sizeof *code);
  } else {
    memmove(jit->codes.data + first + 1, jit->codes.data + last,
            (jit->codes.count - last) * sizeof *code);
    jit->codes.count -= last - first - 1;
  }
  jit->codes.data[first] = *code;
}

static void add_line(struct jit *jit, const char *line, size_t length) {
  enum { LONGEST = 4096 };
  char copy[LONGEST], *end, *more;
  length = length < LONGEST ? length : LONGEST - 1;
  memcpy(copy, line, length);
  copy[length] = '\0';
  uint64_t start = strtoull(copy, &end, 16);
  uint64_t size = strtoull(end, &more, 16);
  if (end == copy || more == end || *more != ' ' || size == 0 || start + size < start)
    return;
  const char *name = more + 1;
  add_code(jit, &(struct jit_code){start, start + size, arena_text(&jit->names, name, strlen(name)),
                                   UINT32_MAX});
}

size_t jit_add_lines(struct jit *jit, const char *bytes, size_t length) {
  size_t done = 0;
  for (const char *end; (end = memchr(bytes + done, '\n', length - done)) != NULL;) {
    size_t line = (size_t)(end - (bytes + done));
    add_line(jit, bytes + done, line);
    done += line + 1;
  }
  return done;
}

/* The id that the process has for itself, which in a container is not ours. */
static uint32_t own_id(uint32_t process) {
  char path[64], line[256];
  uint32_t id = process;
  snprintf(path, sizeof path, "/proc/%u/status", process);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "NSpid:", 6) == 0) {
      const char *last = strrchr(line, '\t');
      id = last == NULL ? process : (uint32_t)strtoul(last, NULL, 10);
      break;
    }
  if (file != NULL)
    fclose(file);
  return id;
}

/* Only a regular file of the process's user, or of root, is believed. */
static bool is_trusted(int descriptor, uint32_t process) {
  char path[64];
  struct stat file, owner;
  snprintf(path, sizeof path, "/proc/%u", process);
  return fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) &&
         (file.st_uid == 0 || file.st_uid == geteuid() ||
          (stat(path, &owner) == 0 && owner.st_uid == file.st_uid));
}

static bool open_map(struct jit *jit, uint32_t process) {
  char path[128];
  snprintf(path, sizeof path, "/proc/%u/root/tmp/perf-%u.map", process, own_id(process));
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) {
    snprintf(path, sizeof path, "/tmp/perf-%u.map", process);
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  }
  if (descriptor >= 0 && !is_trusted(descriptor, process)) {
    close(descriptor);
    descriptor = -1;
  }
  jit->descriptor = descriptor < 0 ? 0 : descriptor;
  return descriptor >= 0;
}

bool jit_read(struct jit *jit, uint32_t process) {
  enum { CHUNK = 1 << 16 };
  if (jit->descriptor == 0 && !open_map(jit, process))
    return false;
  struct stat about;
  if (fstat(jit->descriptor, &about) != 0 || (uint64_t)about.st_size == jit->read)
    return false;
  if ((uint64_t)about.st_size < jit->read) /* written anew */
    jit->read = 0;
  char bytes[CHUNK];
  bool any = false;
  for (ssize_t got; (got = pread(jit->descriptor, bytes, CHUNK, (off_t)jit->read)) > 0;) {
    size_t used = jit_add_lines(jit, bytes, (size_t)got);
    if (used == 0 && got < CHUNK) /* the last line is being written */
      break;
    jit->read += used == 0 ? (uint64_t)got : used; /* a line without end is skipped */
    any = true;
  }
  return any;
}
