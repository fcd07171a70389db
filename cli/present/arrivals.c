/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/arrivals.h"

#include <inttypes.h>

#include "base/duration.h"

static const struct object_key arrivals_keys[] = {
    KEY("of", TEXT, .marks = MARK_NAMES, .note = "what arrived"),
    KEY("node", TEXT, .marks = MARK_NAMES | MARK_NULL, .note = "null: all"),
    KEY("arrivals", COUNT),
    KEY("span_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("keeps_up_ns", NS, .marks = MARK_DIGITS | MARK_LOWER,
        .note = "the largest T that is no more than their mean distance"),
    KEY("rate", NUMBER, .note = "1/s"),
    KEY("complete", FLAG, .marks = MARK_NAMES, .note = "false: records are missing"),
    {0}};
static const struct object_kind arrivals_kind = {"arrivals", NULL, arrivals_keys};

static const struct object_key bucket_keys[] = {
    KEY("node", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("every_ns", NS, .marks = MARK_NAMES | MARK_DIGITS),
    KEY("burst", COUNT, .marks = MARK_DIGITS),
    KEY("tolerance_ns", NS, .marks = MARK_DIGITS, .note = "how early the earliest arrival is"),
    KEY("first_half", COUNT, .marks = MARK_DIGITS),
    KEY("second_half", COUNT, .marks = MARK_DIGITS, .note = "the burst of half of the arrivals"),
    KEY("keeps_up", FLAG),
    KEY("window_arrivals", COUNT),
    KEY("window_from_ns", NS, .marks = MARK_DIGITS | MARK_LOWER),
    KEY("window_to_ns", NS, .marks = MARK_DIGITS,
        .note = "a window that needs the burst, since the first arrival"),
    {0}};
static const struct object_kind bucket_kind = {"token_bucket", "of `arrivals`", bucket_keys};

static const struct object_key slowest_keys[] = {
    KEY("node", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("burst", COUNT, .marks = MARK_NAMES | MARK_DIGITS),
    KEY("every_ns", NS, .marks = MARK_DIGITS, .note = "`0`: none, `infinite`: any"),
    {0}};
static const struct object_kind slowest_kind = {"slowest_bucket", "of `arrivals --burst`",
                                                slowest_keys};

const struct object_kind *const arrivals_kinds[] = {&arrivals_kind, &bucket_kind, &slowest_kind,
                                                    &assumption_kind, NULL};

static uint64_t moment_of(const struct arrivals_stream *stream, size_t index) {
  return (uint64_t)(stream->times->ns.data[index] - stream->times->ns.data[0]);
}

static void put_bucket(struct objects *buckets, const struct arrivals_stream *stream,
                       const struct token_bucket *bucket) {
  struct text text;
  struct rational ns;
  uint64_t from = moment_of(stream, bucket->first), to = moment_of(stream, bucket->last);
  objects_add(buckets);
  object_text(buckets, "node", stream->times->node);
  object_count(buckets, "every_ns", bucket->every_ns);
  text_init(&text);
  rational_init(&ns);
  rational_set_integer(&ns, (int64_t)bucket->every_ns);
  duration_print_exact(&text, &ns);
  rational_clear(&ns);
  object_words(buckets, "every_ns", "%s", text_get(&text));
  object_count(buckets, "burst", bucket->burst);
  object_count(buckets, "tolerance_ns", bucket->tolerance_ns);
  object_count(buckets, "first_half", bucket->halves_burst[0]);
  object_count(buckets, "second_half", bucket->halves_burst[1]);
  object_flag(buckets, "keeps_up", bucket->every_ns <= stream->mean_gap_ns);
  object_count(buckets, "window_arrivals", bucket->last - bucket->first + 1);
  object_count(buckets, "window_from_ns", from);
  object_count(buckets, "window_to_ns", to);
  text.length = 0;
  duration_print_lower(&text, to - from);
  object_words(buckets, "window_to_ns", "%s", text_get(&text));
  text_clear(&text);
}

static void show_buckets(struct document *document, const struct arrivals_stream *stream) {
  static const struct object_column columns[] = {
      {.title = "every T", .align = TABLE_RIGHT, .key = "every_ns"},
      {.title = "burst B", .align = TABLE_RIGHT, .key = "burst"},
      {.title = "B of the\nfirst half", .align = TABLE_RIGHT, .key = "first_half"},
      {.title = "of the\nsecond", .align = TABLE_RIGHT, .key = "second_half"},
      {.title = "needed by\narrivals", .align = TABLE_RIGHT, .key = "window_arrivals"},
      {.title = "within", .align = TABLE_RIGHT, .key = "window_to_ns"},
      {.title = "from", .align = TABLE_RIGHT, .key = "window_from_ns"},
  };
  struct objects *buckets = document_objects(document, &bucket_kind);
  for (size_t i = 0; i < stream->buckets.count; i++)
    put_bucket(buckets, stream, &stream->buckets.data[i]);
  document_table(document, LINES_CLOSE, 2, buckets, columns, sizeof columns / sizeof *columns);
}

static void show_slowest(struct document *document, struct objects *objects,
                         const struct arrivals_stream *stream,
                         const struct arrivals_slowest *slowest) {
  struct text text;
  text_init(&text);
  text_format(&text, "burst %" PRIu64 " is enough with ", slowest->burst);
  if (slowest->every_ns == UINT64_MAX)
    text_append(&text, "any T: there are no more arrivals.");
  else if (slowest->every_ns == 0)
    text_append(&text, "no T: more arrivals come at once.");
  else
    text_format(&text, "T up to %" PRIu64 " ns: every %" PRIu64 "ns burst %" PRIu64,
                slowest->every_ns, slowest->every_ns, slowest->burst);
  document_item(document, LINES_CLOSE, 2, &text);
  objects_add(objects);
  object_text(objects, "node", stream->times->node);
  object_count(objects, "burst", slowest->burst);
  object_time(objects, "every_ns", slowest->every_ns != UINT64_MAX, slowest->every_ns);
}

static void put_stream(struct document *document, const struct arrivals_answer *answer,
                       const struct arrivals_stream *stream) {
  struct objects *arrivals = document_objects(document, &arrivals_kind);
  objects_add(arrivals);
  object_text(arrivals, "of", answer->times.what);
  object_text(arrivals, "node", stream->times->node);
  object_count(arrivals, "arrivals", stream->times->ns.count);
  object_count(arrivals, "span_ns", stream->span_ns);
  object_count(arrivals, "keeps_up_ns", stream->mean_gap_ns);
  object_number(arrivals, "rate", stream->rate);
  object_flag(arrivals, "complete", !answer->times.lacks);
}

static void show_stream(struct document *document, const struct arrivals_answer *answer,
                        const struct arrivals_stream *stream) {
  const char *node = stream->times->node;
  struct text text;
  text_init(&text);
  text_format(&text, "%s%s%s: %zu arrivals in ", answer->times.what, node == NULL ? "" : ", ",
              node == NULL ? "" : node, stream->times->ns.count);
  duration_print_lower(&text, stream->span_ns);
  text_format(&text, ", %.6g/s, one every ", stream->rate);
  duration_print_lower(&text, stream->mean_gap_ns);
  document_take(document, LINES_CLOSE, 0, &text);
  put_stream(document, answer, stream);
  show_buckets(document, stream);
  struct objects *slowest = document_objects(document, &slowest_kind);
  for (size_t i = 0; i < stream->slowest.count; i++)
    show_slowest(document, slowest, stream, &stream->slowest.data[i]);
  document_say(document, LINES_CLOSE,
               "The largest T that keeps up is %" PRIu64
               " ns: with a larger one tokens come more slowly than these arrivals, and the "
               "burst grows with the length of the recording.",
               stream->mean_gap_ns);
}

void arrivals_document(struct document *document, const struct arrivals_answer *answer) {
  document_init(document, "arrivals", arrivals_kinds);
  document_title(document, "Token buckets of %s", answer->times.what);
  for (size_t i = 0; i < answer->streams.count; i++)
    show_stream(document, answer, &answer->streams.data[i]);
  struct text text;
  text_init(&text);
  if (answer->status == STATUS_UNKNOWN)
    text_append(&text, "Cannot tell: some records are missing, which may have been arrivals; a "
                       "complete recording may need larger bursts.");
  document_take(document, LINES_CLOSE, 0, &text);
  document_ledger(document, &answer->ledger);
}
