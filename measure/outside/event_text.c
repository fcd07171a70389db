/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/event_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"
#include "base/vector.h"
#include "measure/outside/order.h"

/* --- writing --- */

static void append_quoted(struct text *text, const uint8_t *bytes, uint32_t length) {
  text_append(text, "\"");
  for (uint32_t i = 0; i < length; i++) {
    if (bytes[i] == '"' || bytes[i] == '\\')
      text_format(text, "\\%c", bytes[i]);
    else if (bytes[i] < ' ' || bytes[i] > '~')
      text_format(text, "\\x%02x", bytes[i]);
    else
      text_append_bytes(text, (const char *)&bytes[i], 1);
  }
  text_append(text, "\"");
}

/* Decimal: printf takes four times as long, which was most of what the recorder did. */
static void append_number(struct text *text, uint64_t number) {
  char digits[20];
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number != 0);
  text_append_bytes(text, digits + at, sizeof digits - at);
}

static void append_signed(struct text *text, int64_t number) {
  if (number < 0)
    text_append_bytes(text, "-", 1);
  append_number(text, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static void append_word(struct text *text, const char *before, const char *word,
                        const char *behind) {
  text_append(text, before);
  text_append(text, word);
  text_append(text, behind);
}

static void append_field(struct text *text, const struct outside_field *field,
                         const struct outside_event *event, uint32_t number) {
  uint32_t length;
  append_word(text, " ", field->name, "=");
  if (field->kind == OUTSIDE_UNSIGNED) {
    append_number(text, event->field[number]);
  } else if (field->kind == OUTSIDE_SIGNED) {
    append_signed(text, (int64_t)event->field[number]);
  } else {
    const uint8_t *bytes = outside_text(event, number, &length);
    append_quoted(text, bytes, length);
  }
}

void event_text_append(struct text *text, const struct outside_probe *probes,
                       const struct outside_event *event) {
  const struct outside_probe *probe = &probes[event->probe];
  append_number(text, event->time_ns);
  append_word(text, " ", probe->name, " ");
  append_number(text, event->pid);
  text_append_bytes(text, " ", 1);
  append_number(text, event->tid);
  for (uint32_t i = 0; i < probe->field_count; i++)
    if (outside_has(event, i))
      append_field(text, &probe->field[i], event, i);
  text_append_bytes(text, "\n", 1);
}

void event_text_begin(struct text *text, const struct outside_run *run) {
  text_format(text, "# tailproof events: TIME_NS PROBE PID TID FIELD=VALUE ...\n");
  text_format(text, "clock %" PRIx64 "\nstart %" PRIu64 "\n", run->clock, run->start_ns);
}

void event_text_end(struct text *text, const struct outside_probe *probes, uint32_t count,
                    const struct outside_run *run) {
  for (uint32_t i = 0; i < count; i++)
    if (run->count[i].lost != 0)
      text_format(text, "lost %s %" PRIu64 "\n", probes[i].name, run->count[i].lost);
  text_format(text, "end %" PRIu64 "\n", run->end_ns);
}

/* --- one line --- */

struct event_reader {
  const struct outside_probe *probes;
  uint32_t count;
  struct outside_run *run;
  struct outside_order order;
  struct outside_sink sink;
  uint64_t newest, given; /* times: of all so far; of what was given away */
  size_t enough;          /* events to put in order at once */
  const char *wrong;      /* of a line */
};

static bool complain(struct event_reader *reader, const char *wrong) {
  reader->wrong = wrong;
  return false;
}

/* A word up to a blank, which becomes a NUL; NULL at the end of the line. */
static char *next_word(char **at) {
  char *word = *at + strspn(*at, " \t");
  if (*word == '\0')
    return NULL;
  char *end = word + strcspn(word, " \t");
  *at = *end == '\0' ? end : end + 1;
  *end = '\0';
  return word;
}

static bool read_number(uint64_t *value, const char *word, int base) {
  char *end;
  if (word == NULL || !isxdigit((unsigned char)*word))
    return false;
  *value = strtoull(word, &end, base);
  return *end == '\0';
}

static bool find_probe(struct event_reader *reader, uint32_t *probe, const char *name) {
  for (*probe = 0; name != NULL && *probe < reader->count; ++*probe)
    if (strcmp(reader->probes[*probe].name, name) == 0)
      return true;
  return complain(reader, "a probe that the probe file has not; name it there, or take the line "
                          "out");
}

static int hex_digit(char c) {
  const char digits[] = "0123456789abcdef";
  const char *at = c == '\0' ? NULL : strchr(digits, tolower((unsigned char)c));
  return at == NULL ? -1 : (int)(at - digits);
}

/* Reads a text behind its first quote into the event; *at is then behind its last. */
static bool read_quoted(struct event_reader *reader, struct outside_event *event, char **at) {
  for (; **at != '"'; ++*at) {
    char byte = **at;
    if (byte == '\0')
      return complain(reader, "a text without its closing quote; write FIELD=\"VALUE\"");
    if (byte == '\\' && (*at)[1] == 'x' && hex_digit((*at)[2]) >= 0 && hex_digit((*at)[3]) >= 0) {
      byte = (char)(hex_digit((*at)[2]) * 16 + hex_digit((*at)[3]));
      *at += 3;
    } else if (byte == '\\' && ((*at)[1] == '"' || (*at)[1] == '\\')) {
      byte = *++*at;
    } else if (byte == '\\') {
      return complain(reader, "an escape that is none of \\\" \\\\ \\xHH");
    }
    if (event->text_size == OUTSIDE_TEXT)
      return complain(reader, "texts of more than 256 bytes; shorten them");
    event->text[event->text_size++] = (uint8_t)byte;
  }
  ++*at;
  return true;
}

static bool read_value(struct event_reader *reader, struct outside_event *event, uint32_t field,
                       char **at) {
  char *end = *at;
  uint32_t start = event->text_size;
  switch (reader->probes[event->probe].field[field].kind) {
  case OUTSIDE_TEXTS:
    if (*(*at)++ != '"')
      return complain(reader, "a text in no quotes; write FIELD=\"VALUE\"");
    if (!read_quoted(reader, event, at))
      return false;
    event->field[field] = outside_place(start, event->text_size - start);
    return true;
  case OUTSIDE_SIGNED:
    event->field[field] = (uint64_t)strtoll(*at, &end, 10);
    break;
  case OUTSIDE_UNSIGNED:
    if (**at != '-')
      event->field[field] = strtoull(*at, &end, 10);
  }
  bool good = end != *at && !isspace((unsigned char)**at);
  *at = end;
  return good || complain(reader, "a field without a whole number; write FIELD=NUMBER");
}

/* FIELD=VALUE. */
static bool read_field(struct event_reader *reader, struct outside_event *event, char **at) {
  const struct outside_probe *probe = &reader->probes[event->probe];
  size_t length = strcspn(*at, "= \t");
  for (uint32_t i = 0; i < probe->field_count && (*at)[length] == '='; i++) {
    if (strlen(probe->field[i].name) != length || memcmp(probe->field[i].name, *at, length) != 0)
      continue;
    if (outside_has(event, i))
      return complain(reader, "a field twice; keep one");
    *at += length + 1;
    event->fields |= 1u << i;
    if (!read_value(reader, event, i, at))
      return false;
    return **at == '\0' || **at == ' ' || **at == '\t' ||
           complain(reader, "something right behind a value; put a blank between fields");
  }
  return complain(reader, "a field that the probe does not read; write FIELD=VALUE with the names "
                          "of the probe file");
}

static bool read_event(struct event_reader *reader, char *line) {
  struct outside_event event = {0};
  uint64_t pid, tid;
  if (!read_number(&event.time_ns, next_word(&line), 10))
    return complain(reader, "no time; write TIME_NS PROBE PID TID FIELD=VALUE ...");
  if (!find_probe(reader, &event.probe, next_word(&line)))
    return false;
  if (!read_number(&pid, next_word(&line), 10) || !read_number(&tid, next_word(&line), 10) ||
      pid > INT32_MAX || tid > INT32_MAX)
    return complain(reader, "no process and thread; write TIME_NS PROBE PID TID FIELD=VALUE ...");
  event.pid = (uint32_t)pid;
  event.tid = (uint32_t)tid;
  for (line += strspn(line, " \t"); *line != '\0'; line += strspn(line, " \t"))
    if (!read_field(reader, &event, &line))
      return false;
  if (event.time_ns < reader->given)
    return complain(reader, "a time long before that of lines above; sort the events by time");
  struct outside_count *count = &reader->run->count[event.probe];
  count->hits++;
  count->unread += event.fields != (1u << reader->probes[event.probe].field_count) - 1;
  reader->newest = event.time_ns > reader->newest ? event.time_ns : reader->newest;
  order_add(&reader->order, &event);
  return true;
}

static bool read_process(struct event_reader *reader, char *line) {
  uint64_t pid;
  if (!read_number(&pid, next_word(&line), 10) || pid > INT32_MAX)
    return complain(reader, "no process; write process PID COMMAND");
  if (reader->sink.process != NULL)
    reader->sink.process(reader->sink.context, (uint32_t)pid, line);
  return true;
}

static bool read_directive(struct event_reader *reader, char *line) {
  const char *word = next_word(&line);
  uint32_t probe;
  if (word == NULL)
    return true;
  if (strcmp(word, "process") == 0)
    return read_process(reader, line);
  if (strcmp(word, "lost") == 0)
    return find_probe(reader, &probe, next_word(&line)) &&
           (read_number(&reader->run->count[probe].lost, next_word(&line), 10) ||
            complain(reader, "no count; write lost PROBE COUNT"));
  uint64_t *target = strcmp(word, "clock") == 0   ? &reader->run->clock
                     : strcmp(word, "start") == 0 ? &reader->run->start_ns
                     : strcmp(word, "end") == 0   ? &reader->run->end_ns
                                                  : NULL;
  if (target == NULL)
    return complain(reader,
                    "neither an event nor clock, start, process, lost or end; write TIME_NS PROBE "
                    "PID TID FIELD=VALUE ...");
  return read_number(target, next_word(&line), target == &reader->run->clock ? 16 : 10) ||
         complain(reader, "no number behind the word; give one");
}

static bool read_line(struct event_reader *reader, char *line) {
  size_t length = strlen(line);
  if (length > 0 && line[length - 1] == '\r')
    line[length - 1] = '\0';
  if (*line == '#')
    return true;
  return isdigit((unsigned char)*line) ? read_event(reader, line) : read_directive(reader, line);
}

/* --- the file --- */

enum { LINE_MOST = 8192, READ = 1 << 16, SECOND_NS = 1000000000 };

/* Gives away what nothing can come before any more. False when the sink wants no more. */
static bool settle(struct event_reader *reader) {
  if (reader->order.places.count < reader->enough)
    return true;
  uint64_t limit = reader->newest > SECOND_NS ? reader->newest - SECOND_NS : 0;
  reader->given = limit;
  bool wanted = order_flush(&reader->order, limit, &reader->sink);
  reader->enough = 2 * reader->order.places.count + 4096;
  return wanted;
}

struct line_buffer {
  char bytes[LINE_MOST + READ];
  size_t count;
  uint64_t line;
};

static enum status say_line(struct event_reader *reader, const struct line_buffer *buffer,
                            const char *path, struct text *message) {
  text_format(message, "%s, line %" PRIu64 ": %s", strcmp(path, "-") == 0 ? "<stdin>" : path,
              buffer->line, reader->wrong);
  return STATUS_DATA;
}

/* Whole lines; the rest is moved to the front. False at one that is wrong. */
static bool take_lines(struct event_reader *reader, struct line_buffer *buffer, bool last) {
  char *at = buffer->bytes, *end = buffer->bytes + buffer->count;
  for (char *stop; at < end; at = stop + 1) {
    stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL && !last)
      break;
    if (stop == NULL && reader->run->start_ns != 0 && reader->run->end_ns == 0)
      return true; /* its recorder was killed while it wrote */
    stop = stop == NULL ? end : stop;
    *stop = '\0';
    buffer->line++;
    if (strlen(at) != (size_t)(stop - at))
      return complain(reader, "a NUL; this is no text");
    if (!read_line(reader, at))
      return false;
  }
  buffer->count = at < end ? (size_t)(end - at) : 0;
  memmove(buffer->bytes, at, buffer->count);
  if (buffer->count < LINE_MOST)
    return true;
  buffer->line++;
  return complain(reader, "a line of more than 8192 bytes; this is no file of events");
}

static enum status read_stream(struct event_reader *reader, struct stream *stream, const char *path,
                               struct text *message) {
  struct line_buffer *buffer = mem_alloc(1, sizeof *buffer);
  enum status status = STATUS_OK;
  bool wanted = true;
  for (size_t got = 1; wanted && status == STATUS_OK && got != 0;) {
    status = stream_read(stream, buffer->bytes + buffer->count, READ - 1, &got, message);
    buffer->count += status == STATUS_OK ? got : 0;
    if (status == STATUS_OK && !take_lines(reader, buffer, got == 0))
      status = say_line(reader, buffer, path, message);
    wanted = status == STATUS_OK && settle(reader);
  }
  if (wanted && status == STATUS_OK)
    order_flush(&reader->order, UINT64_MAX, &reader->sink);
  mem_free(buffer);
  return status;
}

enum status event_text_read(struct outside_run *run, const struct outside_probe *probes,
                            uint32_t count, const char *path, const struct outside_sink *sink,
                            struct text *message) {
  struct event_reader reader = {.probes = probes, .count = count, .run = run, .sink = *sink};
  struct stream *stream;
  *run = (struct outside_run){0};
  enum status status = stream_open(&stream, path, message);
  if (status == STATUS_OK)
    status = read_stream(&reader, stream, path, message);
  stream_close(stream);
  order_clear(&reader.order);
  return status;
}
