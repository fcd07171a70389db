/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `pgbench --log` writes: one transaction a row, no header. The columns:
 *
 *   client, number, latency (us), script, end (s since 1970), and its us,
 *   then, with --rate, the lag of the start (us); with --max-tries, the number of retries
 *   0 199 2241 0 1700000000 85018
 *
 * Its traps:
 *  - A transaction that failed or was skipped has a word in place of its latency. It is an
 *    observation that never ended.
 *  - With --rate the latency counts from when the transaction was due, else from when a client
 *    that waits for each answer sent it (closed loop).
 *  - Both moments are cut off to whole us, so their difference is up to 1 us off.
 *  - Several scripts (-f, or built-in ones) are transactions of different kinds in one log.
 *  - With --sampling-rate most transactions are missing, which nothing in the file says.
 */
#include <inttypes.h>
#include <string.h>

#include "dist/source/kinds.h"
#include "dist/source/seen.h"
#include "dist/source/reader.h"

enum { CLIENT, NUMBER, LATENCY, SCRIPT, SECONDS, MICROSECONDS, KNOWN, MOST = 8 };
enum { MICRO = 3, CUT_NS = 1000 };

struct pgbench {
  const struct reader *reader;
  size_t columns; /* of the first row */
  uint64_t failed, count;
  struct kinds scripts;
  struct rows_seen seen;
};

static bool is_word(struct slice cell) {
  return slice_is(cell, "failed") || slice_is(cell, "skipped") || slice_is(cell, "serialization") ||
         slice_is(cell, "deadlock");
}

/* The number of columns, 0 when it is no row. */
static size_t read_cells(struct slice *cells, struct slice line) {
  size_t columns = 0;
  uint64_t number;
  struct slice cell;
  while (slice_field(&cell, &line, ' ')) {
    if (columns == MOST || (decimal_whole(&number, cell) != DECIMAL_OK &&
                            !(columns == LATENCY && is_word(cell)) && columns < KNOWN))
      return 0;
    if ((columns == SECONDS && (number < 1000000000 || number >= 10000000000)) ||
        (columns == MICROSECONDS && number >= 1000000))
      return 0;
    cells[columns++] = cell;
  }
  return columns >= KNOWN ? columns : 0;
}

static enum status read_row(struct sample *out, struct pgbench *pgbench, struct slice line) {
  const struct reader *reader = pgbench->reader;
  struct slice cells[MOST];
  uint64_t lower = 0, upper = 0;
  size_t columns = read_cells(cells, line);
  if (pgbench->columns == 0)
    pgbench->columns = columns;
  if (columns == 0 || columns != pgbench->columns)
    return reader_fail_found(reader, line,
                             "where a row of pgbench --log is expected, such as \"0 199 2241 0 "
                             "1700000000 85018\", with the same columns as the others; is it cut "
                             "off?");
  if (seen_add(&pgbench->seen, line).start != NULL)
    return reader_fail_found(reader, line,
                             "a row that stands in the log a second time, so that its transaction "
                             "would count twice; keep each row once");
  kinds_begin(&pgbench->scripts);
  kinds_label(&pgbench->scripts, (struct slice){"script", strlen("script")}, cells[SCRIPT]);
  if (!kinds_take(&pgbench->scripts, line.start))
    return STATUS_OK;
  bool failed = is_word(cells[LATENCY]);
  if (!failed && (decimal_range(&lower, &upper, NULL, cells[LATENCY], MICRO) != DECIMAL_OK ||
                  upper > SAMPLE_NS_MAX - CUT_NS))
    return reader_fail_found(reader, cells[LATENCY], "where a latency in us is expected");
  lower -= lower < CUT_NS ? lower : CUT_NS;
  upper += CUT_NS;
  bool added = failed ? sample_add_beyond(out, 1) : sample_add_range(out, lower, upper, 1);
  if (!added)
    return reader_fail_total(reader, line.start);
  if (failed)
    sample_add_to_series(out, SAMPLE_NS_MAX);
  else
    sample_add_range_to_series(out, lower, upper);
  pgbench->count++;
  pgbench->failed += failed;
  return STATUS_OK;
}

static void note_assumptions(const struct pgbench *pgbench) {
  const struct reader *reader = pgbench->reader;
  if (pgbench->columns == KNOWN)
    source_notes_add(reader->notes,
                     "%s: each client of pgbench waits for an answer before it asks again (closed "
                     "loop): transactions that were due while one was slow are missing "
                     "(coordinated omission); --rate has latencies from when they were due",
                     reader->path);
  else
    source_notes_add(reader->notes,
                     "%s: pgbench ran with --rate, so that latencies count from when transactions "
                     "were due; with --max-tries alone they do not (coordinated omission)",
                     reader->path);
  source_notes_add(reader->notes, "%s: every transaction was logged (no --sampling-rate)",
                   reader->path);
  if (pgbench->failed != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " transactions failed or were skipped and are taken as infinite",
                     reader->path, pgbench->failed, pgbench->count);
}

enum status pgbench_read(struct sample *out, const struct reader *reader) {
  struct pgbench pgbench = {.reader = reader};
  const char *at = reader->bytes;
  struct slice line;
  enum status status = reader_require_unit(reader, MICRO, "pgbench's log");
  if (status == STATUS_OK)
    status = reader_require_last_line(reader);
  if (status == STATUS_OK)
    status = kinds_init(&pgbench.scripts, reader);
  while (status == STATUS_OK && reader_line(&line, reader, &at))
    if (slice_trim(line).length != 0)
      status = read_row(out, &pgbench, slice_trim(line));
  out->evidence.unit = unit_name(MICRO);
  evidence_set_lost(&out->evidence, EVIDENCE_FAILED, pgbench.failed);
  if (status == STATUS_OK)
    status = kinds_settle(&pgbench.scripts, &out->evidence);
  if (status == STATUS_OK)
    note_assumptions(&pgbench);
  kinds_clear(&pgbench.scripts);
  seen_clear(&pgbench.seen);
  return status;
}
