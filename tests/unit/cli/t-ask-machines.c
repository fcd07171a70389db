/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `simulate`: with times that do not vary every execution takes what the expression
 * says, a seed draws the same again, and nothing is drawn of what nobody measured.
 */
#include "cli/question/machines/machines.h"
#include "tests/unit/cli/heard.h"

#include <sys/stat.h>

enum { EXECUTIONS = 50 };

static void begin(struct machines_question *question, const char *bound) {
  static struct asker asker;
  asker = heard_asker();
  *question = (struct machines_question){
      .of = {.asker = &asker, .path = heard_protocol("pair.tp", bound), .data = heard_path("data")},
      .percentiles = "50,90",
      .requests = EXECUTIONS};
  rational_init(&question->of.confidence);
  rational_set_fraction(&question->of.confidence, 95, 100);
  vector_push(&question->of.set, (struct setting){"n", "1"});
}

static void always(struct machines_question *question, const char *a, const char *b,
                   const char *d) {
  question->of.data = NULL;
  vector_push(&question->always, (struct setting){"A", a});
  vector_push(&question->always, (struct setting){"B", b});
  vector_push(&question->always, (struct setting){"d", d});
}

static void end(struct machines_answer *answer, struct machines_question *question) {
  machines_answer_clear(answer);
  rational_clear(&question->of.confidence);
  vector_clear(&question->of.set);
  vector_clear(&question->always);
  vector_clear(&question->lose);
}

/* A + d + B, and that is the bound: 1 ms + 200 us + 3 ms. */
static void times_that_do_not_vary(void **state) {
  (void)state;
  struct machines_question question;
  struct machines_answer answer;
  begin(&question, heard_right);
  always(&question, "1ms", "3ms", "200us");
  assert_int_equal(machines_ask(&answer, &question), STATUS_OK);
  assert_true(answer.found);
  assert_int_equal(answer.verdict, VERDICT_PROVED);
  assert_int_equal(answer.executions, EXECUTIONS);
  assert_int_equal(answer.unfinished + answer.standing + answer.cut, 0);
  assert_int_equal(answer.percentiles.count, 2);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(answer.percentiles.data[i].ns, 4200000);
    assert_int_equal(answer.percentiles.data[i].limit_ns, 4200000);
  }
  end(&answer, &question);
}

/* A bound that forgets the message is exceeded by each of them. */
static void a_bound_that_is_wrong(void **state) {
  (void)state;
  struct machines_question question;
  struct machines_answer answer;
  begin(&question, heard_wrong);
  always(&question, "1ms", "3ms", "200us");
  enum status status = machines_ask(&answer, &question);
  assert_int_not_equal(status, STATUS_OK);
  assert_true(answer.found);
  assert_int_not_equal(answer.verdict, VERDICT_PROVED);
  assert_int_equal(answer.exceeding, EXECUTIONS);
  assert_int_equal(answer.percentiles.data[0].ns, 4200000);
  assert_int_equal(answer.percentiles.data[0].limit_ns, 4000000);
  end(&answer, &question);
}

static uint64_t simulated(unsigned seed) {
  struct machines_question question;
  struct machines_answer answer;
  begin(&question, heard_right);
  question.seed = seed;
  question.requests = 40;
  heard_series("A.csv", 1000);
  heard_series("B.csv", 2000);
  heard_series("d.csv", 3000);
  question.of.data = heard_folder;
  machines_ask(&answer, &question);
  assert_true(answer.found);
  assert_int_equal(answer.times.total, 40);
  uint64_t ns = answer.percentiles.data[0].ns;
  assert_true(ns >= 6000 && ns <= 6000 + 3 * 999); /* the least and the most of each */
  assert_true(answer.percentiles.data[0].ns <= answer.percentiles.data[0].limit_ns);
  end(&answer, &question);
  return ns;
}

static void a_seed_draws_the_same(void **state) {
  (void)state;
  uint64_t first = simulated(1);
  assert_int_equal(simulated(1), first);
  assert_int_not_equal(simulated(1000), first); /* executions take the seeds from there on */
}

static void what_is_refused(void **state) {
  (void)state;
  static const struct {
    struct setting always, lose;
    const char *arrivals, *words;
    enum status status;
  } of[] = {
      {.always = {"A", "1"}, .words = "A", .status = STATUS_USAGE},
      {.always = {"Nothing", "1ms"}, .words = "Nothing", .status = STATUS_USAGE},
      {.lose = {"One", "0.1"}, .words = "One", .status = STATUS_USAGE},
      {.lose = {"Nothing", "0.1"}, .words = "Nothing", .status = STATUS_USAGE},
      {.arrivals = "poisson:10/s", .words = "counts from time 0", .status = STATUS_USAGE},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct machines_question question;
    struct machines_answer answer;
    begin(&question, heard_right);
    if (of[i].always.name == NULL)
      always(&question, "1ms", "1ms", "1ms");
    else
      vector_push(&question.always, of[i].always);
    if (of[i].lose.name != NULL)
      vector_push(&question.lose, of[i].lose);
    question.of.data = NULL;
    question.arrivals = of[i].arrivals;
    enum status status = machines_ask(&answer, &question);
    if (status != of[i].status || heard.count != 1 || strstr(heard.lines[0], of[i].words) == NULL)
      fail_msg("%zu: status %d, \"%s\"", i, (int)status, heard.lines[0]);
    assert_false(answer.found);
    end(&answer, &question);
  }
  struct machines_question question;
  struct machines_answer answer;
  begin(&question, heard_right);
  assert_int_equal(mkdir(heard_path("data"), 0700), 0); /* a folder without any file */
  assert_int_equal(machines_ask(&answer, &question), STATUS_NO_INPUT);
  assert_false(answer.found);
  end(&answer, &question);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(times_that_do_not_vary), TEST(a_bound_that_is_wrong),
                                     TEST(a_seed_draws_the_same), TEST(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
