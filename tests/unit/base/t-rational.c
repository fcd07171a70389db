/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parsing, printing and rounding at their corners; the laws of an ordered field on random
 * fractions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rational.h"
#include "base/text.h"

static void parsed(const char *string, const char *expected) {
  struct rational x;
  rational_init(&x);
  rational_set_integer(&x, 77);
  bool good = rational_parse(&x, string);
  struct text text;
  text_init(&text);
  rational_print(&text, &x);
  if (!good)
    print_error("\"%s\" was refused\n", string);
  assert_true(good);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
  rational_clear(&x);
}

static void refused(const char *string) {
  struct rational x, before;
  rational_init(&x);
  rational_init(&before);
  rational_set_fraction(&x, -5, 3);
  rational_set(&before, &x);
  bool good = rational_parse(&x, string);
  if (good)
    print_error("\"%s\" was read as a number\n", string);
  assert_false(good);
  assert_int_equal(rational_compare(&x, &before), 0);
  rational_clear(&x);
  rational_clear(&before);
}

static void test_parse(void **state) {
  (void)state;
  parsed("12", "12");
  parsed("-3", "-3");
  parsed("+3", "3");
  parsed("0", "0");
  parsed("-0", "0");
  parsed("007", "7");
  parsed("0.25", "1/4");
  parsed("-0.25", "-1/4");
  parsed(".5", "1/2");
  parsed("5.", "5");
  parsed("1.5e-3", "3/2000");
  parsed("1.5E3", "1500");
  parsed("1.25e+1", "25/2");
  parsed("2/3", "2/3");
  parsed("-4/6", "-2/3");
  parsed("6/3", "2");
  parsed("0/5", "0");
  parsed("123456789012345678901234567890", "123456789012345678901234567890");
  parsed("0.1", "1/10");
  parsed("99.9", "999/10");
}

