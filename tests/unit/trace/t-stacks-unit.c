/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the weights of profiles are: as folded text says it, as a user does, and as numbers betray.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/stacks/difference.h"
#include "trace/stacks/hot.h"
#include "trace/stacks/merge.h"
#include "trace/stacks/read.h"
#include "trace/stacks/write.h"

static enum stack_numbers_kind kind_of(const uint64_t *numbers, size_t count, uint64_t weight) {
  struct stack_numbers all = {0};
  for (size_t i = 0; i < count; i++)
    stack_numbers_add(&all, numbers[i] * weight);
  return stack_numbers_judge(&all);
}

static void test_numbers(void **state) {
  (void)state;
  static const uint64_t few[] = {15, 85}, more[] = {31, 7, 0, 1, 12, 1, 2, 9};
  assert_int_equal(kind_of(more, 8, 1), NUMBERS_OF_SAMPLES);
  assert_int_equal(kind_of(few, 2, 1), NUMBERS_DOUBTFUL);
  assert_int_equal(kind_of(few, 1, 1), NUMBERS_OF_SAMPLES); /* of one number it says nothing */
  for (uint64_t weight = 5; weight < 100000; weight = weight * 3 - 2)
    assert_int_equal(kind_of(more, 8, weight), NUMBERS_OF_OTHER);
  assert_int_equal(kind_of(more, 8, 2), NUMBERS_DOUBTFUL);
  static const uint64_t large[] = {9000001, 1000000, 1};
  assert_int_equal(kind_of(large, 3, 1), NUMBERS_OF_OTHER);
  assert_int_equal(kind_of(large + 1, 2, 1), NUMBERS_OF_SAMPLES);
  static const uint64_t vast[] = {UINT64_MAX, 7};
  assert_int_equal(kind_of(vast, 2, 1), NUMBERS_OF_OTHER);
}

