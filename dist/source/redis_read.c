/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What redis-benchmark prints of one command (release 6.2 and later), in ms:
 *
 *   ====== SET ======
 *     20000 requests completed in 0.20 seconds
 *   Latency by percentile distribution:
 *   50.000% <= 0.255 milliseconds (cumulative count 12300)
 *   Cumulative distribution of latencies:
 *   94.225% <= 0.303 milliseconds (cumulative count 18845)
 *   Summary:
 *     throughput summary: 101010.10 requests per second
 *
 * Its traps:
 *  - A time is a difference of a clock of whole microseconds: the true one is within 1 us of it.
 *  - Times above 3 s are counted as 3 s: they are infinite here.
 *  - The two tables show different points of one distribution; both are used.
 *  - A progress line, ended by a carriage return, stands in front of the first title.
 *  - What --csv prints holds a few percentiles and no counts: it is refused.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dist/source/kinds.h"

enum { MS = 6, TICK_NS = 1000 };
#define CAP_NS UINT64_C(3000000000)

struct redis_point {
  uint64_t upper_ns, count; /* so many requests took at most upper_ns by the tool's clock */
};

struct benchmark {
  struct redis_point *points; /* owned */
  size_t count, capacity;
  uint64_t completed;
  struct slice title; /* of the command */
  bool titled, counted, whole;
};

static bool ends_with(struct slice text, const char *words) {
  size_t length = strlen(words);
  return text.length >= length && memcmp(text.start + text.length - length, words, length) == 0;
}

/* What a terminal would still show of the line: what is behind its last carriage return. */
static struct slice shown(struct slice line) {
  line = slice_trim(line);
  for (size_t i = line.length; i > 0; i--)
    if (line.start[i - 1] == '\r')
      return slice_trim((struct slice){line.start + i, line.length - i});
  return line;
}

static bool is_title(struct slice text) {
  return text.length > 14 && slice_starts(text, "====== ") && ends_with(text, " ======");
}

/* What stands between two texts of the line, such as the number in "<= 0.255 milliseconds". */
static bool between(struct slice *number, struct slice text, const char *before,
                    const char *after) {
  size_t skip = strlen(before);
  for (size_t i = 0; i + skip <= text.length; i++) {
    if (memcmp(text.start + i, before, skip) != 0)
      continue;
    const char *start = text.start + i + skip;
    for (size_t n = 0; i + skip + n + strlen(after) <= text.length; n++)
      if (memcmp(start + n, after, strlen(after)) == 0) {
        *number = (struct slice){start, n};
        return true;
      }
    return false; /* not behind a later `before` either: no second look at a long line */
  }
  return false;
}

static enum status add_point(struct benchmark *found, const struct reader *reader,
                             struct slice text) {
  struct slice value, count;
  struct redis_point point;
  if (!between(&count, text, "(cumulative count ", ")"))
    return reader_fail_found(reader, text,
                             "a line without a count; measure with redis-benchmark 6.2 or later");
  if (!between(&value, text, "<= ", " milliseconds") ||
      decimal_upper(&point.upper_ns, NULL, value, MS) != DECIMAL_OK ||
      decimal_whole(&point.count, count) != DECIMAL_OK || point.upper_ns > SAMPLE_NS_MAX - TICK_NS)
    return reader_fail_found(reader, text,
                             "where a line such as \"50.000%% <= 0.255 milliseconds (cumulative "
                             "count 12300)\" is expected");
  if (found->count == found->capacity) {
    found->capacity = found->capacity == 0 ? 64 : 2 * found->capacity;
    found->points = mem_resize(found->points, found->capacity, sizeof *found->points);
  }
  found->points[found->count++] = point;
  return STATUS_OK;
}

static enum status read_line(struct benchmark *found, const struct reader *reader,
                             struct slice text) {
  struct slice number;
  if (is_title(text)) {
    if (found->titled)
      return reader_fail_found(reader, text,
                               "a second command: each is a component of its own; run "
                               "redis-benchmark with one of them (-t) at a time");
    found->titled = true;
    found->title = slice_trim((struct slice){text.start + 7, text.length - 14});
  } else if (ends_with(text, " seconds") && between(&number, text, "", " requests completed in ")) {
    if (decimal_whole(&found->completed, number) != DECIMAL_OK)
      return reader_fail_found(reader, text, "where a number of requests is expected");
    found->counted = true;
  } else if (slice_starts(text, "throughput summary:")) {
    found->whole = true;
  } else if (between(&number, text, "% <= ", " milliseconds")) {
    return add_point(found, reader, text);
  }
  return STATUS_OK;
}

