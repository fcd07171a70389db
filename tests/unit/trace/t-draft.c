/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A flow becomes a protocol: which calls are nodes, which activity is whose time. A small machine
 * takes the planned steps with what was recorded; its reply comes exactly when the request ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "tests/unit/trace/grown.h"
#include "tests/unit/trace/spans.h"
#include "trace/draft/keep.h"
#include "trace/draft/name.h"
#include "trace/draft/protocol.h"
#include "trace/draft/series.h"

#define REQUESTS 40

struct drafted {
  struct span_store store;
  struct builder *builder;
  struct request_graph graph;
  struct request_flow *flow;
  flow_families families;
  struct draft_plan plan;
  struct text text, table;
};

static void drafted_begin(struct drafted *drafted) {
  memset(drafted, 0, sizeof *drafted);
  span_store_init(&drafted->store);
  drafted->builder = builder_new(&drafted->store);
  text_init(&drafted->text);
  text_init(&drafted->table);
}

static void drafted_make(struct drafted *drafted, enum undecided_reading reading) {
  request_graph_make(&drafted->graph, &drafted->store,
                     &(struct graph_options){.undecided = reading, .level = 0.05});
  drafted->flow = drafted->graph.flows.data[0];
  struct text reason;
  text_init(&reason);
  flow_families_make(&drafted->families, &drafted->graph);
  assert_true(drafted->families.count >= 1);
  const struct flow_family *family = drafted->families.data[0];
  assert_true(draft_plan_make(&drafted->plan, &family->shape, &drafted->store.names, &reason));
  text_clear(&reason);
  draft_protocol(&drafted->text, &drafted->plan,
                 &(struct draft_origin){.name = "drafted",
                                        .requests = REQUESTS,
                                        .drafted = REQUESTS,
                                        .calls = flow_family_calls(family),
                                        .undecided_wait = reading == UNDECIDED_WAITS});
  draft_series(&drafted->table, &drafted->plan, family, &drafted->store);
}

static void drafted_end(struct drafted *drafted) {
  draft_plan_clear(&drafted->plan);
  flow_families_clear(&drafted->families);
  request_graph_clear(&drafted->graph);
  builder_free(drafted->builder);
  span_store_clear(&drafted->store);
  text_clear(&drafted->text);
  text_clear(&drafted->table);
}

static void has(const struct drafted *drafted, const char *part) {
  if (strstr(text_get(&drafted->text), part) == NULL)
    fail_msg("no \"%s\" in\n%s", part, text_get(&drafted->text));
}

static void has_not(const struct drafted *drafted, const char *part) {
  if (strstr(text_get(&drafted->text), part) != NULL)
    fail_msg("\"%s\" is in\n%s", part, text_get(&drafted->text));
}

struct taken {
  uint32_t node;
  int64_t start, end;
};

/* The planned steps, taken with the times of a request. */
struct machine {
  const struct draft_plan *plan;
  const struct shape_times *times;
  VECTOR(struct taken) taken;
  int64_t *answered; /* by node: when its answer arrives at its caller; -1 before */
  int64_t reply;
};

static int64_t delay(const struct machine *machine, uint32_t node, bool answer) {
  uint32_t activities[2];
  size_t count = answer ? draft_answer_delay(activities, machine->plan, node)
                        : draft_call_delay(activities, machine->plan, node);
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += shape_sum(machine->times, activities[i]);
  return sum;
}

static void take(struct machine *machine, const struct draft_step *step, int64_t at);

/* Steps that wait for this answer as the last one. */
static void answer(struct machine *machine, uint32_t node) {
  const struct draft_plan *plan = machine->plan;
  for (size_t s = 0; s < plan->steps.count; s++) {
    const struct draft_step *step = &plan->steps.data[s];
    int64_t at = -1;
    bool all = true, mine = false;
    for (size_t i = 0; i < step->answers.count; i++) {
      int64_t arrival = machine->answered[step->answers.data[i]];
      all &= arrival >= 0;
      mine |= step->answers.data[i] == node;
      at = arrival > at ? arrival : at;
    }
    if (all && mine)
      take(machine, step, at);
  }
}

