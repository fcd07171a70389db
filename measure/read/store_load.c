/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/read/store_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/core/header.h"
#include "measure/core/ring.h"

/* More is no count that was made by counting. */
#define COUNT_MAX ((uint64_t)1 << 53)

struct input {
  int file;
  uint64_t bytes; /* as long as it was when it was opened */
};

/* 0, or an errno value; *got is less than `bytes` only at the end of the file. */
static int read_some(const struct input *input, void *to, uint64_t bytes, uint64_t at,
                     uint64_t *got) {
  for (*got = 0; *got < bytes;) {
    ssize_t n = pread(input->file, (char *)to + *got, (size_t)(bytes - *got), (off_t)(at + *got));
    if (n == 0)
      return 0;
    if (n < 0 && errno != EINTR)
      return errno;
    if (n > 0)
      *got += (uint64_t)n;
  }
  return 0;
}

/* The same for all of it: EBADMSG when the file ends before. */
static int read_all(const struct input *input, void *to, uint64_t bytes, uint64_t at) {
  uint64_t got;
  int error = read_some(input, to, bytes, at, &got);
  return error == 0 && got < bytes ? EBADMSG : error;
}

static int is_zero(const void *bytes, uint64_t count) {
  const unsigned char *p = bytes;
  for (uint64_t i = 0; i < count; i++)
    if (p[i] != 0)
      return 0;
  return 1;
}

/* 1 when all of the file from `at` on is zero. */
static int rest_is_zero(const struct input *input, uint64_t at, int *error) {
  unsigned char chunk[16384];
  uint64_t got = 1;
  for (*error = 0; *error == 0 && got != 0; at += got) {
    *error = read_some(input, chunk, sizeof chunk, at, &got);
    if (*error == 0 && !is_zero(chunk, got))
      return 0;
  }
  return 1;
}

/* What is not there although the process was done with it. */
static void count_damage(struct store_reader *reader) {
  reader->facts.torn++;
  reader->facts.damaged = 1;
}

/* --- logs --- */

/* `written` is read before the slots, so that what it promises is in the copy, and once more after
 * them, so that what was overwritten meanwhile is not taken for torn. */
static int load_log(struct store_segment *log, const struct input *input, uint64_t at) {
  uint64_t capacity = log->header.capacity, written = log->header.written;
  uint64_t slots = written < capacity ? written + 1 : capacity;
  log->words = malloc((size_t)(slots * RECORD_WORDS * sizeof *log->words));
  if (log->words == NULL)
    return ENOMEM;
  int error =
      read_all(input, log->words, slots * RECORD_WORDS * sizeof *log->words, at + FORMAT_PAGE);
  struct format_segment after;
  if (error == 0)
    error = read_all(input, &after, sizeof after, at);
  if (error != 0)
    return error;
  log->first = ring_first(after.written < written ? written : after.written, capacity);
  log->last = written;
  log->still = after.written == written;
  return 0;
}

int store_load_record(const struct store_reader *reader, const struct store_segment *log,
                      uint64_t position, struct record *record) {
  const uint64_t *words = log->words + ring_slot(position, log->header.capacity) * RECORD_WORDS;
  return words[0] == position && record_decode(record, words) &&
         record->name < reader->facts.names && record->kind == reader->names[record->name].kind;
}

static void judge_log(struct store_reader *reader, struct store_segment *log) {
  struct store_facts *facts = &reader->facts;
  struct record record;
  facts->writers++;
  facts->overwritten += log->first - 1;
  for (uint64_t p = log->first; p <= log->last; p++) {
    if (store_load_record(reader, log, p, &record))
      facts->records++;
    else
      count_damage(reader);
  }
  uint64_t capacity = log->header.capacity, next = log->last + 1;
  uint64_t found = log->words[ring_slot(next, capacity) * RECORD_WORDS];
  if (log->still && ring_judge(next, found, log->last, capacity) == RING_TORN)
    facts->torn++;
}

/* --- histograms --- */

/* The end is read first: as counts are only added, it then never claims more than the counts that
 * are read after it, while the process records. */
static int load_histogram(struct store_segment *segment, const struct input *input, uint64_t at) {
  struct histogram *histogram = malloc(sizeof *histogram);
  segment->histogram = histogram;
  if (histogram == NULL)
    return ENOMEM;
  uint64_t end[2], counts = offsetof(struct histogram, saturated);
  int error = read_all(input, end, sizeof end, at + FORMAT_PAGE + counts);
  if (error == 0)
    error = read_all(input, histogram, sizeof *histogram, at + FORMAT_PAGE);
  histogram->total = end[1];
  return error;
}

