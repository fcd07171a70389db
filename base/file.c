/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
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

enum status file_write(const char *path, const char *bytes, size_t length, struct text *message) {
  struct text temporary;
  text_init(&temporary);
  text_format(&temporary, "%s.XXXXXX", path);
  enum status status = STATUS_INTERNAL;
  int descriptor = mkstemp(temporary.data);
  if (descriptor < 0)
    goto failed;
  if (write_all(descriptor, bytes, length) != 0 || fchmod(descriptor, 0644) != 0) {
    int cause = errno;
    close(descriptor);
    unlink(temporary.data);
    errno = cause;
    goto failed;
  }
  if (close(descriptor) != 0 || rename(temporary.data, path) != 0) {
    int cause = errno;
    unlink(temporary.data);
    errno = cause;
    goto failed;
  }
  status = STATUS_OK;
failed:
  if (status != STATUS_OK)
    text_format(message, "%s: cannot be written: %s", path, strerror(errno));
  text_clear(&temporary);
  return status;
}
