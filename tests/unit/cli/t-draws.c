/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/draws.h"
#include "tests/unit/cli/fixture.h"

static const struct sample *values_of(const struct fixture *f) {
  assert_true(f->calculation.draws.made);
  return &f->calculation.draws.values;
}

/* A table of columns A, B and C. */
static void write_table(struct fixture *f, const char *name, const char *columns, size_t rows,
                        void (*row)(FILE *file, size_t i)) {
  FILE *file = fixture_file(f, name);
  fprintf(file, "%s\n", columns);
  for (size_t i = 0; i < rows; i++)
    row(file, i);
  fclose(file);
}

/* --- by request ------------------------------------------------------------------------------- */

static void row_of_three(FILE *file, size_t i) {
  fprintf(file, "%zu,%zu,%s\n", 1000 + i * i % 77, 10 * i, i == 5 ? "timeout" : i == 6 ? "-" : "3");
}

static void test_requests_are_the_rows(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "max(A, B) + C");
  write_table(&f, "t.csv", "A_ns,B_ns,C_ns", 200, row_of_three);
  fixture_run(&f, "--set n=1 --joint @/t.csv");
  const struct sample *values = values_of(&f);
  assert_true(f.calculation.draws.by_request);
  assert_int_equal(values->series_count, 200);
  for (size_t i = 0; i < 200; i++) {
    size_t a = 1000 + i * i % 77, b = 10 * i, most = a > b ? a : b;
    uint64_t expected = i == 5 ? SAMPLE_NS_MAX : i == 6 ? most : most + 3;
    assert_int_equal(values->series[i], expected);
    assert_int_equal(values->series_lower[i], expected);
  }
  assert_int_equal(values->total, 200);
  assert_int_equal(values->beyond, 1);
  fixture_clear(&f);
}

static void row_of_one(FILE *file, size_t i) {
  fprintf(file, "%zu\n", 100 + i);
}

/* Which table it was is for the ledger to say. */
static void test_the_table_that_is_used(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "A + A");
  write_table(&f, "unused.csv", "B_ns", 20, row_of_one);
  write_table(&f, "used.csv", "A_ns", 30, row_of_one);
  fixture_run(&f, "--set n=1 --joint @/unused.csv --joint @/used.csv");
  assert_true(f.calculation.draws.by_request);
  assert_int_equal(f.calculation.draws.table, 1);
  assert_int_equal(values_of(&f)->total, 30);
  fixture_clear(&f);
}

/* A law without names that is chosen by lot is no part of a request: the rows are not the whole
 * truth. */
static void test_a_choice_is_no_request(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "A + C");
  write_table(&f, "t.csv", "A_ns", 30, row_of_one);
  fixture_run(&f, "--set n=1 --joint @/t.csv --law C=mix(0.5_1us,_0.5_2us)");
  assert_true(f.calculation.draws.made);
  assert_false(f.calculation.draws.by_request);
  fixture_stop(&f);
  fixture_run(&f, "--set n=1 --joint @/t.csv --law C=max(1us,_2us)");
  assert_true(f.calculation.draws.by_request);
  assert_int_equal(f.calculation.draws.values.series[0], 2100);
  fixture_clear(&f);
}

/* --- matched ---------------------------------------------------------------------------------- */

/* Observation i is 2^i ns: a sum says which it is made of. */
static void write_powers(struct fixture *f, const char *name, unsigned from, unsigned count) {
  uint64_t series[62];
  for (unsigned i = 0; i < count; i++)
    series[i] = UINT64_C(1) << (from + i);
  fixture_series(f, name, series, count);
}

static void test_no_observation_is_used_twice(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "A + (sum s in w (S[s]))");
  write_powers(&f, "S", 0, 60);
  fixture_run(&f, "--set n=3 --data @ --law A=S+mix(0.5_S,_0.5_0ns)");
  const struct sample *values = values_of(&f);
  assert_false(f.calculation.draws.by_request);
  assert_int_equal(values->total, 12); /* of 5 each, also where the second S is not chosen */
  uint64_t used = 0;
  for (size_t i = 0; i < 12; i++) {
    uint64_t x = values->series[i];
    assert_int_equal(used & x, 0);
    assert_in_range(__builtin_popcountll(x), 4, 5);
    used |= x;
  }
  uint64_t *cards = draws_per_row(&f.calculation.laws, f.calculation.expression);
  assert_int_equal(cards[laws_entry_called(&f.calculation.laws, "S")], 5);
  mem_free(cards);
  fixture_clear(&f);
}

static void test_too_few_observations_have_a_reason(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "(sum s in w (S[s]))");
  write_powers(&f, "S", 0, 5);
  fixture_run(&f, "--set n=6 --data @");
  assert_false(f.calculation.draws.made);
  assert_string_equal(f.calculation.draws.why,
                      "a file has fewer observations than the bound has occurrences of it");
  fixture_clear(&f);
}

static void row_of_pairs(FILE *file, size_t i) {
  fprintf(file, "%zu,%zu\n", 1000 * i, i);
}

static void row_of_millions(FILE *file, size_t i) {
  fprintf(file, "%zu\n", 1000000 * i);
}

/* A and B come from one row, C from anywhere, each once. */
static void check_partly_joint(const struct sample *values, size_t rows) {
  bool seen[100] = {false};
  size_t same = 0;
  assert_int_equal(values->series_count, rows);
  for (size_t i = 0; i < rows; i++) {
    uint64_t x = values->series[i], c = x / 1000000, a = x / 1000 % 1000, b = x % 1000;
    assert_int_equal(a, b);
    assert_true(c < 100 && !seen[c]);
    seen[c] = true;
    same += a == c;
  }
  assert_in_range(same, 0, 10); /* 1 is expected of random orders */
}

