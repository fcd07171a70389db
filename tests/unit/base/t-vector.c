/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vector.h"

struct pair {
  int first;
  double second;
};

static void test_push_and_clear(void **state) {
  (void)state;
  VECTOR(size_t) v = {0};
  for (size_t round = 0; round < 2; round++) {
    for (size_t i = 0; i < 1000; i++) {
      vector_push(&v, i * i);
      assert_int_equal(v.count, i + 1);
      assert_true(v.capacity >= v.count);
    }
    for (size_t i = 0; i < 1000; i++)
      assert_int_equal(v.data[i], i * i);
    vector_clear(&v);
    assert_null(v.data);
    assert_int_equal(v.count, 0);
    assert_int_equal(v.capacity, 0);
  }
  vector_clear(&v);
}

static void test_structures_and_pointers(void **state) {
  (void)state;
  VECTOR(struct pair) pairs = {0};
  VECTOR(const char *) names = {0};
  for (int i = 0; i < 20; i++) {
    vector_push(&pairs, (struct pair){i, i / 2.0});
    vector_push(&names, i % 2 ? "odd" : "even");
  }
  assert_int_equal(pairs.data[13].first, 13);
  assert_true(pairs.data[13].second == 6.5);
  assert_string_equal(names.data[19], "odd");
  vector_clear(&pairs);
  vector_clear(&names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_push_and_clear),
      cmocka_unit_test(test_structures_and_pointers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
