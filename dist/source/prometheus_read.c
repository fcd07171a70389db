/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One classic histogram in the text that Prometheus scrapes, or OpenMetrics:
 *
 *   # TYPE rpc_seconds histogram
 *   rpc_seconds_bucket{host="a",le="0.005"} 17
 *   rpc_seconds_bucket{host="a",le="+Inf"} 20
 *   rpc_seconds_sum{host="a"} 0.4
 *   rpc_seconds_count{host="a"} 20
 *
 * A bucket counts the observations at or below its le, those of the buckets before included: what
 * it counts beyond the bucket before lies above that one's le. What only +Inf counts is larger than
 * every le, and taken as infinite (histogram_quantile() answers the last le instead, and
 * interpolates between the others; both are too low). Other metrics of the file are passed over.
 *
 * Buckets must stand by le; the lines of one label set together, with _sum and _count before or
 * behind them. _count must agree with +Inf, which also shows a cut-off file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "dist/source/exposition.h"

typedef VECTOR(char *) keys_type;

struct prometheus {
  const struct reader *reader;
  struct slice base; /* the metric's name without _bucket; start NULL when none was seen */
  bool summary, native, end_mark;
  int exponent;
  keys_type keys; /* the label sets seen, in order of the labels, without le */
  /* The label set that is being read. */
  const char *at; /* its first line */
  bool buckets, infinite, counted;
  uint64_t lower, upper; /* the last le, rounded either way */
  uint64_t below;        /* what it counts */
  uint64_t count;        /* of _count */
  struct slice count_text;
};

static bool ends_in(struct slice name, const char *suffix, struct slice *base) {
  size_t length = strlen(suffix);
  if (name.length <= length || memcmp(name.start + name.length - length, suffix, length) != 0)
    return false;
  *base = (struct slice){name.start, name.length - length};
  return true;
}

static bool same(struct slice a, struct slice b) {
  return a.length == b.length && memcmp(a.start, b.start, a.length) == 0;
}

static enum status fail_second(const struct prometheus *file, struct slice name) {
  int shown = file->base.length > 64 ? 64 : (int)file->base.length;
  return reader_fail_found(file->reader, name,
                           "a second histogram beside \"%.*s\"; keep one metric to a file, such as "
                           "by: grep '^%.*s'",
                           shown, file->base.start, shown, file->base.start);
}

/* Which metric the file is about; also that every line is well formed. */
static enum status find_base(struct prometheus *file) {
  const struct reader *reader = file->reader;
  const char *at = reader->bytes;
  struct slice line, base;
  struct exposed exposed;
  while (reader_line(&line, reader, &at)) {
    enum exposed_kind kind = exposed_line(&exposed, reader, line);
    if (kind == EXPOSED_BAD)
      return STATUS_DATA;
    if (file->end_mark && slice_trim(line).length != 0)
      return reader_fail_found(reader, line, "behind \"# EOF\", which ends an exposition");
    file->end_mark = file->end_mark || kind == EXPOSED_END;
    if (kind != EXPOSED_METRIC)
      continue;
    file->summary = file->summary || exposed.quantile;
    file->native = file->native || exposed.value.start[0] == '{';
    if (exposed.le.start == NULL || !ends_in(exposed.name, "_bucket", &base))
      continue;
    if (file->base.start == NULL)
      file->base = base;
    else if (!same(base, file->base))
      return fail_second(file, exposed.name);
  }
  if (file->base.start != NULL)
    return STATUS_OK;
  return reader_fail(
      reader, reader->bytes, "%s",
      file->native ? "the file holds a native histogram, whose bucket edges are no decimals and "
                     "are not read; have the server expose classic buckets (le)"
      : file->summary
          ? "the file holds a summary and no histogram; a summary's quantiles have no error bound: "
            "have the program expose a histogram"
          : "the file holds no histogram; lines such as rpc_seconds_bucket{le=\"0.005\"} 17 are "
            "expected");
}

