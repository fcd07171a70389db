/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/random_requests.h"
#include "trace/tail/requests.h"

/* All requests are of the rest but the slowest. */
static enum tail_side *sides_of(const struct tail_causes *causes, size_t *slowest) {
  enum tail_side *sides = mem_alloc(causes->requests, sizeof *sides);
  *slowest = 0;
  for (size_t i = 0; i < causes->requests; i++)
    if (causes->latency[i] > causes->latency[*slowest])
      *slowest = i;
  sides[*slowest] = TAIL_SLOW;
  return sides;
}

static void check_causes(struct graphed *graphed) {
  struct tail_causes causes;
  uint32_t *order;
  size_t slowest;
  tail_requests_causes(&causes, &order, &graphed->graph, &graphed->store);
  assert_int_equal(causes.requests, graphed->store.requests.count);
  enum tail_side *sides = sides_of(&causes, &slowest);
  tail_causes_settle(&causes, sides);
  for (size_t i = 0; i < causes.requests; i++) {
    const struct request *request = &graphed->store.requests.data[order[i]];
    int64_t sum = 0;
    assert_int_equal(causes.latency[i], span_store_latency(&graphed->store, request));
    assert_int_equal(causes.replay.without(&causes, i, NULL, 0), causes.latency[i]);
    for (uint32_t c = 0; c < causes.causes.count; c++) {
      sum += causes.causes.data[c].parts[i];
      assert_true(causes.causes.data[c].parts[i] >= 0);
      assert_int_equal(causes.replay.with(&causes, i, &c, 1, i), causes.latency[i]);
      assert_true(causes.replay.without(&causes, i, &c, 1) <= causes.latency[i]);
    }
    assert_int_equal(sum, causes.latency[i]);
  }
  mem_free(sides);
  mem_free(order);
  tail_causes_clear(&causes);
}

static void test_parts_add_up_and_no_change_changes_nothing(void **state) {
  (void)state;
  random_graphs(200, 5, check_causes);
}

static uint32_t cause_named(const struct tail_causes *causes, const char *name) {
  for (uint32_t c = 0; c < causes->causes.count; c++)
    if (strcmp(causes->causes.data[c].name, name) == 0)
      return c;
  fail_msg("no cause %s", name);
  return 0;
}

/* Two calls together; in request 2 the second takes 500 longer. The first took 60, so with the
 * second as usual the request would have waited for that. */
static void test_what_was_parallel_takes_its_place(void **state) {
  struct graphed *graphed = *state;
  for (int64_t i = 2; i >= 0; i--) { /* not in the order of their start */
    int64_t at = 1000 * i, end = at + 50 + (i == 2 ? 500 : 0);
    graphed_add(graphed, (struct span_row[]){
                             {"0", NULL, "m", "main", at, (i == 2 ? end : at + 70) + 5, 0, 0},
                             {"1", "0", "m", "one", at + 10, at + 70, 0, 0},
                             {"2", "0", "m", "two", at + 10, end, 0, 0},
                             {0}});
  }
  graphed_make(graphed, UNDECIDED_WAITS);
  struct tail_causes causes;
  uint32_t *order;
  size_t slowest;
  tail_requests_causes(&causes, &order, &graphed->graph, &graphed->store);
  assert_int_equal(order[0], 2);
  enum tail_side *sides = sides_of(&causes, &slowest);
  assert_int_equal(slowest, 2);
  tail_causes_settle(&causes, sides);
  uint32_t one = cause_named(&causes, "m/one"), two = cause_named(&causes, "m/two");
  assert_int_equal(causes.latency[2], 555);
  assert_int_equal(causes.causes.data[two].parts[2], 540);
  assert_int_equal(causes.causes.data[one].parts[2], 0);
  assert_int_equal(causes.causes.data[two].parts[0], 0);
  assert_int_equal(causes.replay.without(&causes, 2, &two, 1), 75);
  assert_int_equal(causes.replay.without(&causes, 2, &one, 1), 555);
  assert_int_equal(causes.replay.with(&causes, 0, &two, 1, 2), 555);
  assert_int_equal(causes.replay.with(&causes, 0, &one, 1, 2), 75);
  mem_free(sides);
  mem_free(order);
  tail_causes_clear(&causes);
}

/* A retry that no other request has: without it the latency is what is left. */
static void test_a_call_that_only_slow_requests_make(void **state) {
  struct graphed *graphed = *state;
  for (int64_t i = 0; i < 3; i++)
    graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, 100, 0, 0},
                                             {"1", "0", "m", "try", 10, 90, 0, 0},
                                             {0}});
  graphed_add(graphed, (struct span_row[]){{"0", NULL, "m", "main", 0, 400, 0, 0},
                                           {"1", "0", "m", "try", 10, 90, 0, 0},
                                           {"2", "0", "m", "retry", 90, 390, 0, 0},
                                           {0}});
  graphed_make(graphed, UNDECIDED_WAITS);
  struct tail_causes causes;
  uint32_t *order;
  size_t slowest;
  tail_requests_causes(&causes, &order, &graphed->graph, &graphed->store);
  enum tail_side *sides = sides_of(&causes, &slowest);
  tail_causes_settle(&causes, sides);
  uint32_t retry = cause_named(&causes, "m/retry");
  assert_int_equal(causes.causes.data[retry].usual, 0);
  assert_int_equal(causes.replay.without(&causes, slowest, &retry, 1), 100);
  assert_int_equal(causes.replay.with(&causes, slowest == 0, &retry, 1, slowest), 400);
  mem_free(sides);
  mem_free(order);
  tail_causes_clear(&causes);
}

static void test_tags_are_of_services(void **state) {
  struct graphed *graphed = *state;
  struct span_names *names = &graphed->store.names;
  struct span_tag tag = {names_number(names, span_slice("shard")),
                         names_number(names, span_slice("b"))};
  builder_begin(graphed->builder, span_slice("t"));
  builder_add(graphed->builder, &(struct span_record){.id = span_slice("1"),
                                                      .parent = span_slice(""),
                                                      .service = span_slice("cart"),
                                                      .operation = span_slice("get"),
                                                      .instance = span_slice("pod-7"),
                                                      .start = 5,
                                                      .end = 9,
                                                      .tags = &tag,
                                                      .tag_count = 1});
  builder_finish(graphed->builder);
  tail_marks marks = {0};
  tail_requests_marks(&marks, &graphed->store, (const uint32_t[]){0}, 1);
  assert_int_equal(marks.count, 2);
  assert_string_equal(names_text(names, marks.data[0].key), "cart: instance");
  assert_string_equal(names_text(names, marks.data[0].value), "pod-7");
  assert_string_equal(names_text(names, marks.data[1].key), "cart: shard");
  assert_true(tail_request_has(&graphed->store, 0, "shard", "b"));
  assert_false(tail_request_has(&graphed->store, 0, "shard", "c"));
  assert_false(tail_request_has(&graphed->store, 0, "nothing", ""));
  vector_clear(&marks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts_add_up_and_no_change_changes_nothing),
      cmocka_unit_test_setup_teardown(test_what_was_parallel_takes_its_place, graphed_set_up,
                                      graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_a_call_that_only_slow_requests_make, graphed_set_up,
                                      graphed_tear_down),
      cmocka_unit_test_setup_teardown(test_tags_are_of_services, graphed_set_up, graphed_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
