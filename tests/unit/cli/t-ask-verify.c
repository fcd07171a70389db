/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions about a protocol alone: which bounds hold, what they say at parameters, what all of
 * it rests on. */
#include "tests/unit/cli/heard.h"

#include "cli/question/audit/audit.h"
#include "cli/question/verify/instance.h"
#include "cli/question/verify/verify.h"

static const struct effort effort = {.jobs = 1, .timeout_ms = 10000};

static enum status ask(struct verify_answer *answer, const struct asker *asker, const char *path,
                       const char *bound, bool infer) {
  struct verify_request request = {
      .asker = asker, .path = path, .bound = bound, .effort = effort, .infer = infer};
  enum status status = verify_ask(answer, &request);
  assert_int_equal(status, answer->status);
  return status;
}

static void a_bound_that_holds(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct verify_answer answer;
  assert_int_equal(ask(&answer, &asker, heard_protocol("p.tp", heard_right), NULL, false),
                   STATUS_OK);
  assert_true(answer.verified);
  assert_false(answer.inferred);
  assert_int_equal(answer.reports.bounds.count, 1);
  assert_int_equal(answer.reports.bounds.data[0].verdict, VERDICT_PROVED);
  assert_ptr_equal(answer.model, answer.protocol.model);
  assert_true(answer.ledger.count >= 3);
  assert_int_equal(heard.count, 0);
  assert_int_equal(heard.files, 1);
  verify_answer_clear(&answer);
}

static void one_that_does_not(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct verify_answer answer;
  assert_int_equal(ask(&answer, &asker, heard_protocol("p.tp", heard_wrong), "whole", false),
                   STATUS_REFUTED);
  assert_int_equal(answer.reports.bounds.data[0].verdict, VERDICT_REFUTED);
  assert_true(answer.ledger.count >= 3); /* a refutation rests on the model as well */
  verify_answer_clear(&answer);
}

static void a_bound_to_be_found(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct verify_answer answer;
  assert_int_equal(ask(&answer, &asker, heard_protocol("p.tp", "?"), NULL, true), STATUS_OK);
  assert_true(answer.inferred);
  assert_ptr_equal(answer.model, &answer.inference.model);
  assert_int_equal(answer.withdrawn.count, 0);
  assert_int_equal(answer.reports.bounds.data[0].verdict, VERDICT_PROVED);
  verify_answer_clear(&answer);
  assert_int_equal(ask(&answer, &asker, heard_protocol("p.tp", "?"), NULL, false), STATUS_UNKNOWN);
  assert_int_equal(answer.ledger.count, 0); /* what is unknown rests on nothing */
  verify_answer_clear(&answer);
}

static void what_cannot_be_asked(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct verify_answer answer;
  assert_int_equal(ask(&answer, &asker, heard_path("none.tp"), NULL, false), STATUS_NO_INPUT);
  heard_only(SAYING_FAILURE, "none.tp");
  assert_false(answer.verified);
  verify_answer_clear(&answer);
  asker = heard_asker();
  assert_int_equal(ask(&answer, &asker, heard_write("bad.tp", "protocol p\nrole\n"), NULL, false),
                   STATUS_DATA);
  assert_int_equal(heard.count, 0);
  assert_true(heard.diagnostics >= 1);
  verify_answer_clear(&answer);
  asker = heard_asker();
  assert_int_equal(ask(&answer, &asker, heard_protocol("p.tp", heard_right), "other", false),
                   STATUS_USAGE);
  heard_only(SAYING_FAILURE, "no bound is called \"other\"; there are: whole");
  verify_answer_clear(&answer);
  asker = heard_asker();
  assert_int_equal(ask(&answer, &asker,
                       heard_write("no.tp", "protocol p\nrole a\nstate a { x : bool = false }\n"),
                       NULL, false),
                   STATUS_UNKNOWN);
  assert_true(answer.verified);
  assert_int_equal(answer.reports.bounds.count, 0);
  verify_answer_clear(&answer);
}

static void at_parameters(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct instance_request request = {.asker = &asker, .effort = effort};
  struct instance_answer answer;
  request.path = heard_protocol("p.tp", "n * (A + d(One) + Queuing(One) + B)");
  vector_push(&request.set, (struct setting){"n", "2"});
  assert_int_equal(instance_ask(&answer, &request), STATUS_OK);
  assert_int_equal(answer.instances.count, 1);
  assert_int_equal(answer.instances.data[0].occurrences, 4);
  assert_non_null(strstr(answer.instances.data[0].expression, "2*("));
  instance_answer_clear(&answer);
  request.set.data[0].name = "m";
  assert_int_equal(instance_ask(&answer, &request), STATUS_USAGE);
  heard_only(SAYING_FAILURE, "protocol pair has no parameter \"m\"");
  assert_false(answer.verified);
  instance_answer_clear(&answer);
  request.set.count = 0;
  assert_int_equal(instance_ask(&answer, &request), STATUS_OK);
  assert_null(answer.instances.data[0].expression);
  instance_answer_clear(&answer);
  vector_clear(&request.set);
}

static void what_it_rests_on(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct audit_request request = {.asker = &asker, .path = heard_protocol("p.tp", heard_right)};
  struct audit_answer answer;
  assert_int_equal(audit_ask(&answer, &request), STATUS_OK);
  size_t all = 0, invented = answer.counts[AUDIT_INVENTED];
  for (int kind = 0; kind < AUDIT_KIND_COUNT; kind++)
    all += answer.counts[kind];
  assert_int_equal(all, answer.lines.count);
  assert_int_equal(invented, 4); /* A, B, d, Queuing */
  audit_answer_clear(&answer);
  heard_series("A.csv", 1000);
  request.data = heard_folder;
  assert_int_equal(audit_ask(&answer, &request), STATUS_OK);
  assert_int_equal(answer.counts[AUDIT_INVENTED], invented - 1);
  assert_true(answer.counts[AUDIT_MEASURED] >= 1);
  audit_answer_clear(&answer);
  assert_int_equal(audit_check_folder(heard_path("none"), &asker), STATUS_NO_INPUT);
  heard_only(SAYING_FAILURE, "cannot be read as a directory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_bound_that_holds, heard_setup, heard_teardown),
      cmocka_unit_test_setup_teardown(one_that_does_not, heard_setup, heard_teardown),
      cmocka_unit_test_setup_teardown(a_bound_to_be_found, heard_setup, heard_teardown),
      cmocka_unit_test_setup_teardown(what_cannot_be_asked, heard_setup, heard_teardown),
      cmocka_unit_test_setup_teardown(at_parameters, heard_setup, heard_teardown),
      cmocka_unit_test_setup_teardown(what_it_rests_on, heard_setup, heard_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
