/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurement files: which file belongs to an occurrence, and what it says. Each format may also
 * be compressed (.gz):
 *
 *   .csv   a header naming the unit, then one observation a row, in the order they were made: the
 *          value column is the one whose name ends in _ns, _us, _ms or _s ("latency_ns"); a name
 *          that is "rtt" or starts with "rtt_" holds round trips, of which a delay is taken as
 *          half; it is refused where no delay is measured. A name that says when something was
 *          ("timestamp_ms") is refused, unless `unit` is stated. "inf" or "timeout" is an
 *          observation that never ended. The rest is ignored. But columns that say which request
 *          a row is of, of what kind, or whether it failed are read (dist/source/column.h): no
 *          request twice, one kind, and what failed never ended.
 *   .csv   as `hey -o csv`, `vegeta encode --to csv`, `pgbench --log` and JMeter write it, or raw
 *          data of YCSB, known by its first line.
 *   .hgrm  the percentile table HdrHistogram prints; it states no unit, so `unit` has to. Or all
 *          that wrk2, redis-benchmark, sysbench or YCSB prints, known by its first lines.
 *   .hlog  the interval log HdrHistogram writes, V2 payloads; all intervals are merged, and none
 *          may stand there twice; it states no unit, so `unit` has to. Counts in or above the
 *          bucket of the highest trackable value may be clamped, so they are only known to be large
 *          (`beyond`).
 *   .tph   the histogram text our own recorder writes.
 *   .prom  a Prometheus or OpenMetrics exposition, or what /federate of a server writes; the unit
 *          is that of the metric's name (_seconds) or stated. Of several histograms or label sets
 *          some have to be selected.
 *   .pb    the same in protobuf, the form that has native histograms.
 *   .json  a report of fortio, ghz or memtier_benchmark, an answer of a Prometheus server to a
 *          query, metrics of OpenTelemetry (OTLP, one document a line or one in all), or a
 *          DDSketch.
 *
 * .tdigest (or a JSON with centroids) is refused: nothing in it bounds its error.
 *
 * Of a folder, joint.csv (.gz) is no occurrence's: dist/source/joint.h reads it.
 *
 * Bounds are rounded outward: an observation lies between lower_ns and upper_ns of its bin. One
 * that failed, was dropped, or is larger than the file can say is `beyond`. What a format cannot
 * tell is a note. A format whose files are always written whole (with a last line, an end mark, a
 * total) is refused when it is not.
 */
#ifndef DIST_SOURCE_SOURCE_H
#define DIST_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "dist/source/tph.h"
#include "base/status.h"
#include "base/text.h"
#include "dist/source/sample.h"

/* Assumptions that reading the data rests on, for the ledger (source "data"): one sentence each,
 * without a final full stop or newline, that names the file. The notes own their lines. */
struct source_notes {
  char **lines;
  size_t count, capacity;
};

void source_notes_init(struct source_notes *notes);
void source_notes_clear(struct source_notes *notes);
void source_notes_add(struct source_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends all of `from`, which is empty afterwards. */
void source_notes_move(struct source_notes *to, struct source_notes *from);

/* Reads the file ("-": standard input) into *out (initialised; its old content is dropped) and adds
 * to *notes. The format follows from the name, or from the content if the name has none of the
 * suffixes above; a name that contradicts the content is an error. `unit`: "ns", "us", "ms", "s",
 * or NULL when the user stated none. On failure *out is empty, *notes is unchanged and `message`
 * gets one line that says where, what was found and the remedy: STATUS_NO_INPUT, STATUS_DATA, or
 * STATUS_USAGE for a `unit` that is none. */
enum status source_read(struct sample *out, struct source_notes *notes, const char *path,
                        const char *unit, struct text *message);

/* What a histogram of ours says besides. */
struct source_about {
  struct tph_about histogram; /* to be cleared with tph_about_clear */
};

/* A source by which a file is told from others, "file sha256=...", unless it names some. */
void source_keep_digest(struct evidence *evidence, const char *bytes, size_t length);

/* Bytes that are followed by a NUL, and what messages call them. */
struct source_page {
  const char *name, *bytes;
  size_t length;
  uint64_t time_ms; /* since 1970: when the first point of a series is expected; 0: anywhere */
  bool unchecked;   /* of a server whose certificate nobody looked at, which is a note */
};

/* What else is to be said of a file, each NULL without. */
struct source_options {
  const char *unit;
  bool is_delay;      /* what is measured is a delay: half of a round trip */
  const char *select; /* of metrics, which histogram and which label sets: dist/source/labels.h; of
                       * YCSB or memtier_benchmark, which operation; of other files with several
                       * kinds of requests, which: dist/source/kinds.h */
  const struct source_page *since; /* of metrics, an earlier page, to be subtracted */
};

/* source_read with options; *about, unless NULL, is empty and is filled. */
enum status source_read_with(struct sample *out, struct source_notes *notes,
                             struct source_about *about, const char *path,
                             const struct source_options *options, struct text *message);

/* Whether the file is what YCSB reports, of which `select` chooses an operation. */
bool source_is_ycsb(const char *path);

/* Whether the bytes, behind which stands a NUL, are a page of metrics in protobuf. */
bool source_is_protobuf(const char *bytes, size_t length);

/* The same of bytes, whose format their content says. */
enum status source_read_page(struct sample *out, struct source_notes *notes,
                             const struct source_page *page, const struct source_options *options,
                             struct text *message);

/* Appends to `path` the file in `directory` that measures one occurrence. The most specific name
 * wins; each is the one before without its last part:
 *   d(Ack(2))         d.Ack.2, d.Ack, d           name "d", message_name "Ack", indices {2}
 *   d(Ack(2, 3))      d.Ack.2.3, d.Ack.2, d.Ack, d
 *   BackupRequest[2]  BackupRequest.2, BackupRequest     message_name NULL, indices {2}
 * followed by .csv, .hgrm, .hlog, .tph, .prom, .pb, .json or .tdigest and perhaps .gz. Failures
 * leave `path` unchanged and put one line in `message`: STATUS_NO_INPUT when there is none (what
 * was tried, what is there, the nearest name) or the directory cannot be read, STATUS_DATA when two
 * files have the same stem. */
enum status source_find(struct text *path, const char *directory, const char *name,
                        const char *message_name, const int64_t *indices, size_t index_count,
                        struct text *message);

/* An occurrence to find a file of, as source_find takes it; it owns nothing. */
struct source_wanted {
  const char *name, *message_name;
  const int64_t *indices;
  size_t index_count;
};

/* Whether each of them has a file. STATUS_NO_INPUT when the directory cannot be read, or when some
 * have none; `message` then gets what source_find says of the only one, or, of several, a line for
 * each component or message of a component, with the names that would do. */
enum status source_find_all(const char *directory, const struct source_wanted *wanted, size_t count,
                            struct text *message);

/* Calls `visit` for each measurement file in the directory called NAME or NAME.PARTS, in order of
 * their names: `file` is "d.Ack.2.csv.gz", `parts` "Ack.2", or "". Of a directory that cannot be
 * read there is none. */
void source_visit(const char *directory, const char *name,
                  void (*visit)(const char *file, const char *parts, void *context), void *context);

#endif
