/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/profile/tpp_format.h"
#include "trace/hot/judge.h"
#include "trace/hot/waits.h"

static uint64_t state_of_random = 1;

static double unit(void) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return (double)(state_of_random >> 11) / 9007199254740992.0;
}

/* ---- a program of known truth: threads that serve requests one by one, and wait */

enum { REQUESTS = 1500, THREADS = 3, PROCESS = 7 };

struct program {
  struct stack_profile profile;
  hot_stretches stretches;
  struct tail_split split;
  int64_t latency[REQUESTS];
  int64_t now[THREADS];
};

static uint32_t node_of(struct stack_profile *profile, const char *stack) {
  uint32_t node = 0;
  char copy[256], *rest = copy;
  strcpy(copy, stack);
  for (char *name = strtok_r(rest, ";", &rest); name != NULL; name = strtok_r(rest, ";", &rest)) {
    struct stack_frame frame = {
        .function = names_number(&profile->names, (struct slice){name, strlen(name)})};
    node = stack_profile_node(profile, node, stack_profile_frame(profile, &frame));
  }
  return node;
}

static void wait_in(struct program *p, uint32_t thread, int64_t ns, const char *stack) {
  uint32_t node = node_of(&p->profile, stack);
  p->now[thread] += ns;
  stack_profile_add(&p->profile, node, (uint64_t)ns);
  p->profile.count++;
  vector_push(&p->profile.samples,
              (struct stack_sample){p->now[thread], thread, node, (uint64_t)ns});
}

static int64_t heavy(double mean) {
  return (int64_t)(mean * pow(unit() + 1e-6, -0.6) / 2.5);
}

/* Requests wait for a lock and for an answer, each as long as it happens to be; one in twenty runs
 * four times as long, and waits in `plant`, which others do too, but not for long. */
static void serve(struct program *p, uint32_t request, bool plant, bool ids) {
  uint32_t thread = request % THREADS;
  bool slow = unit() < 0.05;
  p->now[thread] += 20000;
  int64_t start = p->now[thread];
  p->now[thread] += (int64_t)((1 - log(unit() + 1e-9)) * 1e6) * (slow && !plant ? 4 : 1);
  wait_in(p, thread, heavy(1e5), "main;serve;ask;pipe_read");
  if (unit() < 0.5)
    wait_in(p, thread, heavy(2e4), "main;serve;lock_usual;futex_wait");
  if (unit() < 0.1)
    wait_in(p, thread, 50000, "main;serve;" TPP_PREEMPTED);
  if (plant && (slow || unit() < 0.3))
    wait_in(p, thread, slow ? (int64_t)((2 + unit()) * 3e6) : 40000,
            "main;serve;lock_planted;futex_wait");
  p->now[thread] += 100000;
  vector_push(&p->stretches, (struct hot_stretch){.start = start,
                                                  .end = p->now[thread],
                                                  .request = request,
                                                  .process = PROCESS,
                                                  .thread = ids ? thread + 8 : 0});
  p->latency[request] = p->now[thread] - start;
  p->now[thread] += 20000;
  wait_in(p, thread, (int64_t)(-log(unit() + 1e-9) * 2e6) + 400000, "main;accept;tcp_accept");
}