static enum status find_unit(struct prometheus *file) {
  static const struct {
    const char *suffix;
    int exponent;
  } suffixes[] = {{"_seconds", 9}, {"_milliseconds", 6}, {"_microseconds", 3}, {"_nanoseconds", 0},
                  {"_s", 9},       {"_ms", 6},           {"_us", 3},           {"_ns", 0}};
  const struct reader *reader = file->reader;
  struct slice before;
  file->exponent = -1;
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (ends_in(file->base, suffixes[i].suffix, &before))
      file->exponent = suffixes[i].exponent;
  int stated =
      reader->unit == NULL ? -1 : unit_exponent((struct slice){reader->unit, strlen(reader->unit)});
  if (stated >= 0 && file->exponent >= 0 && stated != file->exponent)
    return reader_fail_found(reader, file->base,
                             "but the unit is stated to be %s on the command line; correct the one "
                             "that is wrong",
                             reader->unit);
  if (stated >= 0)
    file->exponent = stated;
  if (file->exponent < 0)
    return reader_fail_found(
        reader, file->base,
        "a name that ends in no unit (_seconds, _milliseconds, ...); state the "
        "unit of le: --unit NAME=s");
  return STATUS_OK;
}

static enum status fail_count(const struct reader *reader, struct slice text) {
  if (text.length != 0 && text.start[0] == '{')
    return reader_fail_found(reader, text,
                             "a native histogram, whose bucket edges are no decimals and are not "
                             "read; have the server expose classic buckets (le)");
  if (slice_is_word(text, "nan"))
    return reader_fail_found(reader, text,
                             "which is no count; the recorder was fed no number, "
                             "correct it and record again");
  return reader_fail_found(reader, text,
                           "where a count, a whole number from 0 to 2^63-1, is expected");
}

static enum status read_count(uint64_t *count, const struct reader *reader, struct slice text) {
  uint64_t upper;
  if (decimal_range(count, &upper, NULL, text, 0) == DECIMAL_OK && *count == upper)
    return STATUS_OK;
  return fail_count(reader, text);
}

/* The label set is whole, or one message. */
static enum status close_set(struct prometheus *file) {
  const struct reader *reader = file->reader;
  if (file->at == NULL)
    return STATUS_OK;
  if (!file->buckets)
    return reader_fail(reader, file->at,
                       "the buckets of this label set are missing; keep the lines of one label "
                       "set together");
  if (!file->infinite || !file->counted)
    return reader_fail(reader, file->at,
                       "the label set that starts here has no %s: the file is truncated; fetch it "
                       "again",
                       file->infinite ? "_count" : "bucket le=\"+Inf\"");
  if (file->count != file->below)
    return reader_fail_found(reader, file->count_text,
                             "but le=\"+Inf\" counts %" PRIu64
                             "; the file is damaged or truncated, fetch it again",
                             file->below);
  return STATUS_OK;
}

/* The length of `name="value"` at the start of the labels, up to the comma behind it. */
static size_t label_length(struct slice labels) {
  bool quoted = false;
  for (size_t i = 0; i < labels.length; i++) {
    if (quoted && labels.start[i] == '\\')
      i++;
    else if (labels.start[i] == '"')
      quoted = !quoted;
    else if (!quoted && labels.start[i] == ',')
      return i;
  }
  return labels.length;
}

/* Without the blanks around it and around its "=". */
static char *copy_label(struct slice label) {
  struct text text;
  text_init(&text);
  struct slice name = {label.start, 0};
  while (name.length < label.length && label.start[name.length] != '=')
    name.length++;
  struct slice value = {label.start + name.length, label.length - name.length};
  if (value.length != 0)
    value = slice_trim((struct slice){value.start + 1, value.length - 1});
  name = slice_trim(name);
  text_append_bytes(&text, name.start, name.length);
  text_append(&text, "=");
  text_append_bytes(&text, value.start, value.length);
  return text_take(&text);
}

