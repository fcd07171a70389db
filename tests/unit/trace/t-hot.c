/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/event/row.h"
#include "trace/hot/judge.h"
#include "trace/hot/loops.h"
#include "trace/hot/runtime.h"

static uint64_t state_of_random = 1;

static double unit(void) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return (double)(state_of_random >> 11) / 9007199254740992.0;
}

static uint32_t frame_of(struct stack_profile *profile, const char *name) {
  struct stack_frame frame = {
      .function = names_number(&profile->names, (struct slice){name, strlen(name)})};
  return stack_profile_frame(profile, &frame);
}

/* "main;handle;hash" */
static uint32_t node_of(struct stack_profile *profile, const char *stack) {
  uint32_t node = 0;
  char copy[256], *rest = copy;
  strcpy(copy, stack);
  for (char *name = strtok_r(rest, ";", &rest); name != NULL; name = strtok_r(rest, ";", &rest))
    node = stack_profile_node(profile, node, frame_of(profile, name));
  return node;
}

static void add_sample(struct stack_profile *profile, int64_t time, uint32_t thread,
                       const char *stack) {
  uint32_t node = node_of(profile, stack);
  stack_profile_add(profile, node, 1);
  vector_push(&profile->samples, (struct stack_sample){time, thread, node, 1});
}

/* ---- a program of known truth */

enum { REQUESTS = 1500, STEP = 1000000 /* ns between samples */, OTHERS = 25 };

struct program {
  struct stack_profile profile;
  hot_stretches stretches;
  struct tail_split split;
  int64_t latency[REQUESTS];
  int64_t now, sampled;
};

/* What a request does all along differs from request to request: of its samples most are one
 * function. */
static void run_stack(char *stack, unsigned favourite) {
  unsigned f = favourite;
  if (unit() < 0.5)
    for (f = 0; unit() > 0.2 && f + 1 < OTHERS;)
      f++;
  strcpy(stack, "main;serve;f_");
  stack[strlen(stack) - 1] = (char)('a' + f);
}

/* From now on, `length` ns of a request; the part `hot` of it in the planted function. */
static void serve(struct program *p, uint32_t request, int64_t length, double hot) {
  unsigned favourite = (unsigned)(unit() * OTHERS);
  int64_t end = p->now + length;
  vector_push(&p->stretches,
              (struct hot_stretch){.start = p->now, .end = end, .request = request, .process = 7});
  for (; p->sampled < end; p->sampled += STEP) {
    char stack[64];
    if (unit() < hot)
      strcpy(stack, "main;serve;render;hot");
    else
      run_stack(stack, favourite);
    if (p->sampled >= p->now)
      add_sample(&p->profile, p->sampled, 0, stack);
  }
  p->now = end + (int64_t)(unit() * 300000);
}

/* Requests of some 5 ms; one in 20 takes 4 times as long, for nothing but its length or, with
 * `plant`, because of one function. */
