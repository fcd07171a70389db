/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A DDSketch (Masson, Rim and Lee, VLDB 2019) in the JSON form of its protocol buffers:
 *
 *   {"mapping":{"gamma":1.02,"indexOffset":0,"interpolation":"NONE"},
 *    "positiveValues":{"binCounts":{"-230":3},"contiguousBinCounts":[1,2],
 *                      "contiguousBinIndexOffset":-229},
 *    "zeroCount":0}
 *
 * What a bin counts lies between two powers of gamma; the sketch promises a relative error of
 * (gamma - 1) / (gamma + 1). Its traps:
 *  - Some of its libraries round the logarithm down to the index, others up: both bins are taken.
 *  - They do so in floating point: 2^-32 is added on either side.
 *  - A store of limited size merges its lowest bins into one, so the lowest reaches down to 0. One
 *    that merges the highest would hide how slow the slowest were, and nothing in the sketch tells;
 *    that is an assumption of the ledger.
 *  - Faster mappings ("LINEAR", "CUBIC") have other edges and are refused.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "dist/source/power.h"
#include "dist/source/reader.h"

enum { WIDER_BITS = 32, INDEX_MAX = 1 << 30 };

struct sketch {
  const struct reader *reader;
  const struct json *json;
  struct power gamma;
  int exponent;
  int64_t offset, lowest; /* of the indices; the lowest that counts something */
};

static const struct json_value *at(const struct sketch *sketch, size_t index) {
  return &sketch->json->values.data[index];
}

static enum status fail_found(const struct sketch *sketch, size_t index, const char *expected) {
  return reader_fail_found(sketch->reader, at(sketch, index)->text, "where %s is expected",
                           expected);
}

bool ddsketch_is(const struct json *json) {
  return json_find(json, json_find(json, 0, "mapping", NULL), "gamma", NULL) != JSON_NONE;
}

static bool read_index(int64_t *index, struct slice text) {
  uint64_t low, high;
  bool negative = text.length != 0 && text.start[0] == '-';
  if (negative)
    text = (struct slice){text.start + 1, text.length - 1};
  if (decimal_range(&low, &high, NULL, text, 0) != DECIMAL_OK || low != high || low > INDEX_MAX)
    return false;
  *index = negative ? -(int64_t)low : (int64_t)low;
  return true;
}

static enum status read_mapping(struct sketch *sketch) {
  size_t mapping = json_find(sketch->json, 0, "mapping", NULL);
  size_t gamma = json_find(sketch->json, mapping, "gamma", NULL);
  size_t offset = json_find(sketch->json, mapping, "indexOffset", NULL);
  size_t kind = json_find(sketch->json, mapping, "interpolation", NULL);
  if (!power_read(&sketch->gamma, at(sketch, gamma)->text) ||
      sketch->gamma.low < (UINT64_C(1) << 62) + (UINT64_C(1) << 40))
    return fail_found(sketch, gamma, "a gamma above 1 and below 2");
  if (offset != JSON_NONE && !read_index(&sketch->offset, at(sketch, offset)->text))
    return fail_found(sketch, offset, "a whole number");
  if (kind != JSON_NONE && !slice_is(at(sketch, kind)->text, "NONE") &&
      !slice_is(at(sketch, kind)->text, "0"))
    return fail_found(sketch, kind,
                      "\"NONE\", the logarithmic mapping, whose edges alone are known,");
  return STATUS_OK;
}

static enum status add_bin(struct sample *out, const struct sketch *sketch, int64_t index,
                           size_t value) {
  uint64_t count, more, lower, upper, ignored;
  if (decimal_range(&count, &more, NULL, at(sketch, value)->text, 0) != DECIMAL_OK || count != more)
    return fail_found(sketch, value, "a count, a whole number from 0 to 2^63-1,");
  power_round(&lower, &ignored, power_raise(sketch->gamma, index - sketch->offset - 1),
              sketch->exponent);
  power_round(&ignored, &upper, power_raise(sketch->gamma, index - sketch->offset + 1),
              sketch->exponent);
  if (upper < UINT64_MAX / 2)
    upper += (upper >> WIDER_BITS) + 1;
  lower -= lower >> WIDER_BITS;
  lower -= lower != 0;
  if (index == sketch->lowest)
    lower = 0;
  bool added = upper > SAMPLE_NS_MAX ? sample_add_beyond(out, count)
                                     : sample_add_range(out, lower, upper, count);
  return added ? STATUS_OK : reader_fail_total(sketch->reader, at(sketch, value)->text.start);
}

