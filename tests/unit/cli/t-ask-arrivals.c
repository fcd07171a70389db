/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `arrivals`: token buckets of moments in a table.
 */
#include "cli/question/arrivals/arrivals.h"
#include "tests/unit/cli/heard.h"

enum { ARRIVALS = 11, MS = 1000000 };

/* One every 10 ms, none of them late. */
static const char *write_times(const char *name, const char *column) {
  char text[400];
  size_t length = (size_t)snprintf(text, sizeof text, "%s\n", column);
  for (int i = 0; i < ARRIVALS; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%d\n", 10 * i);
  return heard_write(name, text);
}

static enum status ask(struct arrivals_answer *answer, struct arrivals_request *request,
                       const char *const *path, const char *every, const char *burst) {
  static struct asker asker;
  asker = heard_asker();
  *request = (struct arrivals_request){.asker = &asker, .paths = path, .count = 1};
  if (every != NULL)
    vector_push(&request->every, every);
  if (burst != NULL)
    vector_push(&request->burst, burst);
  return arrivals_ask(answer, request);
}

static void end(struct arrivals_answer *answer, struct arrivals_request *request) {
  arrivals_answer_clear(answer);
  vector_clear(&request->every);
  vector_clear(&request->burst);
}

/* As many tokens as arrivals: one is enough. Half as many: after 100 ms 5 have come, and 11 were
 * taken. */
static void the_least_burst(void **state) {
  (void)state;
  static const struct {
    const char *every;
    uint64_t burst;
  } of[] = {{"10ms", 1}, {"5ms", 1}, {"20ms", 6}, {"1s", ARRIVALS}};
  const char *path = write_times("due.csv", "due_ms");
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct arrivals_answer answer;
    struct arrivals_request request;
    assert_int_equal(ask(&answer, &request, &path, of[i].every, NULL), STATUS_OK);
    assert_true(answer.found);
    assert_int_equal(answer.streams.count, 1);
    const struct arrivals_stream *stream = &answer.streams.data[0];
    assert_int_equal(stream->times->ns.count, ARRIVALS);
    assert_int_equal(stream->span_ns, 100 * MS);
    assert_int_equal(stream->mean_gap_ns, 10 * MS);
    assert_float_equal(stream->rate, 100, 1e-9);
    assert_int_equal(stream->buckets.count, 1);
    assert_int_equal(stream->buckets.data[0].burst, of[i].burst);
    end(&answer, &request);
  }
}

/* Of what is not asked for it says some, rising; of a burst the largest T, with which it is the
 * least burst, too. */
static void the_largest_time(void **state) {
  (void)state;
  const char *path = write_times("due.csv", "due_ms");
  struct arrivals_answer answer;
  struct arrivals_request request;
  assert_int_equal(ask(&answer, &request, &path, NULL, "1"), STATUS_OK);
  assert_int_equal(answer.streams.data[0].slowest.count, 1);
  assert_int_equal(answer.streams.data[0].slowest.data[0].every_ns, 10 * MS);
  end(&answer, &request);
  assert_int_equal(ask(&answer, &request, &path, NULL, NULL), STATUS_OK);
  const struct arrivals_stream *stream = &answer.streams.data[0];
  assert_true(stream->buckets.count > 1);
  for (size_t i = 1; i < stream->buckets.count; i++) {
    assert_true(stream->buckets.data[i].every_ns > stream->buckets.data[i - 1].every_ns);
    assert_true(stream->buckets.data[i].burst >= stream->buckets.data[i - 1].burst);
  }
  end(&answer, &request);
}

static void what_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *every, *burst, *column;
    enum status status;
  } of[] = {
      {"0ms", NULL, "due_ms", STATUS_USAGE},  {"10", NULL, "due_ms", STATUS_USAGE},
      {"-1ms", NULL, "due_ms", STATUS_USAGE}, {NULL, "0", "due_ms", STATUS_USAGE},
      {NULL, "0x2", "due_ms", STATUS_USAGE},  {NULL, NULL, "due", STATUS_DATA},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const char *path = write_times("due.csv", of[i].column);
    struct arrivals_answer answer;
    struct arrivals_request request;
    enum status status = ask(&answer, &request, &path, of[i].every, of[i].burst);
    if (status != of[i].status)
      fail_msg("%zu: status %d, \"%s\"", i, (int)status, heard.lines[0]);
    assert_false(answer.found);
    assert_int_equal(heard.count, 1);
    end(&answer, &request);
  }
  const char *path = heard_path("nothing.csv");
  struct arrivals_answer answer;
  struct arrivals_request request;
  assert_int_equal(ask(&answer, &request, &path, NULL, NULL), STATUS_NO_INPUT);
  heard_only(SAYING_FAILURE, "nothing.csv");
  end(&answer, &request);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(the_least_burst), TEST(the_largest_time),
                                     TEST(what_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
