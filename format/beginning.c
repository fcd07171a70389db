/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "format/beginning.h"

#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/stream.h"

static bool is_text(struct slice bytes) {
  for (size_t i = 0; i < bytes.length; i++) {
    unsigned char byte = (unsigned char)bytes.start[i];
    if ((byte < 32 && (byte < 8 || byte > 13) && byte != 27) || byte == 127)
      return false;
  }
  return bytes.length != 0;
}

/* Blanks at the end alone: those in front belong to signs. */
static struct slice trim_end(struct slice line) {
  while (line.length != 0 && memchr(" \t\r", line.start[line.length - 1], 3) != NULL)
    line.length--;
  return line;
}

static void take_lines(struct format_beginning *beginning) {
  struct slice rest = beginning->bytes;
  while (rest.length != 0 && beginning->line_count < FORMAT_LINES_MOST) {
    const char *end = memchr(rest.start, '\n', rest.length);
    struct slice line = {rest.start, end == NULL ? rest.length : (size_t)(end - rest.start)};
    rest.start += line.length + (end != NULL);
    rest.length -= line.length + (end != NULL);
    line = trim_end(line);
    if (slice_trim(line).length != 0)
      beginning->lines[beginning->line_count++] = line;
  }
  while (beginning->body < beginning->line_count &&
         slice_trim(beginning->lines[beginning->body]).start[0] == '#')
    beginning->body++;
}

void format_beginning_init(struct format_beginning *beginning, struct slice bytes) {
  *beginning = (struct format_beginning){.bytes = bytes};
  if (slice_starts(bytes, "\xef\xbb\xbf"))
    beginning->bytes = (struct slice){bytes.start + 3, bytes.length - 3};
  if (beginning->bytes.length > FORMAT_LOOKED)
    beginning->bytes.length = FORMAT_LOOKED;
  beginning->text = is_text(beginning->bytes);
  if (!beginning->text)
    return;
  take_lines(beginning);
  format_paths_read(&beginning->paths, beginning->bytes);
}

void format_beginning_clear(struct format_beginning *beginning) {
  format_paths_clear(&beginning->paths);
}

enum status format_read_beginning(char **bytes, size_t *length, const char *path) {
  struct stream *stream = NULL;
  struct text message;
  struct stat about;
  size_t got = 1;
  enum status status = STATUS_NO_INPUT;
  *length = 0;
  *bytes = mem_alloc(FORMAT_LOOKED + 1, 1);
  text_init(&message);
  if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
    status = stream_open(&stream, path, &message);
  while (status == STATUS_OK && got != 0 && *length < FORMAT_LOOKED) {
    status = stream_read(stream, *bytes + *length, FORMAT_LOOKED - *length, &got, &message);
    *length += status == STATUS_OK ? got : 0;
  }
  stream_close(stream);
  text_clear(&message);
  return *length != 0 ? STATUS_OK : status;
}