/* Makes the total the sum; 0 when that cannot be what was counted. */
static int conserve(struct histogram *histogram, uint64_t *torn) {
  uint64_t sum = histogram->saturated;
  if (sum > COUNT_MAX || histogram->total > COUNT_MAX)
    return 0;
  for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
    if (histogram->counts[i] > COUNT_MAX - sum)
      return 0;
    sum += histogram->counts[i];
  }
  if (histogram->total > sum) {
    histogram->saturated += histogram->total - sum;
    *torn += 1;
  } else {
    histogram->total = sum;
  }
  return 1;
}

/* --- segments --- */

static int add_segment(struct store_reader *reader, const struct store_segment *segment) {
  if (reader->segment_count == reader->capacity) {
    size_t capacity = reader->capacity == 0 ? 16 : 2 * reader->capacity;
    void *grown = realloc(reader->segments, capacity * sizeof *reader->segments);
    if (grown == NULL)
      return ENOMEM;
    reader->segments = grown;
    reader->capacity = capacity;
  }
  reader->segments[reader->segment_count++] = *segment;
  return 0;
}

static void clear_segment(struct store_segment *segment) {
  free(segment->words);
  free(segment->histogram);
}

/* The smallest size of a segment that holds what its header says; 0 for what no reader can use. */
static uint64_t bytes_needed(const struct format_segment *header) {
  if (header->kind == FORMAT_HISTOGRAM)
    return FORMAT_PAGE + sizeof(struct histogram);
  if (header->kind != FORMAT_LOG || !ring_capacity_valid(header->capacity) ||
      header->written > COUNT_MAX)
    return 0;
  return FORMAT_PAGE + (uint64_t)header->capacity * RECORD_WORDS * sizeof(uint64_t);
}

static int load_segment(struct store_reader *reader, const struct input *input, uint64_t at,
                        const struct format_segment *header) {
  struct store_segment segment = {.header = *header};
  uint64_t needed = bytes_needed(header);
  int error = EBADMSG;
  if (needed != 0 && needed <= header->bytes)
    error = header->kind == FORMAT_LOG ? load_log(&segment, input, at)
                                       : load_histogram(&segment, input, at);
  if (error == 0 && segment.histogram != NULL && !conserve(segment.histogram, &reader->facts.torn))
    error = EBADMSG;
  if (error == 0)
    error = add_segment(reader, &segment);
  if (error != 0)
    clear_segment(&segment);
  if (error == EBADMSG) { /* damaged; the others may still be good */
    count_damage(reader);
    error = 0;
  }
  return error;
}

/* 1 when there is a complete segment at `at`, whose header is then in *header. */
static int find_segment(struct format_segment *header, struct input *input, uint64_t at,
                        int *error) {
  struct stat about; /* the file may have grown */
  uint64_t got = 0;
  *header = (struct format_segment){0};
  *error = fstat(input->file, &about) != 0 ? errno : 0;
  if (*error == 0) {
    input->bytes = (uint64_t)about.st_size;
    *error = read_some(input, header, sizeof *header, at, &got);
  }
  return *error == 0 && got == sizeof *header && input->bytes > at &&
         segment_check(header, input->bytes - at, FORMAT_NAMES_MAX);
}

/* What stands where no complete segment does: the process was stopped while it made one, and then
 * nothing was written behind its header yet; or the file is damaged. */
static void judge_end(struct store_reader *reader, const struct format_segment *header, int zero) {
  if (!zero || segment_check(header, UINT64_MAX, FORMAT_NAMES_MAX))
    count_damage(reader);
  else if (!is_zero(header, sizeof *header))
    reader->facts.torn++;
}

static int load_segments(struct store_reader *reader, struct input *input) {
  uint64_t at =
      reader->header.header_bytes + (uint64_t)reader->header.names_max * sizeof(struct format_name);
  while (at < input->bytes) {
    struct format_segment header;
    int error, zero = 1, found = find_segment(&header, input, at, &error);
    if (!found && error == 0) {
      zero = rest_is_zero(input, at + FORMAT_PAGE, &error);
      if (!zero && error == 0) /* it may have been completed, and used, just now */
        found = find_segment(&header, input, at, &error);
    }
    if (error != 0)
      return error;
    if (!found) {
      judge_end(reader, &header, zero);
      return 0;
    }
    error = load_segment(reader, input, at, &header);
    if (error != 0)
      return error;
    at += header.bytes;
  }
  return 0;
}