static void test_parse_refuses(void **state) {
  (void)state;
  static const char *const wrong[] = {"",
                                      " ",
                                      "1 ",
                                      " 1",
                                      "-",
                                      "+",
                                      ".",
                                      "-.",
                                      "e5",
                                      "1e",
                                      "1e+",
                                      "1e-",
                                      "1.2.3",
                                      "1/0",
                                      "1/00",
                                      "1/",
                                      "/2",
                                      "1/-2",
                                      "1/2.5",
                                      "1.5/2",
                                      "1e2/3",
                                      "1/2/3",
                                      "--1",
                                      "+-1",
                                      "0x10",
                                      "1e4097",
                                      "1e-4097",
                                      "1_000",
                                      "1,5",
                                      "inf",
                                      "nan",
                                      "1e99999999999999999999",
                                      "1e-99999999999999999999",
                                      "12a",
                                      "a12",
                                      "1\n"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    refused(wrong[i]);
}

static void test_parse_largest_exponents(void **state) {
  (void)state;
  struct rational large, small, product, one;
  rational_init(&large);
  rational_init(&small);
  rational_init(&product);
  rational_init(&one);
  rational_set_integer(&one, 1);
  assert_true(rational_parse(&large, "1e4096"));
  assert_true(rational_parse(&small, "1e-4096"));
  rational_mul(&product, &large, &small);
  assert_int_equal(rational_compare(&product, &one), 0);
  int64_t n;
  assert_false(rational_ceil(&n, &large));
  assert_true(rational_ceil(&n, &small));
  assert_int_equal(n, 1);
  rational_clear(&large);
  rational_clear(&small);
  rational_clear(&product);
  rational_clear(&one);
}

static void printed(int64_t n, int64_t d, const char *exact, const char *brief) {
  struct rational x;
  rational_init(&x);
  rational_set_fraction(&x, n, d);
  struct text text;
  text_init(&text);
  rational_print(&text, &x);
  assert_string_equal(text_get(&text), exact);
  text_clear(&text);
  rational_print_short(&text, &x);
  assert_string_equal(text_get(&text), brief);
  text_clear(&text);
  rational_clear(&x);
}

static void test_print(void **state) {
  (void)state;
  printed(0, 5, "0", "0");
  printed(3, 1, "3", "3");
  printed(-7, 2, "-7/2", "-3.5");
  printed(7, -2, "-7/2", "-3.5");
  printed(13, 4, "13/4", "3.25");
  printed(1, 8, "1/8", "0.125");
  printed(-1, 8, "-1/8", "-0.125");
  printed(1, 3, "1/3", "1/3");
  printed(-22, 7, "-22/7", "-22/7");
  printed(1, 1000, "1/1000", "0.001");
  printed(101, 100, "101/100", "1.01");
  printed(10, 4, "5/2", "2.5");
  printed(1, 1000000000, "1/1000000000", "0.000000001");
  printed(1, 10000000000, "1/10000000000", "1/10000000000");
  printed(1, 512, "1/512", "0.001953125");
  printed(1, 1024, "1/1024", "1/1024");
  printed(INT64_MIN, 1, "-9223372036854775808", "-9223372036854775808");
  printed(INT64_MAX, 10, "9223372036854775807/10", "922337203685477580.7");
}

static void rounds(const char *value, bool fits, int64_t floor, int64_t ceil) {
  struct rational x;
  rational_init(&x);
  assert_true(rational_parse(&x, value));
  int64_t n = 4711;
  assert_int_equal(rational_floor(&n, &x), fits);
  if (fits)
    assert_true(n == floor);
  assert_int_equal(rational_ceil(&n, &x), fits);
  if (fits)
    assert_true(n == ceil);
  rational_clear(&x);
}

static void test_rounding(void **state) {
  (void)state;
  rounds("0", true, 0, 0);
  rounds("7/2", true, 3, 4);
  rounds("-7/2", true, -4, -3);
  rounds("1e-9", true, 0, 1);
  rounds("-1e-9", true, -1, 0);
  rounds("5", true, 5, 5);
  rounds("-5", true, -5, -5);
  rounds("9223372036854775807", true, INT64_MAX, INT64_MAX);
  rounds("-9223372036854775808", true, INT64_MIN, INT64_MIN);
  rounds("9223372036854775809", false, 0, 0);
  rounds("-9223372036854775810", false, 0, 0);

  struct rational x;
  rational_init(&x);
  int64_t n;
  assert_true(rational_parse(&x, "9223372036854775807.5"));
  assert_true(rational_floor(&n, &x));
  assert_true(n == INT64_MAX);
  assert_false(rational_ceil(&n, &x));
  rational_clear(&x);
}

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t next(uint64_t *seed) {
  uint64_t x = *seed += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

/* Biased to small numbers, zero and the ends of the range. */
static int64_t draw(uint64_t *seed) {
  switch (next(seed) % 4) {
  case 0:
    return (int64_t)(next(seed) % 7) - 3;
  case 1:
    return next(seed) % 2 ? INT64_MAX - (int64_t)(next(seed) % 3)
                          : INT64_MIN + (int64_t)(next(seed) % 3);
  case 2:
    return (int64_t)(next(seed) % 2000001) - 1000000;
  default:
    return (int64_t)next(seed);
  }
}

static void draw_fraction(struct rational *x, uint64_t *seed) {
  int64_t d = draw(seed);
  rational_set_fraction(x, draw(seed), d == 0 ? 1 : d);
}

enum { VALUES = 9 };
struct laws {
  struct rational x, y, z, v[VALUES];
};

static void equal(const struct rational *a, const struct rational *b, const char *law,
                  const struct laws *l, uint64_t seed) {
  if (rational_compare(a, b) == 0)
    return;
  struct text text;
  text_init(&text);
  const struct rational *const inputs[] = {&l->x, &l->y, &l->z, a, b};
  for (size_t i = 0; i < 5; i++) {
    rational_print(&text, inputs[i]);
    text_append(&text, i == 4 ? "" : "; ");
  }
  print_error("%s, seed %llu: x; y; z; left; right: %s\n", law, (unsigned long long)seed,
              text_get(&text));
  text_clear(&text);
  fail();
}

static void check_field(struct laws *l, uint64_t seed) {
  struct rational *v = l->v;
  rational_add(&v[0], &l->x, &l->y);
  rational_add(&v[1], &l->y, &l->x);
  equal(&v[0], &v[1], "x + y = y + x", l, seed);
  rational_add(&v[0], &v[0], &l->z);
  rational_add(&v[1], &l->y, &l->z);
  rational_add(&v[1], &l->x, &v[1]);
  equal(&v[0], &v[1], "(x + y) + z = x + (y + z)", l, seed);
  rational_add(&v[0], &l->y, &l->z);
  rational_mul(&v[0], &l->x, &v[0]);
  rational_mul(&v[1], &l->x, &l->y);
  rational_mul(&v[2], &l->x, &l->z);
  rational_add(&v[1], &v[1], &v[2]);
  equal(&v[0], &v[1], "x (y + z) = x y + x z", l, seed);
  rational_sub(&v[0], &l->x, &l->y);
  rational_add(&v[0], &v[0], &l->y);
  equal(&v[0], &l->x, "x - y + y = x", l, seed);
  if (rational_sign(&l->y) != 0) {
    rational_div(&v[0], &l->x, &l->y);
    rational_mul(&v[0], &v[0], &l->y);
    equal(&v[0], &l->x, "x / y y = x", l, seed);
  }
}

static void check_order(struct laws *l, uint64_t seed) {
  struct rational *v = l->v;
  rational_max(&v[0], &l->x, &l->y);
  rational_min(&v[1], &l->x, &l->y);
  rational_add(&v[2], &v[0], &v[1]);
  rational_add(&v[3], &l->x, &l->y);
  equal(&v[2], &v[3], "max + min = x + y", l, seed);
  assert_true(rational_compare(&v[0], &v[1]) >= 0);
  rational_sub(&v[2], &l->x, &l->y);
  int order = rational_compare(&l->x, &l->y);
  assert_int_equal((order > 0) - (order < 0), rational_sign(&v[2]));
  rational_set_integer(&v[4], 1);
  int64_t floor, ceil;
  if (!rational_floor(&floor, &l->x) || !rational_ceil(&ceil, &l->x))
    return;
  assert_int_equal(ceil - floor, rational_is_integer(&l->x) ? 0 : 1);
  rational_set_integer(&v[5], floor);
  rational_sub(&v[6], &l->x, &v[5]);
  assert_true(rational_sign(&v[6]) >= 0);
  assert_true(rational_compare(&v[6], &v[4]) < 0);
}

static void check_print(struct laws *l, uint64_t seed) {
  for (int brief = 0; brief < 2; brief++) {
    struct text text;
    text_init(&text);
    (brief ? rational_print_short : rational_print)(&text, &l->x);
    assert_true(rational_parse(&l->v[7], text_get(&text)));
    equal(&l->v[7], &l->x, "parse(print(x)) = x", l, seed);
    text_clear(&text);
  }
}

static void test_laws(void **state) {
  (void)state;
  struct laws l;
  rational_init(&l.x);
  rational_init(&l.y);
  rational_init(&l.z);
  for (size_t i = 0; i < VALUES; i++)
    rational_init(&l.v[i]);
  for (uint64_t round = 0; round < 5000; round++) {
    uint64_t seed = round;
    draw_fraction(&l.x, &seed);
    draw_fraction(&l.y, &seed);
    draw_fraction(&l.z, &seed);
    check_field(&l, round);
    check_order(&l, round);
    check_print(&l, round);
  }
  rational_clear(&l.x);
  rational_clear(&l.y);
  rational_clear(&l.z);
  for (size_t i = 0; i < VALUES; i++)
    rational_clear(&l.v[i]);
}

static void test_outputs_may_be_inputs(void **state) {
  (void)state;
  struct rational x;
  rational_init(&x);
  rational_set_fraction(&x, 3, 7);
  rational_add(&x, &x, &x);
  rational_mul(&x, &x, &x);
  rational_max(&x, &x, &x);
  rational_set(&x, &x);
  struct text text;
  text_init(&text);
  rational_print(&text, &x);
  assert_string_equal(text_get(&text), "36/49");
  rational_sub(&x, &x, &x);
  assert_int_equal(rational_sign(&x), 0);
  text_clear(&text);
  rational_clear(&x);
  rational_clear(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parse),
      cmocka_unit_test(test_parse_refuses),
      cmocka_unit_test(test_parse_largest_exponents),
      cmocka_unit_test(test_print),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_laws),
      cmocka_unit_test(test_outputs_may_be_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