static void make(struct program *p, double plant) {
  *p = (struct program){.now = 1000000, .sampled = 1000000};
  stack_profile_init(&p->profile);
  vector_push(&p->profile.threads, (struct stack_thread){7, 8, 0, 0});
  for (uint32_t r = 0; r < REQUESTS; r++) {
    bool slow = unit() < 0.05;
    int64_t length = (int64_t)((2 - log(unit() + 1e-9)) * 2e6) * (slow ? 4 : 1);
    serve(p, r, length, slow ? plant : 0);
    p->latency[r] = length;
  }
  p->profile.start = 0;
  p->profile.end = p->now;
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

static void judge(struct judged *judged, struct program *p, bool waiting) {
  hot_join_make(&judged->join, &p->stretches, waiting, p->split.requests, &p->profile);
  stack_functions_find(&judged->functions, &p->profile);
  hot_report_make(&judged->report, &judged->join, &p->profile, &judged->functions, &p->split, STEP,
                  0.05);
}

static void judged_clear(struct judged *judged) {
  hot_join_clear(&judged->join);
  stack_functions_clear(&judged->functions);
  hot_report_clear(&judged->report);
}

static const char *name_of(const struct program *p, const struct judged *judged,
                           const struct hot_finding *finding) {
  uint32_t frame = judged->functions.frame[finding->item];
  return names_text(&p->profile.names, p->profile.frames.data[frame].function);
}

static unsigned trials(unsigned few) {
  return getenv("TEST_ALL") == NULL ? few : 20;
}

static void test_a_planted_function_is_ranked_first(void **state) {
  (void)state;
  unsigned first = 0, all = trials(5);
  for (unsigned i = 0; i < all; i++) {
    struct program program;
    struct judged judged;
    state_of_random = 1000 + i;
    make(&program, 0.25);
    judge(&judged, &program, false);
    assert_true(judged.report.findings.count > 0);
    const struct hot_finding *top = &judged.report.findings.data[0];
    first += top->significant && strcmp(name_of(&program, &judged, top), "hot") == 0;
    if (strcmp(name_of(&program, &judged, top), "hot") == 0) {
      assert_int_equal(top->kind, HOT_OWN);
      assert_int_equal(top->node, node_of(&program.profile, "main;serve;render;hot"));
      assert_true(top->least <= 0.25 && top->most >= 0.15);
      assert_true(top->rest < 0.03);
    }
    judged_clear(&judged);
    clear(&program);
  }
  print_message("planted function first in %u of %u\n", first, all);
  assert_true(first + 1 >= all);
}

static void test_nothing_is_significant_where_nothing_is_planted(void **state) {
  (void)state;
  unsigned found = 0, all = trials(5);
  for (unsigned i = 0; i < all; i++) {
    struct program program;
    struct judged judged;
    state_of_random = 2000 + i;
    make(&program, 0);
    judge(&judged, &program, false);
    assert_int_not_equal(judged.report.verdict, HOT_TOO_FEW);
    assert_true(judged.report.tested >= OTHERS);
    found += judged.report.verdict == HOT_FOUND;
    judged_clear(&judged);
    clear(&program);
  }
  print_message("something significant in %u of %u without a plant\n", found, all);
  assert_int_equal(found, 0);
}

static void test_sums_are_exact(void **state) {
  (void)state;
  struct program program;
  struct judged judged;
  make(&program, 0.25);
  judge(&judged, &program, false);
  double own = 0, samples = 0;
  for (size_t i = 0; i < judged.report.findings.count; i++) {
    const struct hot_finding *f = &judged.report.findings.data[i];
    if (f->kind == HOT_OWN) {
      own += f->slow * judged.report.slow_time + f->rest * judged.report.rest_time;
      samples += f->slow_samples + f->rest_samples;
    }
    if (f->kind == HOT_WITH_CALLEES && strcmp(name_of(&program, &judged, f), "main") == 0)
      assert_float_equal((f->slow_samples + f->rest_samples),
                         (judged.report.slow_samples + judged.report.rest_samples), 1e-6);
  }
  assert_float_equal(samples, (double)judged.join.matched, 1e-6);
  assert_true(fabs(own - (double)judged.join.matched * STEP) < 1);
  assert_int_equal(judged.join.shared, 0);
  assert_int_equal(judged.join.outside, 0);
  judged_clear(&judged);
  clear(&program);
}

/* ---- joining */

static void add_stretch(struct program *p, int64_t start, int64_t end, uint32_t request,
                        uint32_t process, bool waiting) {
  vector_push(&p->stretches, (struct hot_stretch){start, end, request, process, 0, waiting});
}

static double samples_of(const struct hot_join *join, uint32_t request) {
  double sum = 0;
  for (size_t i = 0; i < join->cells.count; i++)
    sum += join->cells.data[i].request == request ? join->cells.data[i].weight : 0;
  return sum;
}

static void begin(struct program *p) {
  *p = (struct program){0};
  stack_profile_init(&p->profile);
  vector_push(&p->profile.threads, (struct stack_thread){7, 8, 0, 0});
  vector_push(&p->profile.threads, (struct stack_thread){9, 9, 0, 0});
  for (int64_t t = 0; t < 100; t++)
    add_sample(&p->profile, t, t % 2 == 0 ? 0 : 1, "main;f");
  p->profile.start = 0;
  p->profile.end = 100;
  tail_split_init(&p->split, 4);
}

static void test_samples_belong_to_their_process(void **state) {
  (void)state;
  struct program program;
  struct hot_join join;
  begin(&program);
  add_stretch(&program, 10, 20, 0, 7, false);
  add_stretch(&program, 10, 20, 1, 9, false);
  add_stretch(&program, 15, 30, 2, 0, false);
  add_stretch(&program, 40, 60, 0, 7, false);
  add_stretch(&program, 90, 101, 3, 7, false); /* goes on when the profile has ended */
  hot_join_make(&join, &program.stretches, false, 4, &program.profile);
  assert_float_equal(samples_of(&join, 0), (3 + 2 * 0.5 + 10), 1e-9);
  assert_float_equal(samples_of(&join, 1), (2 + 3 * 0.5), 1e-9);
  assert_float_equal(samples_of(&join, 2), (5 * 0.5 + 10), 1e-9);
  assert_float_equal(samples_of(&join, 3), 0, 0);
  assert_int_equal(join.outside, 1);
  assert_int_equal(join.matched, 30);
  assert_int_equal(join.shared, 5);
  assert_int_equal(join.time[0], 30);
  assert_int_equal(join.time[3], 0);
  assert_int_equal(join.cluster[0], join.cluster[1]); /* they share samples with request 2 */
  hot_join_clear(&join);
  clear(&program);
}

static void test_all_that_wait_have_the_sample(void **state) {
  (void)state;
  struct program program;
  struct hot_join join;
  begin(&program);
  add_stretch(&program, 10, 20, 0, 7, true);
  add_stretch(&program, 12, 20, 1, 7, true);
  add_stretch(&program, 50, 60, 2, 7, true);
  add_stretch(&program, 70, 80, 3, 7, false);
  hot_join_make(&join, &program.stretches, true, 4, &program.profile);
  assert_float_equal(samples_of(&join, 0), 5, 1e-9);
  assert_float_equal(samples_of(&join, 1), 4, 1e-9);
  assert_float_equal(samples_of(&join, 2), 5, 1e-9);
  assert_float_equal(samples_of(&join, 3), 0, 0);
  double distinct = 0;
  for (size_t i = 0; i < join.cells.count; i++)
    distinct += join.cells.data[i].samples;
  assert_float_equal(distinct, 10, 1e-9);
  hot_join_clear(&join);
  clear(&program);
}

static void test_too_little_tells_nothing(void **state) {
  (void)state;
  struct program program;
  struct judged judged;
  begin(&program);
  add_stretch(&program, 10, 20, 0, 7, false);
  add_stretch(&program, 30, 40, 1, 7, false);
  program.split.sides[0] = TAIL_SLOW;
  judge(&judged, &program, false);
  assert_int_equal(judged.report.verdict, HOT_TOO_FEW);
  assert_int_equal(judged.report.findings.count, 0);
  assert_int_equal(judged.report.slow, 1);
  judged_clear(&judged);
  clear(&program);
}

static void test_parts_of_a_runtime(void **state) {
  (void)state;
  static const struct {
    const char *stack;
    enum hot_runtime part;
  } rows[] = {
      {"main;node::Start;v8::internal::Heap::CollectGarbage(int);v8::internal::Scavenger::Process",
       HOT_COLLECTION},
      {"main;_ZN2v88internal4Heap14CollectGarbageE;memcpy", HOT_COLLECTION},
      {"main;Builtins_JSEntry;v8::internal::Compiler::Compile;malloc", HOT_COMPILATION},
      {"main;Builtins_LoadIC;v8::internal::Runtime_LoadIC_Miss;v8::internal::IC::UpdateState",
       HOT_INLINE_CACHE},
      {"main;Builtins_JSEntry;Builtins_ArrayMap", HOT_SCRIPT},
      {"main;Builtins_JSEntry;write", HOT_NATIVE},
      {"main;uv_run;epoll_wait", HOT_NATIVE},
  };
  struct stack_profile profile;
  uint32_t nodes[7];
  bool runtime;
  stack_profile_init(&profile);
  for (size_t i = 0; i < 7; i++)
    nodes[i] = node_of(&profile, rows[i].stack);
  uint8_t *parts = hot_runtime_of_nodes(&profile, &runtime);
  assert_true(runtime);
  for (size_t i = 0; i < 7; i++)
    assert_int_equal(parts[nodes[i]], rows[i].part);
  mem_free(parts);
  stack_profile_clear(&profile);
}

/* A row, and the link of it. */
static void add_row(struct event_log *log, struct event_chains *chains, int64_t registered,
                    int64_t ready, int64_t begin) {
  struct event_row row = {
      .registered = registered, .ready_low = ready, .ready_high = ready, .begin = begin};
  vector_push(&chains->rows, 2 * event_log_add(log, &row));
  narrow_push(&chains->since, begin - registered);
}

static void test_links_of_a_chain_wait_and_execute(void **state) {
  (void)state;
  struct event_log log;
  struct event_chains chains = {0};
  hot_stretches stretches = {0};
  event_log_init(&log);
  vector_push(&log.loops, (struct event_loop){.process = 70});
  vector_push(&log.loops, (struct event_loop){.process = 70, .thread = 2});
  for (uint32_t r = 0; r < 3; r++)
    vector_push(&log.requests, (struct event_request){.loop = r / 2});
  add_row(&log, &chains, 12, 12, 15);
  add_row(&log, &chains, 20, 30, 30);
  add_row(&log, &chains, 51, 51, 60);
  vector_push(&chains.chains, (struct event_chain){.request = 0, .count = 2, .answer = 34});
  vector_push(&chains.chains, (struct event_chain){.request = 1, .state = CHAIN_OPEN});
  vector_push(&chains.chains,
              (struct event_chain){.request = 2, .count = 1, .first = 2, .answer = 61});
  hot_stretches_of_loops(&stretches, &log, &chains);
  const struct hot_stretch expected[] = {{12, 15, 0, 70, 70, true},
                                         {15, 20, 0, 70, 70, false},
                                         {30, 34, 0, 70, 70, false},
                                         {51, 60, 2, 70, 0, true},
                                         {60, 61, 2, 70, 0, false}};
  assert_int_equal(stretches.count, 5);
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(stretches.data[i].start, expected[i].start);
    assert_int_equal(stretches.data[i].end, expected[i].end);
    assert_int_equal(stretches.data[i].request, expected[i].request);
    assert_int_equal(stretches.data[i].process, expected[i].process);
    assert_int_equal(stretches.data[i].thread, expected[i].thread);
    assert_int_equal(stretches.data[i].waiting, expected[i].waiting);
  }
  vector_clear(&stretches);
  event_chains_clear(&chains);
  event_log_clear(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_planted_function_is_ranked_first),
      cmocka_unit_test(test_nothing_is_significant_where_nothing_is_planted),
      cmocka_unit_test(test_sums_are_exact),
      cmocka_unit_test(test_samples_belong_to_their_process),
      cmocka_unit_test(test_all_that_wait_have_the_sample),
      cmocka_unit_test(test_too_little_tells_nothing),
      cmocka_unit_test(test_parts_of_a_runtime),
      cmocka_unit_test(test_links_of_a_chain_wait_and_execute),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
