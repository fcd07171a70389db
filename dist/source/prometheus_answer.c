/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a Prometheus server answers to a query, at one time or at several:
 *
 *   {"status":"success","data":{"resultType":"matrix","result":[
 *     {"metric":{"__name__":"rpc_seconds_bucket","host":"a","le":"0.005"},
 *      "values":[[1700000000,"17"],[1700000015,"20"]]}, ...]}}
 *
 * Native histograms stand there as a list of buckets with their edges, each with who owns the
 * edges:
 *
 *   "histogram":[1700000000,{"count":"3","sum":"0.4","buckets":[[0,"0.5","0.7071067811865475","3"]]}]
 *
 * Their edges are powers of two that the client, the server and the decimals have rounded, to 2^-52
 * each; they are taken 2^-50 further out.
 *
 * The counters themselves have a name. What a function such as rate() makes of them has none, and
 * is refused.
 */
#include <string.h>

#include "base/json.h"
#include "dist/source/classic.h"

enum { WIDER_BITS = 50 };

struct answer {
  const struct reader *reader;
  const struct json *json;
  const struct label_choice *selection;
  struct metric_page *metrics;
  struct metrics_choice choice;
  struct classic classic;
  size_t result;
};

static const struct json_value *at(const struct answer *answer, size_t index) {
  return &answer->json->values.data[index];
}

static size_t find(const struct answer *answer, size_t object, const char *key) {
  return json_find(answer->json, object, key, NULL);
}

static bool is(const struct answer *answer, size_t index, enum json_kind kind) {
  return index != JSON_NONE && at(answer, index)->kind == kind;
}

static enum status fail_shape(const struct answer *answer, size_t index, const char *expected) {
  return reader_fail_found(answer->reader, at(answer, index)->text, "where %s is expected",
                           expected);
}

static enum status fail_error(const struct answer *answer) {
  size_t kind = find(answer, 0, "errorType"), why = find(answer, 0, "error");
  char *said = is(answer, why, JSON_STRING) ? json_text(at(answer, why)->text) : NULL;
  char *type = is(answer, kind, JSON_STRING) ? json_text(at(answer, kind)->text) : NULL;
  enum status status =
      reader_fail(answer->reader, answer->reader->bytes, "the server says %.40s: %.300s",
                  type == NULL ? "that it failed" : type, said == NULL ? "no reason" : said);
  mem_free(said);
  mem_free(type);
  return status;
}

/* The list of what was found. */
static enum status find_result(struct answer *answer) {
  const struct reader *reader = answer->reader;
  size_t status = find(answer, 0, "status"), data = find(answer, 0, "data");
  size_t warnings = find(answer, 0, "warnings");
  if (is(answer, status, JSON_STRING) && slice_is(at(answer, status)->text, "error"))
    return fail_error(answer);
  size_t type = find(answer, data, "resultType");
  answer->result = find(answer, data, "result");
  if (!is(answer, type, JSON_STRING) || !is(answer, answer->result, JSON_LIST))
    return reader_fail(reader, reader->bytes,
                       "the JSON is no answer of a Prometheus server (it has no \"data\" with "
                       "\"resultType\" and a list \"result\")");
  if (is(answer, warnings, JSON_LIST) && json_first(answer->json, warnings) != JSON_NONE)
    return reader_fail_found(reader, at(answer, json_first(answer->json, warnings))->text,
                             "a warning of the server, whose answer may lack something");
  answer->metrics->window = slice_is(at(answer, type)->text, "matrix");
  if (!answer->metrics->window && !slice_is(at(answer, type)->text, "vector"))
    return fail_shape(answer, type, "\"matrix\" or \"vector\", series of counters,");
  if (json_first(answer->json, answer->result) == JSON_NONE)
    return reader_fail(reader, reader->bytes,
                       "the query found no series; correct its name, its labels or its times");
  return STATUS_OK;
}

/* The name of a series, and whether it is of a histogram. */
static enum status read_name(const struct answer *answer, size_t series, struct slice *metric,
                             bool *native, bool *meant) {
  size_t labels = find(answer, series, "metric");
  size_t name = find(answer, labels, "__name__");
  if (!is(answer, labels, JSON_OBJECT))
    return fail_shape(answer, series, "a series with its labels, \"metric\",");
  if (!is(answer, name, JSON_STRING))
    return reader_fail(answer->reader, at(answer, labels)->text.start,
                       "a series without a name: functions such as rate(), increase() and sum() "
                       "take it away, and what they answer is extrapolated or hides that a program "
                       "was started anew; ask for the counters themselves, such as "
                       "rpc_seconds_bucket{job=\"rpc\"}");
  *metric = at(answer, name)->text;
  *native = find(answer, series, answer->metrics->window ? "histograms" : "histogram") != JSON_NONE;
  *meant = *native ||
           (find(answer, labels, "le") != JSON_NONE && metric_ends_in(*metric, "_bucket", metric));
  return STATUS_OK;
}

