/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Occurrences are interned; expressions simplify, print and evaluate. The value is checked against
 * the laws of sums, maxima and order statistics on random expressions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/expression.h"
#include "base/text.h"

static void test_interning(void **state) {
  (void)state;
  struct expression_table table;
  expression_table_init(&table);
  const int64_t two[] = {2}, two_three[] = {2, 3}, three_two[] = {3, 2};
  char name[] = "C";
  const struct occurrence *a = expression_occurrence(&table, name, NULL, two, 1);
  name[0] = 'X';
  assert_ptr_equal(a, expression_occurrence(&table, "C", NULL, two, 1));
  const struct occurrence *const all[] = {
      a,
      expression_occurrence(&table, "C", NULL, NULL, 0),
      expression_occurrence(&table, "C", NULL, two_three, 2),
      expression_occurrence(&table, "C", NULL, three_two, 2),
      expression_occurrence(&table, "D", NULL, two, 1),
      expression_occurrence(&table, "C", "M", two, 1),
      expression_occurrence(&table, "C", "M", NULL, 0),
      expression_occurrence(&table, "C", "N", two, 1),
      expression_occurrence(&table, "CM", NULL, two, 1),
      expression_occurrence(&table, "C", "", two, 1),
  };
  size_t count = sizeof all / sizeof *all;
  assert_int_equal(table.occurrences.count, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(all[i]->id, i);
    for (size_t j = 0; j < i; j++)
      assert_ptr_not_equal(all[i], all[j]);
  }
  assert_string_equal(all[0]->label, "C[2]");
  assert_string_equal(all[1]->label, "C");
  assert_string_equal(all[2]->label, "C[2, 3]");
  assert_string_equal(all[5]->label, "C(M(2))");
  assert_string_equal(all[6]->label, "C(M)");
  expression_table_clear(&table);
}

static void test_interning_many(void **state) {
  (void)state;
  struct expression_table table;
  expression_table_init(&table);
  for (int round = 0; round < 2; round++)
    for (int64_t i = -1500; i < 1500; i++) {
      const struct occurrence *o = expression_occurrence(
          &table, i % 2 ? "d" : "C", i % 3 ? "M" : NULL, (const int64_t[]){i, i * i}, 2);
      assert_int_equal(o->id, i + 1500);
      assert_true(o->indices[0] == i && o->indices[1] == i * i);
    }
  assert_int_equal(table.occurrences.count, 3000);
  for (size_t i = 0; i < 3000; i++)
    assert_int_equal(table.occurrences.data[i]->id, i);
  expression_table_clear(&table);
}

static const struct expression *number(struct expression_table *table, int64_t n, int64_t d) {
  struct rational x;
  rational_init(&x);
  rational_set_fraction(&x, n, d);
  const struct expression *made = expression_constant(table, &x);
  rational_clear(&x);
  return made;
}

static const struct expression *times(struct expression_table *table, int64_t n, int64_t d,
                                      const struct expression *part) {
  struct rational x;
  rational_init(&x);
  rational_set_fraction(&x, n, d);
  const struct expression *made = expression_scale(table, &x, part);
  rational_clear(&x);
  return made;
}

static const struct expression *term(struct expression_table *table, const char *name,
                                     int64_t index) {
  return expression_term(table, expression_occurrence(table, name, NULL, &index, 1));
}

static const struct expression *combine(struct expression_table *table, enum expression_kind kind,
                                        const struct expression *a, const struct expression *b) {
  return expression_combine(table, kind, (const struct expression *[]){a, b}, 2, 1);
}

