/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/reading.h"
#include "trace/span/skew.h"

enum { WEB, CART, PRICE };

static struct skew_notes correct(struct skew_span *spans, uint32_t count) {
  struct skew_notes notes = {0};
  skew_correct(spans, count, 0, &notes);
  return notes;
}

#define ROOT                                                                                       \
  { .start = 100, .end = 200, .up = SPAN_NONE, .host = WEB }

static void test_a_called_span_does_not_start_before_its_caller(void **state) {
  (void)state;
  struct skew_span spans[] = {ROOT,
                              {.start = 60, .end = 130, .up = 0, .host = CART},
                              {.start = 65, .end = 80, .up = 1, .host = CART}};
  struct skew_notes notes = correct(spans, 3);
  assert_int_equal(spans[0].start, 100);
  assert_int_equal(spans[1].start, 100);
  assert_int_equal(spans[1].end, 170);
  assert_int_equal(spans[2].start, 105); /* it has the same clock */
  assert_int_equal(spans[2].mark, SPAN_MOVED);
  assert_int_equal(notes.moved_requests, 1);
  assert_int_equal(notes.moved_spans, 2);
  assert_int_equal(notes.example.shift, 40);
  assert_int_equal(notes.example.least, 40);
  assert_int_equal(notes.example.most, 70);
}

static void test_a_server_does_not_end_after_its_client(void **state) {
  (void)state;
  struct skew_span late[] = {
      {.start = 100, .end = 200, .up = SPAN_NONE, .host = WEB, .kind = SPAN_CLIENT},
      {.start = 130, .end = 210, .up = 0, .host = CART, .kind = SPAN_SERVER}};
  assert_int_equal(correct(late, 2).example.shift, -10);
  assert_int_equal(late[1].end, 200);
  struct skew_span given_up[] = {
      {.start = 100,
       .end = 200,
       .up = SPAN_NONE,
       .host = WEB,
       .kind = SPAN_CLIENT,
       .status = SPAN_ERROR},
      {.start = 130, .end = 210, .up = 0, .host = CART, .kind = SPAN_SERVER}};
  assert_int_equal(correct(given_up, 2).moved_spans, 0);
  assert_int_equal(given_up[1].end, 210);
}

/* A call may outlive its caller, and what is within the bounds is believed. */
static void test_what_is_possible_stays(void **state) {
  (void)state;
  struct skew_span spans[] = {ROOT,
                              {.start = 150, .end = 300, .up = 0, .host = CART},
                              {.start = 50, .end = 60, .up = 0, .host = WEB},
                              {.start = 100, .end = 110, .up = 0, .host = PRICE}};
  struct skew_notes notes = correct(spans, 4);
  assert_int_equal(notes.moved_spans, 0);
  assert_int_equal(notes.skewed_spans, 0);
  assert_int_equal(spans[2].start, 50); /* of the same clock: never moved */
}

static void test_what_nobody_waits_for_bounds_from_below_alone(void **state) {
  (void)state;
  struct skew_span spans[] = {
      ROOT, {.start = 90, .end = 400, .up = 0, .host = CART, .mark = SPAN_FOLLOWS}};
  assert_int_equal(correct(spans, 2).example.shift, 10);
  assert_int_equal(spans[1].end, 410);
}

static void test_calls_of_two_spans_that_no_shift_mends(void **state) {
  (void)state;
  struct skew_span spans[] = {ROOT,
                              {.start = 50, .end = 190, .up = 0, .host = CART},
                              {.start = 110, .end = 120, .up = 0, .host = CART}};
  struct skew_notes notes = correct(spans, 3);
  assert_int_equal(notes.moved_spans, 0);
  assert_int_equal(notes.skewed_spans, 1);
  assert_int_equal(spans[1].mark, SPAN_SKEWED);
  assert_int_equal(spans[1].start, 50);
  assert_int_equal(spans[2].mark, 0);
}

/* The move of one host carries on to those that it calls, as far as causality asks for it. */
static void test_hosts_one_behind_another(void **state) {
  (void)state;
  struct skew_span spans[] = {ROOT,
                              {.start = 60, .end = 130, .up = 0, .host = CART},
                              {.start = 80, .end = 120, .up = 1, .host = PRICE},
                              {.start = 115, .end = 120, .up = 1, .host = 77}};
  struct skew_notes notes = correct(spans, 4);
  assert_int_equal(spans[1].start, 100);
  assert_int_equal(spans[2].start, 100);
  assert_int_equal(spans[3].start, 115);
  assert_int_equal(notes.moved_spans, 2);
}

static void test_times_at_the_edges(void **state) {
  (void)state;
  struct skew_span spans[] = {
      {.start = SPAN_TIME_MAX, .end = SPAN_TIME_MAX, .up = SPAN_NONE, .host = WEB},
      {.start = -SPAN_TIME_MAX, .end = -SPAN_TIME_MAX + 5, .up = 0, .host = CART},
      {.start = -SPAN_TIME_MAX, .end = SPAN_TIME_MAX, .up = 1, .host = PRICE}};
  struct skew_notes notes = correct(spans, 3);
  assert_int_equal(notes.skewed_requests, 1);
}

/* Read from a file: the calls are in order of the moved starts, and the ledger says what was done.
 */
static void test_a_file(void **state) {
  (void)state;
  const char *text =
      "[{\"traceId\":\"t\",\"id\":\"a\",\"timestamp\":100,\"duration\":100,\"localEndpoint\":"
      "{\"serviceName\":\"web\"}},"
      "{\"traceId\":\"t\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":10,\"duration\":20,"
      "\"localEndpoint\":{\"serviceName\":\"cart\"}},"
      "{\"traceId\":\"t\",\"id\":\"c\",\"parentId\":\"b\",\"timestamp\":15,\"duration\":5,"
      "\"localEndpoint\":{\"serviceName\":\"cart\"}},"
      "{\"traceId\":\"t\",\"id\":\"d\",\"parentId\":\"a\",\"timestamp\":90,\"duration\":5,"
      "\"localEndpoint\":{\"serviceName\":\"cart\"}},"
      "{\"traceId\":\"t\",\"id\":\"e\",\"parentId\":\"a\",\"timestamp\":100,\"duration\":1,"
      "\"localEndpoint\":{\"serviceName\":\"web\"}}]";
  check_read(text, "t:\na web/ 100000+100000\ne<a web/ 100000+1000\nb<a cart/ 100000+20000\n"
                   "c<b cart/ 105000+5000\nd<a cart/ 180000+5000\n");
  check_noted(text, "clocks of hosts disagree in 1 requests, and 3 spans are moved by the least "
                    "that causality asks for; the most is 0.090 ms, of the clock of cart against "
                    "that of web, where 0.090 to 0.105 ms are possible");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_called_span_does_not_start_before_its_caller),
      cmocka_unit_test(test_a_server_does_not_end_after_its_client),
      cmocka_unit_test(test_what_is_possible_stays),
      cmocka_unit_test(test_what_nobody_waits_for_bounds_from_below_alone),
      cmocka_unit_test(test_calls_of_two_spans_that_no_shift_mends),
      cmocka_unit_test(test_hosts_one_behind_another),
      cmocka_unit_test(test_times_at_the_edges),
      cmocka_unit_test(test_a_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
