/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions of `certify`: a certificate is written, or nothing; it is tried again; a theorem in
 * Coq. */
#include "tests/unit/cli/heard.h"

#include <sys/stat.h>

#include "cli/question/certify/certify.h"
#include "cli/question/certify/recheck.h"

static enum status write_it(struct certify_answer *answer, const struct asker *asker,
                            const char *const *files, const char *out) {
  struct certify_request request = {.asker = asker,
                                    .files = files,
                                    .file_count = 1,
                                    .effort = {.jobs = 1, .timeout_ms = 10000},
                                    .out = out};
  return certify_ask(answer, &request);
}

static enum status check(struct recheck_answer *answer, const struct asker *asker,
                         const char *folder, const char *const *files, size_t count) {
  struct recheck_request request = {.asker = asker,
                                    .folder = folder,
                                    .files = files,
                                    .file_count = count,
                                    .solver = "cvc5",
                                    .every = 1,
                                    .jobs = 1,
                                    .timeout_ms = 60000};
  return recheck_ask(answer, &request);
}

static bool exists(const char *path) {
  struct stat about;
  return stat(path, &about) == 0;
}

static void written_and_tried_again(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *file = heard_protocol("p.tp", heard_right), *folder = heard_path("c/");
  struct certify_answer certificate;
  assert_int_equal(write_it(&certificate, &asker, &file, folder), STATUS_OK);
  assert_string_equal(certificate.folder, heard_path("c"));
  assert_true(certificate.obligations >= 10);
  struct recheck_answer answer;
  assert_int_equal(check(&answer, &asker, certificate.folder, &file, 1), STATUS_OK);
  assert_true(answer.checked);
  assert_true(answer.compared);
  assert_int_equal(answer.counts[RECHECK_AGREES], certificate.obligations);
  assert_int_equal(answer.problems.count, 0);
  recheck_answer_clear(&answer);
  heard_write("c/surplus", "x");
  assert_int_equal(check(&answer, &asker, certificate.folder, NULL, 0), STATUS_REFUTED);
  assert_false(answer.compared);
  assert_int_equal(answer.counts[RECHECK_SURPLUS], 1);
  assert_int_equal(answer.problems.data[0].outcome, RECHECK_SURPLUS);
  recheck_answer_clear(&answer);
  const char *other = heard_protocol("q.tp", "B + d(One) + Queuing(One) + A");
  assert_int_equal(unlink(heard_path("c/surplus")), 0);
  assert_int_equal(check(&answer, &asker, certificate.folder, &other, 1), STATUS_REFUTED);
  assert_true(answer.counts[RECHECK_OTHER_LIST] >= 1);
  recheck_answer_clear(&answer);
  certify_answer_clear(&certificate);
}

static void nothing_is_left_of_what_is_not_proved(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *file = heard_protocol("p.tp", heard_wrong), *folder = heard_path("c");
  struct certify_answer certificate;
  assert_int_equal(write_it(&certificate, &asker, &file, folder), STATUS_UNKNOWN);
  heard_only(SAYING_FAILURE, "no certificate");
  assert_false(exists(folder));
  certify_answer_clear(&certificate);
}

static void what_is_there_stays(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *file = heard_protocol("p.tp", heard_right);
  struct certify_answer certificate;
  assert_int_equal(write_it(&certificate, &asker, &file, heard_folder), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "is there already");
  assert_true(exists(file));
  certify_answer_clear(&certificate);
  asker = heard_asker();
  struct recheck_answer answer;
  assert_int_equal(check(&answer, &asker, heard_path("none"), NULL, 0), STATUS_NO_INPUT);
  assert_false(answer.checked);
  assert_int_equal(heard.count, 1);
  recheck_answer_clear(&answer);
}

/* The theorem rests on every query of the certificate but those of kinds that no theorem needs; of what is not proved there is
 * no file, and the one that was there stays. */
static void a_theorem_in_coq(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *out = heard_path("out.v"), *file = heard_protocol("p.tp", heard_right);
  struct certify_answer certificate;
  assert_int_equal(write_it(&certificate, &asker, &file, heard_path("c")), STATUS_OK);
  struct theory_request request = {
      .asker = &asker, .file = file, .effort = {.jobs = 1, .timeout_ms = 10000}, .out = out};
  struct theory_answer answer;
  assert_int_equal(theory_ask(&answer, &request), STATUS_OK);
  assert_int_equal(answer.theorems, 1);
  assert_int_equal(answer.obligations, certificate.obligations);
  assert_string_equal(answer.file, out);
  theory_answer_clear(&answer);
  struct stat before, after;
  assert_int_equal(stat(out, &before), 0);
  assert_true(before.st_size > 1000);
  request.file = heard_protocol("q.tp", heard_wrong);
  assert_int_equal(theory_ask(&answer, &request), STATUS_UNKNOWN);
  heard_only(SAYING_FAILURE, "no theorem");
  theory_answer_clear(&answer);
  assert_int_equal(stat(out, &after), 0);
  assert_int_equal(after.st_ino, before.st_ino);
  certify_answer_clear(&certificate);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(written_and_tried_again),
                                     TEST(nothing_is_left_of_what_is_not_proved),
                                     TEST(what_is_there_stays), TEST(a_theorem_in_coq)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
