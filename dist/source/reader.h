/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the readers of measurement files share; private to them, dist/source/source.c and their
 * tests. A reader looks at bytes it does not own. Positions are pointers into them: line and column
 * are only computed for a message, so that scanning pays nothing for them.
 */
#ifndef DIST_SOURCE_READER_H
#define DIST_SOURCE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/slice.h"
#include "base/status.h"
#include "base/text.h"
#include "dist/source/sample.h"
#include "dist/source/source.h"
#include "format/format.h"

struct tph_about;

struct reader {
  const char *path;        /* for messages */
  const char *bytes, *end; /* *end is NUL */
  const char *unit;        /* a valid unit, or NULL: not stated */
  struct source_notes *notes;
  struct text *message;
  bool is_delay;           /* half of a round trip is what is measured */
  struct tph_about *about; /* what else the file says, or NULL: nobody wants it */
  /* of metrics: */
  const char *select;              /* METRIC{label="v"}, or an operation (YCSB, memtier); or NULL */
  const struct source_page *since; /* an earlier page, or NULL */
  uint64_t time_ms;                /* since 1970, when the first point is expected; 0: anywhere */
  enum format_id known;            /* what the table of formats says */
  bool binary;                     /* a place is a number of bytes, not a line and a column */
};

enum source_format {
  FORMAT_UNKNOWN,
  FORMAT_CSV,
  FORMAT_HGRM,
  FORMAT_HLOG,
  FORMAT_TPH,
  FORMAT_PROMETHEUS,
  FORMAT_JSON,
  FORMAT_TDIGEST,
  FORMAT_PGBENCH,
  FORMAT_REDIS,
  FORMAT_SYSBENCH,
  FORMAT_YCSB,
  FORMAT_YCSB_RAW,
  FORMAT_PROTOBUF,
  FORMAT_JMETER,
  FORMAT_TOOL, /* a row of dist/source/tools.c */
  FORMAT_GO_BENCH,
  FORMAT_COUNT
};

/* The readers. *out is initialised and not yet finished; what is in it after a failure is the
 * caller's to clear. json_read knows reports of fortio and says of other documents what they are;
 * tdigest_read always fails, and says why. */
enum status csv_read(struct sample *out, const struct reader *reader);
enum status hgrm_read(struct sample *out, const struct reader *reader);
enum status wrk2_read(struct sample *out, const struct reader *reader);
enum status hlog_read(struct sample *out, const struct reader *reader);
enum status tph_read(struct sample *out, const struct reader *reader);
enum status pgbench_read(struct sample *out, const struct reader *reader);
enum status jmeter_read(struct sample *out, const struct reader *reader);
enum status redis_read(struct sample *out, const struct reader *reader);
enum status sysbench_read(struct sample *out, const struct reader *reader);
enum status ycsb_read(struct sample *out, const struct reader *reader);
enum status prometheus_read(struct sample *out, const struct reader *reader);
enum status json_read(struct sample *out, const struct reader *reader);
enum status tdigest_read(struct sample *out, const struct reader *reader);

/* One histogram of a log, as base64, whose counts are of units of 10^exponent ns and may have
 * recorded up to slack_ns too much. *highest becomes its highest trackable value. */
enum status hlog_read_one(struct sample *out, uint64_t *highest, const struct reader *reader,
                          struct slice base64, int exponent, uint64_t slack_ns);

/* Whether memtier_benchmark wrote the log, as its title says; such a log is in us, and its name
 * may end in .hgrm. */
bool hlog_is_memtier(const struct reader *reader);

/* What is JSON, for the readers of its kinds: json_clear in any case. */
struct json;
enum status json_document(struct json *json, const struct reader *reader);

/* Reads a report of fortio, an object with "DurationHistogram". */
enum status fortio_read(struct sample *out, const struct reader *reader, const struct json *json);

