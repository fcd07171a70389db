/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/trace_path/trace_path.h"
#include "tests/unit/cli/heard.h"
#include "tests/unit/trace/spans.h"
#include "trace/graph/family.h"

struct asked {
  struct asker asker;
  struct trace_path_request request;
  struct trace_path answer;
  struct builder *builder;
};

static int set_up(void **state) {
  struct asked *asked = mem_alloc(1, sizeof *asked);
  asked->asker = heard_asker();
  asked->request.asker = &asked->asker;
  trace_path_init(&asked->answer, &asked->request);
  asked->builder = builder_new(&asked->answer.store);
  *state = asked;
  return 0;
}

static int tear_down(void **state) {
  struct asked *asked = *state;
  builder_free(asked->builder);
  trace_path_clear(&asked->answer);
  mem_free(asked);
  return 0;
}

/* `one` and `two` together, then `three`; every tenth request makes one call more. */
static void add_requests(struct asked *asked, size_t count) {
  struct random random = {1};
  for (size_t i = 0; i < count; i++) {
    char id[24];
    snprintf(id, sizeof id, "r%zu", i);
    int64_t one = 10 + (int64_t)random_below(&random, 80);
    int64_t two = 10 + (int64_t)random_below(&random, 80);
    int64_t from = (one > two ? one : two) + 1 + (int64_t)random_below(&random, 2);
    int64_t end = from + 10 + (int64_t)random_below(&random, 50);
    spans_request(
        asked->builder, id,
        (struct span_row[]){{"0", NULL, "m", "main", 0, end + 2 + (int64_t)i % 3, 0, 0},
                            {"1", "0", "m", "one", 1, one, 0, 0},
                            {"2", "0", "m", "two", 1, two, 0, 0},
                            {"3", "0", "m", "three", from, end, 0, 0},
                            {i % 10 == 9 ? "4" : NULL, "3", "m", "four", end - 5, end, 0, 0},
                            {0}});
  }
}

static const struct path_part *part_of(const struct trace_path *answer, const char *operation) {
  for (size_t i = 0; i < answer->parts.count; i++)
    if (strcmp(names_text(&answer->store.names, answer->parts.data[i].operation), operation) == 0)
      return &answer->parts.data[i];
  return NULL;
}

/* The parts of all requests add up to all latencies, those of the slowest to theirs. */
static void test_sums(void **state) {
  struct asked *asked = *state;
  struct trace_path *answer = &asked->answer;
  add_requests(asked, 250);
  assert_int_equal(trace_path_answer(answer), STATUS_OK);
  int64_t total = 0, tail = 0, unwaited = 0, all = 0, slowest = 0;
  for (size_t i = 0; i < answer->parts.count; i++) {
    total += answer->parts.data[i].total;
    tail += answer->parts.data[i].tail_total;
    unwaited += answer->parts.data[i].free_total;
  }
  for (size_t i = 0; i < answer->store.requests.count; i++) {
    int64_t latency = span_store_latency(&answer->store, &answer->store.requests.data[i]);
    all += latency;
    slowest = latency > slowest ? latency : slowest;
  }
  assert_int_equal(answer->requests, 250);
  assert_int_equal(total, all);
  assert_int_equal(answer->latency_total, all);
  assert_int_equal(unwaited, all);
  assert_int_equal(tail, answer->tail_total);
  assert_true(answer->tail_requests >= 3 && answer->tail_requests < 30);
  assert_int_equal(answer->finish.data[answer->finish.count - 1], slowest);
  assert_int_equal(part_of(answer, "main")->requests, 250);
  assert_in_range(part_of(answer, "one")->requests, 50, 200);
}

/* Two kinds of requests, their shares within intervals of 95 %: 25 of 250 are 6.6 to 14.4 %. */
static void test_shares(void **state) {
  struct asked *asked = *state;
  struct trace_path *answer = &asked->answer;
  add_requests(asked, 250);
  trace_path_answer(answer);
  assert_int_equal(answer->shares.count, 2);
  assert_int_equal(answer->differences.count, 1);
  assert_int_equal(answer->differences.data[0].of, 1);
  assert_int_equal(answer->differences.data[0].more, 1);
  assert_string_equal(names_text(&answer->store.names, answer->differences.data[0].operation),
                      "four");
  assert_true(answer->shares.data[0].share == 0.9 && answer->shares.data[1].share == 0.1);
  assert_in_range((int)(10000 * answer->shares.data[1].lower), 657, 659);
  assert_in_range((int)(10000 * answer->shares.data[1].upper), 1439, 1441);
  assert_in_range((int)(10000 * answer->shares.data[0].lower), 8559, 8561);
}

