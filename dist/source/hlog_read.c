/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The interval log of HdrHistogram:
 *
 *   #[Histogram log format version 1.3]
 *   "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
 *   0.127,1.007,2.769,HISTFAAAAE...
 *   Tag=A,1.134,0.999,2.769,HISTFAAAAE...
 *
 * The last field is base64 of: cookie 0x1c849304, length, zlib of [cookie 0x1c849303, payload
 * length, normalizing index offset, significant digits, lowest and highest trackable value (64
 * bit), conversion ratio (double), payload]; big-endian; bits 4 to 7 of a cookie tell a word size
 * and are ignored. The payload is one ZigZag LEB128 number (at most 9 bytes, the ninth carries 8
 * bits) for each counter, a negative -k standing for k zeros.
 *
 * hdr-histogram-js 3.0 writes an offset of 1 and the integer 1 as the ratio, whatever was recorded,
 * and shifts nothing (JsHistogram.encoding.js, encodeIntoByteBuffer).
 *
 * Counter i of a histogram with h = half the sub-buckets and unit 2^u: the bucket
 *   i < 2h:   [i, i+1) * 2^u;   else with o = i/h - 1, s = i%h + h:   [s, s+1) * 2^(u+o).
 * Recorders cut observations off to integers, so only the exclusive edge is above all of a bucket.
 */
#include "dist/source/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dist/source/kinds.h"
#include "dist/source/seen.h"

enum {
  COOKIE_COMPRESSED = 0x1c849304,
  COOKIE_PLAIN = 0x1c849303,
  COOKIE_WORD_SIZE = 0xf0,
  HEADER_BYTES = 40,
  NUMBER_BYTES_MAX = 9,
  CHUNK_BYTES = 1 << 16,
  MEMTIER_EXPONENT = 3,
  MEMTIER_TICK_NS = 1000
};

#define RATIO_ONE UINT64_C(0x3ff0000000000000) /* the bits of 1.0 */

struct log {
  const struct reader *reader;
  int exponent;          /* of the unit */
  uint64_t slack_ns;     /* how much less than what was recorded an observation may have been */
  uint64_t highest;      /* the highest trackable value of the last histogram */
  uint64_t intervals;    /* lines read */
  struct kinds kinds;    /* the tags */
  bool javascript;       /* an interval was written by hdr-histogram-js */
  struct rows_seen seen; /* the lines of intervals with observations */
  struct text bytes;     /* one line's payload: scratch space kept between lines */
  struct text expanded;  /* and after inflating */
};

/* The buckets of one histogram. */
struct hlog_shape {
  unsigned unit_bits; /* u */
  unsigned half_bits; /* h = 2^half_bits */
  uint64_t highest;   /* the buckets that reach it may hold clamped values */
  uint64_t counters;  /* how many there are */
};

static uint64_t big_endian(const char *bytes, size_t length) {
  uint64_t value = 0;
  for (size_t i = 0; i < length; i++)
    value = value << 8 | (unsigned char)bytes[i];
  return value;
}

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static enum status decode_base64(struct log *log, struct slice text) {
  size_t digits = text.length;
  while (digits != 0 && text.length - digits < 2 && text.start[digits - 1] == '=')
    digits--;
  for (size_t i = 0; i < digits; i++)
    if (base64_digit(text.start[i]) < 0)
      return reader_fail_found(log->reader, (struct slice){text.start + i, digits - i},
                               "which does not belong to base64; the log is damaged");
  if (text.length % 4 != 0)
    return reader_fail(log->reader, text.start,
                       "the base64 has %zu characters, not a multiple of 4: the line is truncated",
                       text.length);
  log->bytes.length = 0;
  for (size_t i = 0; i < digits; i += 4) {
    uint32_t group = 0;
    size_t here = digits - i < 4 ? digits - i : 4;
    for (size_t k = 0; k < 4; k++)
      group = group << 6 | (uint32_t)(k < here ? base64_digit(text.start[i + k]) : 0);
    char three[3] = {(char)(group >> 16), (char)(group >> 8), (char)group};
    text_append_bytes(&log->bytes, three, here - 1);
  }
  return STATUS_OK;
}

