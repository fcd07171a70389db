/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/expand.h"
#include "base/memory.h"

enum { CHUNK_BYTES = 65536 };

static enum status fail_size(const char *path, size_t limit, struct text *message) {
  text_format(message, "%s: is larger than %zu bytes, the most that is read of one file", path,
              limit);
  return STATUS_DATA;
}

/* As it is. What cannot be compressed is a little larger when it is, so more than the limit may
 * come. */
static enum status read_raw(int descriptor, const char *path, size_t limit, struct text *raw,
                            struct text *message) {
  size_t most = limit + limit / 64 + 1024;
  char chunk[CHUNK_BYTES];
  for (;;) {
    ssize_t got = read(descriptor, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      text_format(message, "%s: cannot be read: %s", path, strerror(errno));
      return STATUS_DATA;
    }
    if (got == 0)
      return STATUS_OK;
    if ((size_t)got > most - raw->length)
      return fail_size(path, limit, message);
    text_append_bytes(raw, chunk, (size_t)got);
  }
}

static enum status expand_all(struct expander *expander, struct slice raw, const char *path,
                              size_t limit, struct text *bytes, struct text *message) {
  enum status status = STATUS_OK;
  size_t got = 0;
  while (status == STATUS_OK && (raw.length != 0 || got != 0)) {
    char chunk[CHUNK_BYTES];
    status = expander_take(expander, &raw, chunk, sizeof chunk, &got, message);
    if (got > limit - bytes->length)
      return fail_size(path, limit, message);
    text_append_bytes(bytes, chunk, got);
  }
  return status == STATUS_OK ? expander_end(expander, message) : status;
}

/* What was read, expanded if it is compressed. */
static enum status expand(struct text *bytes, struct text *raw, const char *path, size_t limit,
                          struct text *message) {
  struct slice packed = {raw->data, raw->length};
  enum compression compression = compression_tell(packed);
  if (compression == COMPRESSED_NOT) {
    if (raw->length > limit)
      return fail_size(path, limit, message);
    struct text plain = *raw;
    *raw = *bytes;
    *bytes = plain;
    return STATUS_OK;
  }
  struct expander *expander = expander_new(compression, path);
  if (expander == NULL) {
    text_format(message, "%s: cannot be expanded: out of memory", path);
    return STATUS_INTERNAL;
  }
  enum status status = expand_all(expander, packed, path, limit, bytes, message);
  expander_free(expander);
  return status;
}

static enum status read_open(int descriptor, const char *path, size_t limit, char **bytes,
                             size_t *length, struct text *message) {
  struct text raw, content;
  text_init(&raw);
  text_init(&content);
  text_append(&raw, "");
  text_append(&content, "");
  assert(limit <= FILE_LIMIT_MAX);
  enum status status = read_raw(descriptor, path, limit, &raw, message);
  if (status == STATUS_OK)
    status = expand(&content, &raw, path, limit, message);
  if (status == STATUS_OK) {
    *length = content.length;
    *bytes = text_take(&content);
  }
  text_clear(&raw);
  text_clear(&content);
  return status;
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
  enum status status = read_open(descriptor, path, limit, bytes, length, message);
  close(descriptor);
  if (status == STATUS_OK && *length == 0 && S_ISFIFO(about.st_mode)) {
    mem_free(*bytes);
    *bytes = NULL;
    text_format(message, FILE_NOTHING_CAME, path);
    status = STATUS_NO_INPUT;
  }
  return status;
}

static enum status read_input(struct text *input, size_t limit, struct text *message) {
  struct stat about;
  if (fstat(STDIN_FILENO, &about) != 0 || S_ISDIR(about.st_mode)) {
    text_append(message,
                FILE_INPUT_NAME ": standard input is closed or a directory; pipe a file in");
    return STATUS_NO_INPUT;
  }
  char *bytes;
  size_t length;
  enum status status = read_open(STDIN_FILENO, FILE_INPUT_NAME, limit, &bytes, &length, message);
  if (status == STATUS_OK)
    *input = (struct text){bytes, length, length + 1};
  return status;
}

static bool is_input(const char *path) {
  return strcmp(path, "-") == 0;
}

const char *file_name(const char *path) {
  return is_input(path) ? FILE_INPUT_NAME : path;
}

enum status file_read_or_input(const char *path, size_t limit, char **bytes, size_t *length,
                               struct text *message) {
  static struct text input; /* for the life of the process, as standard input is */
  if (!is_input(path))
    return file_read(path, limit, bytes, length, message);
  *bytes = NULL;
  *length = 0;
  if (input.data == NULL) {
    enum status status = read_input(&input, limit, message);
    if (status != STATUS_OK)
      return status;
  }
  *bytes = mem_copy_text(input.data, input.length);
  *length = input.length;
  return STATUS_OK;
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

/* Quick rather than small. 16 + 15: with gzip's header. */
static bool compress_to(struct text *packed, const char *bytes, size_t length) {
  z_stream stream = {0};
  unsigned char chunk[65536];
  if (deflateInit2(&stream, 1, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  int result = Z_OK;
  while (result == Z_OK || result == Z_BUF_ERROR) { /* the latter: nothing was left to put out */
    size_t part = length < sizeof chunk ? length : sizeof chunk;
    stream.next_in = (unsigned char *)(uintptr_t)bytes;
    stream.avail_in = (unsigned)part;
    bytes += part;
    length -= part;
    do {
      stream.next_out = chunk;
      stream.avail_out = sizeof chunk;
      result = deflate(&stream, length == 0 ? Z_FINISH : Z_NO_FLUSH);
      text_append_bytes(packed, (const char *)chunk, sizeof chunk - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return result == Z_STREAM_END;
}

enum status file_write_gzip(const char *path, const char *bytes, size_t length,
                            struct text *message) {
  struct text packed;
  text_init(&packed);
  enum status status = STATUS_INTERNAL;
  if (compress_to(&packed, bytes, length))
    status = file_write(path, packed.data, packed.length, message);
  else
    text_format(message, "%s: cannot be compressed: out of memory", path);
  text_clear(&packed);
  return status;
}
