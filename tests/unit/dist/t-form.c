/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dist/evaluate/form.h"
#include "dist/evaluate/form_make.h"
#include "tests/unit/dist/random.h"

struct fixture {
  struct expression_table ground;
  struct form_table forms;
  const struct expression *a, *b, *c, *d;
};

static const struct expression *term(struct fixture *f, const char *name, int64_t index) {
  return expression_term(&f->ground, expression_occurrence(&f->ground, name, NULL, &index, 1));
}

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  expression_table_init(&f->ground);
  form_table_init(&f->forms);
  f->a = term(f, "a", 0);
  f->b = term(f, "b", 0);
  f->c = term(f, "c", 0);
  f->d = term(f, "d", 0);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  form_table_clear(&f->forms);
  expression_table_clear(&f->ground);
  free(f);
  return 0;
}

static const struct expression *node(struct fixture *f, enum expression_kind kind, int64_t rank,
                                     const struct expression *a, const struct expression *b,
                                     const struct expression *c) {
  const struct expression *parts[] = {a, b, c};
  return expression_combine(&f->ground, kind, parts, c == NULL ? 2 : 3, rank);
}

#define ADD(a, b) node(f, EXPRESSION_ADD, 0, a, b, NULL)
#define MAX(a, b) node(f, EXPRESSION_MAX, 0, a, b, NULL)
#define MAX3(a, b, c) node(f, EXPRESSION_MAX, 0, a, b, c)
#define MIN(a, b) node(f, EXPRESSION_MIN, 0, a, b, NULL)
#define MIN3(a, b, c) node(f, EXPRESSION_MIN, 0, a, b, c)
#define KTH(k, a, b, c) node(f, EXPRESSION_KTH, k, a, b, c)

static const struct expression *integer(struct fixture *f, int64_t n) {
  struct rational x;
  rational_init(&x);
  rational_set_integer(&x, n);
  const struct expression *e = expression_constant(&f->ground, &x);
  rational_clear(&x);
  return e;
}

static const struct expression *twice(struct fixture *f, const struct expression *part) {
  struct rational x;
  rational_init(&x);
  rational_set_integer(&x, 2);
  const struct expression *e = expression_scale(&f->ground, &x, part);
  rational_clear(&x);
  return e;
}

static const char *print(const struct form *form, struct text *text) {
  text_clear(text);
  form_print(text, form);
  return text_get(text);
}

static void expect_same(struct fixture *f, const struct expression *x, const struct expression *y) {
  const struct form *a = form_of(&f->forms, x), *b = form_of(&f->forms, y);
  struct text left, right;
  text_init(&left);
  text_init(&right);
  if (!form_same(a, b))
    fail_msg("%s is not %s", print(a, &left), print(b, &right));
  text_clear(&left);
  text_clear(&right);
}

static void test_what_all_parts_add_is_taken_out(void **state) {
  struct fixture *f = *state;
  const struct expression *a = f->a, *b = f->b, *c = f->c, *d = f->d;
  expect_same(f, MAX(ADD(a, b), ADD(c, a)), ADD(a, MAX(b, c)));
  expect_same(f, MIN(ADD(a, b), ADD(c, a)), ADD(a, MIN(b, c)));
  expect_same(f, KTH(2, ADD(a, b), ADD(c, a), ADD(d, a)), ADD(a, KTH(2, b, c, d)));
  expect_same(f, MIN(ADD(a, integer(f, 5)), ADD(b, integer(f, 7))),
              ADD(integer(f, 5), MIN(a, ADD(b, integer(f, 2)))));
  expect_same(f, MAX(twice(f, a), twice(f, b)), twice(f, MAX(a, b)));
  expect_same(f, KTH(2, twice(f, a), twice(f, b), twice(f, c)), twice(f, KTH(2, a, b, c)));
}

static void test_what_some_parts_add_is_taken_out_of_those(void **state) {
  struct fixture *f = *state;
  const struct expression *a = f->a, *b = f->b, *c = f->c, *d = f->d;
  expect_same(f, MAX3(ADD(a, b), ADD(a, c), d), MAX(ADD(a, MAX(b, c)), d));
  expect_same(f, MIN3(ADD(a, b), d, ADD(a, c)), MIN(ADD(a, MIN(b, c)), d));
  /* not of an order statistic */
  const struct form *form = form_of(&f->forms, KTH(2, ADD(a, b), ADD(a, c), d));
  assert_int_equal(form->addends[0].atom->kind, ATOM_KTH);
  assert_int_equal(form->addends[0].atom->part_count, 3);
}

static void test_nested_and_needless(void **state) {
  struct fixture *f = *state;
  const struct expression *a = f->a, *b = f->b, *c = f->c;
  expect_same(f, MAX(MAX(a, b), c), MAX3(a, b, c));
  expect_same(f, MIN(a, MIN(b, c)), MIN3(c, b, a));
  expect_same(f, MAX(a, ADD(a, b)), ADD(a, b));
  expect_same(f, MIN(a, ADD(a, b)), a);
  expect_same(f, MIN(a, integer(f, 0)), integer(f, 0));
  expect_same(f, MAX(a, integer(f, 0)), a);
  /* seen through a maximum: what comes before c comes before what waits for c */
  expect_same(f, MAX(b, ADD(a, MAX(b, c))), ADD(a, MAX(b, c)));
  expect_same(f, MIN(b, ADD(a, MAX(b, c))), b);
  expect_same(f, KTH(1, a, b, c), MIN3(a, b, c));
  expect_same(f, KTH(3, a, b, c), MAX3(a, b, c));
  expect_same(f, KTH(2, a, a, a), a);
  expect_same(f, KTH(2, ADD(a, b), a, ADD(a, c)), ADD(a, MIN(b, c)));
  expect_same(f, ADD(MAX(a, b), MAX(b, a)), twice(f, MAX(a, b)));
}