static int by_time(const void *a, const void *b) {
  const struct stack_sample *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

static void make(struct program *p, bool plant, bool ids) {
  *p = (struct program){.now = {0}};
  stack_profile_init(&p->profile);
  p->profile.unit = STACK_NANOSECONDS;
  p->profile.event = names_number(&p->profile.names, (struct slice){TPP_WAITING, 7});
  for (uint32_t t = 0; t < THREADS; t++)
    vector_push(&p->profile.threads, (struct stack_thread){PROCESS, t + 8, 0, 0});
  for (uint32_t r = 0; r < REQUESTS; r++)
    serve(p, r, plant, ids);
  for (uint32_t t = 0; t < THREADS; t++)
    p->profile.end = p->now[t] > p->profile.end ? p->now[t] : p->profile.end;
  qsort(p->profile.samples.data, p->profile.samples.count, sizeof(struct stack_sample), by_time);
  tail_split_init(&p->split, REQUESTS);
  tail_split_above(&p->split, p->latency, tail_percentile(p->latency, REQUESTS, 95));
}

static void clear(struct program *p) {
  stack_profile_clear(&p->profile);
  vector_clear(&p->stretches);
  tail_split_clear(&p->split);
}

struct judged {
  struct hot_join join;
  struct stack_functions functions;
  struct hot_report report;
};

static void judge(struct judged *judged, struct program *p) {
  hot_join_make(&judged->join, &p->stretches, false, REQUESTS, &p->profile);
  stack_functions_find(&judged->functions, &p->profile);
  hot_report_make(&judged->report, &judged->join, &p->profile, &judged->functions, &p->split, 1,
                  0.05);
}

static void judged_clear(struct judged *judged) {
  hot_join_clear(&judged->join);
  stack_functions_clear(&judged->functions);
  hot_report_clear(&judged->report);
}

static unsigned trials(unsigned few) {
  return getenv("TEST_ALL") == NULL ? few : 100;
}

static void test_a_planted_wait_is_first_with_its_stack(void **state) {
  (void)state;
  unsigned first = 0, all = trials(5);
  for (unsigned i = 0; i < all; i++) {
    struct program program;
    struct judged judged;
    state_of_random = 100 + i;
    make(&program, true, true);
    judge(&judged, &program);
    assert_true(judged.report.findings.count > 0);
    const struct hot_finding *top = &judged.report.findings.data[0];
    first += top->significant && top->kind == HOT_OWN &&
             top->node == node_of(&program.profile, "main;serve;lock_planted;futex_wait") &&
             top->rest < 0.05 && top->largest > 0 && top->largest < 0.1;
    judged_clear(&judged);
    clear(&program);
  }
  assert_true(first * 20 >= all * 19);
}

static void test_without_a_plant_nothing_is_named(void **state) {
  (void)state;
  unsigned named = 0, all = trials(10);
  for (unsigned i = 0; i < all; i++) {
    struct program program;
    struct judged judged;
    state_of_random = 500 + i;
    make(&program, false, true);
    judge(&judged, &program);
    assert_int_equal(judged.report.verdict == HOT_FOUND || judged.report.verdict == HOT_NOTHING,
                     true);
    named += judged.report.verdict == HOT_FOUND;
    judged_clear(&judged);
    clear(&program);
  }
  assert_true(named * 20 <= all);
}

/* ---- who waits for whom */

static void test_time_in_requests_is_the_overlap(void **state) {
  (void)state;
  struct program p = {.now = {0}};
  struct hot_join join;
  stack_profile_init(&p.profile);
  p.profile.unit = STACK_NANOSECONDS;
  p.profile.event = names_number(&p.profile.names, (struct slice){TPP_WAITING, 7});
  vector_push(&p.profile.threads, (struct stack_thread){PROCESS, 8, 0, 0});
  vector_push(&p.profile.threads, (struct stack_thread){PROCESS, 9, 0, 0});
  const struct hot_stretch stretches[] = {
      {.start = 100, .end = 200, .request = 0, .process = PROCESS, .thread = 8},
      {.start = 150, .end = 400, .request = 1, .process = PROCESS, .thread = 8},
      {.start = 100, .end = 400, .request = 2, .process = PROCESS, .thread = 9}};
  for (size_t i = 0; i < 3; i++)
    vector_push(&p.stretches, stretches[i]);
  p.now[0] = 50;
  wait_in(&p, 0, 70, "a"); /* 50 .. 120 */
  p.now[0] = 180;
  wait_in(&p, 0, 100, "b"); /* 180 .. 280: in both */
  p.now[0] = 390;
  wait_in(&p, 0, 1000, "c"); /* 390 .. 1390 */
  p.profile.end = 2000;
  hot_join_make(&join, &p.stretches, false, 3, &p.profile);
  const double wanted[][3] = {{0, 20, 1}, {0, 20, 1}, {1, 100, 0}, {1, 10, 1}};
  assert_int_equal(join.cells.count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(join.cells.data[i].request, (int)wanted[i][0]);
    assert_true(join.cells.data[i].weight == wanted[i][1]);
    assert_true(join.cells.data[i].samples == wanted[i][2]);
  }
  assert_int_equal(join.matched, 3);
  assert_int_equal(join.shared, 1);
  assert_true(join.blocks); /* as these are few */
  hot_join_clear(&join);
  stack_profile_clear(&p.profile);
  vector_clear(&p.stretches);
}

static void test_without_threads_nobody_knows_whose_a_wait_is(void **state) {
  (void)state;
  struct program program;
  struct judged judged;
  make(&program, true, false);
  judge(&judged, &program);
  assert_int_equal(judged.join.nobody, REQUESTS);
  assert_int_equal(judged.join.cells.count, 0);
  assert_int_equal(judged.report.verdict, HOT_TOO_FEW);
  judged_clear(&judged);
  program.profile.threads.count = 1; /* as of a process with one thread */
  for (size_t i = 0; i < program.profile.samples.count; i++)
    program.profile.samples.data[i].thread = 0;
  judge(&judged, &program);
  assert_int_equal(judged.join.nobody, 0);
  assert_true(judged.join.cells.count > 0);
  judged_clear(&judged);
  clear(&program);
}

/* ---- clocks */

static void test_clocks_that_are_apart_are_seen(void **state) {
  (void)state;
  const int64_t shifts[] = {0, 30000, 3000000, -3000000, 50000000, -300000000};
  for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
    struct program program;
    struct hot_clock clock;
    state_of_random = 9;
    make(&program, i % 2 == 0, true);
    for (size_t k = 0; k < program.stretches.count; k++) {
      program.stretches.data[k].start += shifts[i];
      program.stretches.data[k].end += shifts[i];
    }
    hot_waits_clock(&clock, &program.stretches, &program.profile);
    assert_int_equal(clock.seen, i < 2);
    assert_int_equal(clock.random, i >= 2);
    clear(&program);
  }
}

