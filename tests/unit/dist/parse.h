/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the readers share: one parse with everything it hands back, and its clean-up.
 */
#ifndef TESTS_UNIT_DIST_PARSE_H
#define TESTS_UNIT_DIST_PARSE_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dist/source/reader.h"
#include "tests/unit/sampled.h"

struct parsed {
  enum status status;
  struct sample sample;
  struct source_notes notes;
  struct text message;
};

/* The bytes are copied to a block of their exact size, so that a sanitizer sees any overrun. */
static inline struct parsed parse_bytes(enum source_format format, const char *bytes, size_t length,
                                        const char *unit) {
  struct parsed parsed;
  sample_init(&parsed.sample);
  source_notes_init(&parsed.notes);
  text_init(&parsed.message);
  char *copy = mem_copy_text(bytes, length);
  parsed.status = source_parse(&parsed.sample, &parsed.notes, format, "f", copy, length, unit, NULL,
                               &parsed.message);
  mem_free(copy);
  return parsed;
}

/* The same with --select. */
static inline struct parsed parse_selected(enum source_format format, const char *bytes,
                                           const char *unit, const char *select) {
  struct parsed parsed;
  sample_init(&parsed.sample);
  source_notes_init(&parsed.notes);
  text_init(&parsed.message);
  char *copy = mem_copy_text(bytes, strlen(bytes));
  const struct source_page page = {.name = "f", .bytes = copy, .length = strlen(bytes)};
  const struct source_options options = {.unit = unit, .select = select};
  parsed.status = source_parse_as(&parsed.sample, &parsed.notes, format, &page, &options, NULL,
                                  &parsed.message);
  mem_free(copy);
  return parsed;
}

static inline void parsed_clear(struct parsed *parsed) {
  sample_clear(&parsed->sample);
  source_notes_clear(&parsed->notes);
  text_clear(&parsed->message);
}

/* What must hold of every parse whatsoever. */
static inline void parsed_check(const struct parsed *parsed, const char *bytes, size_t length) {
  bool good;
  if (parsed->status == STATUS_OK)
    good = sample_is_valid(&parsed->sample) && parsed->message.length == 0;
  else
    good = parsed->status == STATUS_DATA && parsed->message.length != 0 &&
           strncmp(parsed->message.data, "f:", 2) == 0 &&
           strchr(parsed->message.data, '\n') == NULL && parsed->sample.total == 0 &&
           parsed->sample.bins == NULL && parsed->notes.count == 0;
  if (!good)
    fail_msg("status %d, message \"%s\" on: %.*s", parsed->status, text_get(&parsed->message),
             (int)length, bytes);
}

/* What has to be stated of formats that name no unit. */
static inline const char *needed_unit(enum source_format format) {
  return format == FORMAT_HGRM || format == FORMAT_HLOG ? "ns" : NULL;
}

/* Every prefix: OK or one message. Returns how many were OK. */
static inline size_t parse_prefixes(enum source_format format, const char *bytes, size_t length) {
  size_t good = 0;
  for (size_t cut = 0; cut <= length; cut++) {
    struct parsed parsed = parse_bytes(format, bytes, cut, needed_unit(format));
    parsed_check(&parsed, bytes, cut);
    good += parsed.status == STATUS_OK;
    parsed_clear(&parsed);
  }
  return good;
}

/* Every byte replaced in turn by each of a few nasty ones: no crash, one message at most. */
static inline void parse_damaged(enum source_format format, const char *bytes, size_t length) {
  static const char nasty[] = {'\0', '\n', ' ', ',', '"', '-', '9', 'e', '\xff', '\r'};
  char *copy = mem_copy_text(bytes, length);
  size_t step = sampled_step();
  for (size_t i = 0; i < length; i++)
    for (size_t k = i % step; k < sizeof nasty; k += step) {
      copy[i] = nasty[k];
      struct parsed parsed = parse_bytes(format, copy, length, needed_unit(format));
      parsed_check(&parsed, copy, length);
      parsed_clear(&parsed);
      copy[i] = bytes[i];
    }
  mem_free(copy);
}

static inline void assert_message(enum source_format format, const char *bytes, size_t length,
                                  const char *unit, const char *expected) {
  struct parsed parsed = parse_bytes(format, bytes, length, unit);
  parsed_check(&parsed, bytes, length);
  assert_int_equal(parsed.status, STATUS_DATA);
  assert_string_equal(text_get(&parsed.message), expected);
  parsed_clear(&parsed);
}

