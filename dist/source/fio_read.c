/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `fio --output-format=json+` (fio 3), nanoseconds throughout:
 *
 *   {"fio version":"fio-3.33","jobs":[{"jobname":"x","error":0,
 *     "read":{"clat_ns":{"max":75000,"N":3,"bins":{"42":2,"74752":1}},"lat_ns":{...}},"write":{...}}]}
 *
 * Its traps:
 *  - A key of "bins" is the middle of a bucket (stat.c, plat_idx_to_val): values below 128 stand for
 *    themselves; above, 2^e values share a bucket, where the middle has e + 7 bits. What is larger
 *    than all buckets is in the last, so that the greatest value is looked up in "max".
 *  - The times of requests, lat_ns, have bins where fio is told so (lat_percentiles=1); else those
 *    of their completion alone, clat_ns, have them.
 *  - Without the plus there are no bins, and percentiles are no measurement.
 *  - Each job, and reading and writing, are of kinds of their own.
 *  - Each job keeps `iodepth` requests under way, and sends the next when one is done.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "dist/source/kinds.h"
#include "dist/source/reader.h"

enum { PLAT_BITS = 6 };

struct fio {
  const struct reader *reader;
  const struct json *json;
  struct kinds kinds;
  bool completion; /* some are times of completion alone */
};

static struct slice text_of(const struct fio *fio, size_t object, const char *key) {
  size_t index = json_find(fio->json, object, key, NULL);
  return index == JSON_NONE ? (struct slice){"", 0} : fio->json->values.data[index].text;
}

static bool number_of(uint64_t *number, const struct fio *fio, size_t object, const char *key) {
  return decimal_whole(number, text_of(fio, object, key)) == DECIMAL_OK;
}

/* The first and the last value of the bucket with this middle; false: no bucket has it. */
static bool edges_of(uint64_t *first, uint64_t *last, uint64_t middle) {
  int bits = 0;
  while (middle >> bits != 0)
    bits++;
  int shared = bits - 1 - PLAT_BITS; /* 2^shared values in a bucket */
  *first = *last = middle;
  if (shared <= 0 || shared > 40)
    return shared <= 0;
  uint64_t half = UINT64_C(1) << (shared - 1);
  *first = middle - half;
  *last = *first + 2 * half - 1;
  return *first % (2 * half) == 0;
}

static enum status add_bins(struct sample *out, struct fio *fio, size_t times, size_t bins) {
  const struct json *json = fio->json;
  uint64_t wanted, max, count, middle, sum = 0, first, last;
  if (!number_of(&wanted, fio, times, "N") || !number_of(&max, fio, times, "max"))
    return reader_fail(fio->reader, json->values.data[times].text.start,
                       "\"N\" and \"max\" are missing; the file is damaged");
  for (size_t bin = json_first(json, bins); bin != JSON_NONE; bin = json_next(json, bins, bin)) {
    const struct json_value *value = &json->values.data[bin];
    if (decimal_whole(&middle, value->key) != DECIMAL_OK ||
        decimal_whole(&count, value->text) != DECIMAL_OK || !edges_of(&first, &last, middle))
      return reader_fail_found(fio->reader, value->key,
                               "which is no middle of a bucket of fio; the file is damaged");
    bool highest = json_next(json, bins, bin) == JSON_NONE;
    if (highest && max > last)
      last = max;
    if (last > SAMPLE_NS_MAX || count > SAMPLE_TOTAL_MAX - sum ||
        !sample_add_range(out, first, last, count))
      return reader_fail_total(fio->reader, value->text.start);
    sum += count;
  }
  if (sum == wanted)
    return STATUS_OK;
  return reader_fail(fio->reader, json->values.data[bins].text.start,
                     "the buckets count %" PRIu64 " requests, but \"N\" says %" PRIu64
                     "; the file is damaged",
                     sum, wanted);
}

static bool is_taken(struct fio *fio, struct slice job, const char *direction, const char *at) {
  kinds_begin(&fio->kinds);
  kinds_label(&fio->kinds, (struct slice){"job", 3}, job);
  kinds_label(&fio->kinds, (struct slice){"io", 2}, (struct slice){direction, strlen(direction)});
  return kinds_take(&fio->kinds, at);
}

/* Its reads, or writes. */
static enum status add_direction(struct sample *out, struct fio *fio, size_t job,
                                 const char *direction) {
  const struct json *json = fio->json;
  size_t part = json_find(json, job, direction, NULL);
  if (part == JSON_NONE)
    return STATUS_OK;
  const char *at = json->values.data[part].text.start;
  size_t times = json_find(json, part, "lat_ns", NULL);
  size_t bins = json_find(json, times, "bins", NULL);
  uint64_t total = 0;
  if (!number_of(&total, fio, part, "total_ios") || total == 0)
    return total == 0 && text_of(fio, part, "total_ios").length != 0
               ? STATUS_OK
               : reader_fail(fio->reader, at, "\"total_ios\" is missing; measure with fio 3");
  bool whole = bins != JSON_NONE;
  if (!whole) {
    times = json_find(json, part, "clat_ns", NULL);
    bins = json_find(json, times, "bins", NULL);
  }
  if (bins == JSON_NONE)
    return reader_fail(fio->reader, at,
                       "there are no \"bins\" with the counts of times; run fio 3 with "
                       "--output-format=json+");
  if (!is_taken(fio, text_of(fio, job, "jobname"), direction, at))
    return STATUS_OK;
  fio->completion = fio->completion || !whole;
  return add_bins(out, fio, times, bins);
}

static enum status add_job(struct sample *out, struct fio *fio, size_t job) {
  static const char *const directions[] = {"read", "write", "trim"};
  uint64_t error = 0;
  enum status status = STATUS_OK;
  if (number_of(&error, fio, job, "error") && error != 0)
    return reader_fail_found(fio->reader, text_of(fio, job, "error"),
                             "the error that the job ended with, so that requests are missing; "
                             "measure again");
  for (size_t i = 0; i < sizeof directions / sizeof *directions && status == STATUS_OK; i++)
    status = add_direction(out, fio, job, directions[i]);
  return status;
}

static void note(const struct fio *fio) {
  const struct reader *reader = fio->reader;
  source_notes_add(reader->notes,
                   "%s: a job of fio sends its next request when one is done (closed loop, but for "
                   "rate_iops): requests that were due while one was slow are missing (coordinated "
                   "omission)",
                   reader->path);
  if (fio->completion)
    source_notes_add(reader->notes,
                     "%s: times are those from submitting a request until it was done (clat), "
                     "without the time that submitting took (slat); lat_percentiles=1 has both",
                     reader->path);
}

enum status fio_read(struct sample *out, const struct reader *reader, const struct json *json) {
  struct fio fio = {.reader = reader, .json = json};
  size_t jobs = json_find(json, 0, "jobs", NULL);
  enum status status = reader_require_unit(reader, 0, "a report of fio");
  if (status == STATUS_OK)
    status = kinds_init(&fio.kinds, reader);
  if (status == STATUS_OK && jobs == JSON_NONE)
    status = reader_fail(reader, reader->bytes, "the report has no \"jobs\"");
  for (size_t job = status == STATUS_OK ? json_first(json, jobs) : JSON_NONE;
       job != JSON_NONE && status == STATUS_OK; job = json_next(json, jobs, job))
    status = add_job(out, &fio, job);
  if (status == STATUS_OK)
    status = kinds_settle(&fio.kinds, &out->evidence);
  out->evidence.unit = unit_name(0);
  if (status == STATUS_OK)
    note(&fio);
  kinds_clear(&fio.kinds);
  return status;
}
