/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "measure/outside/pair_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WAITING_MOST = 1 << 18, DOUBTFUL = 1 << 16 };

static int open_file(void) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  if (folder == NULL || folder[0] == '\0')
    folder = "/var/tmp";
  int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return file;
  snprintf(path, sizeof path, "%s/tailproof.XXXXXX", folder);
  file = mkostemp(path, O_CLOEXEC);
  if (file >= 0)
    unlink(path);
  return file;
}

/* Writes what waits; of what cannot be written the cause is kept. */
static void put(struct pair_rows *rows) {
  const char *bytes = (const char *)rows->waiting.data;
  size_t size = rows->waiting.count * sizeof *rows->waiting.data, done = 0;
  if (!rows->in_file) {
    rows->file = open_file();
    rows->in_file = rows->file >= 0;
    rows->cause = rows->in_file ? 0 : errno;
  }
  while (rows->cause == 0 && done < size) {
    ssize_t got = write(rows->file, bytes + done, size - done);
    if (got <= 0 && errno != EINTR)
      rows->cause = got < 0 ? errno : EIO;
    done += got > 0 ? (size_t)got : 0;
  }
  rows->waiting.count = 0;
}

void pair_rows_add(struct pair_rows *rows, struct pair_request request, const uint64_t *times) {
  rows->count++;
  if (rows->cause != 0)
    return;
  vector_push(&rows->waiting, (uint64_t)request.moment << 32 |
                                  (request.doubtful ? (uint64_t)DOUBTFUL : 0) |
                                  (uint64_t)request.reason);
  for (size_t i = 0; i < rows->cells; i++)
    vector_push(&rows->waiting, times[i]);
  if (rows->waiting.count >= WAITING_MOST)
    put(rows);
}

void pair_rows_doubt(struct pair_rows *rows, size_t number) {
  size_t each = rows->cells + 1, held = rows->waiting.count / each;
  uint64_t word;
  if (rows->cause != 0)
    return;
  if (number >= rows->count - held) {
    rows->waiting.data[(number - (rows->count - held)) * each] |= DOUBTFUL;
    return;
  }
  off_t at = (off_t)(number * each * sizeof word);
  bool good = pread(rows->file, &word, sizeof word, at) == sizeof word;
  word |= DOUBTFUL;
  if (!good || pwrite(rows->file, &word, sizeof word, at) != sizeof word)
    rows->cause = errno != 0 ? errno : EIO;
}

void pair_rows_end(struct pair_rows *rows) {
  rows->read = rows->waiting.data;
  if (!rows->in_file)
    return;
  put(rows);
  rows->mapped = rows->count * (rows->cells + 1) * sizeof *rows->read;
  void *all = rows->cause != 0 ? MAP_FAILED
                               : mmap(NULL, rows->mapped, PROT_READ, MAP_SHARED, rows->file, 0);
  if (all == MAP_FAILED) {
    rows->cause = rows->cause != 0 ? rows->cause : errno;
    rows->count = rows->mapped = 0;
  } else {
    rows->read = all;
  }
}

struct pair_request pair_rows_request(const struct pair_rows *rows, size_t number) {
  uint64_t word = rows->read[number * (rows->cells + 1)];
  return (struct pair_request){(enum pair_reason)(word & (DOUBTFUL - 1)), (uint32_t)(word >> 32),
                               (word & DOUBTFUL) != 0};
}

uint64_t pair_rows_time(const struct pair_rows *rows, size_t number, size_t cell) {
  return rows->read[number * (rows->cells + 1) + 1 + cell];
}

void pair_rows_clear(struct pair_rows *rows) {
  if (rows->mapped != 0)
    munmap((void *)(uintptr_t)rows->read, rows->mapped);
  if (rows->in_file)
    close(rows->file);
  vector_clear(&rows->waiting);
}
