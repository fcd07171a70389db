/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tune gc`: what can be asked, and what it says of a server that never listens.
 */
#include "cli/question/tune/tune.h"
#include "tests/unit/cli/heard.h"

static enum status ask(struct heap_tuning *tuning, struct heap_tuning_request *request) {
  static struct asker asker;
  asker = heard_asker();
  request->asker = &asker;
  while (request->words != NULL && request->words[request->word_count] != NULL)
    request->word_count++;
  rational_init(&request->confidence);
  rational_set_fraction(&request->confidence, 95, 100);
  return heap_tuning_ask(tuning, request);
}

static void end(struct heap_tuning *tuning, struct heap_tuning_request *request) {
  heap_tuning_clear(tuning);
  rational_clear(&request->confidence);
}

static const char *const node[] = {"node", "/no/such/app.js", NULL};

static void what_is_refused(void **state) {
  (void)state;
  static const char *const python[] = {"python3", "app.py", NULL};
  static const struct {
    struct heap_tuning_request request;
    const char *words;
  } of[] = {
      {{.metric = "p99", .load = "true"}, "name the server's command"},
      {{.words = python, .metric = "p99", .load = "true"}, "unusable command \"python3\""},
      {{.words = node, .metric = "p99"}, "--load"},
      {{.words = node, .load = "true"}, "--metric"},
      {{.words = node, .load = "true", .metric = "mean"}, "--metric"},
      {{.words = node, .load = "true", .metric = "p50,99"}, "--metric p50,99: name one"},
      {{.words = node, .load = "true", .metric = "p101"}, "101"},
      {{.words = node, .load = "true", .metric = "p99", .pairs = 1}, "--pairs 1"},
      {{.words = node, .load = "true", .metric = "p99", .sizes = "4,,64"}, "sizes \"4,,64\""},
      {{.words = node, .load = "true", .metric = "p99", .sizes = "0"}, "sizes \"0\""},
      {{.words = node, .load = "true", .metric = "p99", .sizes = "5000"}, "sizes \"5000\""},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct heap_tuning_request request = of[i].request;
    struct heap_tuning tuning;
    enum status status = ask(&tuning, &request);
    if (status != STATUS_USAGE || heard.count != 1 || strstr(heard.lines[0], of[i].words) == NULL)
      fail_msg("%zu: status %d, \"%s\"", i, (int)status, heard.lines[0]);
    assert_false(tuning.asked);
    assert_int_equal(tuning.answer.runs, 0);
    end(&tuning, &request);
  }
}

/* A server that ends before it listens is measured by no load, and no setting is better. */
static void a_server_that_does_not_run(void **state) {
  (void)state;
  char load[200];
  snprintf(load, sizeof load, "touch %s", heard_path("asked"));
  struct heap_tuning_request request = {
      .words = node, .load = load, .metric = "p50", .sizes = "4,64", .unit = "ms"};
  struct heap_tuning tuning;
  assert_int_equal(ask(&tuning, &request), STATUS_NO_INPUT);
  assert_false(tuning.answer.has_ratio);
  assert_int_equal(tuning.answer.pairs.count, 0);
  assert_int_equal(heard.count, 1);
  assert_int_not_equal(access(heard_path("asked"), F_OK), 0);
  end(&tuning, &request);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(what_is_refused), TEST(a_server_that_does_not_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
