/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/expand.h"
#include "base/file.h"
#include "base/memory.h"

enum { RAW_BYTES = 262144 };

struct stream {
  const char *name;
  int descriptor;
  bool begun, ended;
  struct expander *expander; /* NULL: it is not compressed */
  size_t first, last;
  unsigned char raw[RAW_BYTES]; /* read and not yet given: first .. last */
};

enum status stream_open(struct stream **stream, const char *path, struct text *message) {
  *stream = NULL;
  bool input = strcmp(path, "-") == 0;
  int descriptor = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about;
  const char *cause = NULL;
  if (descriptor < 0 || fstat(descriptor, &about) != 0)
    cause = strerror(errno);
  else if (S_ISDIR(about.st_mode))
    cause = "it is a directory; name a file";
  if (cause != NULL) {
    text_format(message, "%s: cannot be opened: %s", file_name(path), cause);
    if (descriptor > STDIN_FILENO)
      close(descriptor);
    return STATUS_NO_INPUT;
  }
  if (!input && S_ISFIFO(about.st_mode)) /* opening is not to wait for a writer, reading is */
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  *stream = mem_alloc(1, sizeof **stream);
  (*stream)->name = file_name(path);
  (*stream)->descriptor = descriptor;
  return STATUS_OK;
}

void stream_close(struct stream *stream) {
  if (stream == NULL)
    return;
  expander_free(stream->expander);
  if (stream->descriptor != STDIN_FILENO)
    close(stream->descriptor);
  mem_free(stream);
}

static enum status read_some(struct stream *stream, void *bytes, size_t most, size_t *got,
                             struct text *message) {
  ssize_t count;
  do
    count = read(stream->descriptor, bytes, most);
  while (count < 0 && errno == EINTR);
  *got = count < 0 ? 0 : (size_t)count;
  if (count >= 0)
    return STATUS_OK;
  text_format(message, "%s: cannot be read: %s", stream->name, strerror(errno));
  return STATUS_DATA;
}

static enum status fill_raw(struct stream *stream, struct text *message) {
  stream->first = 0;
  enum status status = read_some(stream, stream->raw, RAW_BYTES, &stream->last, message);
  stream->ended = stream->last == 0;
  return status;
}

static struct slice raw_left(const struct stream *stream) {
  return (struct slice){(const char *)stream->raw + stream->first, stream->last - stream->first};
}

/* Whether it is compressed, which the first bytes tell. */
static enum status begin(struct stream *stream, struct text *message) {
  stream->begun = true;
  for (size_t got = 1; stream->last < COMPRESSION_BYTES && got != 0; stream->last += got) {
    enum status status =
        read_some(stream, stream->raw + stream->last, RAW_BYTES - stream->last, &got, message);
    if (status != STATUS_OK)
      return status;
  }
  struct stat about;
  if (stream->last == 0 && stream->descriptor != STDIN_FILENO &&
      fstat(stream->descriptor, &about) == 0 && S_ISFIFO(about.st_mode)) {
    text_format(message, FILE_NOTHING_CAME, stream->name);
    return STATUS_NO_INPUT;
  }
  enum compression compression = compression_tell(raw_left(stream));
  if (compression == COMPRESSED_NOT)
    return STATUS_OK;
  stream->expander = expander_new(compression, stream->name);
  if (stream->expander != NULL)
    return STATUS_OK;
  text_format(message, "%s: cannot be expanded: out of memory", stream->name);
  return STATUS_INTERNAL;
}

static enum status read_packed(struct stream *stream, char *bytes, size_t most, size_t *got,
                               struct text *message) {
  enum status status = STATUS_OK;
  while (status == STATUS_OK && *got == 0 && !stream->ended) {
    if (stream->first == stream->last) {
      status = fill_raw(stream, message);
    } else {
      struct slice left = raw_left(stream);
      status = expander_take(stream->expander, &left, bytes, most, got, message);
      stream->first = stream->last - left.length;
    }
  }
  return status == STATUS_OK && *got == 0 ? expander_end(stream->expander, message) : status;
}

enum status stream_read(struct stream *stream, char *bytes, size_t most, size_t *got,
                        struct text *message) {
  enum status status = stream->begun ? STATUS_OK : begin(stream, message);
  *got = 0;
  if (status != STATUS_OK)
    return status;
  most = most > INT32_MAX ? INT32_MAX : most;
  if (stream->expander != NULL)
    return read_packed(stream, bytes, most, got, message);
  if (stream->first == stream->last)
    return read_some(stream, bytes, most, got, message);
  *got = stream->last - stream->first < most ? stream->last - stream->first : most;
  memcpy(bytes, stream->raw + stream->first, *got);
  stream->first += *got;
  return STATUS_OK;
}
