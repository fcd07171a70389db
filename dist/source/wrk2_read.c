/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `wrk2 --latency` prints, its table as HdrHistogram writes it, in ms:
 *
 *   Running 30s test @ http://127.0.0.1/
 *     Detailed Percentile spectrum:
 *          Value   Percentile   TotalCount 1/(1-Percentile)
 *   ...
 *   #[Buckets =           27, SubBuckets     =         2048]
 *   ----------------------------------------------------------
 *     300 requests in 30.00s, 97.56KB read
 *     Socket errors: connect 0, read 0, write 0, timeout 2
 *     Non-2xx or 3xx responses: 1
 *
 * Its traps:
 *  - Requests with a socket error are not in the table: they are infinite.
 *  - Answers that are errors are in it, and which they are is not known: such a run is refused.
 *  - A second table, of what --u_latency asks for, leaves out how long requests waited to be sent.
 */
#include <inttypes.h>
#include <string.h>

#include "dist/source/reader.h"

bool wrk2_is_header(struct slice line) {
  return slice_starts(line, "Running ") && slice_holds(line, " test @ ");
}

/* Adds up the numbers of a line such as "connect 0, read 0, write 0, timeout 2". */
static uint64_t numbers_of(struct slice line) {
  uint64_t sum = 0, number = 0;
  bool within = false;
  for (size_t i = 0; i < line.length; i++) {
    bool digit = line.start[i] >= '0' && line.start[i] <= '9';
    number = digit && number < INT32_MAX ? 10 * number + (uint64_t)(line.start[i] - '0') : number;
    if (within && !digit) {
      sum += number;
      number = 0;
    }
    within = digit;
  }
  return sum + number;
}

enum status wrk2_read(struct sample *out, const struct reader *reader) {
  struct reader table = *reader;
  const char *at = reader->bytes, *start = at;
  struct slice line;
  uint64_t lost = 0;
  bool found = false, closed = false, whole = false;
  table.unit = "ms";
  for (; reader_line(&line, reader, &at); start = at) {
    struct slice text = slice_trim(line);
    if (!found && slice_holds(text, "1/(1-Percentile)")) {
      found = true;
      table.bytes = start;
    } else if (found && !closed && slice_starts(text, "----")) {
      closed = true;
      table.end = start;
    }
    whole = whole || slice_holds(text, "Requests/sec:");
    if (slice_holds(text, "Socket errors:"))
      lost += numbers_of(text);
    if (slice_holds(text, "Non-2xx or 3xx responses:"))
      return reader_fail_found(reader, text,
                               "but which of the times are theirs is not known; measure a run "
                               "without them");
  }
  if (!found || !closed || !whole)
    return reader_fail(reader, reader->end, "%s",
                       found
                           ? "the line \"Requests/sec:\" is missing: the file is truncated; write "
                             "or copy it again"
                           : "there is no percentile table; run wrk2 with --latency");
  enum status status =
      reader_require_unit(reader, unit_exponent((struct slice){"ms", 2}), "wrk2's table");
  if (status == STATUS_OK)
    status = hgrm_read(out, &table);
  if (status == STATUS_OK && !sample_add_beyond(out, lost))
    return reader_fail_total(reader, reader->end);
  if (status == STATUS_OK)
    source_notes_add(reader->notes,
                     "%s: latencies of wrk2 count from when requests were due; %" PRIu64
                     " requests with socket errors are taken as infinite",
                     reader->path, lost);
  return status;
}
