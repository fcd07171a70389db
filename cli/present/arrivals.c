/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/arrivals.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "show/ledger.h"
#include "show/table.h"
#include "show/wrapped.h"

static int64_t moment_of(const struct arrivals_stream *stream, size_t index) {
  return stream->times->ns.data[index] - stream->times->ns.data[0];
}

static void cell_ns(struct table *table, uint64_t ns) {
  struct text text;
  text_init(&text);
  duration_print_lower(&text, ns);
  table_take(table, &text);
}

/* --- text ------------------------------------------------------------------------------------- */

static void add_bucket(struct table *table, const struct arrivals_stream *stream,
                       const struct token_bucket *bucket) {
  struct text every;
  struct rational ns;
  text_init(&every);
  rational_init(&ns);
  rational_set_integer(&ns, (int64_t)bucket->every_ns);
  duration_print_exact(&every, &ns);
  rational_clear(&ns);
  table_take(table, &every);
  table_cell(table, "%" PRIu64, bucket->burst);
  table_cell(table, "%" PRIu64, bucket->halves_burst[0]);
  table_cell(table, "%" PRIu64, bucket->halves_burst[1]);
  table_cell(table, "%zu", bucket->last - bucket->first + 1);
  cell_ns(table, (uint64_t)(moment_of(stream, bucket->last) - moment_of(stream, bucket->first)));
  cell_ns(table, (uint64_t)moment_of(stream, bucket->first));
}

static void print_buckets(const struct arrivals_stream *stream) {
  static const char *const titles[] = {
      "every T", "burst B", "B of the\nfirst half", "of the\nsecond", "needed by\narrivals",
      "within",  "from"};
  struct table table;
  table_init(&table);
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    table_column(&table, TABLE_RIGHT, titles[i]);
  for (size_t i = 0; i < stream->buckets.count; i++)
    add_bucket(&table, stream, &stream->buckets.data[i]);
  table_print(stdout, &table, 2);
  table_clear(&table);
}

static void print_slowest(const struct arrivals_slowest *slowest) {
  if (slowest->every_ns == UINT64_MAX)
    wrapped_format(2, 4, "burst %" PRIu64 " is enough with any T: there are no more arrivals.",
                   slowest->burst);
  else if (slowest->every_ns == 0)
    wrapped_format(2, 4, "burst %" PRIu64 " is enough with no T: more arrivals come at once.",
                   slowest->burst);
  else
    wrapped_format(2, 4,
                   "burst %" PRIu64 " is enough with T up to %" PRIu64 " ns: every %" PRIu64
                   "ns burst %" PRIu64,
                   slowest->burst, slowest->every_ns, slowest->every_ns, slowest->burst);
}

static void print_stream(const struct arrivals_answer *answer,
                         const struct arrivals_stream *stream) {
  struct text span, gap;
  text_init(&span);
  text_init(&gap);
  duration_print_lower(&span, stream->span_ns);
  duration_print_lower(&gap, stream->mean_gap_ns);
  printf("%s%s%s: %zu arrivals in %s, %.6g/s, one every %s\n", answer->times.what,
         stream->times->node == NULL ? "" : ", ",
         stream->times->node == NULL ? "" : stream->times->node, stream->times->ns.count,
         text_get(&span), stream->rate, text_get(&gap));
  print_buckets(stream);
  for (size_t i = 0; i < stream->slowest.count; i++)
    print_slowest(&stream->slowest.data[i]);
  wrapped_format(2, 2,
                 "The largest T that keeps up is %" PRIu64
                 " ns: with a larger one tokens come more slowly than these arrivals, and the "
                 "burst grows with the length of the recording.",
                 stream->mean_gap_ns);
  text_clear(&span);
  text_clear(&gap);
}

void arrivals_print_text(const struct arrivals_answer *answer, bool full) {
  for (size_t i = 0; i < answer->streams.count; i++)
    print_stream(answer, &answer->streams.data[i]);
  if (answer->status == STATUS_UNKNOWN)
    wrapped_format(0, 0,
                   "Cannot tell: some records are missing, which may have been arrivals; a "
                   "complete recording may need larger bursts.");
  ledger_print_text(&answer->ledger, full);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void append_digits(struct jsonl *json, const char *key, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  jsonl_text(json, key, digits);
}

static void print_bucket(const struct arrivals_stream *stream, const struct token_bucket *bucket) {
  struct jsonl *line = jsonl_new("token_bucket");
  jsonl_text(line, "node", stream->times->node);
  append_digits(line, "every_ns", bucket->every_ns);
  append_digits(line, "burst", bucket->burst);
  append_digits(line, "tolerance_ns", bucket->tolerance_ns);
  append_digits(line, "first_half", bucket->halves_burst[0]);
  append_digits(line, "second_half", bucket->halves_burst[1]);
  jsonl_flag(line, "keeps_up", bucket->every_ns <= stream->mean_gap_ns);
  jsonl_integer(line, "window_arrivals", (int64_t)(bucket->last - bucket->first + 1));
  append_digits(line, "window_from_ns", (uint64_t)moment_of(stream, bucket->first));
  append_digits(line, "window_to_ns", (uint64_t)moment_of(stream, bucket->last));
  jsonl_print(line);
}

static void print_slowest_json(const struct arrivals_stream *stream,
                               const struct arrivals_slowest *slowest) {
  struct jsonl *line = jsonl_new("slowest_bucket");
  jsonl_text(line, "node", stream->times->node);
  append_digits(line, "burst", slowest->burst);
  if (slowest->every_ns == UINT64_MAX)
    jsonl_text(line, "every_ns", "infinite");
  else
    append_digits(line, "every_ns", slowest->every_ns);
  jsonl_print(line);
}

static void print_stream_json(const struct arrivals_answer *answer,
                              const struct arrivals_stream *stream) {
  struct jsonl *line = jsonl_new("arrivals");
  jsonl_text(line, "of", answer->times.what);
  jsonl_text(line, "node", stream->times->node);
  jsonl_integer(line, "arrivals", (int64_t)stream->times->ns.count);
  append_digits(line, "span_ns", stream->span_ns);
  append_digits(line, "keeps_up_ns", stream->mean_gap_ns);
  jsonl_number(line, "rate", stream->rate);
  jsonl_flag(line, "complete", !answer->times.lacks);
  jsonl_print(line);
  for (size_t i = 0; i < stream->buckets.count; i++)
    print_bucket(stream, &stream->buckets.data[i]);
  for (size_t i = 0; i < stream->slowest.count; i++)
    print_slowest_json(stream, &stream->slowest.data[i]);
}

void arrivals_print_json(const struct arrivals_answer *answer) {
  for (size_t i = 0; i < answer->streams.count; i++)
    print_stream_json(answer, &answer->streams.data[i]);
  ledger_print_json(&answer->ledger);
}
