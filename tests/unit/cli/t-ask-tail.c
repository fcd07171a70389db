/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `tail`, without options and without output. */
#include "tests/unit/cli/heard.h"

#include "cli/question/tail/tail.h"

enum { ROWS = 400 };

/* `b` takes 50 ms more in every tenth request, which is of version v2. */
static const char *write_table(const char *name) {
  const char *path = heard_path(name);
  FILE *file = fopen(path, "w");
  struct random random = {5};
  assert_non_null(file);
  fprintf(file, "Latency_us,a_us,b_us,version\n");
  for (unsigned i = 0; i < ROWS; i++) {
    unsigned a = 1000 + (unsigned)random_below(&random, 500);
    unsigned b = 1000 + (unsigned)random_below(&random, 500) + (i % 10 == 0 ? 50000 : 0);
    fprintf(file, "%u,%u,%u,v%d\n", 3000 + a + b + (unsigned)random_below(&random, 500), a, b,
            i % 10 == 0 ? 2 : 1);
  }
  assert_int_equal(fclose(file), 0);
  return path;
}

static enum status ask(struct tail_answer *answer, struct tail_request *request,
                       const struct asker *asker, const char *const *path) {
  request->asker = asker;
  request->paths = path;
  request->path_count = 1;
  rational_init(&request->confidence);
  rational_set_fraction(&request->confidence, 95, 100);
  return tail_ask(answer, request);
}

static void end(struct tail_answer *answer, struct tail_request *request) {
  tail_clear_answer(answer);
  rational_clear(&request->confidence);
  vector_clear(&request->slow);
}

static void explained_by_time_and_by_label(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *path = write_table("t.csv");
  for (int label = 0; label < 2; label++) {
    struct tail_answer answer;
    struct tail_request request = {.above = label ? NULL : "p90"};
    if (label)
      vector_push(&request.slow, (struct setting){"version", "v2"});
    assert_int_equal(ask(&answer, &request, &asker, &path), STATUS_OK);
    assert_int_equal(answer.verdict, TAIL_EXPLAINED);
    assert_int_equal(answer.split.slow, ROWS / 10);
    assert_int_equal(answer.report.findings.data[0].cause, 1);
    assert_true(answer.report.findings.data[0].significant);
    assert_int_equal(answer.report.findings.data[0].necessary.count, ROWS / 10);
    assert_int_equal(answer.report.groups.count, 1);
    end(&answer, &request);
  }
  assert_int_equal(heard.count, 0);
}

static void too_few_is_unknown(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *path = write_table("t.csv");
  struct tail_answer answer;
  struct tail_request request = {0}; /* above p99: 4 requests */
  assert_int_equal(ask(&answer, &request, &asker, &path), STATUS_UNKNOWN);
  assert_true(answer.found);
  assert_int_equal(answer.verdict, TAIL_TOO_FEW);
  assert_int_equal(answer.report.significant, 0);
  end(&answer, &request);
}

static void mistakes_are_said_once(void **state) {
  (void)state;
  const char *path = write_table("t.csv"), *none = heard_path("none.csv");
  struct asker asker = heard_asker();
  struct tail_answer answer;
  struct tail_request request = {.above = "p0"};
  assert_int_equal(ask(&answer, &request, &asker, &path), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "--above p0");
  assert_false(answer.found);
  end(&answer, &request);
  asker = heard_asker();
  request = (struct tail_request){0};
  assert_int_equal(ask(&answer, &request, &asker, &none), STATUS_NO_INPUT);
  heard_only(SAYING_FAILURE, "none.csv");
  end(&answer, &request);
  asker = heard_asker();
  request = (struct tail_request){.above = "1h"};
  assert_int_equal(ask(&answer, &request, &asker, &path), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "--above 1h");
  end(&answer, &request);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explained_by_time_and_by_label),
      cmocka_unit_test(too_few_is_unknown),
      cmocka_unit_test(mistakes_are_said_once),
  };
  return cmocka_run_group_tests(tests, heard_setup, heard_teardown);
}
