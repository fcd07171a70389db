/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `load`, of commands: each is asked once and has a row, what fails is infinite, and
 * what cannot be asked writes nothing.
 */
#include "cli/question/load/load.h"
#include "tests/unit/cli/heard.h"

static enum status ask(struct load_answer *answer, struct load_request request) {
  static struct asker asker;
  asker = heard_asker();
  request.asker = &asker;
  while (request.target != NULL && request.target[request.target_count] != NULL)
    request.target_count++;
  request.out = heard_path("out.csv");
  return load_ask(answer, &request);
}

static size_t rows(size_t *infinite) {
  FILE *file = fopen(heard_path("out.csv"), "r");
  assert_non_null(file);
  char line[200];
  size_t count = 0;
  *infinite = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    count++;
    *infinite += strstr(line, "inf") != NULL;
  }
  fclose(file);
  return count - 1; /* without the heading */
}

/* When they are due is known before: ten at equal gaps of 2 ms. */
static void each_has_a_row(void **state) {
  (void)state;
  static const char *const works[] = {"true", NULL}, *const fails[] = {"false", NULL};
  const struct load_request request = {
      .target = works, .rate = "500", .requests = 10, .constant = true};
  struct load_answer answer;
  enum status status = ask(&answer, request);
  assert_true(status == STATUS_OK || status == STATUS_UNKNOWN); /* on a busy machine: late */
  assert_int_equal(answer.arrivals.count, 10);
  for (size_t i = 1; i < 10; i++)
    assert_int_equal(answer.arrivals.data[i].due_ns - answer.arrivals.data[i - 1].due_ns, 2000000);
  assert_int_equal(answer.counted, 10);
  assert_int_equal(answer.good, 10);
  size_t infinite;
  assert_int_equal(rows(&infinite), 10);
  assert_int_equal(infinite, 0);
  load_answer_clear(&answer);
  struct load_request failing = request;
  failing.target = fails;
  assert_int_equal(ask(&answer, failing), STATUS_UNKNOWN);
  assert_int_equal(answer.good, 0);
  assert_int_equal(answer.refused + answer.broken + answer.timed_out, 10);
  load_answer_clear(&answer);
}

/* Those due in the first 10 ms are made, and do not count. */
static void warming_up(void **state) {
  (void)state;
  static const char *const works[] = {"true", NULL};
  struct load_answer answer;
  enum status status =
      ask(&answer,
          (struct load_request){
              .target = works, .rate = "500", .requests = 10, .constant = true, .warmup_ms = 10});
  assert_true(status == STATUS_OK || status == STATUS_UNKNOWN);
  size_t infinite, counted = 0;
  for (size_t i = 0; i < answer.arrivals.count; i++)
    counted += answer.arrivals.data[i].due_ns >= 10000000;
  assert_int_equal(answer.arrivals.count, 10);
  assert_true(counted > 0 && counted < 10);
  assert_int_equal(answer.counted, counted);
  assert_int_equal(rows(&infinite), counted);
  load_answer_clear(&answer);
}

static void what_is_refused(void **state) {
  (void)state;
  static const char *const command[] = {"true", NULL}, *const other[] = {"ftp://localhost/", NULL},
                           *const redis[] = {"redis://localhost/", NULL};
  static const struct {
    struct load_request request;
    const char *words;
  } of[] = {
      {{.target = command, .rate = "0"}, "--rate 0"},
      {{.target = command, .rate = "0x20"}, "--rate 0x20"},
      {{.target = command, .rate = "+3"}, "--rate +3"},
      {{.target = other}, "http://, https:// and redis:// are spoken"},
      {{.target = redis}, "--send"},
      {{.target = command, .send = "GET x"}, "--send"},
      {{.target = command, .method = "PUT"}, "--method"},
      {{.target = command, .routes = "/a"}, "--routes"},
      {{.target = command, .requests = 3, .warmup_ms = 60000}, "--warmup"},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct load_answer answer;
    assert_int_equal(ask(&answer, of[i].request), STATUS_USAGE);
    heard_only(SAYING_MISTAKE, of[i].words);
    assert_int_equal(answer.counted, 0);
    assert_int_not_equal(access(heard_path("out.csv"), F_OK), 0);
    load_answer_clear(&answer);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(each_has_a_row), TEST(warming_up), TEST(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
