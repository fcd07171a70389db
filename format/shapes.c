/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memmem */
#include "format/shapes.h"

#include <ctype.h>
#include <string.h>

/* ---- tables */

static bool names_time(struct slice cell) {
  static const char *const units[] = {"_ns", "_us", "_ms", "_s"};
  cell = slice_trim(cell);
  if (cell.length > 1 && cell.start[0] == '"' && cell.start[cell.length - 1] == '"')
    cell = (struct slice){cell.start + 1, cell.length - 2};
  if (cell.length == 0 || !isalpha((unsigned char)cell.start[0]))
    return false;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    size_t length = strlen(units[i]);
    if (cell.length > length &&
        slice_is_word((struct slice){cell.start + cell.length - length, length}, units[i]))
      return true;
  }
  return false;
}

static size_t times_named(const struct format_beginning *beginning) {
  size_t times = 0;
  struct slice cell, header = {"", 0};
  if (beginning->paths.json || beginning->line_count == 0)
    return 0;
  header = beginning->lines[0];
  while (slice_field(&cell, &header, ','))
    times += names_time(cell);
  return times;
}

bool shape_values(const struct format_beginning *beginning) {
  return times_named(beginning) == 1;
}

bool shape_joint(const struct format_beginning *beginning) {
  return times_named(beginning) > 1;
}

bool shape_no_values(const struct format_beginning *beginning) {
  return times_named(beginning) == 0;
}

static size_t count_of(struct slice line, char byte) {
  size_t count = 0;
  for (size_t i = 0; i < line.length; i++)
    count += line.start[i] == byte;
  return count;
}

/* ---- lines */

bool shape_no_table(const struct format_beginning *beginning) {
  return memmem(beginning->bytes.start, beginning->bytes.length, "TotalCount", 10) == NULL;
}

bool shape_ycsb_raw(const struct format_beginning *beginning) {
  static const char header[] = " latency raw data: op, timestamp(ms), latency(us)";
  if (beginning->body == beginning->line_count)
    return false;
  struct slice line = beginning->lines[beginning->body];
  size_t length = sizeof header - 1;
  return slice_starts(line, "Raw data measurement: will output") ||
         (line.length > length && memcmp(line.start + line.length - length, header, length) == 0);
}

bool shape_no_ycsb_raw(const struct format_beginning *beginning) {
  return !shape_ycsb_raw(beginning);
}

bool shape_node_trace(const struct format_beginning *beginning) {
  static const char category[] = "node.async_hooks";
  struct slice bytes = beginning->bytes;
  return beginning->paths.json &&
         memmem(bytes.start, bytes.length, category, sizeof category - 1) != NULL &&
         memmem(bytes.start, bytes.length, "\"ph\"", 4) != NULL;
}

bool shape_no_node_trace(const struct format_beginning *beginning) {
  return !shape_node_trace(beginning);
}

/* Takes " 12" off the end of a line. */
static bool take_number(struct slice *line) {
  size_t length = line->length;
  while (length != 0 && isdigit((unsigned char)line->start[length - 1]))
    length--;
  if (length == line->length || length < 2 || line->start[length - 1] != ' ')
    return false;
  line->length = length - 1;
  return true;
}

enum { PAIRS_NONE, PAIRS_ALL, PAIRS_NO_STACKS };

/* How many numbers are behind the stacks. The last line may be cut off. */
static int folded_pairs(const struct format_beginning *beginning) {
  size_t stacks = 0, pairs = 0;
  bool nested = false;
  if (beginning->paths.json)
    return PAIRS_NO_STACKS;
  for (size_t i = beginning->body; i < beginning->line_count; i++) {
    struct slice line = beginning->lines[i];
    bool last = line.start + line.length == beginning->bytes.start + beginning->bytes.length;
    if (slice_trim(line).start[0] == '#' || (last && stacks != 0))
      continue;
    if (!take_number(&line))
      return PAIRS_NO_STACKS;
    nested = nested || count_of(line, ';') != 0;
    stacks++;
    pairs += take_number(&line);
  }
  return !nested ? PAIRS_NO_STACKS : pairs == stacks ? PAIRS_ALL : PAIRS_NONE;
}

bool shape_folded(const struct format_beginning *beginning) {
  return folded_pairs(beginning) == PAIRS_NONE;
}

bool shape_folded_pair(const struct format_beginning *beginning) {
  return folded_pairs(beginning) == PAIRS_ALL;
}

/* ---- what it is made of */

bool shape_json(const struct format_beginning *beginning) {
  return beginning->text && beginning->paths.json;
}

bool shape_table(const struct format_beginning *beginning) {
  if (!beginning->text || beginning->paths.json || beginning->line_count < 2 ||
      slice_starts(beginning->lines[0], "<?xml"))
    return false;
  struct slice first = beginning->lines[0], second = beginning->lines[1];
  return (count_of(first, ',') != 0 && count_of(first, ',') == count_of(second, ',')) ||
         (count_of(first, '\t') != 0 && count_of(first, '\t') == count_of(second, '\t')) ||
         (count_of(first, ';') != 0 && count_of(first, ';') == count_of(second, ';'));
}

bool shape_text(const struct format_beginning *beginning) {
  return beginning->text && !beginning->paths.json && !shape_table(beginning) &&
         (beginning->line_count == 0 || !slice_starts(beginning->lines[0], "<?xml"));
}

bool shape_binary(const struct format_beginning *beginning) {
  return !beginning->text && beginning->bytes.length != 0;
}