/* `expected` as "UPPER:COUNT UPPER:COUNT +BEYOND". */
static inline void assert_sample(const struct sample *sample, const char *expected) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < sample->count; i++)
    text_format(&text, "%" PRIu64 ":%" PRIu64 " ", sample->bins[i].upper_ns, sample->bins[i].count);
  text_format(&text, "+%" PRIu64, sample->beyond);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

/* The bins as "LOWER-UPPER:COUNT ... +BEYOND"; frees what was parsed. */
static inline void parsed_has(struct parsed parsed, const char *expected) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < parsed.sample.count; i++)
    text_format(&text, "%" PRIu64 "-%" PRIu64 ":%" PRIu64 " ", parsed.sample.bins[i].lower_ns,
                parsed.sample.bins[i].upper_ns, parsed.sample.bins[i].count);
  text_format(&text, "+%" PRIu64, parsed.sample.beyond);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
  parsed_clear(&parsed);
}

static inline void assert_selection_fails(enum source_format format, const char *bytes,
                                          const char *unit, const char *select,
                                          const char *expected) {
  struct parsed parsed = parse_selected(format, bytes, unit, select);
  parsed_check(&parsed, bytes, strlen(bytes));
  assert_string_equal(text_get(&parsed.message), expected);
  parsed_clear(&parsed);
}

/* `expected` as "LOWER-UPPER:COUNT LOWER-UPPER:COUNT +BEYOND". */
static inline void assert_ranges(enum source_format format, const char *bytes, const char *unit,
                                 const char *expected) {
  struct parsed parsed = parse_bytes(format, bytes, strlen(bytes), unit);
  if (parsed.status != STATUS_OK)
    fail_msg("%s on: %s", text_get(&parsed.message), bytes);
  parsed_check(&parsed, bytes, strlen(bytes));
  parsed_has(parsed, expected);
}

/* The series as "1 2 inf". */
static inline void assert_series(enum source_format format, const char *bytes,
                                 const char *expected) {
  struct parsed parsed = parse_bytes(format, bytes, strlen(bytes), NULL);
  if (parsed.status != STATUS_OK)
    fail_msg("%s on: %s", text_get(&parsed.message), bytes);
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < parsed.sample.series_count; i++) {
    text_append(&text, i == 0 ? "" : " ");
    if (parsed.sample.series[i] == SAMPLE_NS_MAX)
      text_append(&text, "inf");
    else
      text_format(&text, "%" PRIu64, parsed.sample.series[i]);
  }
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
  parsed_clear(&parsed);
}

/* In which unit the values were read. */
static inline void assert_unit(enum source_format format, const char *bytes, const char *unit,
                               const char *expected) {
  struct parsed parsed = parse_bytes(format, bytes, strlen(bytes), unit);
  if (parsed.status != STATUS_OK)
    fail_msg("%s on: %s", text_get(&parsed.message), bytes);
  assert_non_null(parsed.sample.evidence.unit);
  assert_string_equal(parsed.sample.evidence.unit, expected);
  parsed_clear(&parsed);
}

/* Whether one of the notes holds the words. */
static inline void assert_noted(enum source_format format, const char *bytes, const char *unit,
                                const char *words) {
  struct parsed parsed = parse_bytes(format, bytes, strlen(bytes), unit);
  bool noted = false;
  for (size_t i = 0; i < parsed.notes.count; i++)
    noted = noted || strstr(parsed.notes.lines[i], words) != NULL;
  if (!noted)
    fail_msg("no note \"%s\", message \"%s\" on: %s", words, text_get(&parsed.message), bytes);
  parsed_clear(&parsed);
}

static inline void assert_parses(enum source_format format, const char *bytes, const char *unit,
                                 const char *expected, size_t notes) {
  struct parsed parsed = parse_bytes(format, bytes, strlen(bytes), unit);
  if (parsed.status != STATUS_OK)
    fail_msg("%s on: %s", text_get(&parsed.message), bytes);
  parsed_check(&parsed, bytes, strlen(bytes));
  assert_sample(&parsed.sample, expected);
  assert_int_equal(parsed.notes.count, notes);
  parsed_clear(&parsed);
}

/* A small generator (xorshift64*), so that a printed seed repeats a run anywhere. */
static inline uint64_t random_next(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

#endif