/* Looks for the lowest index with `out` NULL, adds the bins otherwise. */
static enum status walk_list(struct sample *out, struct sketch *sketch, size_t values) {
  size_t first = json_find(sketch->json, values, "contiguousBinIndexOffset", NULL);
  size_t list = json_find(sketch->json, values, "contiguousBinCounts", NULL);
  int64_t index = 0;
  enum status status = STATUS_OK;
  if (first != JSON_NONE && !read_index(&index, at(sketch, first)->text))
    return fail_found(sketch, first, "the index of a bin");
  if (list == JSON_NONE)
    return STATUS_OK;
  if (at(sketch, list)->kind != JSON_LIST)
    return fail_found(sketch, list, "a list of counts");
  for (size_t bin = json_first(sketch->json, list); bin != JSON_NONE && status == STATUS_OK;
       bin = json_next(sketch->json, list, bin), index++)
    if (out != NULL)
      status = add_bin(out, sketch, index, bin);
    else if (!slice_is(at(sketch, bin)->text, "0") && index < sketch->lowest)
      sketch->lowest = index;
  return status;
}

static enum status walk_map(struct sample *out, struct sketch *sketch, size_t values) {
  size_t map = json_find(sketch->json, values, "binCounts", NULL);
  enum status status = STATUS_OK;
  if (map == JSON_NONE)
    return STATUS_OK;
  if (at(sketch, map)->kind != JSON_OBJECT)
    return fail_found(sketch, map, "an object of counts by index");
  for (size_t bin = json_first(sketch->json, map); bin != JSON_NONE && status == STATUS_OK;
       bin = json_next(sketch->json, map, bin)) {
    int64_t index;
    if (!read_index(&index, at(sketch, bin)->key))
      status = fail_found(sketch, bin, "a count under the index of its bin");
    else if (out != NULL)
      status = add_bin(out, sketch, index, bin);
    else if (index < sketch->lowest)
      sketch->lowest = index;
  }
  return status;
}

static enum status check_negative(const struct sketch *sketch) {
  static const char *const keys[] = {"binCounts", "contiguousBinCounts"};
  size_t values = json_find(sketch->json, 0, "negativeValues", NULL);
  for (size_t i = 0; i < 2; i++) {
    size_t bins = json_find(sketch->json, values, keys[i], NULL);
    if (bins != JSON_NONE && json_first(sketch->json, bins) != JSON_NONE)
      return fail_found(sketch, bins, "no negative value, as no time is negative,");
  }
  return STATUS_OK;
}

static enum status add_zeros(struct sample *out, const struct sketch *sketch) {
  size_t zeros = json_find(sketch->json, 0, "zeroCount", NULL);
  uint64_t count, more;
  if (zeros == JSON_NONE)
    return STATUS_OK;
  if (decimal_range(&count, &more, NULL, at(sketch, zeros)->text, 0) != DECIMAL_OK || count != more)
    return fail_found(sketch, zeros, "a count, a whole number from 0 to 2^63-1,");
  return sample_add_range(out, 0, 1, count)
             ? STATUS_OK
             : reader_fail_total(sketch->reader, sketch->reader->bytes);
}

static enum status add_all(struct sample *out, struct sketch *sketch) {
  size_t values = json_find(sketch->json, 0, "positiveValues", NULL);
  enum status status = add_zeros(out, sketch);
  if (status == STATUS_OK)
    status = walk_list(NULL, sketch, values);
  if (status == STATUS_OK)
    status = walk_map(NULL, sketch, values);
  if (status == STATUS_OK)
    status = walk_list(out, sketch, values);
  return status == STATUS_OK ? walk_map(out, sketch, values) : status;
}

enum status ddsketch_read(struct sample *out, const struct reader *reader,
                          const struct json *json) {
  struct sketch sketch = {.reader = reader, .json = json, .lowest = INDEX_MAX};
  sketch.exponent = reader_unit(reader, "a DDSketch");
  if (sketch.exponent < 0)
    return STATUS_DATA;
  enum status status = read_mapping(&sketch);
  if (status == STATUS_OK)
    status = check_negative(&sketch);
  if (status == STATUS_OK)
    status = add_all(out, &sketch);
  out->evidence.unit = unit_name(sketch.exponent);
  if (status == STATUS_OK)
    source_notes_add(reader->notes,
                     "%s: each observation of the DDSketch lies in its bin or the next one, and no "
                     "bins were merged at the upper end (stores that collapse the lowest do not)",
                     reader->path);
  return status;
}
