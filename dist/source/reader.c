/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/reader.h"

#include <string.h>

#include "base/shown.h"

enum { SHOWN_BYTES = 32 };

bool reader_line(struct slice *line, const struct reader *reader, const char **at) {
  if (*at >= reader->end)
    return false;
  const char *stop = memchr(*at, '\n', (size_t)(reader->end - *at));
  const char *next = stop == NULL ? reader->end : stop + 1;
  if (stop == NULL)
    stop = reader->end;
  if (stop > *at && stop[-1] == '\r')
    stop--;
  *line = (struct slice){*at, (size_t)(stop - *at)};
  *at = next;
  return true;
}

static void put_position(const struct reader *reader, const char *at) {
  if (reader->binary) {
    text_format(reader->message, "%s: byte %zu: ", reader->path, (size_t)(at - reader->bytes));
    return;
  }
  size_t line = 1;
  const char *start = reader->bytes;
  for (const char *stop; (stop = memchr(start, '\n', (size_t)(at - start))) != NULL; line++)
    start = stop + 1;
  text_format(reader->message, "%s:%zu:%zu: ", reader->path, line, (size_t)(at - start) + 1);
}

enum status reader_fail(const struct reader *reader, const char *at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_position(reader, at);
  size_t start = reader->message->length;
  text_format_list(reader->message, format, arguments);
  va_end(arguments);
  reader_blank(reader->message, start);
  return STATUS_DATA;
}

static void put_quoted(struct text *text, struct slice found) {
  size_t shown = found.length < SHOWN_BYTES ? found.length : SHOWN_BYTES;
  text_append(text, "\"");
  for (size_t i = 0; i < shown; i++) {
    unsigned char byte = (unsigned char)found.start[i];
    if (byte >= 0x20 && byte < 0x7f)
      text_append_bytes(text, found.start + i, 1);
    else
      text_format(text, "\\x%02x", byte);
  }
  text_append(text, found.length > shown ? "...\"" : "\"");
}

enum status reader_fail_found(const struct reader *reader, struct slice found, const char *format,
                              ...) {
  va_list arguments;
  va_start(arguments, format);
  put_position(reader, found.start);
  size_t start = reader->message->length;
  text_append(reader->message, "found ");
  put_quoted(reader->message, found);
  text_append(reader->message, ", ");
  text_format_list(reader->message, format, arguments);
  va_end(arguments);
  reader_blank(reader->message, start);
  return STATUS_DATA;
}

void reader_blank(struct text *text, size_t start) {
  if (text->length == start)
    return;
  text->length = start + shown_clean(text->data + start, text->length - start, ' ', false);
  text->data[text->length] = '\0';
}

enum status reader_fail_total(const struct reader *reader, const char *at) {
  return reader_fail(reader, at,
                     "the counts up to here add up to more than 2^63-1; the file is damaged");
}

int reader_unit(const struct reader *reader, const char *format) {
  if (reader->unit != NULL)
    return unit_exponent((struct slice){reader->unit, strlen(reader->unit)});
  reader_fail(reader, reader->bytes,
              "%s states no unit, and ns, us and ms are all in use; state the one it was recorded "
              "in: --unit NAME=us",
              format);
  return -1;
}

enum status reader_require_unit(const struct reader *reader, int exponent, const char *format) {
  if (reader->unit == NULL ||
      unit_exponent((struct slice){reader->unit, strlen(reader->unit)}) == exponent)
    return STATUS_OK;
  return reader_fail(reader, reader->bytes,
                     "%s is always in %s, but the unit is stated to be %s on the command line; "
                     "leave out --unit",
                     format, unit_name(exponent), reader->unit);
}

void reader_skip_mark(struct reader *reader) {
  static const char mark[] = "\xef\xbb\xbf";
  if (strncmp(reader->bytes, mark, strlen(mark)) == 0)
    reader->bytes += strlen(mark);
}

enum status reader_require_text(const struct reader *reader) {
  const char *zero = memchr(reader->bytes, '\0', (size_t)(reader->end - reader->bytes));
  if (zero == NULL)
    return STATUS_OK;
  return reader_fail(reader, zero,
                     "found a zero byte, which no text holds; is this a binary file, or text in "
                     "UTF-16? Save it as plain text");
}

enum status reader_require_last_line(const struct reader *reader) {
  if (reader->end == reader->bytes || reader->end[-1] == '\n')
    return STATUS_OK;
  return reader_fail(reader, reader->end,
                     "the last line has no end: the file is truncated; write or copy it again");
}
