/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions about recorded runs: do they follow the protocol, and what series are in them? */
#include "tests/unit/cli/heard.h"

#include "cli/question/replay/replay.h"
#include "cli/question/store/import.h"
#include "measure/tailproof_measure.h"

enum { RUNS = 5 };

static struct tailproof_store *open_store(const char *node, struct tailproof_writer **writer) {
  struct tailproof_options options = {
      .folder = heard_path("run"), .node = node, .clock = TAILPROOF_CLOCK_MONOTONIC};
  struct tailproof_store *store;
  assert_int_equal(tailproof_open(&store, &options), 0);
  *writer = tailproof_writer_open(store);
  assert_non_null(*writer);
  return store;
}

static void step(struct tailproof_writer *writer, int name, uint32_t instance, uint64_t start,
                 uint64_t end) {
  struct tailproof_event event = {.name = name, .instance = instance, .start = start, .end = end};
  assert_int_equal(tailproof_record(writer, &event), 0);
}

/* Runs of the protocol, one after the other; the second step starts `early` ns before its message
 * is there. */
static void record(uint64_t early) {
  struct tailproof_writer *a, *b;
  struct tailproof_store *first = open_store("a", &a), *second = open_store("b", &b);
  int sent = tailproof_message(first, "One", "d", "Queuing");
  int arrived = tailproof_message(second, "One", "d", "Queuing");
  int sends = tailproof_action(first, "a.First", "A");
  int takes = tailproof_action(second, "b.Second", "B");
  int done = tailproof_message(second, "Done", "d", NULL);
  for (uint32_t i = 1; i <= RUNS; i++) {
    uint64_t at = 1000000 * i;
    unsigned char stamp[TAILPROOF_STAMP_BYTES];
    struct tailproof_event one = {.name = sent, .instance = i};
    step(a, sends, i, at, at + 100);
    tailproof_send_at(a, &one, at + 100, stamp);
    one = (struct tailproof_event){.name = arrived, .instance = i, .end = at + 300};
    assert_int_equal(tailproof_arrive(b, &one, stamp), 0);
    step(b, takes, i, at + 300 - early, at + 400);
    tailproof_send_at(b, &(struct tailproof_event){.name = done, .instance = i}, at + 400, stamp);
  }
  assert_int_equal(tailproof_close(first), 0);
  assert_int_equal(tailproof_close(second), 0);
}

static enum status replay(struct replay_answer *answer, struct replay_request *request,
                          const struct asker *asker) {
  static const char *stores[1];
  stores[0] = heard_path("run");
  *request = (struct replay_request){.asker = asker,
                                     .path = heard_protocol("p.tp", heard_right),
                                     .stores = stores,
                                     .store_count = 1};
  vector_push(&request->set, (struct setting){"n", "1"});
  return replay_ask(answer, request);
}

static void a_run_that_follows(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct replay_request request;
  struct replay_answer answer;
  record(0);
  assert_int_equal(replay(&answer, &request, &asker), STATUS_OK);
  assert_non_null(answer.conform);
  assert_false(answer.misfit);
  assert_int_equal(conform_counts(answer.conform)->complete, RUNS);
  assert_int_equal(conform_tightness(answer.conform)[0].happened, RUNS);
  assert_int_equal(conform_tightness(answer.conform)[0].time_ns, 400);
  replay_answer_clear(&answer);
  vector_clear(&request.set);
}

static void a_run_that_does_not(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct replay_request request;
  struct replay_answer answer;
  record(250); /* takes the message before it was sent */
  assert_int_equal(replay(&answer, &request, &asker), STATUS_REFUTED);
  assert_true(answer.misfit);
  assert_non_null(conform_culprit(answer.conform));
  struct text text;
  text_init(&text);
  replay_append_misfit(&text, &answer.run, answer.conform);
  assert_non_null(strstr(text.data, "instance 1"));
  assert_non_null(strstr(text.data, "Second"));
  text_clear(&text);
  replay_answer_clear(&answer);
  vector_clear(&request.set);
}

static void no_stores(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct replay_request request;
  struct replay_answer answer;
  assert_int_equal(replay(&answer, &request, &asker), STATUS_NO_INPUT);
  assert_null(answer.conform);
  assert_int_equal(heard.count, 1);
  replay_answer_clear(&answer);
  vector_clear(&request.set);
}

static void series_of_a_run(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *run = heard_path("run"), *out = heard_path("series");
  struct import_request request = {
      .asker = &asker, .sources = &run, .source_count = 1, .by = BY_NODE, .out = out};
  struct gather gather;
  record(0);
  assert_int_equal(import_ask(&gather, &request), STATUS_OK);
  assert_int_equal(gather.stores.count, 2);
  assert_true(gather.table.rows.count >= 3); /* A, B, d.One */
  gather_clear(&gather);
  assert_int_equal(access(heard_path("series/A.tph"), R_OK), 0);
  assert_int_equal(access(heard_path("series/a/A.tph"), R_OK), 0);
  vector_push(&request.units, (struct setting){"Nothing", "us"});
  asker = heard_asker();
  assert_int_equal(import_ask(&gather, &request), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "--unit Nothing=us: no series is called so");
  gather_clear(&gather);
  vector_clear(&request.units);
  request.out = heard_path("run"); /* holds stores, so it is not to be replaced */
  asker = heard_asker();
  assert_int_not_equal(import_ask(&gather, &request), STATUS_OK);
  assert_int_equal(heard.count, 1);
  gather_clear(&gather);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(a_run_that_follows), TEST(a_run_that_does_not),
                                     TEST(no_stores), TEST(series_of_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
