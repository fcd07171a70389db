/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/tune/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

/* A server whose percentile depends on its semi-spaces as `power` says, and otherwise on chance: a
 * factor of the block, which paired runs share, and one of its own. */
struct simulated {
  struct random random;
  double power; /* metric ~ (size / 16)^power */
  double noise;
  uint32_t unusable; /* this size does not run */
  size_t stop_after; /* 0: never */
  size_t runs;
};

static double uniform(struct random *random) {
  return ((double)random_bits(random) + 0.5) / 18446744073709551616.0;
}

static double normal(struct random *random) {
  return sqrt(-2 * log(uniform(random))) * cos(6.283185307179586 * uniform(random));
}

static enum tune_outcome simulate(void *context, const struct tune_step *step,
                                  struct tune_measured *measured) {
  struct simulated *server = context;
  uint32_t size = step->setting->semi == 0 ? 16 : step->setting->semi;
  assert_true(step->done < step->most);
  if (++server->runs == server->stop_after)
    return TUNE_STOPPED;
  if (step->setting->semi != 0 && size == server->unusable)
    return TUNE_UNUSABLE;
  measured->metric =
      1e7 * pow(size / 16.0, server->power) * exp(server->noise * normal(&server->random));
  measured->memory = 5e7 + 3e6 * size;
  return TUNE_MEASURED;
}

static const uint32_t sizes[] = {1, 4, 8, 32, 64, 128}, olds[] = {512, 4096};

static void search(struct tune_answer *answer, struct simulated *server, uint64_t seed) {
  const struct tune_request request = {.sizes = sizes,
                                       .size_count = sizeof sizes / sizeof *sizes,
                                       .olds = olds,
                                       .old_count = 2,
                                       .has_min = true,
                                       .pairs = 24,
                                       .alpha = 0.05,
                                       .seed = seed,
                                       .measure = simulate,
                                       .context = server};
  server->random.state = seed * 1000 + 1;
  tune_search(answer, &request);
}

static void larger_ones_are_found_where_they_help(void **state) {
  (void)state;
  struct simulated server = {.power = -0.3, .noise = 0.1};
  struct tune_answer answer;
  search(&answer, &server, 1);
  assert_int_equal(answer.verdict, TUNE_BETTER);
  assert_int_equal(answer.tried.data[answer.best].setting.semi, 128);
  double truth = pow(8, -0.3);
  assert_true(answer.ratio.least <= truth && truth <= answer.ratio.most);
  assert_int_equal(answer.pairs.count, 8); /* so clear that the first look says so */
  assert_true(answer.memory_best.data[0] > answer.memory_as_is.data[0]);
  tune_answer_clear(&answer);
}

static void smaller_ones_are_found_where_they_help(void **state) {
  (void)state;
  struct simulated server = {.power = 0.3, .noise = 0.1};
  struct tune_answer answer;
  search(&answer, &server, 2);
  assert_int_equal(answer.verdict, TUNE_BETTER);
  assert_int_equal(answer.tried.data[answer.best].setting.semi, 1);
  tune_answer_clear(&answer);
}

/* Nothing makes a difference: of 1000 searches at most 2.5 % (one side of 5 %) may say otherwise;
 * 4 % is three standard errors more. */
static void nothing_is_found_where_there_is_nothing(void **state) {
  (void)state;
  size_t found = 0, looked = 0;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    struct simulated server = {.noise = 0.5};
    struct tune_answer answer;
    search(&answer, &server, seed);
    found += answer.verdict == TUNE_BETTER;
    looked += answer.has_ratio;
    assert_true(answer.verdict == TUNE_BETTER || answer.verdict == TUNE_NO_GAIN);
    tune_answer_clear(&answer);
  }
  assert_int_equal(looked, 1000);
  assert_true(found <= 40);
}

