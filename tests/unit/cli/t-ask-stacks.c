/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions about recorded stacks: what is in a profile, what changed between two, what several
 * add up to, and how few samples would have told.
 */
#include "cli/question/simulate/simulate.h"
#include "cli/question/stacks/fleet.h"
#include "cli/question/stacks/show.h"
#include "tests/unit/cli/heard.h"
#include "trace/stacks/frame.h"

static bool is_called(const struct stack_profile *profile, uint32_t frame, const char *name) {
  struct text text;
  text_init(&text);
  stack_frame_text(profile, frame, false, &text);
  bool is = strcmp(text_get(&text), name) == 0;
  text_clear(&text);
  return is;
}

static void shares_of_a_profile(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct show_request request = {.asker = &asker,
                                 .path = heard_write("p.folded", "main;a 30\nmain;b 60\nmain 10\n"),
                                 .level = 0.95};
  struct show_answer answer;
  assert_int_equal(show_ask(&answer, &request), STATUS_OK);
  assert_true(answer.found);
  assert_int_equal(answer.hot.list.count, 3);
  assert_int_equal(answer.hot.list.data[0].self, 60);
  assert_int_equal(answer.hot.list.data[1].self, 30);
  assert_int_equal(answer.hot.list.data[2].self, 10);
  assert_int_equal(answer.hot.list.data[2].total, 100); /* main, which called both */
  assert_int_equal(answer.evidence.whole, 100);
  assert_true(is_called(&answer.by_text, answer.hot.list.data[0].frame, "b"));
  show_clear_answer(&answer);
  request.path = heard_write("none.folded", "");
  asker = heard_asker();
  assert_int_equal(show_ask(&answer, &request), STATUS_DATA);
  assert_false(answer.found);
  heard_only(SAYING_FAILURE, "none.folded");
  show_clear_answer(&answer);
}

/* 1000 samples of each: a function that grew from 10 % to 30 % has changed; one from 10 % to 11 % may
 * not have. Numbers that nobody calls samples make the answer conditional. */
static void changes_beyond_chance(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct change_request request = {.asker = &asker,
                                   .before = heard_write("1", "m;a 99\nm;b 100\nm;c 801\n"),
                                   .after = heard_write("2", "m;a 301\nm;b 110\nm;c 589\n"),
                                   .level = 0.05};
  struct change_answer answer;
  assert_int_equal(change_ask(&answer, &request), STATUS_CONDITIONAL);
  assert_true(answer.assumed);
  change_clear_answer(&answer);
  assert_true(stack_weight_parse(&request.weight, "samples"));
  assert_int_equal(change_ask(&answer, &request), STATUS_REFUTED);
  assert_false(answer.assumed);
  assert_int_equal(answer.samples_before, 1000);
  assert_int_equal(answer.samples_after, 1000);
  assert_int_equal(answer.difference.significant, 2);
  for (size_t i = 0; i < answer.difference.changes.count; i++) {
    const struct stack_change *change = &answer.difference.changes.data[i];
    bool moved = is_called(&answer.difference.profile, change->frame, "a") ||
                 is_called(&answer.difference.profile, change->frame, "c");
    assert_int_equal(change->significant, moved);
  }
  change_clear_answer(&answer);
}

static void profiles_that_add_up(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  const char *paths[] = {heard_write("1", "m;a 1\nm;b 2\n"), heard_write("2", "m;a 10\nm;c 20\n")};
  struct fleet_request request = {
      .asker = &asker, .paths = paths, .path_count = 2, .out = heard_path("sum.folded")};
  assert_true(stack_weight_parse(&request.weight, "samples"));
  struct fleet_answer answer;
  assert_int_equal(fleet_ask(&answer, &request), STATUS_OK);
  assert_int_equal(answer.files, 2);
  fleet_clear_answer(&answer);
  struct show_request show = {.asker = &asker, .path = heard_path("sum.folded"), .level = 0.95};
  struct show_answer shown;
  assert_int_equal(show_ask(&shown, &show), STATUS_OK);
  assert_int_equal(shown.evidence.whole, 33);
  assert_int_equal(shown.hot.list.data[0].self, 20);
  assert_int_equal(shown.hot.list.data[1].self, 11);
  show_clear_answer(&shown);
  assert_true(fleet_is_profile(paths[0]));
  assert_false(fleet_is_profile(heard_write("t.csv", "latency_us\n1\n2\n")));
  paths[1] = heard_path("nothing");
  request.out = heard_path("not.folded");
  asker = heard_asker();
  assert_int_equal(fleet_ask(&answer, &request), STATUS_NO_INPUT);
  assert_int_not_equal(access(request.out, F_OK), 0);
  fleet_clear_answer(&answer);
}

/* Without the moments of its samples there is nothing to simulate, and stacks that hardly weigh are
 * what can be left out. */
static void what_could_be_left_out(void **state) {
  (void)state;
  struct asker asker = heard_asker();
  struct simulate_request request = {.asker = &asker,
                                     .path =
                                         heard_write("p.folded", "m;a 900\nm;b 90\nm;c 9\nm;d 1\n"),
                                     .error = "2%"};
  struct simulate_answer answer;
  enum status status = simulate_ask(&answer, &request);
  assert_true(answer.found);
  assert_int_equal(status, answer.status);
  assert_false(answer.timed);
  assert_float_equal(answer.limit, 0.02, 1e-12);
  simulate_clear_answer(&answer);
  static const char *const wrong[] = {"2", "-1%", "0x1%", "200%"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    request.error = wrong[i];
    asker = heard_asker();
    assert_int_equal(simulate_ask(&answer, &request), STATUS_USAGE);
    heard_only(SAYING_MISTAKE, wrong[i]);
    assert_false(answer.found);
    simulate_clear_answer(&answer);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(shares_of_a_profile), TEST(changes_beyond_chance),
                                     TEST(profiles_that_add_up), TEST(what_could_be_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
