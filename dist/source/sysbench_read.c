/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `sysbench --histogram` prints, in ms:
 *
 *   sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
 *   Latency histogram (values are in milliseconds)
 *          value  ------------- distribution ------------- count
 *          4.028 |**************************************** 127
 *
 *   General statistics:
 *       total number of events:              317583
 *
 * Its traps:
 *  - A value is the middle, on a logarithmic scale, of one of 1024 bins from 0.001 ms to 100 s: an
 *    event took at most exp(ln(1e8) / 1023 / 2) = 1.00904... times as long, or as short. The first
 *    bin holds all that was faster, the last all that was slower.
 *  - Values are rounded to three decimals.
 *  - Without --rate threads wait for each answer; with it, times count from when events were due.
 *  - Which times belong to errors that were ignored is not known: such a run is refused.
 */
#include <inttypes.h>
#include <string.h>

#include "dist/source/reader.h"

enum {
  MS = 6,
  HALF_DIGIT_NS = 500,
  WIDTH_SHARE = 91, /* half the width of a bin is below 91 / 10000 of its middle */
  WIDTH_WHOLE = 10000,
  FIRST_NS = 1000
};
#define LAST_NS UINT64_C(100000000000)

enum sysbench_part { BEFORE, WITHIN, BEHIND }; /* the histogram */

struct run {
  enum sysbench_part part;
  bool due; /* --rate */
  bool whole;
  uint64_t events;
};

static struct slice behind(struct slice text, const char *words) {
  size_t length = strlen(words);
  return slice_trim((struct slice){text.start + length, text.length - length});
}

static enum status add_bin(struct sample *out, const struct reader *reader, uint64_t middle,
                           uint64_t count, const char *at) {
  uint64_t upper = middle + HALF_DIGIT_NS, lower = middle - HALF_DIGIT_NS;
  bool fits = false;
  if (middle >= LAST_NS) {
    fits = sample_add_beyond(out, count);
  } else {
    upper += upper * WIDTH_SHARE / WIDTH_WHOLE + 1;
    lower = middle <= FIRST_NS ? 0 : lower - lower * WIDTH_SHARE / WIDTH_WHOLE - 1;
    fits = sample_add_range(out, lower, upper, count);
  }
  return fits ? STATUS_OK : reader_fail_total(reader, at);
}

/* "4.028 |**** 127" */
static enum status read_bin(struct sample *out, const struct reader *reader, struct slice text) {
  struct slice rest = text, value = {text.start, 0};
  uint64_t middle = 0, count = 0;
  bool bar = slice_field(&value, &rest, '|');
  while (rest.length != 0 && *rest.start == '*')
    rest = (struct slice){rest.start + 1, rest.length - 1};
  if (!bar || decimal_upper(&middle, NULL, slice_trim(value), MS) != DECIMAL_OK ||
      middle < FIRST_NS || middle > LAST_NS ||
      decimal_whole(&count, slice_trim(rest)) != DECIMAL_OK)
    return reader_fail_found(
        reader, text, "where a line of the histogram such as \"4.028 |*** 127\" is expected");
  return add_bin(out, reader, middle, count, text.start);
}

static enum status read_statistic(struct run *run, const struct reader *reader, struct slice text) {
  static const char events[] = "total number of events:", errors[] = "ignored errors:";
  if (slice_starts(text, events)) {
    if (decimal_whole(&run->events, behind(text, events)) != DECIMAL_OK)
      return reader_fail_found(reader, text, "where a number of events is expected");
    run->whole = true;
  } else if (slice_starts(text, errors) && !slice_starts(behind(text, errors), "0 ")) {
    return reader_fail_found(reader, text,
                             "but which of the times are theirs is not known; measure a run "
                             "without them");
  }
  return STATUS_OK;
}

static enum status read_line(struct sample *out, struct run *run, const struct reader *reader,
                             struct slice text) {
  if (slice_starts(text, "Latency histogram (values are in milliseconds)")) {
    if (run->part != BEFORE)
      return reader_fail(reader, text.start,
                         "a second histogram: events could count twice; keep one run in the file");
    run->part = WITHIN;
    return STATUS_OK;
  }
  if (run->part == BEFORE) {
    run->due = run->due || slice_starts(text, "Target transaction rate:");
    return STATUS_OK;
  }
  if (run->part == BEHIND)
    return read_statistic(run, reader, text);
  if (text.length == 0)
    run->part = BEHIND;
  else if (!slice_starts(text, "value "))
    return read_bin(out, reader, text);
  return STATUS_OK;
}

static void note_assumptions(const struct run *run, const struct reader *reader) {
  const char *path = reader->path;
  if (run->due)
    source_notes_add(
        reader->notes,
        "%s: times of sysbench --rate count from when events were due; those that were "
        "due and not begun at the end of the run are missing",
        path);
  else
    source_notes_add(reader->notes,
                     "%s: sysbench waits for each event before it begins the next (closed loop): "
                     "events that were due while one was slow are missing (coordinated omission)",
                     path);
  source_notes_add(
      reader->notes,
      "%s: each time is raised by half the width of its bin, 0.91 %%, and by 0.0005 ms, "
      "for values are rounded",
      path);
}

enum status sysbench_read(struct sample *out, const struct reader *reader) {
  struct run run = {0};
  const char *at = reader->bytes;
  struct slice line;
  enum status status = reader_require_unit(reader, MS, "sysbench's histogram");
  while (status == STATUS_OK && reader_line(&line, reader, &at))
    status = read_line(out, &run, reader, slice_trim(line));
  if (status != STATUS_OK)
    return status;
  if (run.part == BEFORE)
    return reader_fail(reader, reader->end, "there is no histogram; run sysbench with --histogram");
  if (!run.whole)
    return reader_fail(reader, reader->end,
                       "the line \"total number of events:\" is missing: the file is truncated; "
                       "write or copy it again");
  if (out->total != run.events)
    return reader_fail(reader, reader->bytes,
                       "the histogram counts %" PRIu64 " events, but there were %" PRIu64
                       "; is the file damaged?",
                       out->total, run.events);
  out->evidence.unit = unit_name(MS);
  note_assumptions(&run, reader);
  return STATUS_OK;
}
