/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each row of the table of formats against a sample of each: told right, and taken for no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "format/tell.h"

static const char *const ids[] = {
    "NONE",
#define FORMAT(id, ...) #id,
#include "format/formats.def"
#undef FORMAT
};

struct sample {
  enum format_id id;
  struct text bytes;
};

static VECTOR(struct sample) samples;

static enum format_id id_of(struct slice word) {
  for (size_t i = 0; i < KNOWN_COUNT; i++)
    if (slice_is(word, ids[i]))
      return (enum format_id)i;
  fail_msg("no format is called %.*s", (int)word.length, word.start);
  return KNOWN_NONE;
}

static void take_escaped(struct text *out, struct slice line) {
  for (size_t i = 0; i < line.length; i++) {
    unsigned byte = (unsigned char)line.start[i];
    if (byte == '\\' && i + 3 < line.length && line.start[i + 1] == 'x') {
      char digits[3] = {line.start[i + 2], line.start[i + 3], '\0'};
      byte = (unsigned)strtoul(digits, NULL, 16);
      i += 3;
    }
    char one = (char)byte;
    text_append_bytes(out, &one, 1);
  }
}

static void take_header(struct slice line, bool *escaped) {
  struct slice word;
  struct sample sample = {KNOWN_NONE, {0}};
  line = (struct slice){line.start + 3, line.length - 3};
  slice_field(&word, &line, ' ');
  sample.id = id_of(word);
  *escaped = slice_is(slice_trim(line), "bytes");
  text_append(&sample.bytes, "");
  if (slice_is(slice_trim(line), "tar")) { /* its sign stands far behind */
    char block[512] = "file";
    memcpy(block + 257, "ustar", 5);
    text_append_bytes(&sample.bytes, block, sizeof block);
  }
  vector_push(&samples, sample);
}

static int read_samples(void **unused) {
  (void)unused;
  char *bytes;
  size_t length;
  bool escaped = false;
  struct text message = {0};
  if (file_read("tests/unit/format/samples", 1 << 20, &bytes, &length, &message) != STATUS_OK)
    fail_msg("%s", text_get(&message));
  struct slice rest = {bytes, length}, line;
  while (rest.length != 0) {
    const char *end = memchr(rest.start, '\n', rest.length);
    line = (struct slice){rest.start, (size_t)(end - rest.start)};
    rest = (struct slice){end + 1, rest.length - line.length - 1};
    if (slice_starts(line, "== ")) {
      take_header(line, &escaped);
    } else if (samples.count != 0) {
      struct text *out = &samples.data[samples.count - 1].bytes;
      if (escaped)
        take_escaped(out, line);
      else
        text_format(out, "%.*s\n", (int)line.length, line.start);
    }
  }
  mem_free(bytes);
  return 0;
}

static int clear_samples(void **unused) {
  (void)unused;
  for (size_t i = 0; i < samples.count; i++)
    text_clear(&samples.data[i].bytes);
  vector_clear(&samples);
  return 0;
}

static struct slice bytes_of(const struct sample *sample) {
  return (struct slice){sample->bytes.data, sample->bytes.length};
}

static void each_row_has_a_sample(void **unused) {
  (void)unused;
  bool has[KNOWN_COUNT] = {0};
  for (size_t i = 0; i < samples.count; i++)
    has[samples.data[i].id] = true;
  for (size_t id = KNOWN_NONE + 1; id < KNOWN_COUNT; id++)
    if (!has[id])
      fail_msg("there is no sample of %s", ids[id]);
}

/* A row without a reader says what to do; one with a reader has a command. */
static void each_row_has_a_way_out(void **unused) {
  (void)unused;
  for (size_t id = KNOWN_NONE + 1; id < KNOWN_COUNT; id++) {
    const struct format_entry *row = format_row((enum format_id)id);
    assert_int_equal(row->id, id);
    assert_non_null(row->name);
    if (row->rank == FORMAT_FALLBACK)
      continue;
    assert_int_equal(row->way == NULL, row->yields != YIELDS_NOTHING);
    if (row->yields != YIELDS_NOTHING)
      assert_non_null(format_commands(row->yields));
  }
}

