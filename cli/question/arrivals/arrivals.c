/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/arrivals/arrivals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/duration.h"

/* --- what is asked for ------------------------------------------------------------------------ */

static enum status read_every(uint64_t *every_ns, const char *text, const struct asker *asker) {
  struct rational value, whole;
  rational_init(&value);
  rational_init(&whole);
  int64_t ns = 0;
  bool good = duration_parse(&value, text) && rational_ceil(&ns, &value) && ns > 0;
  rational_set_integer(&whole, ns);
  good = good && rational_compare(&whole, &value) == 0;
  rational_clear(&value);
  rational_clear(&whole);
  *every_ns = (uint64_t)ns;
  return good ? STATUS_OK
              : asker_fail(asker, STATUS_USAGE,
                           "--every %s: give a time above 0 with its unit, a whole number of ns: "
                           "2ms",
                           text);
}

static enum status read_burst(uint64_t *burst, const char *text, const struct asker *asker) {
  bool good = decimal_whole(burst, (struct slice){text, strlen(text)}) == DECIMAL_OK && *burst > 0;
  return good ? STATUS_OK
              : asker_fail(asker, STATUS_USAGE, "--burst %s: give a whole number above 0", text);
}

/* --- a stream --------------------------------------------------------------------------------- */

static int compare_buckets(const void *x, const void *y) {
  const struct token_bucket *a = x, *b = y;
  return a->every_ns < b->every_ns ? -1 : a->every_ns > b->every_ns;
}

static void fit(struct arrivals_stream *stream, uint64_t every_ns) {
  for (size_t i = 0; i < stream->buckets.count; i++)
    if (stream->buckets.data[i].every_ns == every_ns)
      return;
  struct token_bucket bucket;
  token_bucket_fit(&bucket, stream->times->ns.data, stream->times->ns.count, every_ns);
  vector_push(&stream->buckets, bucket);
}

/* Without --every: T at which the tokens come faster than the arrivals, down to as fast as they. */
static void fit_shares(struct arrivals_stream *stream) {
  static const uint64_t percents[] = {25, 50, 75, 90, 95, 100};
  for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
    uint64_t every =
        stream->mean_gap_ns / 100 * percents[i] + stream->mean_gap_ns % 100 * percents[i] / 100;
    fit(stream, every == 0 ? 1 : every);
  }
}

static enum status fit_stream(struct arrivals_stream *stream,
                              const struct arrivals_request *request) {
  enum status status = STATUS_OK;
  if (request->every.count == 0)
    fit_shares(stream);
  for (size_t i = 0; i < request->every.count && status == STATUS_OK; i++) {
    uint64_t every = 0;
    status = read_every(&every, request->every.data[i], request->asker);
    if (status == STATUS_OK)
      fit(stream, every);
  }
  qsort(stream->buckets.data, stream->buckets.count, sizeof *stream->buckets.data, compare_buckets);
  for (size_t i = 0; i < request->burst.count && status == STATUS_OK; i++) {
    struct arrivals_slowest slowest = {0};
    status = read_burst(&slowest.burst, request->burst.data[i], request->asker);
    if (status == STATUS_OK)
      slowest.every_ns =
          token_bucket_slowest(stream->times->ns.data, stream->times->ns.count, slowest.burst);
    vector_push(&stream->slowest, slowest);
  }
  return status;
}

static enum status add_stream(struct arrivals_answer *answer, const struct times_stream *times,
                              const struct arrivals_request *request) {
  struct arrivals_stream stream = {.times = times};
  size_t count = times->ns.count;
  if (count > 0)
    stream.span_ns = (uint64_t)(times->ns.data[count - 1] - times->ns.data[0]);
  if (count < 2 || stream.span_ns == 0)
    return asker_fail(request->asker, STATUS_DATA,
                      "%s: %s%s%zu arrival%s%s; a bucket takes two at different times",
                      request->paths[0], times->node == NULL ? "" : times->node,
                      times->node == NULL ? "" : ": ", count, count == 1 ? "" : "s",
                      count < 2 ? "" : ", all at one time");
  stream.mean_gap_ns = stream.span_ns / (count - 1);
  stream.rate = (double)(count - 1) / ((double)stream.span_ns / 1e9);
  enum status status = fit_stream(&stream, request);
  vector_push(&answer->streams, stream);
  return status;
}

static enum status fit_all(struct arrivals_answer *answer, const struct arrivals_request *request) {
  if (answer->times.streams.count == 0)
    return asker_fail(request->asker, STATUS_DATA, "%s: has no arrival that is known to be whole",
                      request->paths[0]);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < answer->times.streams.count && status == STATUS_OK; i++)
    status = add_stream(answer, &answer->times.streams.data[i], request);
  return status;
}

static void add_limits(struct arrivals_answer *answer) {
  ledger_note(&answer->ledger, LEDGER_DATA,
              "a bucket is a fact of this recording: it is how these arrivals came, not how others "
              "will come. A protocol that states it as an assumption has to be told why it holds");
  if (answer->times.reading_ns != 0)
    ledger_note(&answer->ledger, LEDGER_DATA,
                "each time may be off by %" PRId64
                " ns, as resolution and cost of the clock have it; "
                "a window with arrivals at its very edge may then need one token more",
                answer->times.reading_ns);
}

enum status arrivals_ask(struct arrivals_answer *answer, const struct arrivals_request *request) {
  *answer = (struct arrivals_answer){0};
  ledger_init(&answer->ledger);
  struct text message;
  text_init(&message);
  answer->status = times_read(&answer->times, request->paths, request->count, &request->wanted,
                              &answer->ledger, &message);
  if (answer->status != STATUS_OK)
    asker_fail(request->asker, answer->status, "%s", text_get(&message));
  text_clear(&message);
  if (answer->status == STATUS_OK)
    answer->status = fit_all(answer, request);
  answer->found = answer->status == STATUS_OK;
  if (answer->found)
    add_limits(answer);
  if (answer->found && answer->times.lacks)
    answer->status = STATUS_UNKNOWN;
  return answer->status;
}

void arrivals_answer_clear(struct arrivals_answer *answer) {
  for (size_t i = 0; i < answer->streams.count; i++) {
    vector_clear(&answer->streams.data[i].buckets);
    vector_clear(&answer->streams.data[i].slowest);
  }
  vector_clear(&answer->streams);
  times_clear(&answer->times);
  ledger_clear(&answer->ledger);
}
