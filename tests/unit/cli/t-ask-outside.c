/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions about programs that are watched from outside: what a probe file would attach, and
 * which requests its events are.
 */
#include "cli/question/outside/outside.h"
#include "cli/question/pair/pair.h"
#include "tests/unit/cli/heard.h"

static const char probes[] =
    "probes:\n"
    "  write: {syscall: write, read: {key: arg2}}\n"
    "  read:  {syscall.exit: read}\n"
    "  put:   {uprobe: \"/bin/server:put\", read: {key: arg1}}\n"
    "  done:  {uprobe: \"/bin/server:done\", read: {key: arg1}}\n"
    "places:\n"
    "  client: '^bench'\n"
    "  server: '^server$'\n"
    "moments:\n"
    "  asked:    {probe: write, at: client}\n"
    "  called:   {probe: put, at: server, where: key == asked.key}\n"
    "  finished: {probe: done, at: server, where: key == asked.key}\n"
    "  answered: {probe: read, at: client, where: thread == asked.thread}\n"
    "request: {name: put, node: client, from: asked, to: answered}\n"
    "steps:\n"
    "  server.Work: {from: called, to: finished, component: Work}\n"
    "messages:\n"
    "  Put:   {from: client, to: server, sent: asked, arrived: called, delay: d}\n"
    "  Reply: {from: server, to: client, sent: finished, arrived: answered, delay: d}\n";

/* Requests of one client, one after the other; of those up to `lost` the end is missing. */
static void write_events(const char *name, unsigned requests, unsigned lost) {
  FILE *file = fopen(heard_path(name), "w");
  assert_non_null(file);
  for (unsigned i = 1; i <= requests; i++) {
    unsigned long t = 1000000UL * i;
    fprintf(file, "%lu write 11 101 key=%u\n", t, i);
    fprintf(file, "%lu put 22 22 key=%u\n%lu done 22 22 key=%u\n", t + 2000, i, t + 5000, i);
    if (i > lost)
      fprintf(file, "%lu read 11 101\n", t + 9000);
  }
  assert_int_equal(fclose(file), 0);
}

static enum status ask(struct pair_answer *answer, const char *events, const char *out) {
  static struct asker asker;
  asker = heard_asker();
  const struct pair_question question = {
      .asker = &asker,
      .probes = heard_write("probes.yaml", probes),
      .events = (const char *const[]){heard_path(events), NULL},
      .processes = heard_write("processes", "11 bench --fast\n22 server\n"),
      .out = heard_path(out)};
  return pair_ask(answer, &question);
}

/* Each end that is missing costs its own request, and no other one. */
static void requests_that_are_paired(void **state) {
  (void)state;
  struct pair_answer answer;
  write_events("whole", 100, 0);
  assert_int_equal(ask(&answer, "whole", "first"), STATUS_OK);
  assert_int_equal(answer.requests, 100);
  assert_int_equal(answer.paired, 100);
  pair_answer_clear(&answer);
  assert_int_equal(access(heard_path("first"), R_OK), 0);
  write_events("gaps", 100, 3);
  assert_int_equal(ask(&answer, "gaps", "second"), STATUS_OK);
  assert_int_equal(answer.requests, 100);
  assert_int_equal(answer.paired, 97);
  assert_non_null(strstr(text_get(&answer.told), "3"));
  pair_answer_clear(&answer);
  write_events("none", 100, 100);
  assert_int_equal(ask(&answer, "none", "third"), STATUS_UNKNOWN);
  assert_int_equal(answer.paired, 0);
  pair_answer_clear(&answer);
  assert_int_equal(ask(&answer, "whole", "first"), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "is there already");
  pair_answer_clear(&answer);
}

static void events_that_are_none(void **state) {
  (void)state;
  struct pair_answer answer;
  heard_write("events", "1000 write 11 101 key=1\n900 nobody 11 101\n");
  assert_int_equal(ask(&answer, "events", "out"), STATUS_DATA);
  assert_int_equal(heard.count, 1);
  assert_int_not_equal(access(heard_path("out"), F_OK), 0);
  pair_answer_clear(&answer);
}

static enum status plan(struct outside_answer *answer, struct outside_request *request,
                        const char *text) {
  static struct asker asker;
  asker = heard_asker();
  *request = (struct outside_request){
      .asker = &asker, .only_plan = true, .probes = heard_write("plan.yaml", text)};
  return outside_ask(answer, request);
}

/* Nothing is attached: what would be is said, or why it cannot be. */
static void what_would_be_attached(void **state) {
  (void)state;
  struct outside_request request;
  struct outside_answer answer;
  assert_int_equal(plan(&answer, &request,
                        "probes:\n  read: {syscall: read}\n  sync: {syscall.exit: fdatasync}\n"),
                   STATUS_OK);
  assert_int_equal(answer.plan.list.count, 2);
  assert_false(answer.recorded);
  outside_clear_answer(&answer);
  static const char *const wrong[] = {
      "probes:\n  read: {syscall: nosuchcall}\n",
      "probes:\n  read: {uprobe: \"/no/such/program:main\"}\n",
      "probes:\n  read: {nothing: read}\n",
      "probes: [\n",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    enum status status = plan(&answer, &request, wrong[i]);
    if (status != STATUS_DATA && status != STATUS_NO_INPUT)
      fail_msg("%zu: status %d", i, (int)status);
    assert_int_equal(heard.count, 1);
    assert_false(answer.recorded);
    outside_clear_answer(&answer);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(requests_that_are_paired), TEST(events_that_are_none),
                                     TEST(what_would_be_attached)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