/* All rows but its own that are as sure do not hold. */
static void no_sample_is_another(void **unused) {
  (void)unused;
  for (size_t i = 0; i < samples.count; i++) {
    struct format_beginning beginning;
    const struct format_entry *own = format_row(samples.data[i].id);
    format_beginning_init(&beginning, bytes_of(&samples.data[i]));
    if (!format_holds(own, &beginning))
      fail_msg("sample %zu (%s) is not told", i, ids[own->id]);
    for (size_t id = KNOWN_NONE + 1; id < KNOWN_COUNT; id++) {
      const struct format_entry *row = format_row((enum format_id)id);
      if (row != own && row->rank >= own->rank && format_holds(row, &beginning))
        fail_msg("sample %zu (%s) is taken for %s", i, ids[own->id], ids[id]);
    }
    format_beginning_clear(&beginning);
  }
}

static void assert_told(struct slice bytes, const char *name, enum format_id id,
                        enum format_id other) {
  struct format_told told = format_tell_bytes(bytes, name);
  if (told.id != id || told.other != other)
    fail_msg("%s and %s, not %s and %s", ids[told.id], ids[told.other], ids[id], ids[other]);
}

/* Whatever the name says, and behind a byte order mark (of text) as well. */
static void each_sample_is_told(void **unused) {
  (void)unused;
  for (size_t i = 0; i < samples.count; i++) {
    const struct sample *sample = &samples.data[i];
    struct text marked = {0};
    assert_told(bytes_of(sample), NULL, sample->id, KNOWN_NONE);
    assert_told(bytes_of(sample), "x.hgrm", sample->id, KNOWN_NONE);
    text_append(&marked, "\xef\xbb\xbf");
    text_append_bytes(&marked, sample->bytes.data, sample->bytes.length);
    if (memchr(sample->bytes.data, '{', sample->bytes.length) == sample->bytes.data)
      assert_told((struct slice){marked.data, marked.length}, NULL, sample->id, KNOWN_NONE);
    text_clear(&marked);
  }
}

/* What begins as another does. */
static bool may_become(enum format_id told, enum format_id id) {
  static const enum format_id pairs[][2] = {
      {KNOWN_WRK, KNOWN_HGRM}, {KNOWN_ZIPKIN, KNOWN_ZIPKIN_V1}, {KNOWN_CHROME, KNOWN_NODE_TRACE}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == told && pairs[i][1] == id)
      return true;
  return told == id;
}

/* A file that is cut off anywhere is not told as another that is as sure. */
static void a_beginning_is_no_other(void **unused) {
  (void)unused;
  for (size_t i = 0; i < samples.count; i++) {
    const struct sample *sample = &samples.data[i];
    for (size_t length = 1; length < sample->bytes.length && length < 400; length += 3) {
      struct format_told told = format_tell_bytes((struct slice){sample->bytes.data, length}, NULL);
      if (told.id != KNOWN_NONE && format_row(told.id)->rank == FORMAT_SURE &&
          !may_become(told.id, sample->id))
        fail_msg("%zu bytes of sample %zu (%s) are %s", length, i, ids[sample->id], ids[told.id]);
    }
  }
}

static struct slice text_of(const char *string) {
  return (struct slice){string, strlen(string)};
}