/* Reads a DDSketch, an object with "mapping". */
bool ddsketch_is(const struct json *json);
enum status ddsketch_read(struct sample *out, const struct reader *reader, const struct json *json);

/* Reads a report of ghz, an object with "details" and "latencyDistribution". */
bool ghz_is(const struct json *json);
enum status ghz_read(struct sample *out, const struct reader *reader, const struct json *json);

/* Reads what memtier_benchmark writes, an object with a run that has "Totals". */
bool memtier_is(const struct json *json);
enum status memtier_read(struct sample *out, const struct reader *reader, const struct json *json);

/* Read reports of fio, an object with "fio version", and of benchmarks. */
enum status fio_read(struct sample *out, const struct reader *reader, const struct json *json);
enum status hyperfine_read(struct sample *out, const struct reader *reader,
                           const struct json *json);
enum status criterion_read(struct sample *out, const struct reader *reader,
                           const struct json *json);
enum status go_bench_read(struct sample *out, const struct reader *reader);
bool bench_is(const struct reader *reader); /* of a list of benchmarks */
enum status bench_read(struct sample *out, const struct reader *reader, const struct json *json);

/* Reads what k6 writes, many documents, one a line. */
bool k6_is(const struct reader *reader);
enum status k6_read(struct sample *out, const struct reader *reader);

/* Whether the file starts as metrics of OpenTelemetry do; prometheus_read reads them. */
bool otlp_is(const struct reader *reader);

/* Whether the bytes start as a page of metrics in protobuf does: with a length and a name of a
 * metric, which no text does. prometheus_read reads it; the reader is then to be `binary`. */
bool protobuf_is(const struct reader *reader);

/* Whether the line is one of this tool's. */
bool wrk2_is_header(struct slice line);
bool memtier_is_log_header(struct slice line); /* of what --hdr-file-prefix writes */

/* source_read_page with a known format. */
enum status source_parse_as(struct sample *out, struct source_notes *notes,
                            enum source_format format, const struct source_page *page,
                            const struct source_options *options, struct tph_about *about,
                            struct text *message);

/* The same without options but the unit, of a delay. */
enum status source_parse(struct sample *out, struct source_notes *notes, enum source_format format,
                         const char *path, const char *bytes, size_t length, const char *unit,
                         struct tph_about *about, struct text *message);

/* The next line, without its LF or CR LF, and *at behind it; false at the end. */
bool reader_line(struct slice *line, const struct reader *reader, const char **at);

/* Adds "PATH:LINE:COLUMN: ...", or "PATH: byte N: ...", to the message; STATUS_DATA. The second
 * form goes on with "found "...", " and the text that was found, shortened and with unprintable
 * bytes escaped. */
enum status reader_fail(const struct reader *reader, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum status reader_fail_found(const struct reader *reader, struct slice found, const char *format,
                              ...) __attribute__((format(printf, 3, 4)));

/* What is never shown (base/shown.h), which names in a file may hold, becomes blanks. */
void reader_blank(struct text *text, size_t start);

/* STATUS_DATA for a total beyond SAMPLE_TOTAL_MAX. */
enum status reader_fail_total(const struct reader *reader, const char *at);

/* The exponent of the stated unit, for a format whose files state none ("a HdrHistogram log"); -1,
 * with the message written, when the user stated none either. */
int reader_unit(const struct reader *reader, const char *format);

/* STATUS_DATA when the user states another unit than the one that `format` ("a fortio report")
 * always has. */
enum status reader_require_unit(const struct reader *reader, int exponent, const char *format);

/* Leaves out UTF-8's byte order mark, which spreadsheets write. */
void reader_skip_mark(struct reader *reader);

/* STATUS_DATA for a zero byte. */
enum status reader_require_text(const struct reader *reader);

/* STATUS_DATA when the file does not end with an end of line: of formats whose writers always put
 * one, so that a file cut off within its last number is noticed. */
enum status reader_require_last_line(const struct reader *reader);

#endif
