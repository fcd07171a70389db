/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "cli/present/figure/trace_lines.h"
#include "trace/span/store.h"

/* "0 1+2 3": the calls with a line, and behind a plus sign how many more share it. */
static void expect(const struct nested_call *calls, uint32_t count, size_t most,
                   const uint32_t (*expected)[3], size_t lines_expected) {
  struct trace_lines lines;
  trace_lines_make(&lines, calls, count, most);
  assert_int_equal(lines.lines.count, lines_expected);
  for (size_t l = 0; l < lines_expected; l++) {
    assert_int_equal(lines.lines.data[l].index, expected[l][0]);
    assert_int_equal(lines.lines.data[l].folded, expected[l][1]);
    assert_int_equal(lines.lines.data[l].depth, expected[l][2]);
  }
  trace_lines_clear(&lines);
}

static void test_few_calls_have_a_line_each(void **state) {
  (void)state;
  const struct nested_call calls[] = {{SPAN_NONE, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  const uint32_t expected[][3] = {{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 0, 1}};
  expect(calls, 4, 4, expected, 4);
}

static void test_of_many_the_heaviest_stay_with_their_callers(void **state) {
  (void)state;
  /* 0 calls 1, which calls 2 and 3, and 4, which calls 5; 3 is the heaviest */
  const struct nested_call calls[] = {{SPAN_NONE, 0, 9}, {0, 1, 0}, {1, 2, 0},
                                      {1, 7, 0},         {0, 3, 0}, {4, 0, 0}};
  const uint32_t three[][3] = {{0, 0, 0}, {1, 0, 1}, {3, 0, 2}, {2, 1, 2}, {4, 2, 1}};
  expect(calls, 6, 3, three, 5);
  const uint32_t two[][3] = {{0, 0, 0}, {4, 0, 1}, {5, 1, 2}, {1, 3, 1}};
  expect(calls, 6, 2, two, 4); /* 3 with its callers would be three lines, 4 is the next */
  const uint32_t one[][3] = {{0, 0, 0}, {1, 5, 1}};
  expect(calls, 6, 1, one, 2);
}

static void test_calls_without_a_caller(void **state) {
  (void)state;
  const struct nested_call calls[] = {
      {SPAN_NONE, 5, 0}, {0, 1, 0}, {SPAN_NONE, 2, 0}, {2, 0, 0}, {SPAN_NONE, 0, 0}};
  const uint32_t expected[][3] = {{0, 0, 0}, {1, 1, 1}, {2, 0, 0}, {3, 1, 1}, {4, 1, 0}};
  expect(calls, 5, 2, expected, 5);
}

/* Each call is in one line: its own or that of the folded ones; callers of calls with a line have
 * lines. */
static void check(const struct nested_call *calls, uint32_t count, size_t most) {
  struct trace_lines lines;
  trace_lines_make(&lines, calls, count, most);
  uint32_t *in = mem_alloc(lines.lines.count, sizeof *in);
  size_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    assert_true(lines.line_of[i] < lines.lines.count);
    in[lines.line_of[i]]++;
  }
  for (size_t l = 0; l < lines.lines.count; l++) {
    const struct trace_line *line = &lines.lines.data[l];
    assert_int_equal(in[l], line->folded == 0 ? 1 : line->folded);
    assert_int_equal(lines.line_of[line->index], l);
    kept += line->folded == 0;
    uint32_t depth = 0;
    for (uint32_t at = calls[line->index].caller; at != SPAN_NONE; at = calls[at].caller) {
      bool has_line = lines.lines.data[lines.line_of[at]].folded == 0;
      assert_true(has_line || line->folded != 0);
      depth += has_line;
    }
    assert_int_equal(line->depth, depth);
  }
  assert_true(kept >= 1 && kept <= most);
  mem_free(in);
  trace_lines_clear(&lines);
}

static void test_random_calls(void **state) {
  (void)state;
  struct nested_call calls[40];
  for (uint64_t seed = 1; seed <= 400; seed++) {
    struct random random = {seed};
    uint32_t count = 1 + (uint32_t)random_below(&random, 40);
    for (uint32_t i = 0; i < count; i++) {
      /* the caller is the call before it or one above that: preorder */
      uint32_t caller = i == 0 ? SPAN_NONE : i - 1;
      while (caller != SPAN_NONE && random_below(&random, 2) == 0)
        caller = calls[caller].caller;
      calls[i] = (struct nested_call){caller, (int64_t)(random_below(&random, 5)),
                                      (int64_t)(random_below(&random, 3))};
    }
    check(calls, count, 1 + random_below(&random, 12));
  }
}

/* A chain of callers is followed no further than there is room. */
static void test_deep_calls(void **state) {
  (void)state;
  enum { DEEP = 200000 };
  struct nested_call *calls = mem_alloc(DEEP, sizeof *calls);
  for (uint32_t i = 0; i < DEEP; i++)
    calls[i] = (struct nested_call){i == 0 ? SPAN_NONE : i - 1, i, 0};
  struct trace_lines lines;
  trace_lines_make(&lines, calls, DEEP, 60);
  assert_int_equal(lines.lines.count, 61);
  assert_int_equal(lines.lines.data[60].folded, DEEP - 60);
  trace_lines_clear(&lines);
  mem_free(calls);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_few_calls_have_a_line_each),
      cmocka_unit_test(test_of_many_the_heaviest_stay_with_their_callers),
      cmocka_unit_test(test_calls_without_a_caller),
      cmocka_unit_test(test_random_calls),
      cmocka_unit_test(test_deep_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