/* --- names and the whole --- */

/* After the segments, so that every name they mention is known. */
static int load_names(struct store_reader *reader, const struct input *input) {
  uint64_t used, got;
  int error = read_all(input, &reader->header.mutable, sizeof reader->header.mutable,
                       offsetof(struct format_header, mutable));
  if (error == 0)
    error =
        read_some(input, reader->names, sizeof reader->names, reader->header.header_bytes, &got);
  if (error != 0)
    return error;
  used = reader->header.mutable.names_used;
  if (used > reader->header.names_max || used * sizeof *reader->names > got) {
    count_damage(reader);
    used = used > reader->header.names_max ? reader->header.names_max : got / sizeof *reader->names;
  }
  while (reader->facts.names < used && name_check(&reader->names[reader->facts.names]))
    reader->facts.names++;
  if (reader->facts.names < used)
    count_damage(reader);
  return 0;
}

static int compare_segments(const void *a, const void *b) {
  const struct store_segment *x = a, *y = b;
  uint32_t kind_x = x->header.kind, kind_y = y->header.kind;
  uint32_t writer_x = x->header.writer, writer_y = y->header.writer;
  return kind_x != kind_y ? (kind_x > kind_y) - (kind_x < kind_y)
                          : (writer_x > writer_y) - (writer_x < writer_y);
}

static void judge(struct store_reader *reader) {
  struct store_facts *facts = &reader->facts;
  if (reader->segment_count != 0)
    qsort(reader->segments, reader->segment_count, sizeof *reader->segments, compare_segments);
  for (size_t i = 0; i < reader->segment_count; i++) {
    struct store_segment *segment = &reader->segments[i];
    if (segment->words != NULL) {
      reader->log_count++;
      judge_log(reader, segment);
    } else if (segment->header.name >= facts->names) {
      count_damage(reader);
    }
  }
}

static void conclude(struct store_reader *reader) {
  struct store_facts *facts = &reader->facts;
  facts->header = &reader->header;
  facts->refused = reader->header.mutable.refused;
  facts->bad_stamps = reader->header.mutable.bad_stamps;
  facts->closed = reader->header.mutable.closed != 0;
  facts->clock_off = facts->closed && !store_match_clocks(&reader->header);
  if (facts->closed && facts->torn != 0) /* whoever closes a store leaves nothing half done */
    facts->damaged = 1;
}

/* While a store grows, and is closed then, the copy is of before. A segment may be missing in it
 * that a log mentions already. */
static int judge_size(struct store_reader *reader, const struct input *input) {
  uint64_t *closed = &reader->header.mutable.closed;
  struct stat about;
  if (fstat(input->file, &about) != 0)
    return errno;
  if ((uint64_t)about.st_size > input->bytes) {
    *closed = 0;
    return 0;
  }
  if (*closed != 0 && *closed != input->bytes)
    count_damage(reader);
  store_match_counts(reader);
  return 0;
}

int store_load(struct store_reader *reader, int file, int *verdict) {
  struct stat about;
  if (fstat(file, &about) != 0)
    return errno;
  struct input input = {file, (uint64_t)about.st_size};
  uint64_t got;
  int error = read_some(&input, &reader->header, sizeof reader->header, 0, &got);
  if (error != 0)
    return error;
  *verdict = (int)header_check(&reader->header, got < sizeof reader->header ? got : input.bytes);
  if (*verdict == HEADER_GOOD && !store_match_rates(&reader->header))
    *verdict = HEADER_SIZES;
  if (*verdict != HEADER_GOOD)
    return -EBADMSG;
  error = load_segments(reader, &input);
  if (error == 0)
    error = load_names(reader, &input);
  if (error == 0) {
    judge(reader);
    error = judge_size(reader, &input);
  }
  if (error == 0)
    conclude(reader);
  return error;
}

void store_load_clear(struct store_reader *reader) {
  for (size_t i = 0; i < reader->segment_count; i++)
    clear_segment(&reader->segments[i]);
  free(reader->segments);
}
