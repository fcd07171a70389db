/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Saved laws: what is read is what was written, and anything else is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory.h"
#include "dist/survival/law_file.h"
#include "tests/unit/dist/random.h"

#define HALF "500000000000000000"
#define ONE "1000000000000000000"

static const struct grid small = {.sub_bits = 1, .octaves = 1}; /* 0 1 2 3 4 */
static const struct grid linear = {.shift = 12, .points = 300};

/* `text` with its checksum behind it. */
static void seal(struct text *sealed, const char *text) {
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, text, strlen(text));
  text_format(sealed, "%schecksum %s\n", text, digest);
}

static void bad_bytes(const char *bytes, size_t length, const char *expected) {
  struct saved_law file;
  struct text message;
  law_file_init(&file);
  text_init(&message);
  assert_int_equal(law_file_parse(&file, "f", bytes, length, &message), STATUS_DATA);
  if (expected != NULL)
    assert_string_equal(text_get(&message), expected);
  assert_true(message.length > 4 && strncmp(message.data, "f:", 2) == 0);
  assert_null(strchr(message.data, '\n'));
  assert_null(file.sides[SIDE_UPPER].tail);
  assert_null(file.sides[SIDE_LOWER].tail);
  assert_int_equal(file.notes.count, 0);
  text_clear(&message);
}

static void bad(const char *text, const char *expected) {
  bad_bytes(text, strlen(text), expected);
}

/* The same where only what precedes the checksum is wrong. */
static void bad_sealed(const char *text, const char *expected) {
  struct text sealed;
  text_init(&sealed);
  seal(&sealed, text);
  bad(sealed.data, expected);
  text_clear(&sealed);
}

static void test_the_text_of_a_law(void **state) {
  (void)state;
  struct survival s;
  survival_init_side(&s, &small, SIDE_LOWER);
  const uint64_t tails[] = {SURVIVAL_ONE, SURVIVAL_ONE / 2, SURVIVAL_ONE / 2, 7, 7};
  memcpy(s.tail, tails, sizeof tails);
  const char *notes[] = {"two\nlines", ""};
  struct text text, sealed;
  text_init(&text);
  text_init(&sealed);
  law_file_print(&text, NULL, &s, notes, 2);
  seal(&sealed,
       "tailproof-law 2\n# two lines\n# \ngrid log 1 1\nside lower\n1 " ONE "\n2 " HALF "\n2 7\n");
  assert_string_equal(text.data, sealed.data);
  assert_true(law_file_is(text.data, text.length));
  assert_false(law_file_is("tailproof-histogram 1\n", 22));
  text_clear(&text);
  text_clear(&sealed);
  survival_clear(&s);
}

/* Writes what is given, reads it, and compares. */
static void assert_round_trip(const struct survival *upper, const struct survival *lower,
                              const char *const *notes, size_t note_count) {
  struct saved_law file;
  struct text text, message;
  law_file_init(&file);
  text_init(&text);
  text_init(&message);
  law_file_print(&text, upper, lower, notes, note_count);
  assert_int_equal(law_file_parse(&file, "f", text.data, text.length, &message), STATUS_OK);
  const struct survival *sides[] = {[SIDE_UPPER] = upper, [SIDE_LOWER] = lower};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(sides[i] != NULL, file.sides[i].tail != NULL);
    if (sides[i] == NULL)
      continue;
    assert_int_equal(file.sides[i].side, i);
    assert_true(survival_equal(sides[i], &file.sides[i]));
  }
  assert_int_equal(file.notes.count, note_count);
  for (size_t i = 0; i < note_count; i++)
    assert_string_equal(file.notes.data[i], notes[i]);
  law_file_clear(&file);
  text_clear(&text);
  text_clear(&message);
}