static enum status choose(struct answer *answer) {
  enum status status = STATUS_OK;
  for (size_t series = json_first(answer->json, answer->result);
       series != JSON_NONE && status == STATUS_OK;
       series = json_next(answer->json, answer->result, series)) {
    struct slice metric;
    bool native, meant;
    status = read_name(answer, series, &metric, &native, &meant);
    if (status == STATUS_OK && meant)
      status = metrics_see(&answer->choice, answer->reader, metric);
  }
  if (status != STATUS_OK)
    return status;
  if (answer->choice.metric.start == NULL && answer->choice.others.count == 0)
    return reader_fail(answer->reader, answer->reader->bytes,
                       "the query found no histogram, only other series; ask for its buckets, such "
                       "as rpc_seconds_bucket{job=\"rpc\"}");
  return metrics_settle(answer->metrics, &answer->choice, answer->reader);
}

/* Without name and le; NULL: not selected. */
static char *labels_of(const struct answer *answer, size_t labels) {
  label_list list = {0};
  for (size_t label = json_first(answer->json, labels); label != JSON_NONE;
       label = json_next(answer->json, labels, label)) {
    const struct json_value *value = at(answer, label);
    if (slice_is(value->key, "le") || slice_is(value->key, "__name__"))
      continue;
    char *text = json_text(value->text);
    labels_add(&list, value->key, (struct slice){text, strlen(text)});
    mem_free(text);
  }
  char *text = labels_take(&list);
  if (answer->selection == NULL || selection_takes(answer->selection, text))
    return text;
  mem_free(text);
  return NULL;
}

/* [time, what]; the time is in ms, rounded down. */
static enum status read_point(const struct answer *answer, size_t point, uint64_t *ms,
                              size_t *what) {
  uint64_t upper;
  size_t time = is(answer, point, JSON_LIST) ? json_first(answer->json, point) : JSON_NONE;
  *what = time == JSON_NONE ? JSON_NONE : json_next(answer->json, point, time);
  if (*what == JSON_NONE || !is(answer, time, JSON_NUMBER) ||
      decimal_range(ms, &upper, NULL, at(answer, time)->text, 3) != DECIMAL_OK)
    return fail_shape(answer, point, "a time and a value, such as [1700000000,\"17\"],");
  return STATUS_OK;
}

/* Of the first point. */
static enum status check_start(const struct answer *answer, size_t point, uint64_t ms) {
  uint64_t wanted = answer->reader->time_ms;
  if (wanted == 0 || ms <= wanted)
    return STATUS_OK;
  return reader_fail(answer->reader, at(answer, point)->text.start,
                     "the series begins %.3f s after the time asked for, and what was counted "
                     "until then is not known; choose a later --from",
                     (double)(ms - wanted) / 1000);
}

static enum status fail_smaller(const struct answer *answer, struct slice text, uint64_t ms) {
  return reader_fail_found(answer->reader, text,
                           "which is less than before: the program was started anew until "
                           "%.3f (seconds since 1970), and what it had counted is lost; choose "
                           "times on one side of that",
                           (double)ms / 1000);
}

static enum status read_values(const struct answer *answer, size_t series,
                               struct classic_bucket *bucket) {
  size_t list = find(answer, series, answer->metrics->window ? "values" : "value"), what;
  size_t point = answer->metrics->window && is(answer, list, JSON_LIST)
                     ? json_first(answer->json, list)
                     : list;
  if (point == JSON_NONE)
    return fail_shape(answer, series, "a series with points");
  uint64_t ms;
  for (bool first = true; point != JSON_NONE; first = false) {
    uint64_t count = 0;
    enum status status = read_point(answer, point, &ms, &what);
    if (status == STATUS_OK && first)
      status = check_start(answer, point, ms);
    if (status == STATUS_OK)
      status = metrics_count(&count, answer->reader, at(answer, what)->text);
    if (status == STATUS_OK && !first && count < bucket->last)
      status = fail_smaller(answer, at(answer, what)->text, ms);
    if (status != STATUS_OK)
      return status;
    struct classic_point counted = {ms, count};
    if (answer->metrics->window)
      vector_push(&bucket->points, counted);
    if (first) {
      bucket->first = count;
      bucket->from_ms = ms;
    }
    bucket->to_ms = ms;
    bucket->last = count;
    bucket->text = at(answer, what)->text;
    point = answer->metrics->window ? json_next(answer->json, list, point) : JSON_NONE;
  }
  return STATUS_OK;
}