/* Inflates until `wanted` bytes more are in log->expanded, the stream ends, or it is damaged. */
static int inflate_more(struct log *log, z_stream *stream, uint64_t wanted) {
  char chunk[CHUNK_BYTES];
  int result = Z_OK;
  while (wanted != 0 && result == Z_OK) {
    uInt room = wanted < sizeof chunk ? (uInt)wanted : (uInt)sizeof chunk;
    stream->next_out = (Bytef *)chunk;
    stream->avail_out = room;
    result = inflate(stream, Z_NO_FLUSH);
    text_append_bytes(&log->expanded, chunk, room - stream->avail_out);
    wanted -= room - stream->avail_out;
  }
  return result;
}

static enum status fail_cookie(const struct log *log, const char *at, uint64_t cookie) {
  uint64_t base = cookie & ~(uint64_t)COOKIE_WORD_SIZE;
  if (base == 0x1c849301 || base == 0x1c849302 || base == 0x1c849308 || base == 0x1c849309)
    return reader_fail(log->reader, at,
                       "the histogram is in encoding V0 or V1 and only V2 is read; write the log "
                       "anew with HdrHistogram 2.1 or later");
  if (cookie == 0x0c72124e || cookie == 0x0c72124f)
    return reader_fail(
        log->reader, at,
        "the histogram is a DoubleHistogram, whose values have no fixed unit; record "
        "into a Histogram of integers");
  return reader_fail(log->reader, at,
                     "the payload starts with 0x%08" PRIx64
                     ", which is no HdrHistogram; the log is damaged",
                     cookie);
}

/* As HdrHistogram lays its counters out for a range and a precision. */
static bool shape_set(struct hlog_shape *shape, uint64_t lowest, uint64_t highest,
                      uint64_t digits) {
  if (lowest == 0 || highest > INT64_MAX || highest / 2 < lowest || digits > 5)
    return false;
  uint64_t resolution = 2;
  for (uint64_t i = 0; i < digits; i++)
    resolution *= 10;
  unsigned sub_bits = 1;
  while (UINT64_C(1) << sub_bits < resolution)
    sub_bits++;
  unsigned unit_bits = 0;
  while (lowest >> unit_bits > 1)
    unit_bits++;
  if (unit_bits + sub_bits > 62)
    return false;
  uint64_t octaves = 1;
  for (unsigned top = sub_bits + unit_bits; top < 63 && UINT64_C(1) << top <= highest; top++)
    octaves++;
  *shape = (struct hlog_shape){unit_bits, sub_bits - 1, highest, (octaves + 1) << (sub_bits - 1)};
  /* A histogram that grows by itself starts with the range 1 to 2 and keeps saying so as long as
   * its first counters suffice; it clamps nothing. */
  if (lowest == 1 && highest == 2)
    shape->highest = INT64_MAX;
  return true;
}

/* The exclusive upper edge of a counter's bucket, at most 2^63. */
static uint64_t shape_edge(const struct hlog_shape *shape, uint64_t index) {
  uint64_t half = UINT64_C(1) << shape->half_bits;
  if (index < 2 * half)
    return (index + 1) << shape->unit_bits;
  uint64_t octave = (index >> shape->half_bits) - 1;
  return (index % half + half + 1) << (shape->unit_bits + octave);
}

static bool read_number(int64_t *number, const char **at, const char *end) {
  uint64_t bits = 0;
  for (unsigned i = 0; *at < end && i < NUMBER_BYTES_MAX; i++) {
    uint64_t byte = (unsigned char)*(*at)++;
    bool last = byte < 0x80 || i == NUMBER_BYTES_MAX - 1;
    bits |= (i == NUMBER_BYTES_MAX - 1 ? byte : byte & 0x7f) << 7 * i;
    if (last) {
      uint64_t half = bits >> 1;
      *number = bits & 1 ? -(int64_t)half - 1 : (int64_t)half;
      return true;
    }
  }
  return false;
}