static void take_labels(keys_type *labels, struct slice rest) {
  while (rest.length != 0) {
    size_t length = label_length(rest);
    struct slice label = slice_trim((struct slice){rest.start, length});
    if (label.length != 0)
      vector_push(labels, copy_label(label));
    length += length < rest.length;
    rest = (struct slice){rest.start + length, rest.length - length};
  }
}

static int compare_keys(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The order of the labels says nothing: one set has one key. */
static char *key_of(const struct exposed *exposed) {
  struct text key;
  keys_type labels = {0};
  text_init(&key);
  text_append(&key, "");
  take_labels(&labels, exposed->before);
  take_labels(&labels, exposed->after);
  if (labels.count > 1)
    qsort(labels.data, labels.count, sizeof *labels.data, compare_keys);
  for (size_t i = 0; i < labels.count; i++) {
    text_format(&key, "%s%s", i == 0 ? "" : ",", labels.data[i]);
    mem_free(labels.data[i]);
  }
  vector_clear(&labels);
  return text_take(&key);
}

/* Closes the label set before when this line belongs to another one. */
static enum status take_set(struct prometheus *file, const struct exposed *exposed) {
  char *key = key_of(exposed);
  if (file->at != NULL && strcmp(file->keys.data[file->keys.count - 1], key) == 0) {
    mem_free(key);
    return STATUS_OK;
  }
  enum status status = close_set(file);
  vector_push(&file->keys, key);
  file->at = exposed->name.start;
  file->buckets = file->infinite = file->counted = false;
  file->lower = file->upper = file->below = 0;
  return status;
}

static enum status read_le(const struct prometheus *file, const struct exposed *exposed,
                           uint64_t *lower, uint64_t *upper) {
  const struct reader *reader = file->reader;
  struct slice le = exposed->le;
  switch (decimal_range(lower, upper, NULL, le, file->exponent)) {
  case DECIMAL_OK:
    break;
  case DECIMAL_TOO_LARGE:
    return reader_fail_found(reader, le,
                             "which is above 2^63-1 ns (292 years) in %s; is the unit "
                             "right?",
                             unit_name(file->exponent));
  case DECIMAL_NEGATIVE:
    return reader_fail_found(reader, le, "a negative le, but no time is negative");
  default:
    return reader_fail_found(reader, le, "where a le such as \"0.005\" or \"+Inf\" is expected");
  }
  if (file->buckets && (*lower < file->lower || *upper <= file->upper))
    return reader_fail_found(reader, le,
                             "but the buckets of a label set stand by increasing le; write the "
                             "file anew");
  return STATUS_OK;
}

static bool is_infinite(struct slice le) {
  return slice_is_word(le, "+inf") || slice_is_word(le, "inf");
}

static enum status read_bucket(struct sample *out, struct prometheus *file,
                               const struct exposed *exposed) {
  const struct reader *reader = file->reader;
  uint64_t count, lower = 0, upper = 0;
  if (file->infinite)
    return reader_fail_found(reader, exposed->le, "a bucket behind the last, le=\"+Inf\"");
  enum status status = read_count(&count, reader, exposed->value);
  if (status != STATUS_OK)
    return status;
  bool last = is_infinite(exposed->le);
  if (!last)
    status = read_le(file, exposed, &lower, &upper);
  if (status != STATUS_OK)
    return status;
  if (count < file->below)
    return reader_fail_found(reader, exposed->value,
                             "but the bucket before counts %" PRIu64
                             ", and each bucket counts those before it, too; the file is damaged",
                             file->below);
  bool added = last ? sample_add_beyond(out, count - file->below)
                    : sample_add_range(out, file->lower, upper, count - file->below);
  if (!added)
    return reader_fail_total(reader, exposed->value.start);
  file->infinite = last;
  file->buckets = true;
  file->lower = lower;
  file->upper = upper;
  file->below = count;
  return STATUS_OK;
}

static enum status read_metric(struct sample *out, struct prometheus *file,
                               const struct exposed *exposed) {
  struct slice base;
  uint64_t ignored;
  bool bucket = ends_in(exposed->name, "_bucket", &base) && same(base, file->base);
  bool sum = ends_in(exposed->name, "_sum", &base) && same(base, file->base);
  bool count = ends_in(exposed->name, "_count", &base) && same(base, file->base);
  if (!bucket && !sum && !count)
    return STATUS_OK;
  if (bucket && exposed->le.start == NULL)
    return reader_fail_found(file->reader, exposed->name, "a bucket without the label le");
  enum status status = take_set(file, exposed);
  if (status != STATUS_OK || bucket)
    return status == STATUS_OK ? read_bucket(out, file, exposed) : status;
  if (sum)
    return decimal_upper(&ignored, NULL, exposed->value, 0) != DECIMAL_NOT
               ? STATUS_OK
               : reader_fail_found(file->reader, exposed->value,
                                   "which is no sum of times; the recorder was fed no number, "
                                   "correct it and record again");
  if (file->counted)
    return reader_fail_found(file->reader, exposed->name, "a second time for one label set");
  file->counted = true;
  file->count_text = exposed->value;
  return read_count(&file->count, file->reader, exposed->value);
}

static enum status read_lines(struct sample *out, struct prometheus *file) {
  const char *at = file->reader->bytes;
  struct slice line;
  struct exposed exposed;
  while (reader_line(&line, file->reader, &at)) {
    if (exposed_line(&exposed, file->reader, line) != EXPOSED_METRIC)
      continue;
    enum status status = read_metric(out, file, &exposed);
    if (status != STATUS_OK)
      return status;
  }
  return close_set(file);
}

static enum status check_sets(const struct sample *out, struct prometheus *file) {
  const struct reader *reader = file->reader;
  qsort(file->keys.data, file->keys.count, sizeof *file->keys.data, compare_keys);
  for (size_t i = 1; i < file->keys.count; i++)
    if (strcmp(file->keys.data[i - 1], file->keys.data[i]) == 0)
      return reader_fail(
          reader, file->base.start,
          "a label set of this histogram stands in the file twice, or its lines are not "
          "together; keep one exposition to a file");
  if (out->count == 0 && out->beyond != 0)
    return reader_fail(reader, file->base.start,
                       "every observation is in le=\"+Inf\" only (a native histogram written as "
                       "text loses its buckets); have the program expose classic buckets (le)");
  return STATUS_OK;
}

static void note_assumptions(const struct sample *out, const struct prometheus *file) {
  const struct reader *reader = file->reader;
  source_notes_add(reader->notes,
                   "%s: the counts since the program started%s are one measurement%s", reader->path,
                   file->keys.count > 1 ? ", of several label sets," : "",
                   file->end_mark ? "" : ", and the file is whole (it has no \"# EOF\")");
  if (out->beyond != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64
                     " observations are above the last finite le and taken as infinite",
                     reader->path, out->beyond, out->total);
}

/* An OpenMetrics file may end right behind its end mark. */
static enum status check_end(const struct reader *reader) {
  static const char mark[] = "# EOF";
  size_t length = (size_t)(reader->end - reader->bytes), size = strlen(mark);
  if (length > size && memcmp(reader->end - size, mark, size) == 0 && reader->end[-6] == '\n')
    return STATUS_OK;
  return reader_require_last_line(reader);
}

enum status prometheus_read(struct sample *out, const struct reader *reader) {
  struct prometheus file = {.reader = reader};
  enum status status = check_end(reader);
  if (status == STATUS_OK)
    status = find_base(&file);
  if (status == STATUS_OK)
    status = find_unit(&file);
  if (status == STATUS_OK)
    status = read_lines(out, &file);
  if (status == STATUS_OK)
    status = check_sets(out, &file);
  if (status == STATUS_OK) {
    out->unit = unit_name(file.exponent);
    note_assumptions(out, &file);
  }
  for (size_t i = 0; i < file.keys.count; i++)
    mem_free(file.keys.data[i]);
  vector_clear(&file.keys);
  return status;
}