static void test_rows_of_a_table_stay_together(void **state) {
  (void)state;
  struct fixture f;
  uint64_t c[100];
  for (size_t i = 0; i < 100; i++)
    c[i] = 1000000 * i;
  fixture_init(&f, "A + B + C");
  write_table(&f, "t.csv", "A_ns,B_ns", 90, row_of_pairs);
  fixture_series(&f, "C", c, 100);
  fixture_run(&f, "--set n=1 --joint @/t.csv --data @");
  assert_false(f.calculation.draws.by_request);
  check_partly_joint(values_of(&f), 90);
  fixture_clear(&f);
}

/* Neither table is in the order of the other; and the folder's name plays no part in it. */
static void test_two_tables_are_in_different_orders(void **state) {
  (void)state;
  uint64_t first[90];
  for (int round = 0; round < 2; round++) {
    struct fixture f;
    fixture_init(&f, "A + B + C");
    write_table(&f, "ab.csv", "A_ns,B_ns", 90, row_of_pairs);
    write_table(&f, "c.csv", "C_ns", 100, row_of_millions);
    fixture_run(&f, "--set n=1 --joint @/ab.csv --joint @/c.csv");
    check_partly_joint(values_of(&f), 90);
    if (round == 0)
      memcpy(first, values_of(&f)->series, sizeof first);
    else
      assert_memory_equal(first, values_of(&f)->series, sizeof first);
    fixture_clear(&f);
  }
}

/* A law that names A means the file, also where a table has a column of that name: its rows would
 * be used twice. */
static void test_a_law_names_files(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "A + C");
  write_table(&f, "t.csv", "A_ns", 50, row_of_one);
  write_powers(&f, "A", 10, 50);
  fixture_run(&f, "--set n=1 --joint @/t.csv --data @ --law C=A");
  const struct sample *values = values_of(&f);
  assert_int_equal(values->total, 50);
  uint64_t used = 0;
  for (size_t i = 0; i < 50; i++)
    used |= values->series[i] & ~UINT64_C(1023);
  assert_int_equal(__builtin_popcountll(used), 50);
  fixture_clear(&f);
}

/* --- caps and changes ------------------------------------------------------------------------- */

static void test_caps(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f, "A + C");
  write_powers(&f, "A", 10, 40);
  fixture_run(&f, "--set n=1 --data @ --law C=mix(0.5_1ns,_0.5_never) --cap C=7.5ns:why");
  const struct sample *values = values_of(&f);
  size_t capped = 0;
  for (size_t i = 0; i < 40; i++) {
    uint64_t lower = values->series_lower[i] % 1024, upper = values->series[i] % 1024;
    assert_true((lower == 1 && upper == 1) || (lower == 7 && upper == 8));
    capped += upper == 8;
  }
  assert_in_range(capped, 1, 39);
  fixture_clear(&f);
}

static void test_changes(void **state) {
  (void)state;
  struct fixture f;
  struct draws draws;
  fixture_init(&f, "A + B");
  write_powers(&f, "A", 30, 20);
  write_powers(&f, "B", 3, 20);
  fixture_run(&f, "--set n=1 --data @");
  size_t b = laws_entry_called(&f.calculation.laws, "B");
  const struct sample *values = values_of(&f);
  static const uint64_t parts[] = {0, 1, 2};
  for (size_t k = 0; k < 3; k++) {
    struct draws_change change = {.entry = b, .numerator = parts[k], .denominator = 2};
    draws_make(&draws, &f.calculation.laws, f.calculation.expression, &change);
    assert_int_equal(draws.values.series_count, 20);
    for (size_t i = 0; i < 20; i++) {
      uint64_t small = values->series[i] % (UINT64_C(1) << 30);
      assert_int_equal(draws.values.series[i], values->series[i] - small + small / 2 * parts[k]);
    }
    draws_clear(&draws);
  }
  fixture_clear(&f);
}

static void test_row_by_row(void **state) {
  (void)state;
  struct fixture f;
  struct sample sample;
  fixture_init(&f, "A + B + C");
  write_powers(&f, "A", 0, 20);
  write_powers(&f, "B", 30, 20);
  fixture_run(&f, "--set n=1 --data @ --law C=0ns");
  sample_init(&sample);
  draws_row_by_row(&sample, &f.calculation.laws, f.calculation.expression, 20);
  assert_int_equal(sample.count, 20);
  for (size_t i = 0; i < 20; i++)
    assert_int_equal(sample.bins[i].upper_ns, (UINT64_C(1) << i) + (UINT64_C(1) << (30 + i)));
  sample_clear(&sample);
  sample_init(&sample);
  draws_row_by_row(&sample, &f.calculation.laws, f.calculation.expression, 19);
  assert_int_equal(sample.total, 0);
  sample_clear(&sample);
  fixture_clear(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_requests_are_the_rows),
      cmocka_unit_test(test_the_table_that_is_used),
      cmocka_unit_test(test_a_choice_is_no_request),
      cmocka_unit_test(test_no_observation_is_used_twice),
      cmocka_unit_test(test_too_few_observations_have_a_reason),
      cmocka_unit_test(test_rows_of_a_table_stay_together),
      cmocka_unit_test(test_two_tables_are_in_different_orders),
      cmocka_unit_test(test_a_law_names_files),
      cmocka_unit_test(test_caps),
      cmocka_unit_test(test_changes),
      cmocka_unit_test(test_row_by_row),
  };
  return cmocka_run_group_tests_name("draws", tests, NULL, NULL);
}