static void take(struct machine *machine, const struct draft_step *step, int64_t at) {
  const struct draft_plan *plan = machine->plan;
  int64_t end = at;
  for (size_t w = 0; w < step->works.count; w++)
    end += shape_sum(machine->times, step->works.data[w]);
  vector_push(&machine->taken, (struct taken){step->node, at, end});
  for (size_t c = 0; c < step->calls.count; c++) {
    uint32_t called = step->calls.data[c];
    for (size_t s = 0; s < plan->steps.count; s++)
      if (plan->steps.data[s].node == called && plan->steps.data[s].answers.count == 0)
        take(machine, &plan->steps.data[s], end + delay(machine, called, false));
  }
  if (step->replies && step->node == 0)
    machine->reply = end;
  else if (step->replies) {
    machine->answered[step->node] = end + delay(machine, step->node, true);
    answer(machine, step->node);
  }
}

/* No step begins while its node is in another one. */
static void never_busy(const struct machine *machine) {
  for (size_t i = 0; i < machine->taken.count; i++)
    for (size_t j = 0; j < machine->taken.count; j++) {
      const struct taken *a = &machine->taken.data[i], *b = &machine->taken.data[j];
      assert_false(a->node == b->node && a->start < b->start && b->start < a->end);
    }
}

static void machine_run(const struct drafted *drafted, const struct shape_fit *fit,
                        size_t request) {
  const struct request_flow *flow = fit->flow;
  size_t calls = drafted->plan.calls.count, activities = flow->activities.count;
  struct shape_times times = {0};
  struct machine machine = {&drafted->plan, &times, {0}, mem_alloc(calls, sizeof(int64_t)), -1};
  int64_t *finish = mem_alloc(activities, sizeof *finish);
  int64_t latency = flow_finish(finish, flow, flow->durations.data + request * activities);
  shape_times_make(&times, drafted->plan.shape, fit, finish);
  for (size_t i = 0; i < times.rounds.count; i++)
    assert_true(times.rounds.data[i] >= 0);
  assert_int_equal(times.done.data[times.done.count - 1], latency);
  for (size_t p = 0; p < calls; p++)
    machine.answered[p] = -1;
  take(&machine, &drafted->plan.steps.data[0], 0);
  assert_int_equal(machine.reply, latency);
  mem_free(finish);
  never_busy(&machine);
  vector_clear(&machine.taken);
  mem_free(machine.answered);
  shape_times_clear(&times);
}

static void machine_run_all(const struct drafted *drafted) {
  const struct flow_family *family = drafted->families.data[0];
  for (size_t f = 0; f < family->fits.count; f++)
    for (size_t i = 0; i < family->fits.data[f].flow->requests.count; i++)
      machine_run(drafted, &family->fits.data[f], i);
}

/* shop calls cart and price together, then bill; the calls of other services, one span each. */
static void fork_join(struct drafted *drafted) {
  struct random random = {.state = 7};
  for (int i = 0; i < REQUESTS; i++) {
    int64_t cart = some(&random), price = some(&random);
    int64_t cart_end = cart + some(&random), price_end = price + some(&random);
    int64_t bill = (cart_end > price_end ? cart_end : price_end) + some(&random);
    int64_t bill_end = bill + some(&random);
    struct span_row rows[] = {
        {"1", NULL, "shop", "buy", 0, bill_end + some(&random), SPAN_SERVER, 0},
        {"2", "1", "cart", "get", cart, cart_end, SPAN_SERVER, 0},
        {"3", "1", "price", "get", price, price_end, SPAN_SERVER, 0},
        {"4", "1", "bill", "in", bill, bill_end, SPAN_SERVER, 0},
        {0}};
    spans_request(drafted->builder, "t", rows);
  }
}

static void test_fork_join(void **state) {
  (void)state;
  struct drafted drafted;
  drafted_begin(&drafted);
  fork_join(&drafted);
  drafted_make(&drafted, UNDECIDED_WAITS);
  has(&drafted, "component Until_bill_in\n");
  has(&drafted, "queueing Queuing\n");
  has(&drafted, "  send Call_cart_get\n  send Call_price_get\n}");
  has(&drafted, "action shop_buy.On_cart_get on Answer_cart_get cost if has_price_get then "
                "Until_bill_in else 0 {");
  has(&drafted, "bound reply: sent Reply within ?\n");
  has_not(&drafted, "Until_cart_get"); /* starts beside price: the delay of its call */
  machine_run_all(&drafted);
  const char *table = text_get(&drafted.table);
  assert_non_null(strstr(table, ",net.Call_cart_get_ns,"));
  assert_non_null(strstr(table, ",Queuing.Answer_cart_get_ns,"));
  assert_non_null(strstr(table, ",request_ns\n"));
  drafted_end(&drafted);
}

/* A client's and a server's span of each call: the way there and back is the network. Within shop a
 * query of its own. */
