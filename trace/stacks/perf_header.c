/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/perf_header.h"

#include <string.h>

#include "trace/stacks/frame.h"
#include "trace/stacks/readers.h"

static bool blank(char byte) {
  return byte == ' ' || byte == '\t';
}

static bool digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/* Takes the digits at *at, as far as 32 bits hold them; false when there are none. */
static bool take_id(struct slice line, size_t *at, uint32_t *number) {
  uint64_t value = 0;
  size_t first = *at;
  for (; *at < line.length && digit(line.start[*at]); ++*at)
    value = value > UINT32_MAX ? value : value * 10 + (uint64_t)(line.start[*at] - '0');
  *number = value > UINT32_MAX ? 0 : (uint32_t)value;
  return *at != first;
}

/* Takes SECONDS.FRACTION: as nanoseconds. */
static bool take_time(struct slice line, size_t *at, int64_t *time) {
  int64_t seconds = 0, part = 0, unit = 100000000;
  size_t i = *at, first = i;
  for (; i < line.length && digit(line.start[i]) && seconds < INT64_C(900000000); i++)
    seconds = seconds * 10 + (line.start[i] - '0');
  if (i == first || i == line.length || line.start[i] != '.')
    return false;
  for (i++; i < line.length && digit(line.start[i]); i++, unit /= 10)
    part += unit * (line.start[i] - '0');
  if (i == line.length || line.start[i] != ':')
    return false;
  *at = i + 1;
  *time = seconds * 1000000000 + part;
  return true;
}

static size_t skip_blanks(struct slice line, size_t at) {
  while (at < line.length && blank(line.start[at]))
    at++;
  return at;
}

/* What follows the command: [PROCESS/]THREAD [CPU] TIME: with a blank behind the number. */
static bool take_ids(struct perf_header *header, struct slice line, size_t *at) {
  uint32_t first;
  if (!take_id(line, at, &first))
    return false;
  header->process = 0;
  header->thread = first;
  if (*at < line.length && line.start[*at] == '/') {
    header->process = first;
    ++*at;
    if (!take_id(line, at, &header->thread))
      return false;
  }
  if (*at == line.length || !blank(line.start[*at]))
    return false;
  *at = skip_blanks(line, *at);
  size_t cpu = *at;
  if (cpu < line.length && line.start[cpu] == '[') {
    uint32_t number;
    cpu++;
    if (take_id(line, &cpu, &number) && cpu < line.length && line.start[cpu] == ']')
      *at = skip_blanks(line, cpu + 1);
  }
  header->timed = take_time(line, at, &header->time);
  return true;
}

/* The end of the word before `end`, and its beginning in *start. */
static size_t word_before(struct slice line, size_t end, size_t *start) {
  while (end > 0 && blank(line.start[end - 1]))
    end--;
  *start = end;
  while (*start > 0 && !blank(line.start[*start - 1]))
    --*start;
  return end;
}

/* `[PERIOD] EVENT: ARGUMENTS` behind the moment, as of tracepoints. */
static void take_event_first(struct perf_header *header, struct slice line, size_t at) {
  uint64_t period = 1;
  struct slice rest = {line.start + at, line.length - at}, word;
  if (!slice_field(&word, &rest, ' '))
    return;
  if (stack_number(word, &period) && !slice_field(&word, &rest, ' '))
    return;
  if (word.length < 2 || word.start[word.length - 1] != ':')
    return;
  header->event = (struct slice){word.start, word.length - 1};
  header->period = period == 0 ? 1 : period;
  header->more = rest.length != 0;
}

/* `TIME: [PERIOD] EVENT:` at the end of the line. */
static void take_event(struct perf_header *header, struct slice line) {
  size_t start, end = word_before(line, line.length, &start), before, before_end;
  header->period = 1;
  header->event = (struct slice){line.start, 0};
  if (end - start < 2 || line.start[end - 1] != ':')
    return;
  struct slice event = {line.start + start, end - start - 1};
  uint64_t period = 1;
  before_end = word_before(line, start, &before);
  if (stack_number((struct slice){line.start + before, before_end - before}, &period))
    before_end = word_before(line, before, &before);
  if (before == before_end || line.start[before_end - 1] != ':')
    return;
  header->event = event;
  header->period = period == 0 ? 1 : period;
}

static bool take_lost(struct perf_header *header, struct slice line) {
  const char *end = line.start + line.length, *record = stack_find(line, "PERF_RECORD_LOST");
  if (record == NULL)
    return false;
  const char *at = stack_find((struct slice){record, (size_t)(end - record)}, "lost ");
  if (at == NULL)
    return false;
  at += strlen("lost ");
  return stack_number(slice_trim((struct slice){at, (size_t)(end - at)}), &header->lost);
}

/* The command ends before the first number that a moment follows; where none does, before the
 * first number. */
bool perf_header_parse(struct perf_header *header, struct slice line) {
  *header = (struct perf_header){.period = 1};
  bool found = false;
  size_t behind = 0;
  if (line.length == 0 || blank(line.start[0]))
    return false;
  for (size_t end = 1; end < line.length && !(found && header->timed); end++) {
    if (!blank(line.start[end]) || blank(line.start[end - 1]))
      continue;
    struct perf_header candidate = {.period = 1};
    size_t at = skip_blanks(line, end);
    if (!take_ids(&candidate, line, &at) || (found && !candidate.timed))
      continue;
    candidate.command = (struct slice){line.start, end};
    *header = candidate;
    behind = at;
    found = true;
  }
  if (found && !take_lost(header, line)) {
    take_event(header, line);
    if (header->event.length == 0 && header->timed)
      take_event_first(header, line, behind);
  }
  return found;
}