static void test_one_request(void **state) {
  struct asked *asked = *state;
  struct trace_path *answer = &asked->answer;
  add_requests(asked, 20);
  asked->request.id = "r7";
  assert_int_equal(trace_path_answer(answer), STATUS_OK);
  assert_int_equal(answer->graph.flows.data[answer->flow]->requests.data[answer->index], 7);
  int64_t sum = 0;
  for (size_t i = 0; i < answer->path.steps.count; i++)
    sum += answer->path.steps.data[i].duration;
  assert_int_equal(sum, span_store_latency(&answer->store, &answer->store.requests.data[7]));
}

/* One request alone: what it cannot tell is named, with how much depends on it. */
static void test_doubt(void **state) {
  struct asked *asked = *state;
  struct trace_path *answer = &asked->answer;
  spans_request(asked->builder, "x",
                (struct span_row[]){{"0", NULL, "m", "main", 0, 100, 0, 0},
                                    {"1", "0", "m", "one", 1, 30, 0, 0},
                                    {"2", "0", "m", "two", 1, 50, 0, 0},
                                    {"3", "0", "m", "three", 60, 90, 0, 0},
                                    {0}});
  trace_path_answer(answer);
  assert_int_equal(answer->doubts.count, 2);
  const struct path_doubt *doubt = &answer->doubts.data[0];
  const struct request_flow *flow = answer->graph.flows.data[0];
  const struct order *order = &flow->orders.data[doubt->order];
  assert_int_equal(order->verdict, ORDER_UNDECIDED);
  assert_string_equal(names_text(&answer->store.names, flow->calls.data[order->before].operation),
                      "two");
  assert_string_equal(names_text(&answer->store.names, flow->calls.data[doubt->rival].operation),
                      "one");
  assert_int_equal(doubt->most, 20);
  assert_int_equal(part_of(answer, "two")->total, 49);
  assert_int_equal(part_of(answer, "two")->free_total, 0);
  assert_int_equal(part_of(answer, "main")->free_total, 100);
}

static void test_mistakes(void **state) {
  struct asked *asked = *state;
  assert_int_equal(trace_path_answer(&asked->answer), STATUS_DATA);
  heard_only(SAYING_FAILURE, "there is no request in these traces");
  request_graph_clear(&asked->answer.graph);
  asked->asker = heard_asker();
  add_requests(asked, 3);
  asked->request.id = "r";
  assert_int_equal(trace_path_answer(&asked->answer), STATUS_USAGE);
  heard_only(SAYING_MISTAKE, "no request of these traces has the id \"r\"");
}

/* Each of very many names has one part, in whichever flows it stands, with its own time. */
static void test_many_names(void **state) {
  struct asked *asked = *state;
  enum { NAMES = 300, REQUESTS = 3 * NAMES };
  for (size_t i = 0; i < REQUESTS; i++) {
    char id[24], name[24];
    size_t number = i % NAMES;
    snprintf(id, sizeof id, "r%zu", i);
    snprintf(name, sizeof name, "operation %zu", number);
    spans_request(
        asked->builder, id,
        (struct span_row[]){{"0", NULL, "m", name, 0, 1000 + (int64_t)number, 0, 0}, {0}});
  }
  assert_int_equal(trace_path_answer(&asked->answer), STATUS_OK);
  assert_int_equal(asked->answer.parts.count, NAMES);
  for (size_t number = 0; number < NAMES; number++) {
    char name[24];
    snprintf(name, sizeof name, "operation %zu", number);
    const struct path_part *part = part_of(&asked->answer, name);
    assert_int_equal(part->requests, 3);
    assert_int_equal(part->total, part->free_total);
    assert_int_equal(part->total, 3 * (1000 + (int64_t)number));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_sums, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_shares, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_one_request, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_doubt, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_many_names, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_mistakes, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