static void test_bare_names_are_drawn_anew(void **state) {
  struct fixture *f = *state;
  const struct expression *bare = expression_bare(&f->ground, "x");
  const struct form *form = form_of(&f->forms, MAX(ADD(bare, f->a), ADD(bare, f->b)));
  assert_int_equal(form->count, 1);
  assert_int_equal(form->addends[0].atom->part_count, 2);
  assert_false(form_same(form, form));
  assert_int_equal(form_of(&f->forms, KTH(2, bare, bare, bare))->addends[0].atom->kind, ATOM_KTH);
}

/* Draws of x in all, and whether any comes in twice. */
static size_t count_mentions(const struct form *form) {
  size_t count = 0;
  for (size_t i = 0; i < form->count; i++) {
    const struct atom *atom = form->addends[i].atom;
    count += atom->kind == ATOM_OCCURRENCE;
    for (size_t j = 0; j < atom->part_count; j++)
      count += count_mentions(atom->parts[j]);
  }
  return count;
}

static const struct expression *series_parallel(struct fixture *f, size_t nodes, int64_t *next,
                                                const struct expression *before,
                                                struct random *random) {
  if (nodes <= 1)
    return ADD(before, term(f, "x", (*next)++));
  size_t first = 1 + random_below(random, nodes - 1);
  bool is_series = random_below(random, 2) == 0;
  const struct expression *a = series_parallel(f, first, next, before, random);
  const struct expression *b =
      series_parallel(f, nodes - first, next, is_series ? a : before, random);
  return is_series ? b : MAX(a, b);
}

/* Every occurrence once: nothing is left that needs a bound. */
static void test_series_parallel_graphs_come_apart(void **state) {
  struct fixture *f = *state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct random random = {seed};
    int64_t next = (int64_t)seed * 1000;
    const struct expression *e = series_parallel(f, 200, &next, term(f, "s", 0), &random);
    assert_int_equal(count_mentions(form_of(&f->forms, e)), 201);
  }
}

static void test_replacing_an_occurrence(void **state) {
  struct fixture *f = *state;
  const struct expression *a = f->a, *b = f->b, *c = f->c, *d = f->d;
  const struct expression *e = ADD(twice(f, a), MIN(MAX(ADD(a, b), c), d));
  struct rational seven;
  rational_init(&seven);
  rational_set_integer(&seven, 7);
  const struct form *given = form_with(&f->forms, form_of(&f->forms, e), a->occurrence, &seven);
  const struct expression *same = ADD(integer(f, 14), MIN(MAX(ADD(integer(f, 7), b), c), d));
  assert_true(form_same(given, form_of(&f->forms, same)));
  rational_clear(&seven);
}

/* Many parts take the way that looks at addends only, and give the same. */
static void test_many_parts(void **state) {
  struct fixture *f = *state;
  enum { PARTS = 3000 };
  const struct expression **parts = calloc(2 * PARTS, sizeof *parts);
  for (size_t i = 0; i < PARTS; i++) {
    const struct expression *x = term(f, "x", (int64_t)i);
    parts[2 * i] = ADD(f->a, ADD(x, term(f, "y", (int64_t)i)));
    parts[2 * i + 1] = i % 2 == 0 ? ADD(f->a, x) : ADD(f->a, ADD(x, term(f, "z", (int64_t)i)));
  }
  const struct form *form =
      form_of(&f->forms, expression_combine(&f->ground, EXPRESSION_MAX, parts, 2 * PARTS, 0));
  assert_int_equal(form->count, 2);
  /* x + y alone, or x + max(y, z) */
  assert_int_equal(form->addends[1].atom->part_count, PARTS);
  assert_int_equal(count_mentions(form), 1 + 2 * PARTS + PARTS / 2);
  form = form_of(&f->forms, expression_combine(&f->ground, EXPRESSION_MIN, parts, 2 * PARTS, 0));
  assert_int_equal(count_mentions(form), 1 + PARTS / 2 + 3 * (PARTS / 2));
  free(parts);
}

static void test_printing_is_short(void **state) {
  struct fixture *f = *state;
  struct text text;
  text_init(&text);
  const struct expression *parts[40];
  for (int64_t i = 0; i < 40; i++)
    parts[i] = ADD(term(f, "x", i), term(f, "y", i));
  const struct expression *e =
      ADD(twice(f, f->a), expression_combine(&f->ground, EXPRESSION_MIN, parts, 40, 0));
  print(form_of(&f->forms, e), &text);
  assert_non_null(strstr(text.data, "2*a[0] + min("));
  assert_non_null(strstr(text.data, ", ... 40 in all)"));
  assert_true(text.length < 100);
  text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_all_parts_add_is_taken_out, setup, teardown),
      cmocka_unit_test_setup_teardown(test_what_some_parts_add_is_taken_out_of_those, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_nested_and_needless, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bare_names_are_drawn_anew, setup, teardown),
      cmocka_unit_test_setup_teardown(test_series_parallel_graphs_come_apart, setup, teardown),
      cmocka_unit_test_setup_teardown(test_replacing_an_occurrence, setup, teardown),
      cmocka_unit_test_setup_teardown(test_many_parts, setup, teardown),
      cmocka_unit_test_setup_teardown(test_printing_is_short, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