static enum status add_counter(struct sample *out, const struct log *log, const char *place,
                               const struct hlog_shape *shape, uint64_t index, uint64_t count) {
  uint64_t edge = shape_edge(shape, index);
  uint64_t lowest = index == 0 ? 0 : shape_edge(shape, index - 1);
  if (count != 0 && edge <= shape->highest) {
    if (!decimal_scale_upper(&edge, log->exponent))
      return reader_fail(log->reader, place,
                         "a value is above 2^63-1 ns (292 years) in %s; is the unit right?",
                         unit_name(log->exponent));
    lowest = decimal_scale_lower(lowest, log->exponent);
    lowest -= lowest < log->slack_ns ? lowest : log->slack_ns;
    return sample_add_range(out, lowest, edge, count) ? STATUS_OK
                                                      : reader_fail_total(log->reader, place);
  }
  return sample_add_beyond(out, count) ? STATUS_OK : reader_fail_total(log->reader, place);
}

static enum status read_counters(struct sample *out, const struct log *log, const char *place,
                                 const struct hlog_shape *shape) {
  const char *at = log->expanded.data + HEADER_BYTES;
  const char *end = log->expanded.data + log->expanded.length;
  uint64_t index = 0;
  while (at < end) {
    int64_t number;
    if (!read_number(&number, &at, end))
      return reader_fail(log->reader, place, "the last counter is cut off; the log is damaged");
    uint64_t step = number < 0 ? -(uint64_t)number : 1;
    if (step > shape->counters - index)
      return reader_fail(log->reader, place,
                         "there are more counters than the %" PRIu64
                         " of the histogram's range; the log is damaged",
                         shape->counters);
    if (number >= 0) {
      enum status status = add_counter(out, log, place, shape, index, (uint64_t)number);
      if (status != STATUS_OK)
        return status;
    }
    index += step;
  }
  return STATUS_OK;
}

/* That the counters stand for the integers that were recorded. */
static enum status check_plain(struct log *log, const char *place) {
  const char *header = log->expanded.data;
  uint64_t offset = big_endian(header + 8, 4), ratio = big_endian(header + 32, 8);
  if (offset == 1 && ratio == 1) {
    log->javascript = true;
    return STATUS_OK;
  }
  if (offset != 0)
    return reader_fail(log->reader, place,
                       "the histogram's values were shifted (normalizing index offset %" PRId32
                       "), which recorders encode in different ways; write the log unshifted",
                       (int32_t)offset);
  if (ratio != RATIO_ONE)
    return reader_fail(log->reader, place,
                       "the histogram states a conversion ratio other than 1; record in whole "
                       "nanoseconds and write the log without one");
  return STATUS_OK;
}

static enum status read_shape(struct hlog_shape *shape, struct log *log, const char *place,
                              uint64_t *payload) {
  const char *header = log->expanded.data;
  uint64_t cookie = big_endian(header, 4);
  if ((cookie & ~(uint64_t)COOKIE_WORD_SIZE) != COOKIE_PLAIN)
    return fail_cookie(log, place, cookie);
  enum status status = check_plain(log, place);
  if (status != STATUS_OK)
    return status;
  uint64_t digits = big_endian(header + 12, 4), lowest = big_endian(header + 16, 8);
  uint64_t highest = big_endian(header + 24, 8);
  if (!shape_set(shape, lowest, highest, digits))
    return reader_fail(log->reader, place,
                       "the range %" PRIu64 " to %" PRIu64 " with %" PRIu64
                       " digits is none of a histogram; the log is damaged",
                       lowest, highest, digits);
  *payload = big_endian(header + 4, 4);
  if (*payload > NUMBER_BYTES_MAX * shape->counters)
    return reader_fail(log->reader, place,
                       "the payload of %" PRIu64 " bytes is longer than its %" PRIu64
                       " counters; the log is damaged",
                       *payload, shape->counters);
  return STATUS_OK;
}