static enum status add_bucket(struct answer *answer, size_t series, char **labels) {
  size_t le = find(answer, find(answer, series, "metric"), "le");
  struct classic_bucket bucket = {.at = at(answer, series)->text.start};
  enum status status =
      classic_le(&bucket, answer->reader, at(answer, le)->text, answer->metrics->exponent);
  if (status == STATUS_OK)
    status = read_values(answer, series, &bucket);
  if (status != STATUS_OK) {
    vector_clear(&bucket.points);
    return status;
  }
  bucket.labels = *labels;
  *labels = NULL;
  vector_push(&answer->classic.buckets, bucket);
  return STATUS_OK;
}

/* --- native histograms --- */

/* An edge, rounded outward; negative ones are 0. */
static enum status read_edge(const struct answer *answer, size_t index, uint64_t *lower,
                             uint64_t *upper) {
  struct slice text = at(answer, index)->text;
  bool negative = text.length != 0 && text.start[0] == '-';
  if (negative)
    text = (struct slice){text.start + 1, text.length - 1};
  *lower = *upper = METRICS_INFINITE;
  if (!slice_is_word(text, "inf") && !slice_is_word(text, "+inf")) {
    enum decimal found = decimal_range(lower, upper, NULL, text, answer->metrics->exponent);
    if (found == DECIMAL_TOO_LARGE)
      *lower = DECIMAL_MAX, *upper = METRICS_INFINITE;
    else if (found != DECIMAL_OK)
      return fail_shape(answer, index, "the edge of a bucket");
    uint64_t less = (*lower >> WIDER_BITS) + 1;
    *lower -= less < *lower ? less : *lower;
    if (*upper != METRICS_INFINITE)
      *upper += (*upper >> WIDER_BITS) + (*upper != 0);
    if (*upper > SAMPLE_NS_MAX)
      *upper = METRICS_INFINITE;
  }
  if (negative)
    *lower = *upper = 0;
  return STATUS_OK;
}

/* [owner of the edges, lower edge, upper edge, count] */
static enum status add_native_bucket(const struct answer *answer, metrics_buckets *buckets,
                                     size_t list) {
  size_t fields[4], count = 0;
  for (size_t field = is(answer, list, JSON_LIST) ? json_first(answer->json, list) : JSON_NONE;
       field != JSON_NONE && count < 4; field = json_next(answer->json, list, field))
    fields[count++] = field;
  if (count != 4)
    return fail_shape(answer, list, "a bucket such as [0,\"0.5\",\"0.7\",\"3\"]");
  struct metrics_bucket bucket;
  uint64_t ignored;
  enum status status = read_edge(answer, fields[1], &bucket.lower_ns, &ignored);
  if (status == STATUS_OK)
    status = read_edge(answer, fields[2], &ignored, &bucket.upper_ns);
  if (status == STATUS_OK)
    status = metrics_count(&bucket.count, answer->reader, at(answer, fields[3])->text);
  if (status != STATUS_OK || bucket.count == 0)
    return status;
  if (at(answer, fields[2])->text.start[0] == '-')
    return fail_shape(answer, fields[2], "no negative bucket, as no time is negative,");
  uint64_t before_ns = buckets->count == 0 ? 0 : buckets->data[buckets->count - 1].upper_ns;
  if (bucket.lower_ns > bucket.upper_ns || bucket.upper_ns < before_ns)
    return fail_shape(answer, list, "a bucket behind the one before");
  vector_push(buckets, bucket);
  return STATUS_OK;
}