static void test_weights(void **state) {
  (void)state;
  struct stack_weight weight;
  assert_true(stack_weight_parse(&weight, "samples") && !weight.time && weight.sample == 1);
  assert_true(stack_weight_parse(&weight, "us") && weight.time && weight.multiply == 1000);
  assert_true(stack_weight_parse(&weight, "1001001") && !weight.time && weight.sample == 1001001);
  static const char *const wrong[] = {"",        "0",   "-1",     "1.5",
                                      "Samples", "ns ", "cycles", "99999999999999999999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(stack_weight_parse(&weight, wrong[i]));
}

static void read(struct stack_profile *profile, const char *text) {
  struct text message = {0};
  stack_profile_init(profile);
  assert_int_equal(
      stack_profile_read_bytes(profile, (struct slice){text, strlen(text)}, "f", NULL, &message),
      STATUS_OK);
  text_clear(&message);
}

/* What is written says all that was read, and is read again. */
static void test_comment(void **state) {
  (void)state;
  static const char *const heads[] = {
      "# unit=samples samples=10 heaviest=1 rate=99 lost=3 throttled=4 pruned=5 unseen=6\n",
      "# unit=ns samples=3 heaviest=6\n",
      "# unit=ns samples=3 heaviest=6 event=wall\n",
      "# unit=periods samples=3 heaviest=6 event=cycles:u\n",
      "# unit=samples assumed=1\n",
      "# unit=unknown\n",
  };
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    struct stack_profile profile;
    struct text in = {0}, out = {0};
    text_format(&in, "%sa;b 4\na;c 6\n", heads[i]);
    read(&profile, text_get(&in));
    stack_unit_write(&profile, &out);
    assert_string_equal(text_get(&out), heads[i]);
    text_clear(&in);
    text_clear(&out);
    stack_profile_clear(&profile);
  }
  struct stack_unit_line said;
  static const char *const others[] = {"# unit=", "# unit=hours samples=3", "#unit=ns",
                                       "# a unit=ns", "# unit = ns"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(stack_unit_read(&said, (struct slice){others[i], strlen(others[i])}));
}

/* Lines that were taken out do not count as samples. */
static void test_filtered(void **state) {
  (void)state;
  struct stack_profile profile;
  read(&profile, "# unit=samples samples=1000 heaviest=1\na;b 4\na;c 6\n");
  assert_int_equal(profile.count, 10);
  stack_profile_clear(&profile);
  read(&profile, "# unit=ns samples=1000 heaviest=10\na;b 40\na;c 60\n");
  assert_true(stack_evidence_of(&profile, 1, 0.9).samples <= 10);
  stack_profile_clear(&profile);
}

/* A sum of profiles knows its samples if all do, and counts them as the heaviest. */
static void test_merged(void **state) {
  (void)state;
  struct stack_profile a, b, sum;
  struct text message = {0};
  stack_profile_init(&sum);
  read(&a, "# unit=ns samples=100 heaviest=10\nx 1000\n");
  read(&b, "# unit=ns samples=1000 heaviest=1\ny 1000\n");
  assert_true(stack_profile_merge(&sum, &a, &message));
  assert_true(stack_profile_merge(&sum, &b, &message));
  assert_int_equal(sum.count, 1100);
  assert_true(stack_evidence_of(&sum, 1, 0.9).samples == 200);
  stack_profile_clear(&b);
  read(&b, "# unit=ns\ny 1000\n");
  assert_true(stack_profile_merge(&sum, &b, &message));
  assert_int_equal(sum.count, 0);
  stack_profile_clear(&b);
  read(&b, "# unit=ns samples=5 event=wall\ny 1000\n");
  assert_false(stack_profile_merge(&sum, &b, &message));
  assert_non_null(strstr(text_get(&message), "ns of wall"));
  text_clear(&message);
  stack_profile_clear(&a);
  stack_profile_clear(&b);
  stack_profile_clear(&sum);
}

static double chance_of(uint64_t a, uint64_t rest_a, uint64_t b, uint64_t rest_b) {
  struct stack_profile before, after;
  struct stack_difference difference;
  struct text one = {0}, two = {0};
  text_format(&one, "# unit=samples samples=1\nf %llu\ng %llu\n", (unsigned long long)a,
              (unsigned long long)rest_a);
  text_format(&two, "# unit=samples samples=1\nf %llu\ng %llu\n", (unsigned long long)b,
              (unsigned long long)rest_b);
  read(&before, text_get(&one));
  read(&after, text_get(&two));
  stack_difference_find(&difference, &before, &after, 0.05);
  double chance = difference.changes.data[0].chance;
  stack_difference_clear(&difference);
  stack_profile_clear(&before);
  stack_profile_clear(&after);
  text_clear(&one);
  text_clear(&two);
  return chance;
}

/* The chances of many samples take no longer, and go on where those of fewer end. */
static void test_many_samples(void **state) {
  (void)state;
  double least = 1;
  for (uint64_t n = 1000; n < UINT64_C(1000000000000000000); n *= 10) {
    uint64_t off = 1;
    while (off * off < 8 * n / 4) /* about 2 deviations of the difference */
      off *= 2;
    double chance = chance_of(n / 2, n / 2, n / 2 + off / 2, n / 2 - off / 2);
    double deviations = (double)off / 2 / sqrt((double)n / 2);
    double normal = erfc(deviations / sqrt(2));
    assert_true(chance > 0.7 * normal && chance < 2.5 * normal + 0.02);
    least = chance < least ? chance : least;
    assert_true(chance_of(n / 2, n / 2, n / 2, n / 2) > 0.9);
  }
  assert_true(chance_of(0, 2000000000, 12, 2000000000) < 1e-3);
  assert_true(chance_of(0, 2000000000, 12, 2000000000) > 1e-4);
  assert_true(chance_of(2000000000, 0, 2000000000, 12) < 1e-3);
  assert_true(chance_of(UINT64_MAX / 4, UINT64_MAX / 4, UINT64_MAX / 8, UINT64_MAX / 4) < 1e-9);
}

/* --- two draws of one law, as folded text --- */

enum { LAW = 20, PAIRS = 100, DRAWN = 500 };

static uint64_t drawn = 1;

static double unit(void) {
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (double)(drawn >> 11) / 9007199254740992.0;
}

/* 500 samples of functions of which each has two thirds of the one before. */
static void draw(struct stack_profile *profile, uint64_t weight, bool said) {
  uint64_t hits[LAW] = {0};
  struct text text = {0}, message = {0};
  for (int i = 0; i < DRAWN; i++) {
    size_t f = 0;
    while (f < LAW - 1 && unit() < 2.0 / 3)
      f++;
    hits[f]++;
  }
  for (size_t f = 0; f < LAW; f++)
    if (hits[f] != 0)
      text_format(&text, "main;f%zu %llu\n", f, (unsigned long long)(hits[f] * weight));
  const struct stack_reading reading = {.weight = {.said = said, .sample = weight}};
  stack_profile_init(profile);
  assert_int_equal(stack_profile_read_bytes(profile, (struct slice){text_get(&text), text.length},
                                            "f", &reading, &message),
                   STATUS_OK);
  text_clear(&text);
}

/* Of how many pairs a function is named as changed, at 5 %. */
static unsigned named_of_pairs(uint64_t weight, bool said) {
  unsigned named = 0;
  for (int i = 0; i < PAIRS; i++) {
    struct stack_profile sides[2];
    struct stack_difference difference;
    draw(&sides[0], weight, said);
    draw(&sides[1], weight, said);
    stack_difference_find(&difference, &sides[0], &sides[1], 0.05);
    assert_int_equal(difference.counted, said || weight == 1);
    named += difference.significant != 0;
    stack_difference_clear(&difference);
    stack_profile_clear(&sides[0]);
    stack_profile_clear(&sides[1]);
  }
  return named;
}

/* Whatever a sample weighs, at most 11 of 100 are named: more than that happens once in 200 times at
 * 5 %. Where nobody says what it weighs, none. */
static void test_equal_runs(void **state) {
  (void)state;
  static const uint64_t weights[] = {1, 1001, 10101010};
  for (size_t i = 0; i < 3; i++) {
    unsigned named = named_of_pairs(weights[i], true);
    print_message("%llu a sample: of %d equal pairs %u are said to differ\n",
                  (unsigned long long)weights[i], PAIRS, named);
    assert_in_range(named, 0, 11);
    if (weights[i] != 1)
      assert_int_equal(named_of_pairs(weights[i], false), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),    cmocka_unit_test(test_weights),
      cmocka_unit_test(test_comment),    cmocka_unit_test(test_filtered),
      cmocka_unit_test(test_merged),     cmocka_unit_test(test_many_samples),
      cmocka_unit_test(test_equal_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
