/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `draft --probes`, of what was recorded before: a service that asks another one.
 */
#include "cli/question/draft/sockets.h"

#include <sys/stat.h>

#include "tests/unit/cli/heard.h"

static void write_table(void) {
  FILE *file = fopen(heard_path("talk/sockets"), "w");
  assert_non_null(file);
  fputs("process 10 1 7 0 met client\nprocess 20 1 7 0 asked web\nprocess 30 1 7 0 met store\n"
        "listens 20 900 80 0\nlistens 30 901 5432 0\n",
        file);
  fclose(file);
}

struct heard_message {
  unsigned process, local, remote, asked; /* of who sends; which of the four moments */
};

/* One request: client to web, web to store, and back; who receives is who listens at the port. */
static void write_request(FILE *file, unsigned long request) {
  static const struct heard_message messages[] = {
      {10, 4000, 80, 20}, {20, 4100, 5432, 30}, {30, 5432, 4100, 20}, {20, 80, 4000, 10}};
  for (unsigned i = 0; i < 4; i++) {
    const struct heard_message *m = &messages[i];
    unsigned long time = 1000000 * request + 1000 * i, begins = request << 32;
    fprintf(file, "%lu send %u %u local=%u remote=%u begins=%lu ends=%lu\n", time, m->process,
            m->process, m->local, m->remote, begins, begins + ((unsigned long)1 << 32));
    fprintf(file, "%lu receive %u %u local=%u remote=%u begins=%lu ends=%lu\n", time + 500,
            m->asked, m->asked, m->remote, m->local, begins, begins + ((unsigned long)1 << 32));
  }
}

static void write_recording(unsigned requests) {
  mkdir(heard_path("talk"), 0777);
  write_table();
  FILE *file = fopen(heard_path("talk/events"), "w");
  assert_non_null(file);
  for (unsigned i = 1; i <= requests; i++)
    write_request(file, i);
  fclose(file);
}

static enum status ask(struct sockets_answer *answer, const char *operand, const char *out) {
  static struct asker asker;
  static char folder[4096];
  const char *const operands[] = {operand};
  asker = heard_asker();
  snprintf(folder, sizeof folder, "%s", heard_path(out));
  const struct sockets_request request = {
      .asker = &asker, .operands = operands, .operand_count = 1, .out = folder, .seconds = 1};
  return sockets_ask(answer, &request);
}

static void chain_is_drafted(void **state) {
  (void)state;
  struct sockets_answer answer;
  char folder[4096];
  write_recording(40);
  snprintf(folder, sizeof folder, "%s", heard_path("talk"));
  assert_int_equal(ask(&answer, folder, "drafted"), STATUS_OK);
  assert_string_equal(answer.name, "web");
  assert_int_equal(answer.requests, 40);
  assert_int_equal(answer.paired, 40);
  assert_int_equal(answer.shape.count, 2);
  assert_string_equal(answer.names.call[1], "store");
  assert_true(answer.shape.calls[0].followed && answer.shape.calls[1].by_thread);
  sockets_answer_clear(&answer);
}

static void few_requests_do_not_tell(void **state) {
  (void)state;
  struct sockets_answer answer;
  char folder[4096];
  write_recording(10);
  snprintf(folder, sizeof folder, "%s", heard_path("talk"));
  assert_int_equal(ask(&answer, folder, "few"), STATUS_OK);
  assert_int_equal(answer.shape.count, 1);
  assert_false(answer.shape.notes.data[0].guess);
  sockets_answer_clear(&answer);
}

static void mistakes_are_said(void **state) {
  (void)state;
  struct sockets_answer answer;
  assert_int_equal(ask(&answer, "web", "none"), STATUS_USAGE);
  assert_int_equal(heard.sayings[0], SAYING_MISTAKE);
  sockets_answer_clear(&answer);
  assert_int_equal(ask(&answer, "2147483647", "none"), STATUS_NO_INPUT);
  sockets_answer_clear(&answer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(chain_is_drafted), TEST(few_requests_do_not_tell),
                                     TEST(mistakes_are_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
