/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/pauses_csv.h"

#include <string.h>

#include "base/file.h"
#include "base/slice.h"
#include "trace/event/join.h"
#include "trace/event/pause_kind.h"
#include "trace/span/store.h"

/* Milliseconds as ns, rounded down; false for what is no number below 2^62 ns. */
static bool parse_ms(struct slice text, int64_t *ns) {
  int64_t value = 0;
  int decimals = -1;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.start[i];
    if (c == '.' && decimals < 0) {
      decimals = 0;
      continue;
    }
    if (c < '0' || c > '9' || value > SPAN_TIME_MAX / 10 - 1)
      return false;
    if (decimals < 6)
      value = value * 10 + (c - '0');
    decimals += decimals >= 0 && decimals < 6;
  }
  for (decimals = decimals < 0 ? 0 : decimals; decimals < 6; decimals++) {
    if (value > SPAN_TIME_MAX / 10)
      return false;
    value *= 10;
  }
  *ns = value;
  return text.length != 0;
}

static bool parse_line(struct slice line, struct event_pause *pause) {
  struct slice interval, start, end, duration, type, more;
  return slice_field(&interval, &line, ',') && slice_field(&start, &line, ',') &&
         slice_field(&end, &line, ',') && slice_field(&duration, &line, ',') &&
         slice_field(&type, &line, ',') && !slice_field(&more, &line, ',') &&
         parse_ms(start, &pause->start) && parse_ms(end, &pause->end) &&
         pause->start <= pause->end && pause_kind(type, &pause->kind);
}

static enum status parse(struct event_log *part, const char *bytes, size_t length, const char *path,
                         const struct asker *asker) {
  const char *at = bytes, *end = bytes + length;
  for (unsigned long long number = 1; at < end; number++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    struct slice line = {at, (size_t)((newline == NULL ? end : newline) - at)};
    struct event_pause pause = {0};
    at = newline == NULL ? end : newline + 1;
    if (number == 1 || slice_trim(line).length == 0)
      continue;
    if (!parse_line(line, &pause))
      return asker_fail(asker, STATUS_DATA,
                        "%s:%llu: interval, start, end, duration (ms) and a type such as "
                        "V8.GCScavenger are expected; mend the line or leave it out",
                        file_name(path), number);
    vector_push(&part->pauses, pause);
  }
  return STATUS_OK;
}

enum status pauses_csv_read(struct event_log *log, const char *path, const struct asker *asker) {
  struct event_log part = {0};
  struct text message;
  char *bytes = NULL;
  size_t length = 0;
  text_init(&message);
  enum status status = file_read(path, FILE_LIMIT_MAX, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  else
    status = parse(&part, bytes, length, path, asker);
  struct event_loop loop = {.name = names_number(&log->names, (struct slice){"node", 4})};
  for (size_t i = 0; i < part.pauses.count; i++) {
    const struct event_pause *pause = &part.pauses.data[i];
    loop.start = i == 0 || pause->start < loop.start ? pause->start : loop.start;
    loop.end = i == 0 || pause->end > loop.end ? pause->end : loop.end;
  }
  if (status == STATUS_OK)
    event_log_join(log, &part, &loop);
  event_log_clear(&part);
  mem_free(bytes);
  text_clear(&message);
  return status;
}
