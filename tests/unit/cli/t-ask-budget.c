/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions about promises of parts: which suffice for an objective, and whether they still do.
 */
#include "tests/unit/cli/heard.h"

#include "cli/question/budget/budget.h"
#include "cli/question/budget/budget_check.h"

/* A takes 10 to 11 us, B 20 to 21, d 5 to 6, Queuing 3 to 4: at p99.75 of each 42 us in all. */
static struct budget_request make(const struct asker *asker, const char *slo) {
  struct budget_request request = {.of = {.asker = asker,
                                          .path = heard_protocol("p.tp", heard_right),
                                          .data = heard_folder,
                                          .exchangeable = true,
                                          .effort = {.jobs = 1, .timeout_ms = 10000}}};
  heard_series("A.csv", 10000);
  heard_series("B.csv", 20000);
  heard_series("d.csv", 5000);
  heard_series("Queuing.csv", 3000);
  vector_push(&request.of.set, (struct setting){"n", "1"});
  vector_push(&request.slo, slo);
  rational_init(&request.of.confidence);
  rational_set_fraction(&request.of.confidence, 99, 100);
  return request;
}

static void clear(struct budget_request *request) {
  vector_clear(&request->of.set);
  vector_clear(&request->slo);
  vector_clear(&request->fixed);
  vector_clear(&request->weights);
  vector_clear(&request->groups);
  rational_clear(&request->of.confidence);
}

static const struct budget_part *part_called(const struct budget *answer, const char *name) {
  for (size_t g = 0; g < answer->parts.count; g++)
    if (strcmp(answer->parts.data[g].name, name) == 0)
      return &answer->parts.data[g];
  fail_msg("no part %s", name);
  return NULL;
}

static void the_same_room_for_all(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct budget_request request = make(&asker, "p99<84us");
  struct budget answer;
  budget_ask(&answer, &request);
  assert_true(answer.found);
  assert_int_equal(answer.parts.count, 4);
  assert_in_range((uint64_t)(1000 * answer.room), 990, 1010); /* twice 42 us */
  uint64_t limits = 0, misses = 0;
  for (size_t g = 0; g < answer.parts.count; g++) {
    const struct budget_part *part = &answer.parts.data[g];
    double room = (double)part->promise.limit_ns / (double)part->now_ns - 1;
    assert_true(room > 0.97 && room < 1.03);
    limits += part->promise.limit_ns;
    misses += part->promise.miss;
  }
  assert_true(limits < 84000 && misses <= SURVIVAL_ONE / 100);
  assert_int_equal(answer.spent, misses);
  assert_true(answer.confirmed <= answer.chance);
  budget_clear(&answer);
  clear(&request);
}

static void what_is_said_of_parts(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct budget_request request = make(&asker, "p99<84us");
  struct budget answer;
  vector_push(&request.fixed, (struct setting){"B", "p99.8<=30us"});
  vector_push(&request.weights, (struct setting){"A", "0"});
  vector_push(&request.groups, (struct setting){"net", "d.One,Queuing.One"});
  budget_ask(&answer, &request);
  assert_true(answer.found);
  assert_int_equal(answer.parts.count, 3);
  assert_int_equal(part_called(&answer, "B")->promise.limit_ns, 30000);
  assert_int_equal(part_called(&answer, "B")->promise.miss, SURVIVAL_ONE / 500);
  assert_in_range(part_called(&answer, "A")->promise.limit_ns, 10900, 11000);
  assert_int_equal(part_called(&answer, "net")->occurrences, 2);
  assert_in_range(part_called(&answer, "net")->promise.limit_ns, 21000, 21600); /* (84 - 41) / 2 */
  budget_clear(&answer);
  clear(&request);
}

/* Each promise leaves the room that is told of all parts, also where limits have two digits: with
 * little room that part of a limit is more than the room. */
static void the_room_is_left(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  for (int i = 0; i < 16; i++) {
    char slo[32];
    snprintf(slo, sizeof slo, "p99<%dus", 43 + i % 8);
    struct budget_request request = make(&asker, slo);
    struct budget answer;
    request.round = i < 8;
    vector_push(&request.weights, (struct setting){"A", i % 2 == 0 ? "0" : "2"});
    budget_ask(&answer, &request);
    assert_true(answer.found && answer.room_left >= 0 && answer.room_left <= answer.room);
    for (size_t g = 0; g < answer.parts.count; g++) {
      const struct budget_part *part = &answer.parts.data[g];
      double slower = (double)part->now_ns * (1 + part->weight * answer.room_left);
      assert_true((double)part->promise.limit_ns >= slower - 1);
    }
    budget_clear(&answer);
    clear(&request);
  }
}

static void what_cannot_be_promised(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct budget answer;
  struct budget_request request = make(&asker, "p99<21us"); /* half of what it takes */
  assert_int_equal(budget_ask(&answer, &request), STATUS_REFUTED);
  assert_true(answer.found && answer.room < -0.48 && answer.room > -0.52);
  budget_clear(&answer);
  clear(&request);
  request = make(&asker, "p99<21us");
  vector_push(&request.fixed, (struct setting){"B", "p99.8<30us"});
  assert_int_equal(budget_ask(&answer, &request), STATUS_REFUTED);
  assert_false(answer.found);
  budget_clear(&answer);
  clear(&request);
}

static void mistakes_are_said(void **state) {
  (void)state;
  static const struct {
    const char *fixed, *value, *words;
  } of[] = {{"C", "p99<1ms", "no part of the bound is called so; there are A, d.One"},
            {"B", "1ms", "unusable objective \"1ms\""}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    struct asker asker = heard_asker();
    struct budget_request request = make(&asker, "p99<84us");
    struct budget answer;
    vector_push(&request.fixed, (struct setting){of[i].fixed, of[i].value});
    assert_int_equal(budget_ask(&answer, &request), STATUS_USAGE);
    heard_only(SAYING_MISTAKE, of[i].words);
    budget_clear(&answer);
    clear(&request);
  }
}

/* Written, read again, and held against the same protocol and one with a step more. */
static void a_file_is_checked(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct budget_request request = make(&asker, "p99<84us");
  struct budget answer;
  struct text message;
  text_init(&message);
  budget_ask(&answer, &request);
  const char *path = heard_path("b.yaml");
  assert_int_equal(budget_file_write(path, &answer, &message), STATUS_OK);
  budget_clear(&answer);
  clear(&request);
  for (int twice = 0; twice <= 1; twice++) {
    const struct budget_check_request checked = {
        .asker = &asker,
        .path = path,
        .protocol = heard_protocol("p.tp", twice ? "A + d(One) + Queuing(One) + 2*B" : heard_right),
        .effort = {.jobs = 1, .timeout_ms = 10000}};
    struct budget_check check;
    assert_int_equal(budget_check_ask(&check, &checked), twice ? STATUS_REFUTED : STATUS_OK);
    assert_true(check.found && check.is_changed == (twice == 1) && check.within == (twice == 0));
    budget_check_clear(&check);
  }
  text_clear(&message);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(the_same_room_for_all), TEST(what_is_said_of_parts),
                                     TEST(the_room_is_left),      TEST(what_cannot_be_promised),
                                     TEST(mistakes_are_said),     TEST(a_file_is_checked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
