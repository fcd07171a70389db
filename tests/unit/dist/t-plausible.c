/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/plausible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* 101 observations around the median, in steps. */
static void around(struct sample *sample, uint64_t median_ns, uint64_t step_ns) {
  sample_init(sample);
  for (uint64_t i = 0; i <= 100; i++) {
    uint64_t x =
        median_ns + i * step_ns >= 50 * step_ns ? median_ns + i * step_ns - 50 * step_ns : 0;
    assert_true(sample_add_range(sample, x, x, 1));
  }
  sample_finish(sample);
}

struct file {
  uint64_t median_ns, step_ns;
  const char *unit;
};

enum { FILES_MAX = 4 };

/* The warnings about these components; the last is the observation when `observed`. */
static void warnings_of(struct source_notes *notes, const struct file *given, size_t count,
                        bool observed) {
  static const char *const paths[] = {"a.csv", "b.csv", "c.csv", "d.csv"};
  struct sample samples[FILES_MAX];
  struct plausible_file files[FILES_MAX];
  for (size_t i = 0; i < count; i++) {
    around(&samples[i], given[i].median_ns, given[i].step_ns);
    files[i] = (struct plausible_file){paths[i], &samples[i], given[i].unit};
  }
  source_notes_init(notes);
  plausible_warn(notes, files, count - observed, observed ? &files[count - 1] : NULL);
  for (size_t i = 0; i < notes->count; i++)
    print_message("# %s\n", notes->lines[i]);
  for (size_t i = 0; i < count; i++)
    sample_clear(&samples[i]);
}

static void expect(const struct file *given, size_t count, bool observed, const char *path,
                   const char *said, const char *remedy) {
  struct source_notes notes;
  warnings_of(&notes, given, count, observed);
  if (path == NULL) {
    assert_int_equal(notes.count, 0);
  } else {
    assert_int_equal(notes.count, 1);
    assert_true(strncmp(notes.lines[0], path, strlen(path)) == 0);
    assert_non_null(strstr(notes.lines[0], said));
    assert_non_null(strstr(notes.lines[0], remedy));
  }
  source_notes_clear(&notes);
}

static void test_plausible_files(void **state) {
  (void)state;
  const struct file files[] = {{50000000, 123457, "ms"}, {700, 3, "ns"}, {30017, 11, "us"}};
  expect(files, 1, false, NULL, NULL, NULL);
  expect(files, 2, false, NULL, NULL, NULL);
  expect(files, 3, false, NULL, NULL, NULL);
  expect(files, 3, true, "c.csv", "add up to", "if that is wrong, correct it there");
}

static void test_range(void **state) {
  (void)state;
  const struct file hours[] = {{UINT64_C(40000000000000), 1234567891, "s"}};
  expect(hours, 1, false, "a.csv", "hardly is a latency",
         "its unit is stated to be s: if that is wrong, correct it there");
  const struct file nothing[] = {{0, 0, "ns"}}; /* a wait that mostly is none */
  expect(nothing, 1, false, NULL, NULL, NULL);
  const struct file rare[] = {{SAMPLE_NS_MAX, 0, NULL}}; /* what mostly does not happen */
  expect(rare, 1, false, NULL, NULL, NULL);
}

/* Nanoseconds read as milliseconds, between two others; milliseconds read as nanoseconds. */
static void test_scale(void **state) {
  (void)state;
  const struct file large[] = {
      {70000, 7, "us"}, {UINT64_C(80000000000), 1000001, "ms"}, {50001, 13, "us"}};
  expect(large, 3, false, "b.csv", "over 100000 times", "stated to be ms");
  const struct file small[] = {{70000000, 7, "us"}, {50000003, 13, "us"}, {120, 1, "ns"}};
  expect(small, 3, false, "c.csv", "under a 100000th", "stated to be ns");
  /* of two, the larger */
  const struct file pair[] = {{200, 1, "ns"}, {90000001, 13, "ms"}};
  expect(pair, 2, false, "b.csv", "over 100000 times", "stated to be ms");
  const struct file between[] = {{200, 1, "ns"}, {19999999, 13, "ms"}};
  expect(between, 2, false, NULL, NULL, NULL);
}