static void test_ways(void **state) {
  (void)state;
  struct drafted drafted;
  drafted_begin(&drafted);
  struct span_row rows[] = {{"1", NULL, "shop", "buy", 0, 100, SPAN_SERVER, 0},
                            {"2", "1", "shop", "ask cart", 10, 60, SPAN_CLIENT, 0},
                            {"3", "2", "cart", "get", 15, 52, SPAN_SERVER, 0},
                            {"4", "1", "shop", "query", 70, 90, SPAN_INTERNAL, 0},
                            {0}};
  for (int i = 0; i < REQUESTS; i++)
    spans_request(drafted.builder, "t", rows);
  drafted_make(&drafted, UNDECIDED_WAITS);
  has(&drafted, "role shop_buy\n");
  has(&drafted, "role cart_get\n");
  has_not(&drafted, "role shop_ask_cart");
  has_not(&drafted, "Queuing");
  has(&drafted, "action shop_buy.Begin cost Until_shop_ask_cart {");
  has(&drafted, "on Answer_cart_get cost Until_shop_query + Work_shop_query");
  machine_run_all(&drafted);
  uint32_t activities[2];
  uint32_t cart = 0;
  for (uint32_t p = 0; p < drafted.plan.calls.count; p++)
    if (strcmp(drafted.plan.calls.data[p].name, "cart_get") == 0)
      cart = p;
  assert_int_equal(draft_call_delay(activities, &drafted.plan, cart), 1);
  assert_int_equal(drafted.flow->durations.data[activities[0]], 5);
  assert_int_equal(draft_answer_delay(activities, &drafted.plan, cart), 1);
  assert_int_equal(drafted.flow->durations.data[activities[0]], 8);
  drafted_end(&drafted);
}

/* Two calls inside one service that overlap are threads of it. */
static void test_threads(void **state) {
  (void)state;
  struct drafted drafted;
  drafted_begin(&drafted);
  struct random random = {.state = 3};
  for (int i = 0; i < REQUESTS; i++) {
    int64_t a = some(&random), b = some(&random);
    int64_t a_end = a + some(&random), b_end = b + some(&random);
    int64_t end = (a_end > b_end ? a_end : b_end) + some(&random);
    struct span_row rows[] = {{"1", NULL, "shop", "buy", 0, end, SPAN_SERVER, 0},
                              {"2", "1", "shop", "left", a, a_end, SPAN_INTERNAL, 0},
                              {"3", "1", "shop", "right", b, b_end, SPAN_INTERNAL, 0},
                              {0}};
    spans_request(drafted.builder, "t", rows);
  }
  drafted_make(&drafted, UNDECIDED_WAITS);
  has(&drafted, "# A thread of its service");
  has(&drafted, "role shop_left\n");
  has(&drafted, "message Call_shop_left : shop_buy -> shop_left over local\n");
  machine_run_all(&drafted);
  drafted_end(&drafted);
}

/* Whatever services are called: a protocol without mistakes (draft_protocol checks it). */
static void test_names(void **state) {
  (void)state;
  struct drafted drafted;
  drafted_begin(&drafted);
  struct span_row rows[] = {{"1", NULL, "", "for", 0, 100, SPAN_UNKNOWN, 0},
                            {"2", "1", "a", "role\n# x", 10, 11, SPAN_UNKNOWN, 0},
                            {"3", "1", "b", "\xff\xfe", 20, 21, SPAN_UNKNOWN, 0},
                            {"4", "1", "c", "get", 30, 31, SPAN_UNKNOWN, 0},
                            {"5", "1", "c", "get", 40, 41, SPAN_UNKNOWN, 0},
                            {"6", "1", "C", "Get!", 50, 51, SPAN_UNKNOWN, 0},
                            {"7", "1", "", "", 60, 61, SPAN_UNKNOWN, 0},
                            {"8", "1", "7", "11", 70, 71, SPAN_UNKNOWN, 0},
                            {0}};
  for (int i = 0; i < REQUESTS; i++)
    spans_request(drafted.builder, "t", rows);
  drafted_make(&drafted, UNDECIDED_WAITS);
  has(&drafted, "role call_for\n");
  has(&drafted, "# a/role\xef\xbf\xbd# x\nrole a_role_x\n");
  has(&drafted, "role c_get_2\n");
  has(&drafted, "role c_get_3\n");
  has(&drafted, "role call_7_11\n");
  machine_run_all(&drafted);
  drafted_end(&drafted);
}