static enum status read_lines(struct benchmark *found, const struct reader *reader) {
  const char *at = reader->bytes;
  struct slice line;
  while (reader_line(&line, reader, &at)) {
    enum status status = read_line(found, reader, shown(line));
    if (status != STATUS_OK)
      return status;
  }
  if (!found->whole)
    return reader_fail(reader, reader->end,
                       "the line \"throughput summary:\" is missing: the file is truncated; write "
                       "or copy it again");
  if (!found->counted || found->count == 0)
    return reader_fail(reader, reader->end,
                       "there is no table of latencies; run redis-benchmark without -q");
  return STATUS_OK;
}

static int compare_points(const void *a, const void *b) {
  const struct redis_point *x = a, *y = b;
  if (x->upper_ns != y->upper_ns)
    return x->upper_ns < y->upper_ns ? -1 : 1;
  return x->count < y->count ? -1 : x->count > y->count;
}

/* Adds what lies between neighbouring points; *counted gets how many those are. */
static enum status add_points(struct sample *out, uint64_t *counted, struct benchmark *found,
                              const struct reader *reader) {
  struct redis_point last = {0, 0};
  qsort(found->points, found->count, sizeof *found->points, compare_points);
  for (size_t i = 0; i < found->count; last = found->points[i++]) {
    struct redis_point point = found->points[i];
    if (point.count < last.count || (point.upper_ns == last.upper_ns && point.count != last.count))
      return reader_fail(
          reader, reader->bytes,
          "the counts of the two tables contradict each other; is the file damaged?");
    uint64_t count = point.count - last.count;
    bool fits = point.upper_ns >= CAP_NS
                    ? sample_add_beyond(out, count)
                    : sample_add_range(out, last.upper_ns, point.upper_ns + TICK_NS, count);
    if (!fits)
      return reader_fail_total(reader, reader->end);
  }
  *counted = last.count;
  return STATUS_OK;
}

static void note_assumptions(const struct reader *reader, uint64_t missing,
                             const struct sample *sample) {
  source_notes_add(reader->notes,
                   "%s: redis-benchmark waits for each answer before it sends the next request "
                   "(closed loop): requests that were due while one was slow are missing "
                   "(coordinated omission)",
                   reader->path);
  source_notes_add(reader->notes,
                   "%s: no pipeline (-P) was used, of which only the first answer is timed, and an "
                   "error that the server answered counts as an answer",
                   reader->path);
  if (sample->beyond != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " requests took 3 s or more, which redis-benchmark does not "
                     "tell apart, or were not timed (%" PRIu64 "): they are taken as infinite",
                     reader->path, sample->beyond, missing);
}

static enum status read_whole(struct sample *out, struct benchmark *found,
                              const struct reader *reader) {
  uint64_t counted = 0;
  enum status status = read_lines(found, reader);
  if (status == STATUS_OK)
    status = add_points(out, &counted, found, reader);
  if (status != STATUS_OK)
    return status;
  if (counted > found->completed)
    return reader_fail(reader, reader->bytes,
                       "%" PRIu64 " requests are counted, but only %" PRIu64
                       " completed; is the file damaged?",
                       counted, found->completed);
  if (!sample_add_beyond(out, found->completed - counted))
    return reader_fail_total(reader, reader->end);
  out->evidence.unit = unit_name(MS);
  if (found->titled)
    kinds_keep_one(&out->evidence, "command", found->title);
  note_assumptions(reader, found->completed - counted, out);
  return STATUS_OK;
}

enum status redis_read(struct sample *out, const struct reader *reader) {
  struct benchmark found = {0};
  enum status status = reader_require_unit(reader, MS, "redis-benchmark's table");
  if (status == STATUS_OK)
    status = read_whole(out, &found, reader);
  mem_free(found.points);
  return status;
}