static void test_observed(void **state) {
  (void)state;
  const struct file fits[] = {{70000, 7, "us"}, {50001, 13, "us"}, {400001, 17, "us"}};
  expect(fits, 3, true, NULL, NULL, NULL);
  const struct file slow[] = {{70000, 7, "us"}, {50001, 13, "us"}, {400000001, 17, "us"}};
  expect(slow, 3, true, "c.csv", "end to end", "stated to be us");
  const struct file fast[] = {{70000, 7, "us"}, {50001, 13, "us"}, {151, 1, "ns"}};
  expect(fast, 3, true, "c.csv", "end to end", "stated to be ns");
}

static void test_coarse_clock(void **state) {
  (void)state;
  const struct file coarse[] = {{60000000, 1000000, "ms"}};
  expect(coarse, 1, false, "a.csv", "whole multiples of 1 ms", "finer");
  const struct file fine[] = {{600000000, 1000000, "ms"}}; /* 1 ms of 600 */
  expect(fine, 1, false, NULL, NULL, NULL);
  const struct file micro[] = {{60000, 1000, "ns"}};
  expect(micro, 1, false, "a.csv", "whole multiples of 1 us", "finer");
  /* once for all, by the one where it counts most; each clock by itself */
  const struct file many[] = {{80000, 1000, "ns"}, {60000, 1000, "ns"}, {70000, 1000, "ns"}};
  expect(many, 3, false, "b.csv, and 2 more like it: ", "at a median of 60 us", "finer");
  const struct file both[] = {{60000000, 1000000, "ms"}, {60000, 1000, "ns"}};
  struct source_notes two;
  warnings_of(&two, both, 2, false);
  assert_int_equal(two.count, 2);
  source_notes_clear(&two);
  struct sample constant; /* one value says nothing about the clock */
  sample_init(&constant);
  assert_true(sample_add_range(&constant, 5000000, 5000000, 1000));
  sample_finish(&constant);
  struct plausible_file file = {"a.csv", &constant, "ms"};
  struct source_notes notes;
  source_notes_init(&notes);
  plausible_warn(&notes, &file, 1, NULL);
  assert_int_equal(notes.count, 0);
  /* what never ended has no median */
  assert_true(sample_add_beyond(&constant, 100000));
  sample_finish(&constant);
  plausible_warn(&notes, &file, 1, &file);
  assert_int_equal(notes.count, 0);
  source_notes_clear(&notes);
  sample_clear(&constant);
}

/* Of a choice a column has only the requests for which it was chosen. */
static void test_choice(void **state) {
  (void)state;
  struct sample samples[3];
  struct plausible_file files[3] = {{"a.csv, column Serve.0", &samples[0], NULL},
                                    {"a.csv, column Serve.1", &samples[1], NULL},
                                    {"request.page", &samples[2], NULL}};
  for (size_t i = 0; i < 3; i++)
    around(&samples[i], i == 2 ? 500000 : 400000, 17);
  for (size_t i = 0; i < 2; i++) {
    assert_true(sample_add_range(&samples[i], 900000000, 900000000, 1));
    assert_true(sample_add_range(&samples[i], 0, SAMPLE_NS_MAX, 103));
    sample_finish(&samples[i]);
  }
  struct source_notes notes;
  source_notes_init(&notes);
  plausible_warn(&notes, files, 2, &files[2]);
  assert_int_equal(notes.count, 0);
  sample_clear(&samples[2]);
  around(&samples[2], 500000000, 17);
  plausible_warn(&notes, files, 2, &files[2]);
  assert_int_equal(notes.count, 1);
  assert_non_null(strstr(notes.lines[0], "is its unit right?"));
  assert_null(strstr(notes.lines[0], "null"));
  source_notes_clear(&notes);
  for (size_t i = 0; i < 3; i++)
    sample_clear(&samples[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plausible_files), cmocka_unit_test(test_range),
      cmocka_unit_test(test_scale),           cmocka_unit_test(test_observed),
      cmocka_unit_test(test_coarse_clock),    cmocka_unit_test(test_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