static void prints(const struct expression *e, const char *expected) {
  struct text text;
  text_init(&text);
  expression_print(&text, e);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

static void test_print(void **state) {
  (void)state;
  struct expression_table t;
  expression_table_init(&t);
  const struct expression *a = term(&t, "A", 0), *b = term(&t, "B", -1),
                          *bare = expression_bare(&t, "d");
  prints(number(&t, 7, 2), "3.5 ns");
  prints(number(&t, 1500000, 1), "1500 us");
  prints(number(&t, 7000000000000, 1), "7000 s");
  prints(number(&t, 7000, 3), "7000/3 ns");
  prints(a, "A[0]");
  prints(bare, "d");
  prints(combine(&t, EXPRESSION_ADD, a, b), "A[0] + B[-1]");
  prints(times(&t, 2, 1, bare), "2*d");
  prints(times(&t, 1, 3, a), "1/3*A[0]");
  prints(times(&t, 2, 1, combine(&t, EXPRESSION_ADD, a, b)), "2*(A[0] + B[-1])");
  prints(combine(&t, EXPRESSION_MAX, a, combine(&t, EXPRESSION_ADD, a, bare)),
         "max(A[0], A[0] + d)");
  prints(combine(&t, EXPRESSION_MIN, a, b), "min(A[0], B[-1])");
  prints(combine(&t, EXPRESSION_KTH, a, b), "kth(1, A[0], B[-1])");
  prints(expression_combine(&t, EXPRESSION_ADD, NULL, 0, 0), "0");
  prints(times(&t, 2, 1, combine(&t, EXPRESSION_MAX, a, b)), "2*max(A[0], B[-1])");
  expression_table_clear(&t);
}

/* Eight parts are all shown, of nine the first six and the last. */
static void test_print_shortens(void **state) {
  (void)state;
  struct expression_table t;
  expression_table_init(&t);
  const struct expression *parts[9];
  for (int64_t i = 0; i < 9; i++)
    parts[i] = term(&t, "C", i);
  prints(expression_combine(&t, EXPRESSION_ADD, parts, 8, 0),
         "C[0] + C[1] + C[2] + C[3] + C[4] + C[5] + C[6] + C[7]");
  prints(expression_combine(&t, EXPRESSION_ADD, parts, 9, 0),
         "C[0] + C[1] + C[2] + C[3] + C[4] + C[5] + ... + C[8]");
  prints(expression_combine(&t, EXPRESSION_MAX, parts, 9, 0),
         "max(C[0], C[1], C[2], C[3], C[4], C[5], ..., C[8])");
  expression_table_clear(&t);
}

static void test_simplifies(void **state) {
  (void)state;
  struct expression_table t;
  expression_table_init(&t);
  const struct expression *a = term(&t, "A", 0), *b = term(&t, "B", 0);
  assert_ptr_equal(times(&t, 1, 1, a), a);
  assert_ptr_equal(expression_combine(&t, EXPRESSION_ADD, &a, 1, 0), a);
  assert_ptr_equal(expression_combine(&t, EXPRESSION_MAX, &a, 1, 0), a);
  const struct expression *product = times(&t, 3, 2, number(&t, 4, 1));
  assert_int_equal(product->kind, EXPRESSION_CONSTANT);
  prints(product, "6 ns");
  const struct expression *sum = combine(&t, EXPRESSION_ADD, a, b);
  const struct expression *flat =
      combine(&t, EXPRESSION_ADD, sum, combine(&t, EXPRESSION_ADD, b, sum));
  assert_int_equal(flat->kind, EXPRESSION_ADD);
  assert_int_equal(flat->count, 5);
  prints(flat, "A[0] + B[0] + B[0] + A[0] + B[0]");
  const struct expression *empty = expression_combine(&t, EXPRESSION_ADD, NULL, 0, 0);
  assert_int_equal(combine(&t, EXPRESSION_ADD, empty, sum)->count, 2);
  assert_int_equal(combine(&t, EXPRESSION_MAX, combine(&t, EXPRESSION_MAX, a, b), a)->count, 2);
  const struct expression *parts[] = {a, b};
  const struct expression *copied = expression_combine(&t, EXPRESSION_MIN, parts, 2, 0);
  parts[0] = NULL;
  assert_ptr_equal(copied->parts[0], a);
  expression_table_clear(&t);
}

static const struct rational *seven(const char *component, void *context) {
  assert_string_equal(component, "d");
  return context;
}

static void has_value(const struct expression *e, const struct rational *terms,
                      struct rational *bare, int64_t n, int64_t d) {
  struct rational result, expected;
  rational_init(&result);
  rational_init(&expected);
  rational_set_fraction(&expected, n, d);
  rational_set_integer(&result, 99);
  expression_value(&result, e, terms, seven, bare);
  struct text text;
  text_init(&text);
  rational_print(&text, &result);
  if (rational_compare(&result, &expected) != 0) {
    text_append(&text, " = ");
    expression_print(&text, e);
    print_error("%s\n", text_get(&text));
  }
  assert_int_equal(rational_compare(&result, &expected), 0);
  text_clear(&text);
  rational_clear(&result);
  rational_clear(&expected);
}

static void test_value(void **state) {
  (void)state;
  struct expression_table t;
  expression_table_init(&t);
  const struct expression *p[5];
  struct rational terms[5], bare;
  static const int64_t values[] = {30, 10, 20, 10, 50};
  for (int64_t i = 0; i < 5; i++) {
    p[i] = term(&t, "C", i);
    rational_init(&terms[i]);
    rational_set_integer(&terms[i], values[i]);
  }
  rational_init(&bare);
  rational_set_integer(&bare, 7);
  has_value(expression_combine(&t, EXPRESSION_ADD, p, 5, 0), terms, &bare, 120, 1);
  has_value(expression_combine(&t, EXPRESSION_ADD, NULL, 0, 0), terms, &bare, 0, 1);
  has_value(expression_combine(&t, EXPRESSION_MAX, p, 5, 0), terms, &bare, 50, 1);
  has_value(expression_combine(&t, EXPRESSION_MIN, p, 5, 0), terms, &bare, 10, 1);
  static const int64_t sorted[] = {10, 10, 20, 30, 50};
  for (int64_t rank = 1; rank <= 5; rank++)
    has_value(expression_combine(&t, EXPRESSION_KTH, p, 5, rank), terms, &bare, sorted[rank - 1],
              1);
  has_value(expression_combine(&t, EXPRESSION_KTH, p, 1, 1), terms, &bare, 30, 1);
  has_value(expression_bare(&t, "d"), terms, &bare, 7, 1);
  has_value(times(&t, 1, 3, p[1]), terms, &bare, 10, 3);
  has_value(times(&t, 0, 1, p[1]), terms, &bare, 0, 1);
  has_value(number(&t, 1, 7), terms, &bare, 1, 7);
  const struct expression *inner =
      combine(&t, EXPRESSION_ADD, p[0], times(&t, 2, 1, expression_bare(&t, "d")));
  has_value(combine(&t, EXPRESSION_MAX, p[4], combine(&t, EXPRESSION_ADD, inner, p[1])), terms,
            &bare, 54, 1);
  for (size_t i = 0; i < 5; i++)
    rational_clear(&terms[i]);
  rational_clear(&bare);
  expression_table_clear(&t);
}

static uint64_t next(uint64_t *seed) {
  uint64_t x = *seed += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

enum { TERMS = 6 };

/* An expression, and its value in whole numbers computed while it is made. */
static const struct expression *random_expression(struct expression_table *t, uint64_t *seed,
                                                  const int64_t *values, int depth,
                                                  int64_t *value) {
  if (depth == 0 || next(seed) % 4 == 0) {
    int64_t i = (int64_t)(next(seed) % (TERMS + 1));
    *value = i < TERMS ? values[i] : 5;
    return i < TERMS ? term(t, "C", i) : number(t, 5, 1);
  }
  size_t count = 1 + next(seed) % 4;
  const struct expression *parts[4];
  int64_t parts_value[4];
  for (size_t i = 0; i < count; i++)
    parts[i] = random_expression(t, seed, values, depth - 1, &parts_value[i]);
  if (next(seed) % 4 == 0) {
    int64_t factor = (int64_t)(next(seed) % 4);
    *value = factor * parts_value[0];
    return times(t, factor, 1, parts[0]);
  }
  if (next(seed) % 2 == 0) {
    *value = 0;
    for (size_t i = 0; i < count; i++)
      *value += parts_value[i];
    return expression_combine(t, EXPRESSION_ADD, parts, count, 0);
  }
  size_t rank = 1 + next(seed) % count;
  for (size_t i = 0; i < count; i++) { /* the value with exactly rank - 1 others before it */
    size_t before = 0;
    for (size_t j = 0; j < count; j++)
      before += parts_value[j] < parts_value[i] || (parts_value[j] == parts_value[i] && j < i);
    if (before == rank - 1)
      *value = parts_value[i];
  }
  enum expression_kind kind = rank == count && next(seed) % 2 ? EXPRESSION_MAX
                              : rank == 1 && next(seed) % 2   ? EXPRESSION_MIN
                                                              : EXPRESSION_KTH;
  return expression_combine(t, kind, parts, count, (int64_t)rank);
}

static void test_random_values(void **state) {
  (void)state;
  struct rational terms[TERMS];
  for (size_t i = 0; i < TERMS; i++)
    rational_init(&terms[i]);
  for (uint64_t round = 0; round < 2000; round++) {
    uint64_t seed = round;
    struct expression_table t;
    expression_table_init(&t);
    int64_t values[TERMS], value = 0;
    for (int64_t i = 0; i < TERMS; i++) {
      values[i] = (int64_t)(next(&seed) % 10);
      rational_set_integer(&terms[i], values[i]);
      assert_int_equal(expression_occurrence(&t, "C", NULL, &i, 1)->id, i);
    }
    const struct expression *e = random_expression(&t, &seed, values, 4, &value);
    struct rational result, expected;
    rational_init(&result);
    rational_init(&expected);
    rational_set_integer(&expected, value);
    expression_value(&result, e, terms, NULL, NULL);
    if (rational_compare(&result, &expected) != 0)
      print_error("seed %llu\n", (unsigned long long)round);
    assert_int_equal(rational_compare(&result, &expected), 0);
    rational_clear(&result);
    rational_clear(&expected);
    expression_table_clear(&t);
  }
  for (size_t i = 0; i < TERMS; i++)
    rational_clear(&terms[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interning),     cmocka_unit_test(test_interning_many),
      cmocka_unit_test(test_print),         cmocka_unit_test(test_print_shortens),
      cmocka_unit_test(test_simplifies),    cmocka_unit_test(test_value),
      cmocka_unit_test(test_random_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
