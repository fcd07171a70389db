/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `profile`: what can be asked, and that a program that is sampled keeps its exit
 * code and adds up. Where the kernel lets nobody sample, it says that.
 */
#include "cli/question/profile/profile.h"
#include "tests/unit/cli/heard.h"

static enum status ask(struct profile_answer *answer, struct profile_request *request) {
  static struct asker asker;
  asker = heard_asker();
  request->asker = &asker;
  request->level = 0.95;
  if (request->counters.rate == 0)
    request->counters.rate = 1000;
  return profile_ask(answer, request);
}

static void a_program_that_is_sampled(void **state) {
  (void)state;
  static const char *const argv[] = {
      "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 7", NULL};
  struct profile_request request = {
      .argv = argv, .quiet = true, .counters = {.event = COUNTER_AUTO, .user_only = true}};
  struct profile_answer answer;
  enum status status = ask(&answer, &request);
  if (status == STATUS_UNAVAILABLE) {
    assert_int_equal(heard.count, 1);
    assert_false(answer.found);
    profile_clear_answer(&answer);
    print_message("# the kernel permits no sampling here\n");
    return;
  }
  assert_true(answer.ended);
  assert_int_equal(answer.exit, 7);
  if (answer.found) {
    uint64_t own = 0;
    for (size_t i = 0; i < answer.hot.list.count; i++) {
      assert_true(answer.hot.list.data[i].self <= answer.hot.list.data[i].total);
      assert_true(i == 0 || answer.hot.list.data[i].self <= answer.hot.list.data[i - 1].self);
      own += answer.hot.list.data[i].self;
    }
    assert_int_equal(own, answer.profile.total);
    assert_int_equal(own, answer.evidence.whole);
  }
  profile_clear_answer(&answer);
}

static void what_is_refused(void **state) {
  (void)state;
  static const char *const argv[] = {"true", NULL};
  static const struct {
    struct profile_request request;
    const char *words;
  } of[] = {
      {{0}, "name a program"},
      {{.argv = argv, .all = true}, "one thing at a time"},
      {{.process = "0"}, "--pid 0"},
      {{.process = "self"}, "--pid self"},
      {{.process = "0x1"}, "--pid 0x1"},
      {{.argv = argv, .counters = {.rate = 100001}}, "--rate 100001"},
      {{.argv = argv, .counters = {.stack_bytes = 100}}, "--stack 100"},
      {{.argv = argv, .overhead = "1%"}, "--adaptive"},
      {{.argv = argv, .adaptive = true, .overhead = "200%"}, "--overhead 200%"},
      {{.argv = argv, .adaptive = true, .window = "1ms"}, "--window 1ms"},
      {{.argv = argv, .adaptive = true, .floor = 2000}, "--floor 2000"},
      {{.argv = argv, .keep = "0"}, "--keep 0"},
      {{.argv = argv, .keep = "101%"}, "--keep 101%"},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct profile_request request = of[i].request;
    struct profile_answer answer;
    enum status status = ask(&answer, &request);
    if (status != STATUS_USAGE || heard.count != 1 || strstr(heard.lines[0], of[i].words) == NULL)
      fail_msg("%zu: status %d, \"%s\"", i, (int)status, heard.lines[0]);
    assert_false(answer.found);
    profile_clear_answer(&answer);
  }
}

static void what_is_not_there(void **state) {
  (void)state;
  struct profile_request request = {.cgroup = heard_path("none")};
  struct profile_answer answer;
  assert_int_equal(ask(&answer, &request), STATUS_NO_INPUT);
  heard_only(SAYING_FAILURE, "--cgroup");
  profile_clear_answer(&answer);
  static const char *const argv[] = {"/no/such/program", NULL};
  request = (struct profile_request){.argv = argv};
  assert_int_equal(ask(&answer, &request), STATUS_UNAVAILABLE);
  assert_false(answer.found);
  profile_clear_answer(&answer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(a_program_that_is_sampled), TEST(what_is_refused),
                                     TEST(what_is_not_there)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