static void test_round_trips(void **state) {
  (void)state;
  struct random random = {.state = 4711};
  const struct grid *grids[] = {&small, &linear, &grid_default};
  const char *notes[] = {"model: d < 5 ms", "# twice", " blanks  ", "µs"};
  for (size_t i = 0; i < 300; i++) {
    const struct grid *grid = grids[i % 30 == 0 ? 2 : i % 2];
    struct survival upper, lower;
    survival_init(&upper, grid);
    survival_init_side(&lower, grid, SIDE_LOWER);
    random_survival(&upper, &random, 40);
    random_survival(&lower, &random, 40);
    assert_round_trip(i % 3 == 0 ? NULL : &upper, i % 3 == 1 ? NULL : &lower, notes, i % 5);
    survival_clear(&upper);
    survival_clear(&lower);
  }
}

/* Version 1 counted in units of 2^-61: 2^60 is one half, and one unit is 0.43 of today's. */
static void test_the_first_version(void **state) {
  (void)state;
  struct saved_law file;
  struct text sealed, message;
  law_file_init(&file);
  text_init(&sealed);
  text_init(&message);
  seal(&sealed, "tailproof-law 1\ngrid log 1 1\n"
                "side upper\n1 2305843009213693952\n1 1152921504606846976\n1 7\n2 1\n"
                "side lower\n1 2305843009213693952\n1 1152921504606846976\n1 7\n2 1\n");
  assert_int_equal(law_file_parse(&file, "f", sealed.data, sealed.length, &message), STATUS_OK);
  const uint64_t upper[] = {SURVIVAL_ONE, SURVIVAL_ONE / 2, 4, 1, 1};
  const uint64_t lower[] = {SURVIVAL_ONE, SURVIVAL_ONE / 2, 3, 0, 0};
  assert_memory_equal(file.sides[SIDE_UPPER].tail, upper, sizeof upper);
  assert_memory_equal(file.sides[SIDE_LOWER].tail, lower, sizeof lower);
  law_file_clear(&file);
  bad("tailproof-law 1\ngrid log 1 1\nside upper\n1 2305843009213693953\n",
      "f:4: tails are at most 2305843009213693952 and decrease from line to line, and "
      "2305843009213693953 does not; save the law again");
  text_clear(&sealed);
  text_clear(&message);
}

static void test_a_file_on_disk(void **state) {
  (void)state;
  char directory[] = "/tmp/tailproof-law-XXXXXX";
  assert_non_null(mkdtemp(directory));
  struct text path, message;
  text_init(&path);
  text_init(&message);
  text_format(&path, "%s/a.law", directory);
  struct survival s;
  survival_init(&s, &linear);
  struct saved_law file;
  law_file_init(&file);
  assert_int_equal(law_file_read(&file, path.data, &message), STATUS_NO_INPUT);
  assert_non_null(strstr(message.data, "a.law"));
  text_clear(&message);
  assert_int_equal(law_file_write(path.data, &s, NULL, NULL, 0, &message), STATUS_OK);
  assert_int_equal(law_file_read(&file, path.data, &message), STATUS_OK);
  assert_true(survival_equal(&s, &file.sides[SIDE_UPPER]));
  law_file_clear(&file);
  unlink(path.data);
  rmdir(directory);
  assert_int_equal(law_file_write(path.data, &s, NULL, NULL, 0, &message), STATUS_INTERNAL);
  assert_non_null(strstr(message.data, "cannot be written"));
  survival_clear(&s);
  text_clear(&path);
  text_clear(&message);
}

#define HEAD "tailproof-law 2\n# note\ngrid log 1 1\nside upper\n"
#define SAVE "; save the law again"
#define CUT "the file ends before its line \"checksum ...\": it is truncated; save or copy it again"