/* Every one of 300 intervals holds the truth, but for 5 %; 9 % is three standard errors more. */
static void intervals_hold_what_a_setting_gains(void **state) {
  (void)state;
  size_t missed = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct simulated server = {.power = -0.15, .noise = 0.2};
    struct tune_answer answer;
    search(&answer, &server, seed);
    double truth = pow(answer.tried.data[answer.best].setting.semi / 16.0, -0.15);
    missed += truth < answer.ratio.least || truth > answer.ratio.most;
    tune_answer_clear(&answer);
  }
  assert_true(missed <= 27);
}

static void a_size_that_does_not_run_is_dropped(void **state) {
  (void)state;
  struct simulated server = {.power = -0.3, .noise = 0.05, .unusable = 128};
  struct tune_answer answer;
  search(&answer, &server, 3);
  assert_int_equal(answer.verdict, TUNE_BETTER);
  assert_int_equal(answer.tried.data[answer.best].setting.semi, 64);
  assert_true(answer.tried.data[5].unusable);
  tune_answer_clear(&answer);
}

/* Where variants make no difference the plain size is recommended. */
static void the_fewest_options_win(void **state) {
  (void)state;
  size_t plain = 0;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    struct simulated server = {.power = -0.3, .noise = 0.01};
    struct tune_answer answer;
    search(&answer, &server, seed);
    const struct heap_setting *best = &answer.tried.data[answer.best].setting;
    plain += best->semi == 128 && best->semi_min == 0 && best->old == 0;
    tune_answer_clear(&answer);
  }
  assert_int_equal(plain, 50);
}

static void it_stops_at_once(void **state) {
  (void)state;
  for (size_t after = 1; after < 60; after += 7) {
    struct simulated server = {.power = -0.01, .noise = 0.5, .stop_after = after};
    struct tune_answer answer;
    search(&answer, &server, 4);
    assert_int_equal(answer.verdict, TUNE_GIVEN_UP);
    assert_int_equal(server.runs, after);
    tune_answer_clear(&answer);
  }
}

/* --- commands --- */

static void command_is(const char *wanted, const char *const *words, size_t count,
                       struct heap_setting setting) {
  struct heap_command command;
  struct text text;
  text_init(&text);
  heap_command_make(&command, words, count, &setting);
  for (size_t i = 0; i + 1 < command.words.count; i++)
    text_format(&text, "%s%s", i == 0 ? "" : " ", command.words.data[i]);
  assert_string_equal(text_get(&text), wanted);
  assert_null(command.words.data[command.words.count - 1]);
  heap_command_clear(&command);
  text_clear(&text);
}

static void a_setting_replaces_what_the_command_says(void **state) {
  (void)state;
  static const char *const plain[] = {"node", "app.js", "--max-old-space-size=3"};
  static const char *const full[] = {
      "node", "--max_semi_space_size", "64", "--max-old-space-size=900", "--trace-gc", "app.js"};
  command_is("node app.js --max-old-space-size=3", plain, 3, (struct heap_setting){0});
  command_is("node --max-semi-space-size=8 --min-semi-space-size=8 app.js --max-old-space-size=3",
             plain, 3, (struct heap_setting){.semi = 8, .semi_min = 8});
  command_is("node --max-semi-space-size=8 --max-old-space-size=900 --trace-gc app.js", full, 6,
             (struct heap_setting){.semi = 8});
  command_is("node --max-old-space-size=512 app.js --max-old-space-size=3", plain, 3,
             (struct heap_setting){.old = 512});
}

static void node_is_known_by_its_name(void **state) {
  (void)state;
  assert_true(heap_command_is_node("node") && heap_command_is_node("/usr/bin/nodejs"));
  assert_false(heap_command_is_node("npm") || heap_command_is_node("/opt/node/bin/npm"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(larger_ones_are_found_where_they_help),
      cmocka_unit_test(smaller_ones_are_found_where_they_help),
      cmocka_unit_test(nothing_is_found_where_there_is_nothing),
      cmocka_unit_test(intervals_hold_what_a_setting_gains),
      cmocka_unit_test(a_size_that_does_not_run_is_dropped),
      cmocka_unit_test(the_fewest_options_win),
      cmocka_unit_test(it_stops_at_once),
      cmocka_unit_test(a_setting_replaces_what_the_command_says),
      cmocka_unit_test(node_is_known_by_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
