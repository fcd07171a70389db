/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"

enum { RAW_BYTES = 262144, GZIP_WINDOW = 16 + MAX_WBITS };

struct stream {
  const char *name;
  int descriptor;
  bool begun, packed, ended;
  bool within;       /* packed: a member has begun and not ended */
  z_stream inflater; /* packed */
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
  if (stream->packed)
    inflateEnd(&stream->inflater);
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

/* Whether it is compressed, which the first two bytes tell. */
static enum status begin(struct stream *stream, struct text *message) {
  stream->begun = true;
  while (stream->last < 2) {
    size_t got;
    enum status status =
        read_some(stream, stream->raw + stream->last, RAW_BYTES - stream->last, &got, message);
    if (status != STATUS_OK || got == 0)
      return status;
    stream->last += got;
  }
  stream->packed = stream->raw[0] == 0x1f && stream->raw[1] == 0x8b;
  if (stream->packed && inflateInit2(&stream->inflater, GZIP_WINDOW) != Z_OK) {
    stream->packed = false;
    text_format(message, "%s: cannot be expanded: out of memory", stream->name);
    return STATUS_INTERNAL;
  }
  stream->within = stream->packed;
  return STATUS_OK;
}

static enum status fail(const struct stream *stream, struct text *message, const char *what) {
  text_format(message, "%s: %s", stream->name, what);
  return STATUS_DATA;
}

/* Behind a member: another one, or nothing but the zeros that tapes are filled up with. */
static enum status next_member(struct stream *stream, struct text *message) {
  while (stream->first < stream->last && stream->raw[stream->first] == 0)
    stream->first++;
  if (stream->first == stream->last)
    return STATUS_OK;
  if (stream->raw[stream->first] != 0x1f)
    return fail(stream, message,
                "bytes that are no gzip stand behind the compressed ones; compress all of the "
                "file, or none");
  inflateReset(&stream->inflater);
  stream->within = true;
  return STATUS_OK;
}

static enum status inflate_some(struct stream *stream, char *bytes, size_t most, size_t *got,
                                struct text *message) {
  z_stream *inflater = &stream->inflater;
  inflater->next_in = stream->raw + stream->first;
  inflater->avail_in = (uInt)(stream->last - stream->first);
  inflater->next_out = (Bytef *)bytes;
  inflater->avail_out = (uInt)most;
  int result = inflate(inflater, Z_NO_FLUSH);
  stream->first = stream->last - inflater->avail_in;
  *got = most - inflater->avail_out;
  if (result == Z_STREAM_END)
    stream->within = false;
  else if (result != Z_OK && result != Z_BUF_ERROR)
    return fail(stream, message, "cannot be expanded; it is a damaged gzip file: fetch it again");
  return STATUS_OK;
}

static enum status read_packed(struct stream *stream, char *bytes, size_t most, size_t *got,
                               struct text *message) {
  enum status status = STATUS_OK;
  while (status == STATUS_OK && *got == 0 && !stream->ended) {
    if (stream->first == stream->last)
      status = fill_raw(stream, message);
    else if (!stream->within)
      status = next_member(stream, message);
    else
      status = inflate_some(stream, bytes, most, got, message);
  }
  if (status == STATUS_OK && *got == 0 && stream->within)
    return fail(stream, message, "is a truncated gzip file; fetch it again");
  return status;
}

enum status stream_read(struct stream *stream, char *bytes, size_t most, size_t *got,
                        struct text *message) {
  enum status status = stream->begun ? STATUS_OK : begin(stream, message);
  *got = 0;
  if (status != STATUS_OK)
    return status;
  most = most > INT32_MAX ? INT32_MAX : most;
  if (stream->packed)
    return read_packed(stream, bytes, most, got, message);
  if (stream->first == stream->last)
    return read_some(stream, bytes, most, got, message);
  *got = stream->last - stream->first < most ? stream->last - stream->first : most;
  memcpy(bytes, stream->raw + stream->first, *got);
  stream->first += *got;
  return STATUS_OK;
}