static void test_what_is_refused(void **state) {
  (void)state;
  bad("", "f:1: " CUT);
  bad("tailproof-law 3\n", "f:1: this program reads only versions 1 and 2 of saved laws; save the "
                           "law again with this version");
  bad("latency_ns\n", "f:1: found \"latency_ns\", where \"tailproof-law 2\" is expected" SAVE);
  bad("tailproof-law 2\n#note\n", "f:2: found \"#note\", where \"grid log SUB_BITS OCTAVES\" or "
                                  "\"grid linear SHIFT POINTS\" is expected" SAVE);
  bad("tailproof-law 2\ngrid log 17 3\n",
      "f:2: found \"grid log 17 3\", where a grid within the limits of this program is "
      "expected" SAVE);
  bad("tailproof-law 2\ngrid log 18446744073709551617 1\n", NULL);
  bad("tailproof-law 2\ngrid log 01 1\n", NULL);
  bad("tailproof-law 2\ngrid log 1  1\n", NULL);
  bad("tailproof-law 2\ngrid log 1 1 \n", NULL);
  bad("tailproof-law 2\ngrid linear 0 0\n", NULL);
  bad("tailproof-law 2\ngrid linear 61 3\n", NULL);
  bad("tailproof-law 2\ngrid linear 0 16777217\n", NULL);
  bad(HEAD "0 5\n", "f:5: the counts of this side do not add up to the 5 points of the grid" SAVE);
  bad(HEAD "3 5\n3 4\n",
      "f:6: the counts of this side do not add up to the 5 points of the grid" SAVE);
  bad(HEAD "3 1000000000000000001\n", "f:5: tails are at most 1000000000000000000 and decrease "
                                      "from line to line, and 1000000000000000001 does "
                                      "not" SAVE);
  bad(HEAD "3 5\n2 5\n", "f:6: tails are at most 1000000000000000000 and decrease from line to "
                         "line, and 5 does not" SAVE);
  bad(HEAD "3 -5\n",
      "f:5: found \"3 -5\", where \"COUNT TAIL\", two whole numbers, is expected" SAVE);
  bad(HEAD "3 18446744073709551616\n", NULL);
  bad_sealed(HEAD "3 5\n", NULL);
  bad_sealed("tailproof-law 2\ngrid log 1 1\n",
             "f:3: the file holds neither side of a law; save it again");
  bad_sealed(HEAD "5 0\nside upper\n5 0\n", "f:6: \"side upper\" a second time" SAVE);
  bad_sealed(HEAD "5 0\nside middle\n",
             "f:6: found \"side middle\", where \"side upper\", \"side lower\" or \"checksum ...\" "
             "is expected" SAVE);
  bad(HEAD "5 0\nchecksum 0\n", "f:6: the checksum is that of other contents: the file is damaged "
                                "or was edited" SAVE);
  struct text text;
  text_init(&text);
  seal(&text, HEAD "5 0\n");
  text_append(&text, "\n");
  bad(text.data, "f:6: more follows behind the checksum; one file holds one law");
  text_clear(&text);
  bad_bytes("tailproof-law 2\n\0\n", 18, NULL);
}

/* A file cut off anywhere, and one with any byte changed. */
static void test_damage(void **state) {
  (void)state;
  struct random random = {.state = 99};
  struct survival upper, lower;
  survival_init(&upper, &linear);
  survival_init_side(&lower, &linear, SIDE_LOWER);
  random_survival(&upper, &random, 9);
  random_survival(&lower, &random, 9);
  const char *notes[] = {"data: 12 observations"};
  struct text text;
  text_init(&text);
  law_file_print(&text, &upper, &lower, notes, 1);
  for (size_t length = 0; length < text.length; length++)
    bad_bytes(text.data, length, NULL);
  for (size_t i = 0; i < text.length; i++)
    for (unsigned bit = 0; bit < 8; bit++) {
      text.data[i] = (char)(text.data[i] ^ (1 << bit));
      bad_bytes(text.data, text.length, NULL);
      text.data[i] = (char)(text.data[i] ^ (1 << bit));
    }
  text_clear(&text);
  survival_clear(&upper);
  survival_clear(&lower);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_text_of_a_law), cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_the_first_version), cmocka_unit_test(test_a_file_on_disk),
      cmocka_unit_test(test_what_is_refused),   cmocka_unit_test(test_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
