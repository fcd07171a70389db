/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/jit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRESH_MOST = 1 << 20 }; /* lines that are taken in together */

void jit_clear(struct jit *jit) {
  if (jit->descriptor > 0)
    close(jit->descriptor);
  arena_clear(&jit->names);
  vector_clear(&jit->codes);
  vector_clear(&jit->fresh);
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

/* --- lines that are taken in together --- */

static int by_address(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static int by_start(const void *a, const void *b) {
  const struct jit_code *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

/* Addresses between neighbours among all starts and ends, each taken or free. */
struct jit_ranges {
  uint64_t *edges;
  uint32_t *free; /* by range: the first free one from it on, as far as is known; compressed */
  size_t count;   /* edges; the last one begins no range, and is always free */
};

static uint32_t edge_of(const struct jit_ranges *ranges, uint64_t address) {
  size_t low = 0, high = ranges->count;
  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;
    if (ranges->edges[middle] <= address)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)low;
}

static uint32_t find_free(struct jit_ranges *ranges, uint32_t range) {
  while (ranges->free[range] != range) {
    ranges->free[range] = ranges->free[ranges->free[range]];
    range = ranges->free[range];
  }
  return range;
}

static void find_ranges(struct jit_ranges *ranges, const struct jit_code *codes, size_t count) {
  ranges->edges = mem_alloc(2 * count, sizeof *ranges->edges);
  ranges->free = mem_alloc(2 * count, sizeof *ranges->free);
  for (size_t i = 0; i < count; i++) {
    ranges->edges[2 * i] = codes[i].start;
    ranges->edges[2 * i + 1] = codes[i].end;
  }
  qsort(ranges->edges, 2 * count, sizeof *ranges->edges, by_address);
  ranges->count = 0;
  for (size_t i = 0; i < 2 * count; i++)
    if (i == 0 || ranges->edges[i] != ranges->edges[i - 1])
      ranges->edges[ranges->count++] = ranges->edges[i];
  for (size_t i = 0; i < ranges->count; i++)
    ranges->free[i] = (uint32_t)i;
}

/* Takes all of a code's ranges. Whether none of them was taken. */
static bool take_ranges(struct jit_ranges *ranges, const struct jit_code *code) {
  uint32_t first = edge_of(ranges, code->start), end = edge_of(ranges, code->end);
  bool all = true;
  for (uint32_t range = first; range < end; range++) {
    uint32_t next = find_free(ranges, range);
    all = all && next == range;
    if (next >= end)
      break;
    ranges->free[next] = next + 1;
    range = next;
  }
  return all;
}

/* Leaves the codes that no later one lies on, in the order of addresses; how many. */
static size_t keep_newest(struct jit_ranges *ranges, struct jit_code *codes, size_t count) {
  size_t kept = count;
  for (size_t i = count; i-- > 0;)
    if (take_ranges(ranges, &codes[i]))
      codes[--kept] = codes[i];
  memmove(codes, codes + kept, (count - kept) * sizeof *codes);
  count -= kept;
  if (count != 0)
    qsort(codes, count, sizeof *codes, by_start);
  return count;
}

/* Of two ranges behind each other one is taken, so that this is short. */
static bool is_taken(struct jit_ranges *ranges, const struct jit_code *code) {
  for (uint32_t range = edge_of(ranges, code->start);
       range + 1 < ranges->count && ranges->edges[range] < code->end; range++)
    if (ranges->edges[range + 1] > code->start && find_free(ranges, range) != range)
      return true;
  return false;
}

/* Code that was there before is gone, also where only a part of it is covered. */
static void take_fresh(struct jit *jit) {
  struct jit_ranges ranges;
  size_t count = jit->fresh.count, at = 0;
  if (count == 0)
    return;
  find_ranges(&ranges, jit->fresh.data, count);
  count = keep_newest(&ranges, jit->fresh.data, count);
  VECTOR(struct jit_code) all = {0};
  for (size_t i = 0; i < jit->codes.count; i++) {
    const struct jit_code *code = &jit->codes.data[i];
    if (is_taken(&ranges, code))
      continue;
    for (; at < count && jit->fresh.data[at].start < code->start; at++)
      vector_push(&all, jit->fresh.data[at]);
    vector_push(&all, *code);
  }
  for (; at < count; at++)
    vector_push(&all, jit->fresh.data[at]);
  vector_clear(&jit->codes);
  jit->codes.data = all.data;
  jit->codes.count = all.count;
  jit->codes.capacity = all.capacity;
  jit->fresh.count = 0;
  mem_free(ranges.edges);
  mem_free(ranges.free);
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
  vector_push(&jit->fresh,
              (struct jit_code){start, start + size, arena_text(&jit->names, name, strlen(name)),
                                UINT32_MAX});
  jit->lines++;
  if (jit->fresh.count == FRESH_MOST)
    take_fresh(jit);
}

static size_t add_lines(struct jit *jit, const char *bytes, size_t length) {
  size_t done = 0;
  for (const char *end; (end = memchr(bytes + done, '\n', length - done)) != NULL;) {
    size_t line = (size_t)(end - (bytes + done));
    add_line(jit, bytes + done, line);
    done += line + 1;
  }
  return done;
}

size_t jit_add_lines(struct jit *jit, const char *bytes, size_t length) {
  size_t done = add_lines(jit, bytes, length);
  take_fresh(jit);
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
  if (jit->refused || (jit->descriptor == 0 && !open_map(jit, process)))
    return false;
  struct stat about;
  if (fstat(jit->descriptor, &about) != 0 || (uint64_t)about.st_size == jit->read)
    return false;
  if ((uint64_t)about.st_size < jit->read) /* written anew */
    jit->read = 0;
  char bytes[CHUNK];
  bool any = false;
  for (ssize_t got; (got = pread(jit->descriptor, bytes, CHUNK, (off_t)jit->read)) > 0;) {
    size_t used = add_lines(jit, bytes, (size_t)got);
    if (used == 0 && got < CHUNK) /* the last line is being written */
      break;
    jit->read += used;
    jit->all_read += used;
    any = true;
    jit->refused = used == 0 || jit->all_read > JIT_BYTES_MOST || jit->lines > JIT_LINES_MOST;
    if (jit->refused)
      break;
  }
  take_fresh(jit);
  return any;
}
