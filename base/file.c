/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

static enum status read_open(gzFile file, const char *path, size_t limit, struct text *bytes,
                             struct text *message) {
  char chunk[65536];
  for (;;) {
    int got = gzread(file, chunk, sizeof chunk);
    if (got < 0) {
      text_format(message, "%s: cannot be read: %s (is it a damaged gzip file?)", path,
                  gzerror(file, &(int){0}));
      return STATUS_DATA;
    }
    if ((size_t)got > limit - bytes->length) {
      text_format(message, "%s: is larger than %zu bytes, the most that is read of one file", path,
                  limit);
      return STATUS_DATA;
    }
    if (got == 0)
      return STATUS_OK;
    text_append_bytes(bytes, chunk, (size_t)got);
  }
}

enum status file_read(const char *path, size_t limit, char **bytes, size_t *length,
                      struct text *message) {
  *bytes = NULL;
  *length = 0;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about;
  if (descriptor < 0 || fstat(descriptor, &about) != 0) {
    text_format(message, "%s: cannot be opened: %s", path, strerror(errno));
    if (descriptor >= 0)
      close(descriptor);
    return STATUS_NO_INPUT;
  }
  if (S_ISDIR(about.st_mode)) {
    text_format(message, "%s: is a directory; name a file", path);
    close(descriptor);
    return STATUS_NO_INPUT;
  }
  if (S_ISFIFO(about.st_mode)) /* opening is not to wait for a writer, reading is */
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  gzFile file = gzdopen(descriptor, "rb");
  if (file == NULL) {
    close(descriptor);
    text_format(message, "%s: cannot be opened: out of memory", path);
    return STATUS_INTERNAL;
  }
  struct text content;
  text_init(&content);
  text_append(&content, "");
  enum status status = read_open(file, path, limit, &content, message);
  int closed = gzclose_r(file);
  if (status == STATUS_OK && closed != Z_OK) {
    text_format(message, "%s: is a truncated gzip file; fetch it again", path);
    status = STATUS_DATA;
  }
  if (status == STATUS_OK) {
    *length = content.length;
    *bytes = text_take(&content);
  }
  text_clear(&content);
  return status;
}

static int write_all(int descriptor, const char *bytes, size_t length) {
  while (length != 0) {
    ssize_t put = write(descriptor, bytes, length);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return -1;
    bytes += put;
    length -= (size_t)put;
  }
  return fsync(descriptor) == 0 || errno == EINVAL ? 0 : -1;
}

/* A device or a pipe is written to, not replaced. */
static bool write_special(const char *path, const char *bytes, size_t length) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0)
    return false;
  bool good = write_all(descriptor, bytes, length) == 0;
  int cause = errno;
  good = (close(descriptor) == 0) && good;
  if (!good)
    errno = cause;
  return good;
}

/* Through a temporary file beside it. */
static bool write_regular(const char *path, mode_t mode, const char *bytes, size_t length) {
  struct text temporary;
  text_init(&temporary);
  text_format(&temporary, "%s.XXXXXX", path);
  int descriptor = mkstemp(temporary.data), cause = errno;
  bool good = descriptor >= 0;
  if (good) {
    good = write_all(descriptor, bytes, length) == 0 && fchmod(descriptor, mode) == 0;
    cause = errno;
    if (close(descriptor) != 0 && good)
      good = false, cause = errno;
    if (good && rename(temporary.data, path) != 0)
      good = false, cause = errno;
    if (!good)
      unlink(temporary.data);
  }
  text_clear(&temporary);
  errno = cause;
  return good;
}

/* What open() would give a new file. */
static mode_t new_mode(void) {
  mode_t mask = umask(077);
  umask(mask);
  return 0666 & ~mask;
}

enum status file_write(const char *path, const char *bytes, size_t length, struct text *message) {
  struct stat about;
  bool good;
  if (stat(path, &about) != 0) {
    good = write_regular(path, new_mode(), bytes, length);
  } else if (!S_ISREG(about.st_mode)) {
    good = write_special(path, bytes, length);
  } else {
    char *target = realpath(path, NULL); /* a link stays one */
    good = target != NULL && write_regular(target, about.st_mode & 0777, bytes, length);
    int cause = errno;
    free(target);
    errno = cause;
  }
  if (good)
    return STATUS_OK;
  text_format(message, "%s: cannot be written: %s", path, strerror(errno));
  return STATUS_INTERNAL;
}