/* ---- the exact test */

static void test_the_exact_chance(void **state) {
  (void)state;
  struct hot_part parts[] = {{0.5, true}, {0.1, false}, {0.4, true}, {0.3, true}};
  /* the three that waited most are the three slow ones of ten: 1 / C(10, 3) */
  assert_true(fabs(hot_waits_chance(parts, 4, 3, 7) - 1.0 / 120) < 1e-12);
  /* of two that waited one is slow: 1 - C(8, 3) / C(10, 3) */
  struct hot_part two[] = {{0.1, false}, {0.2, true}};
  assert_true(fabs(hot_waits_chance(two, 2, 3, 7) - (1 - 56.0 / 120)) < 1e-12);
  /* ties count together: all four */
  struct hot_part ties[] = {{0.2, true}, {0.2, false}, {0.2, true}, {0.2, true}};
  assert_true(fabs(hot_waits_chance(ties, 4, 3, 7) - 4.0 / 120) < 1e-12);
  assert_true(hot_waits_chance(ties, 0, 3, 7) == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_planted_wait_is_first_with_its_stack),
      cmocka_unit_test(test_without_a_plant_nothing_is_named),
      cmocka_unit_test(test_time_in_requests_is_the_overlap),
      cmocka_unit_test(test_without_threads_nobody_knows_whose_a_wait_is),
      cmocka_unit_test(test_clocks_that_are_apart_are_seen),
      cmocka_unit_test(test_the_exact_chance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