/* No protocol is drafted for what waits for the first of its calls. */
static void test_first_of(void **state) {
  (void)state;
  struct drafted drafted;
  drafted_begin(&drafted);
  fork_join(&drafted);
  drafted_make(&drafted, UNDECIDED_WAITS);
  for (size_t a = 0; a < drafted.flow->activities.count; a++)
    if (drafted.flow->activities.data[a].wait_count == 2)
      drafted.flow->activities.data[a].rank = 1;
  struct draft_plan plan;
  struct text reason;
  text_init(&reason);
  const struct flow_shape shape = {.flow = drafted.flow};
  assert_false(draft_plan_make(&plan, &shape, &drafted.store.names, &reason));
  assert_non_null(strstr(text_get(&reason), "waits for 1 of 2 calls"));
  draft_plan_clear(&plan);
  text_clear(&reason);
  drafted_end(&drafted);
}

/* What draft_keep wrote is read back as the same flow; no part of it is. */
static void test_keep(void **state) {
  (void)state;
  struct drafted drafted;
  drafted_begin(&drafted);
  fork_join(&drafted);
  drafted_make(&drafted, UNDECIDED_WAITS);
  struct text kept, again, message;
  text_init(&kept);
  text_init(&again);
  text_init(&message);
  draft_keep(&kept, drafted.plan.shape, &drafted.store.names);
  struct flow_shape shape;
  assert_true(draft_recall(&shape, &drafted.store.names, kept.data, kept.length, &message));
  draft_keep(&again, &shape, &drafted.store.names);
  assert_string_equal(text_get(&again), text_get(&kept));
  flow_shape_clear(&shape);
  for (size_t length = 0; length + 1 < kept.length; length++) {
    message.length = 0;
    assert_false(draft_recall(&shape, &drafted.store.names, kept.data, length, &message));
    assert_true(message.length > 0);
    flow_shape_clear(&shape);
  }
  text_clear(&kept);
  text_clear(&again);
  text_clear(&message);
  drafted_end(&drafted);
}

static void test_any_shape(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct drafted drafted;
    drafted_begin(&drafted);
    static struct grown shape;
    shape.times.state = 1000 + seed;
    for (int i = 0; i < REQUESTS; i++) {
      memset(shape.rows, 0, sizeof shape.rows);
      shape.count = 0;
      shape.random.state = seed;
      grow(&shape, NULL, 0, 4, 0, false);
      spans_request(drafted.builder, "t", shape.rows);
    }
    drafted_make(&drafted, seed % 2 == 0 ? UNDECIDED_WAITS : UNDECIDED_FREE);
    machine_run_all(&drafted);
    drafted_end(&drafted);
  }
}

/* Whatever a round is, and whatever goes on beside it: one protocol, which takes as long as each
 * request did. */
static void test_loops(void **state) {
  (void)state;
  for (int below = 0; below < BELOW_COUNT; below++)
    for (int beside = 0; beside < 2; beside++) {
      struct drafted drafted;
      drafted_begin(&drafted);
      static struct grown shape;
      shape.random.state = shape.times.state = 40 + (uint64_t)(2 * below + beside);
      for (int i = 0; i < 10 * REQUESTS; i++) {
        add_looping(&shape, (enum below)below, beside == 1);
        spans_request(drafted.builder, "t", shape.rows);
      }
      drafted_make(&drafted, UNDECIDED_WAITS);
      machine_run_all(&drafted);
      const struct shape_loop *loop = &drafted.plan.shape->loops.data[0];
      /* All, or those with a note; but where chance has a note between two rounds of a request. */
      assert_true(drafted.families.data[0]->requests >= (beside == 0 ? 400 : 290));
      assert_int_equal(drafted.plan.shape->loops.count, 1);
      assert_int_equal(loop->least, beside == 0 ? 0 : 2);
      assert_int_equal(loop->most, 7);
      assert_int_equal(loop->whole, below > A_CALL);
      assert_int_equal(drafted.plan.by_round[0], beside == 0);
      if (beside == 0) {
        has(&drafted, "on Answer_auth_in cost sum k in 1..N_shop_item (Until_shop_item[k]");
        (below == A_CALL ? has : has_not)(&drafted, "+ Work_stock_look[k]");
      } else {
        has(&drafted, "is a loop: 2 to 7 rounds, one after the other. They are one call here");
      }
      drafted_end(&drafted);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fork_join), cmocka_unit_test(test_ways),
      cmocka_unit_test(test_threads),   cmocka_unit_test(test_names),
      cmocka_unit_test(test_first_of),  cmocka_unit_test(test_keep),
      cmocka_unit_test(test_any_shape), cmocka_unit_test(test_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
