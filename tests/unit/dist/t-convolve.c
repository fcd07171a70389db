/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "dist/survival/convolve.h"
#include "dist/survival/transform.h"
#include "tests/unit/dist/random.h"

#define TOTAL (UINT64_C(1) << 61)

/* Counts above 2^61 / count would break the promise on the sum; the corners reach it. */
static void fill(uint64_t *a, size_t count, struct random *random) {
  uint64_t kind = random_below(random, 4);
  memset(a, 0, count * sizeof *a);
  if (kind == 0) {
    a[random_below(random, count)] = TOTAL;
    return;
  }
  for (size_t i = 0; i < count; i++)
    if (kind != 1 || random_below(random, 16) == 0)
      a[i] = kind == 2 ? TOTAL / count : random_below(random, TOTAL / count + 1);
}

static void test_transform_is_the_schoolbook(void **state) {
  (void)state;
  enum { MOST = 1500 };
  uint64_t *a = mem_alloc(MOST, sizeof *a), *b = mem_alloc(MOST, sizeof *b);
  uint128 *c = mem_alloc(2 * MOST, sizeof *c), *d = mem_alloc(2 * MOST, sizeof *d);
  for (uint64_t seed = 0; seed < 60; seed++) {
    struct random random = {seed};
    size_t most = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 200 : MOST;
    size_t m = 1 + random_below(&random, most), n = 1 + random_below(&random, most);
    fill(a, m, &random);
    fill(b, n, &random);
    if (seed == 0) /* the largest sum that is allowed */
      a[0] = TOTAL, m = 1, b[0] = 2 * TOTAL, n = 1;
    convolve_schoolbook(d, a, m, b, n);
    transform_convolve(c, a, m, b, n);
    if (memcmp(c, d, (m + n - 1) * sizeof *c) != 0)
      fail_msg("seed %lu: %zu x %zu", (unsigned long)seed, m, n);
    assert_true(convolve_check(c, a, m, b, n, random_next(&random)));
    transform_convolve_plain(c, a, m, b, n);
    if (memcmp(c, d, (m + n - 1) * sizeof *c) != 0)
      fail_msg("seed %lu: %zu x %zu without vectors", (unsigned long)seed, m, n);
    convolve_schoolbook(d, a, m, a, m);
    transform_convolve(c, a, m, a, m);
    if (memcmp(c, d, (2 * m - 1) * sizeof *c) != 0)
      fail_msg("seed %lu: square of %zu", (unsigned long)seed, m);
    convolve_exact(c, a, m, a, m);
    assert_memory_equal(c, d, (2 * m - 1) * sizeof *c);
  }
  mem_free(a);
  mem_free(b);
  mem_free(c);
  mem_free(d);
}

/* 2^16 x 2^16 at every output would take schoolbook minutes; a sparse operand does not. */
static void test_large_products(void **state) {
  (void)state;
  enum { COUNT = 1 << 16 };
  uint64_t *a = mem_alloc(COUNT, sizeof *a), *b = mem_alloc(COUNT, sizeof *b);
  uint128 *c = mem_alloc(2 * COUNT, sizeof *c), *d = mem_alloc(2 * COUNT, sizeof *d);
  struct random random = {20};
  for (size_t i = 0; i < COUNT; i++)
    b[i] = random_below(&random, TOTAL / COUNT);
  for (int i = 0; i < 20; i++)
    a[random_below(&random, COUNT)] = random_below(&random, TOTAL / 20);
  for (size_t count = COUNT; count >= COUNT / 4; count /= 2) {
    convolve_schoolbook(d, a, count, b, count);
    transform_convolve(c, a, count, b, count);
    assert_memory_equal(c, d, (2 * count - 1) * sizeof *c);
  }
  transform_convolve(c, b, COUNT, b, COUNT - 5);
  transform_convolve_plain(d, b, COUNT, b, COUNT - 5);
  assert_memory_equal(c, d, (2 * COUNT - 6) * sizeof *c);
  assert_true(convolve_check(c, b, COUNT, b, COUNT - 5, random_next(&random)));
  mem_free(a);
  mem_free(b);
  mem_free(c);
  mem_free(d);
}

/* Around every length of a transform, where the last terms are wrapped around or a level is added:
 * both kinds of loops against the definition, and a product with itself against one with a copy. */
static void test_every_length_and_its_neighbours(void **state) {
  (void)state;
  enum { MOST = 2048 + 40 };
  uint64_t *a = mem_alloc(MOST, sizeof *a), *b = mem_alloc(MOST, sizeof *b);
  uint128 *c = mem_alloc(2 * MOST, sizeof *c), *d = mem_alloc(2 * MOST, sizeof *d);
  for (size_t length = 256; length <= 2048; length *= 2)
    for (size_t extra = 0; extra < 40; extra += 1 + extra / 3) {
      struct random random = {length + extra};
      size_t m = 1 + random_below(&random, length), n = length + extra + 1 - m;
      for (size_t i = 0; i < m; i++)
        a[i] = random_below(&random, 2 * TOTAL / m);
      for (size_t i = 0; i < n; i++)
        b[i] = random_below(&random, TOTAL / n);
      convolve_schoolbook(d, a, m, b, n);
      transform_convolve(c, a, m, b, n);
      assert_memory_equal(c, d, (m + n - 1) * sizeof *c);
      transform_convolve_plain(c, a, m, b, n);
      assert_memory_equal(c, d, (m + n - 1) * sizeof *c);
      memcpy(b, a, m * sizeof *a);
      transform_convolve(c, a, m, a, m);
      transform_convolve(d, a, m, b, m);
      assert_memory_equal(c, d, (2 * m - 1) * sizeof *c);
    }
  mem_free(a);
  mem_free(b);
  mem_free(c);
  mem_free(d);
}

static void test_check_rejects_every_small_corruption(void **state) {
  (void)state;
  enum { COUNT = 300 };
  uint64_t a[COUNT], b[COUNT];
  uint128 c[2 * COUNT];
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct random random = {seed};
    for (size_t i = 0; i < COUNT; i++)
      a[i] = random_below(&random, TOTAL / COUNT), b[i] = random_below(&random, 1000);
    convolve_schoolbook(c, a, COUNT, b, COUNT);
    uint64_t point = random_next(&random);
    assert_true(convolve_check(c, a, COUNT, b, COUNT, point));
    size_t at = random_below(&random, 2 * COUNT - 1);
    uint128 error = (uint128)1 << random_below(&random, 128);
    if (seed % 3 == 0)
      c[at] += error;
    else if (seed % 3 == 1)
      c[at] -= error;
    else /* moved: the total stays */
      c[at] -= error, c[(at + 7) % (2 * COUNT - 1)] += error;
    if (convolve_check(c, a, COUNT, b, COUNT, point))
      fail_msg("seed %lu: accepted", (unsigned long)seed);
  }
  /* An error the evaluation cannot see, which the total does. */
  convolve_schoolbook(c, a, COUNT, b, COUNT);
  c[17] += (UINT64_C(1) << 61) - 1;
  assert_false(convolve_check(c, a, COUNT, b, COUNT, 12345));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transform_is_the_schoolbook),
      cmocka_unit_test(test_large_products),
      cmocka_unit_test(test_every_length_and_its_neighbours),
      cmocka_unit_test(test_check_rejects_every_small_corruption),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