static enum status read_native(const struct answer *answer, size_t histogram,
                               metrics_buckets *buckets) {
  uint64_t count, total = 0;
  size_t said = find(answer, histogram, "count"), list = find(answer, histogram, "buckets");
  if (said == JSON_NONE || (list != JSON_NONE && at(answer, list)->kind != JSON_LIST))
    return fail_shape(answer, histogram, "a histogram with \"count\" and \"buckets\"");
  enum status status = metrics_count(&count, answer->reader, at(answer, said)->text);
  for (size_t bucket = list == JSON_NONE ? JSON_NONE : json_first(answer->json, list);
       bucket != JSON_NONE && status == STATUS_OK; bucket = json_next(answer->json, list, bucket))
    status = add_native_bucket(answer, buckets, bucket);
  if (status != STATUS_OK)
    return status;
  for (size_t i = 0; i < buckets->count && total <= SAMPLE_TOTAL_MAX; i++)
    total += buckets->data[i].count;
  if (total == count)
    return STATUS_OK;
  return reader_fail_found(answer->reader, at(answer, said)->text,
                           "but the buckets count another number; observations that are no number "
                           "are in none, correct the recorder");
}

/* The next of several points; what was counted before is among it. */
static enum status take_native(const struct answer *answer, struct metrics_histogram *histogram,
                               size_t point, bool first) {
  uint64_t ms;
  size_t what;
  metrics_buckets now = {0}, copy = {0};
  enum status status = read_point(answer, point, &ms, &what);
  if (status == STATUS_OK && first)
    status = check_start(answer, point, ms);
  if (status == STATUS_OK)
    status = read_native(answer, what, &now);
  for (size_t i = 0; i < now.count; i++)
    vector_push(&copy, now.data[i]);
  if (status == STATUS_OK && !first && !metrics_subtract(&copy, &histogram->last))
    status = fail_smaller(answer, at(answer, point)->text, ms);
  vector_clear(&copy);
  if (first && answer->metrics->window)
    for (size_t i = 0; i < now.count; i++)
      vector_push(&histogram->first, now.data[i]);
  vector_clear(&histogram->last);
  histogram->last = now;
  if (status == STATUS_OK && answer->metrics->window) {
    struct metrics_point counted = {.ms = ms};
    for (size_t i = 0; i < now.count; i++)
      vector_push(&counted.counts, now.data[i]);
    vector_push(&histogram->points, counted);
  }
  return status;
}

static enum status add_native(struct answer *answer, size_t series, char **labels) {
  bool window = answer->metrics->window;
  size_t list = find(answer, series, window ? "histograms" : "histogram");
  if (find(answer, series, window ? "values" : "value") != JSON_NONE)
    return fail_shape(answer, list, "only native histograms, and no values beside them,");
  struct metrics_histogram histogram = {.labels = *labels, .at = at(answer, series)->text.start};
  *labels = NULL;
  size_t point = !window                       ? list
                 : is(answer, list, JSON_LIST) ? json_first(answer->json, list)
                                               : JSON_NONE;
  enum status status =
      point == JSON_NONE ? fail_shape(answer, list, "a list of points") : STATUS_OK;
  for (bool first = true; point != JSON_NONE && status == STATUS_OK; first = false) {
    status = take_native(answer, &histogram, point, first);
    point = window ? json_next(answer->json, list, point) : JSON_NONE;
  }
  vector_push(&answer->metrics->all, histogram);
  return status;
}

static enum status add_series(struct answer *answer, size_t series) {
  struct slice metric;
  bool native, meant;
  enum status status = read_name(answer, series, &metric, &native, &meant);
  if (status != STATUS_OK || !meant || !slice_is(metric, answer->metrics->name))
    return status;
  char *labels = labels_of(answer, find(answer, series, "metric"));
  if (labels != NULL)
    status = native ? add_native(answer, series, &labels) : add_bucket(answer, series, &labels);
  mem_free(labels);
  return status;
}

enum status metrics_parse_answer(struct metric_page *metrics, const struct reader *reader,
                                 const struct json *json, const struct label_choice *selection) {
  struct answer answer = {.reader = reader,
                          .json = json,
                          .selection = selection,
                          .metrics = metrics,
                          .choice = {.selection = selection},
                          .classic = {.reader = reader}};
  enum status status = find_result(&answer);
  if (status == STATUS_OK)
    status = choose(&answer);
  for (size_t series = answer.result == 0 ? JSON_NONE : json_first(json, answer.result);
       series != JSON_NONE && status == STATUS_OK; series = json_next(json, answer.result, series))
    status = add_series(&answer, series);
  if (status == STATUS_OK)
    status = classic_finish(metrics, &answer.classic);
  vector_clear(&answer.choice.others);
  classic_clear(&answer.classic);
  return status;
}