static enum status expand(struct sample *out, struct log *log, const char *place,
                          z_stream *stream) {
  static const char damaged[] =
      "the compressed histogram is damaged or cut off; write or copy the log again";
  log->expanded.length = 0;
  int result = inflate_more(log, stream, HEADER_BYTES);
  if (log->expanded.length < HEADER_BYTES)
    return reader_fail(log->reader, place, "%s", damaged);
  struct hlog_shape shape = {0};
  uint64_t payload = 0;
  enum status status = read_shape(&shape, log, place, &payload);
  log->highest = shape.highest;
  if (status != STATUS_OK)
    return status;
  if (result == Z_OK)
    result = inflate_more(log, stream, payload);
  bool whole = log->expanded.length == HEADER_BYTES + payload;
  if (result == Z_OK)
    result = inflate_more(log, stream, 1);
  if (!whole || result != Z_STREAM_END || log->expanded.length != HEADER_BYTES + payload)
    return reader_fail(log->reader, place, "%s", damaged);
  return read_counters(out, log, place, &shape);
}

static enum status read_payload(struct sample *out, struct log *log, struct slice text) {
  enum status status = decode_base64(log, text);
  if (status != STATUS_OK)
    return status;
  if (log->bytes.length < 8)
    return reader_fail(log->reader, text.start,
                       "the histogram has %zu bytes where at least 8 are expected: it is truncated",
                       log->bytes.length);
  uint64_t cookie = big_endian(log->bytes.data, 4), length = big_endian(log->bytes.data + 4, 4);
  if ((cookie & ~(uint64_t)COOKIE_WORD_SIZE) != COOKIE_COMPRESSED)
    return fail_cookie(log, text.start, cookie);
  if (length != log->bytes.length - 8)
    return reader_fail(log->reader, text.start,
                       "the histogram states %" PRIu64 " compressed bytes and has %zu; the log is "
                       "damaged or truncated",
                       length, log->bytes.length - 8);
  z_stream stream = {.next_in = (Bytef *)log->bytes.data + 8, .avail_in = (uInt)length};
  if (inflateInit(&stream) != Z_OK)
    return reader_fail(log->reader, text.start, "zlib cannot be started: out of memory");
  status = expand(out, log, text.start, &stream);
  inflateEnd(&stream);
  return status;
}

/* Whether the interval is of the tag ("Tag=READ", or none) that is measured. */
static bool take_tag(struct log *log, struct slice tag, const char *line) {
  size_t prefix = tag.length == 0 ? 0 : strlen("Tag=");
  kinds_begin(&log->kinds);
  kinds_label(&log->kinds, (struct slice){"tag", 3},
              (struct slice){tag.start + prefix, tag.length - prefix});
  return kinds_take(&log->kinds, line);
}

/* An interval without observations is of no kind. */
static enum status add_interval(struct sample *out, struct log *log, struct slice line,
                                struct slice tag, struct slice base64) {
  struct sample part;
  sample_init(&part);
  enum status status = read_payload(&part, log, base64);
  bool taken = status == STATUS_OK && (part.total == 0 || take_tag(log, tag, line.start));
  log->intervals += taken;
  if (taken && !sample_add_all(out, &part))
    status = reader_fail_total(log->reader, base64.start);
  sample_clear(&part);
  return status;
}

static enum status read_interval(struct sample *out, struct log *log, struct slice line) {
  struct slice rest = line, field, tag = {line.start, 0};
  size_t numbers = 0;
  while (slice_field(&field, &rest, ',')) {
    uint64_t ignored;
    if (numbers == 0 && tag.length == 0 && field.length > 4 &&
        memcmp(field.start, "Tag=", 4) == 0) {
      tag = field;
      continue;
    }
    if (numbers < 3) {
      enum decimal number = decimal_upper(&ignored, NULL, field, 0);
      if (number == DECIMAL_NOT)
        return reader_fail_found(
            log->reader, field,
            "where an interval's start, length and maximum (three numbers) and "
            "its histogram are expected");
      numbers++;
      continue;
    }
    if (rest.start != NULL)
      return reader_fail_found(log->reader, rest, "behind the histogram; one interval to a line");
    return add_interval(out, log, line, tag, field);
  }
  return reader_fail(log->reader, line.start + line.length,
                     "the line ends before the interval's histogram: it is truncated");
}

/* An interval that stands there twice would count its observations twice. */
static enum status check_once(struct log *log, struct slice line) {
  if (seen_add(&log->seen, line).start == NULL)
    return STATUS_OK;
  return reader_fail(log->reader, line.start,
                     "this interval stands in the log a second time, and its observations "
                     "would count twice; keep each line once");
}