/* What may be two formats is said to be, but for its name. */
static void what_is_open_is_said(void **unused) {
  (void)unused;
  struct slice both = text_of("protocol x\n2;3 4\n");
  struct slice two = text_of("a_ms;f 3\nb;g 4\n");
  assert_told(both, NULL, KNOWN_PROTOCOL, KNOWN_NONE);
  assert_told(two, NULL, KNOWN_STACKS, KNOWN_NONE);
  struct slice open = text_of("{\"DurationHistogram\":{},\"resourceSpans\":[]}");
  assert_told(open, NULL, KNOWN_FORTIO, KNOWN_OTLP);
  static const struct format_wanted traces = {1u << YIELDS_STACKS, "stacks",
                                              "folded stacks are read"};
  struct text message = {0};
  assert_true(format_refuse_bytes(&message, "x", open, &traces));
  assert_string_equal(text_get(&message),
                      "x: may be a report of fortio or traces of OpenTelemetry, and nothing in it "
                      "tells which; leave it out");
  text_clear(&message);
}

static void assert_refused(const char *path, struct slice bytes, unsigned yields,
                           const char *expected) {
  const struct format_wanted wanted = {yields, "traces", "Jaeger JSON is read"};
  struct text message = {0};
  bool refused = format_refuse_bytes(&message, path, bytes, &wanted);
  if (refused != (expected != NULL) || (refused && strcmp(text_get(&message), expected) != 0))
    fail_msg("%s", text_get(&message));
  text_clear(&message);
}

static void refusals(void **unused) {
  (void)unused;
  assert_refused("d/a.data", text_of("Showing nodes accounting for 5s\n"), 1u << YIELDS_SPANS,
                 "d/a.data: is a table that pprof prints; write it as pprof: go tool pprof -proto "
                 "d/a.data");
  assert_refused("a b", text_of("Showing nodes accounting for 5s\n"), 1u << YIELDS_SPANS,
                 "a b: is a table that pprof prints; write it as pprof: go tool pprof -proto FILE");
  assert_refused("a", text_of("latency_ms\n1\n"), 1u << YIELDS_SPANS,
                 "a: is a table of times, and holds no traces; give it to: tailproof percentiles "
                 "--data FOLDER, compare or import");
  assert_refused("a", text_of("latency_ms\n1\n"), 1u << YIELDS_SAMPLES, NULL);
  assert_refused("a", text_of("{\"x\":1}"), 1u << YIELDS_SPANS, NULL);
  assert_refused("a", text_of(""), 1u << YIELDS_SPANS, NULL);
}

/* Keys of any depth and number, and bytes of any kind, end. */
static void odd_beginnings(void **unused) {
  (void)unused;
  struct text deep = {0};
  for (int i = 0; i < 40000; i++)
    text_append(&deep, i % 2 == 0 ? "[" : "{\"a\":");
  format_tell_bytes((struct slice){deep.data, deep.length}, NULL);
  text_clear(&deep);
  text_append(&deep, "{");
  for (int i = 0; i < 5000; i++)
    text_format(&deep, "\"k%d\":%d,", i, i);
  assert_told((struct slice){deep.data, deep.length}, NULL, KNOWN_JSON_TEXT, KNOWN_NONE);
  text_clear(&deep);
  assert_told(text_of(""), NULL, KNOWN_NONE, KNOWN_NONE);
  assert_told(text_of("\n\n"), NULL, KNOWN_TEXT, KNOWN_NONE);
  assert_told(text_of("# only\n"), NULL, KNOWN_TEXT, KNOWN_NONE);
  assert_told(text_of("{main};f 3\n"), NULL, KNOWN_STACKS, KNOWN_NONE);
  assert_told(text_of("[main];f 3\n"), NULL, KNOWN_STACKS, KNOWN_NONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_row_has_a_sample),
      cmocka_unit_test(each_row_has_a_way_out),
      cmocka_unit_test(no_sample_is_another),
      cmocka_unit_test(each_sample_is_told),
      cmocka_unit_test(a_beginning_is_no_other),
      cmocka_unit_test(what_is_open_is_said),
      cmocka_unit_test(refusals),
      cmocka_unit_test(odd_beginnings),
  };
  return cmocka_run_group_tests(tests, read_samples, clear_samples);
}