static enum status read_lines(struct sample *out, struct log *log) {
  const char *at = log->reader->bytes;
  struct slice line;
  while (reader_line(&line, log->reader, &at)) {
    line = slice_trim(line);
    static const char legend[] = "\"StartTimestamp\"";
    size_t legend_length = strlen(legend);
    if (line.length == 0 || line.start[0] == '#' ||
        (line.length >= legend_length && memcmp(line.start, legend, legend_length) == 0))
      continue;
    uint64_t before = out->total;
    enum status status = read_interval(out, log, line);
    if (status == STATUS_OK && out->total != before)
      status = check_once(log, line);
    if (status != STATUS_OK)
      return status;
  }
  enum status status = kinds_settle(&log->kinds, &out->evidence);
  if (status != STATUS_OK)
    return status;
  if (out->total == 0)
    return reader_fail(log->reader, log->reader->bytes,
                       "the log holds %" PRIu64
                       " intervals and no observation; at least one is needed",
                       log->intervals);
  return STATUS_OK;
}

static void note_assumptions(const struct sample *out, const struct log *log) {
  const struct reader *reader = log->reader;
  source_notes_add(reader->notes,
                   "%s: every count is taken as a recorded observation (none dropped by the "
                   "recorder, none made up to correct for coordinated omission)",
                   reader->path);
  if (log->javascript)
    source_notes_add(reader->notes,
                     "%s: nothing was shifted: the normalizing index offset 1 is what "
                     "hdr-histogram-js always writes",
                     reader->path);
  if (log->intervals > 1)
    source_notes_add(reader->notes, "%s: all %" PRIu64 " intervals%s are taken as one measurement",
                     reader->path, log->intervals, log->kinds.chosen ? " that are chosen" : "");
  if (log->slack_ns != 0)
    source_notes_add(reader->notes,
                     "%s: memtier_benchmark waits for answers before it sends further requests "
                     "(closed loop): requests that were due while one was slow are missing "
                     "(coordinated omission)",
                     reader->path);
  if (out->beyond != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " observations reach the recorder's highest trackable value, may have been "
                     "clamped to it, and are taken as infinite",
                     reader->path, out->beyond, out->total);
}

/* memtier_benchmark counts us, of a clock of whole us at either end. */
static enum status find_unit(struct log *log) {
  if (hlog_is_memtier(log->reader)) {
    log->exponent = MEMTIER_EXPONENT;
    log->slack_ns = MEMTIER_TICK_NS;
    return reader_require_unit(log->reader, MEMTIER_EXPONENT, "memtier_benchmark's histogram");
  }
  log->exponent = reader_unit(log->reader, "a HdrHistogram log");
  return log->exponent < 0 ? STATUS_DATA : STATUS_OK;
}

enum status hlog_read(struct sample *out, const struct reader *reader) {
  struct log log = {.reader = reader};
  if (find_unit(&log) != STATUS_OK)
    return STATUS_DATA;
  out->evidence.unit = unit_name(log.exponent);
  text_init(&log.bytes);
  text_init(&log.expanded);
  enum status status = kinds_init(&log.kinds, reader);
  if (status == STATUS_OK)
    status = read_lines(out, &log);
  if (status == STATUS_OK)
    note_assumptions(out, &log);
  kinds_clear(&log.kinds);
  text_clear(&log.bytes);
  text_clear(&log.expanded);
  seen_clear(&log.seen);
  return status;
}

enum status hlog_read_one(struct sample *out, uint64_t *highest, const struct reader *reader,
                          struct slice base64, int exponent, uint64_t slack_ns) {
  struct log log = {.reader = reader, .exponent = exponent, .slack_ns = slack_ns};
  text_init(&log.bytes);
  text_init(&log.expanded);
  enum status status = read_payload(out, &log, base64);
  *highest = log.highest;
  text_clear(&log.bytes);
  text_clear(&log.expanded);
  return status;
}

bool hlog_is_memtier(const struct reader *reader) {
  const char *at = reader->bytes;
  struct slice line;
  while (reader_line(&line, reader, &at) && line.length != 0 && line.start[0] == '#')
    if (memtier_is_log_header(slice_trim(line)))
      return true;
  return false;
}
