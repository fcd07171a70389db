/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "dist/evaluate/row.h"
#include "tests/unit/dist/random.h"

enum { NAMES = 6, CASES = 20000 };

struct fixture {
  struct expression_table table;
  struct random random;
  bool fractions;
};

static const struct expression *term(struct fixture *f, int64_t i) {
  return expression_term(&f->table, expression_occurrence(&f->table, "C", NULL, &i, 1));
}

static const struct expression *fraction(struct fixture *f, int64_t n, int64_t d) {
  struct rational x;
  rational_init(&x);
  rational_set_fraction(&x, n, d);
  const struct expression *e = expression_constant(&f->table, &x);
  rational_clear(&x);
  return e;
}

static const struct expression *scale(struct fixture *f, int64_t n, int64_t d,
                                      const struct expression *part) {
  struct rational x;
  rational_init(&x);
  rational_set_fraction(&x, n, d);
  const struct expression *e = expression_scale(&f->table, &x, part);
  rational_clear(&x);
  return e;
}

static const struct expression *pair(struct fixture *f, enum expression_kind kind,
                                     const struct expression *a, const struct expression *b) {
  return expression_combine(&f->table, kind, (const struct expression *[]){a, b}, 2, 0);
}

/* --- against exact rationals ------------------------------------------------------------------ */

static const struct expression *random_expression(struct fixture *f, int depth) {
  static const enum expression_kind kinds[] = {EXPRESSION_ADD, EXPRESSION_MAX, EXPRESSION_MIN,
                                               EXPRESSION_KTH};
  struct random *r = &f->random;
  int64_t divisor = f->fractions ? 1 + (int64_t)random_below(r, 7) : 1;
  if (depth == 0 || random_below(r, 8) == 0)
    return random_below(r, 4) == 0 ? fraction(f, (int64_t)random_below(r, 60), divisor)
                                   : term(f, (int64_t)random_below(r, NAMES));
  if (random_below(r, 6) == 0)
    return scale(f, (int64_t)random_below(r, 20), divisor, random_expression(f, depth - 1));
  const struct expression *parts[4];
  size_t count = 1 + random_below(r, 4);
  for (size_t i = 0; i < count; i++)
    parts[i] = random_expression(f, depth - 1);
  return expression_combine(&f->table, kinds[random_below(r, 4)], parts, count,
                            1 + (int64_t)random_below(r, count));
}

enum { EXACT, RANGES, ABSENT }; /* what is known of the values */

/* Of each occurrence what is true, and what the row says of it. An absent one may have been
 * anything; 0 is the hardest. */
static void random_values(struct fixture *f, struct rational *truth, struct row_value *known,
                          int how) {
  for (size_t i = 0; i < NAMES; i++) {
    struct random *r = &f->random;
    uint64_t x = random_below(r, 3) == 0 ? random_below(r, 3) : random_below(r, 200);
    known[i] = (struct row_value){x, x};
    if (how == RANGES) {
      known[i].lower_ns -= random_below(r, x + 1);
      known[i].upper_ns = random_below(r, 5) == 0 ? ROW_INFINITE : x + random_below(r, 9);
    } else if (how == ABSENT && random_below(r, 2) == 0) {
      known[i] = row_absent();
      x = 0;
    }
    rational_set_integer(&truth[i], (int64_t)x);
  }
}

static struct row_value value_of(const struct expression *e, const struct row_value *known) {
  struct row_program program;
  const char *why = NULL;
  struct row_value leaves[64];
  assert_true(row_program_init(&program, e, &why));
  assert_null(why);
  assert_true(program.leaves.count <= 64);
  for (size_t i = 0; i < program.leaves.count; i++)
    leaves[i] = known[program.leaves.data[i].occurrence->indices[0]];
  struct row_value z = row_evaluate(&program, leaves);
  row_program_clear(&program);
  return z;
}

static void judge(const struct fixture *f, const struct expression *e, struct row_value z,
                  const struct rational *truth, int how, int number) {
  struct rational value, lower, upper;
  rational_init(&value);
  rational_init(&lower);
  rational_init(&upper);
  struct rational terms[NAMES];
  for (size_t id = 0; id < f->table.occurrences.count; id++)
    terms[id] = truth[f->table.occurrences.data[id]->indices[0]];
  expression_value(&value, e, terms, NULL, NULL);
  rational_set_integer(&lower, (int64_t)(row_is_absent(z) ? 0 : z.lower_ns));
  rational_set_integer(&upper, (int64_t)(row_is_absent(z) ? z.lower_ns - 1 : z.upper_ns));
  bool good = rational_compare(&value, &upper) <= 0;
  if (how != ABSENT)
    good = good && !row_is_absent(z) && rational_compare(&lower, &value) <= 0;
  if (how == EXACT && !f->fractions)
    good = good && z.lower_ns == z.upper_ns;
  if (!good) {
    struct text text;
    text_init(&text);
    expression_print(&text, e);
    text_append(&text, " is ");
    rational_print(&text, &value);
    fail_msg("case %d: %s, not %lu to %lu", number, text_get(&text), (unsigned long)z.lower_ns,
             (unsigned long)z.upper_ns);
  }
  rational_clear(&value);
  rational_clear(&lower);
  rational_clear(&upper);
}

static void check_random(int how, bool fractions) {
  struct rational truth[NAMES];
  struct row_value known[NAMES];
  for (size_t i = 0; i < NAMES; i++)
    rational_init(&truth[i]);
  for (int i = 0; i < CASES; i++) {
    struct fixture f = {.random = {(uint64_t)i}, .fractions = fractions};
    expression_table_init(&f.table);
    const struct expression *e = random_expression(&f, 4);
    random_values(&f, truth, known, how);
    judge(&f, e, value_of(e, known), truth, how, i);
    expression_table_clear(&f.table);
  }
  for (size_t i = 0; i < NAMES; i++)
    rational_clear(&truth[i]);
}

static void test_whole_numbers_are_exact(void **state) {
  (void)state;
  check_random(EXACT, false);
}

static void test_fractions_are_rounded_outward(void **state) {
  (void)state;
  check_random(EXACT, true);
}

static void test_ranges_hold_the_value(void **state) {
  (void)state;
  check_random(RANGES, true);
}

/* The proof holds whatever an absent occurrence is worth, so also if it took no time: no row may
 * be smaller than that. */
static void test_absence_is_at_least_no_time(void **state) {
  (void)state;
  check_random(ABSENT, true);
}

/* --- by hand ---------------------------------------------------------------------------------- */

static void expect(const struct expression *e, const struct row_value *known, struct row_value z) {
  struct row_value got = value_of(e, known);
  if (row_is_absent(z))
    assert_true(row_is_absent(got));
  else {
    assert_false(row_is_absent(got));
    assert_int_equal(got.lower_ns, z.lower_ns);
    assert_int_equal(got.upper_ns, z.upper_ns);
  }
}

static struct row_value exact(uint64_t x) {
  return (struct row_value){x, x};
}

static void test_rounding_of_one_step(void **state) {
  (void)state;
  struct fixture f = {0};
  expression_table_init(&f.table);
  struct row_value known[] = {{10, 11}};
  expect(scale(&f, 1, 3, term(&f, 0)), known, (struct row_value){3, 4});
  expect(pair(&f, EXPRESSION_ADD, term(&f, 0), fraction(&f, 5, 2)), known,
         (struct row_value){12, 14});
  expect(scale(&f, INT64_MAX, 2, term(&f, 0)), known,
         (struct row_value){ROW_INFINITE, ROW_INFINITE});
  expect(fraction(&f, 7, 2), known, (struct row_value){3, 4});
  expression_table_clear(&f.table);
}

static void test_infinity(void **state) {
  (void)state;
  struct fixture f = {0};
  expression_table_init(&f.table);
  const struct expression *a = term(&f, 0), *b = term(&f, 1);
  struct row_value known[] = {exact(ROW_INFINITE), exact(7)};
  expect(pair(&f, EXPRESSION_ADD, a, b), known, exact(ROW_INFINITE));
  expect(pair(&f, EXPRESSION_ADD, a, a), known, exact(ROW_INFINITE));
  expect(pair(&f, EXPRESSION_MAX, a, b), known, exact(ROW_INFINITE));
  expect(pair(&f, EXPRESSION_MIN, a, b), known, exact(7));
  expect(scale(&f, 1, 1000, a), known, exact(ROW_INFINITE));
  expect(scale(&f, 0, 1, a), known, exact(0));
  known[0] = exact(ROW_INFINITE - 3);
  expect(pair(&f, EXPRESSION_ADD, a, b), known, exact(ROW_INFINITE));
  expression_table_clear(&f.table);
}

static void test_what_is_absent(void **state) {
  (void)state;
  struct fixture f = {0};
  expression_table_init(&f.table);
  const struct expression *a = term(&f, 0), *b = term(&f, 1), *c = term(&f, 2);
  const struct expression *five = fraction(&f, 5, 1), *all[] = {a, b, c};
  struct row_value known[] = {row_absent(), exact(3), row_absent()};
  expect(pair(&f, EXPRESSION_ADD, a, b), known, exact(3));
  expect(pair(&f, EXPRESSION_MAX, a, b), known, exact(3));
  expect(pair(&f, EXPRESSION_MIN, a, b), known, exact(3));
  expect(pair(&f, EXPRESSION_ADD, a, c), known, row_absent());
  expect(pair(&f, EXPRESSION_MAX, a, c), known, row_absent());
  expect(pair(&f, EXPRESSION_MIN, a, c), known, row_absent());
  expect(scale(&f, 4, 1, a), known, row_absent());
  expect(pair(&f, EXPRESSION_ADD, a, five), known, row_absent());
  expect(pair(&f, EXPRESSION_ADD, b, five), known, exact(8));
  expect(expression_combine(&f.table, EXPRESSION_KTH, all, 3, 1), known, exact(3));
  expect(expression_combine(&f.table, EXPRESSION_KTH, all, 3, 2), known, exact(ROW_INFINITE));
  /* the second of two paths, which begins after 5, was not taken */
  expect(pair(&f, EXPRESSION_MIN, b, pair(&f, EXPRESSION_ADD, a, five)), known, exact(3));
  known[1] = exact(9);
  expect(pair(&f, EXPRESSION_MIN, b, pair(&f, EXPRESSION_ADD, a, five)), known, exact(9));
  expression_table_clear(&f.table);
}

/* max(A + 5, B) is 5 at least: the proof says nothing of less. */
static void test_constants_stay_beside_what_is_absent(void **state) {
  (void)state;
  struct fixture f = {0};
  expression_table_init(&f.table);
  const struct expression *a = term(&f, 0), *b = term(&f, 1), *five = fraction(&f, 5, 1);
  const struct expression *late = pair(&f, EXPRESSION_ADD, a, five);
  struct row_value known[] = {row_absent(), exact(3)};
  expect(pair(&f, EXPRESSION_MAX, late, b), known, exact(5));
  expect(pair(&f, EXPRESSION_ADD, pair(&f, EXPRESSION_MAX, late, a), b), known, exact(8));
  expect(pair(&f, EXPRESSION_ADD, scale(&f, 3, 1, late), b), known, exact(18));
  expect(pair(&f, EXPRESSION_ADD, pair(&f, EXPRESSION_MIN, late, scale(&f, 2, 1, late)), b), known,
         exact(8));
  expression_table_clear(&f.table);
}

/* --- programs --------------------------------------------------------------------------------- */

static void test_a_bare_name_is_drawn_anew(void **state) {
  (void)state;
  struct fixture f = {0};
  expression_table_init(&f.table);
  const struct expression *bare = expression_bare(&f.table, "B"), *a = term(&f, 0);
  const struct expression *e =
      pair(&f, EXPRESSION_ADD, scale(&f, 3, 1, bare), pair(&f, EXPRESSION_MAX, bare, a));
  struct row_program program;
  const char *why = NULL;
  assert_true(row_program_init(&program, e, &why));
  assert_int_equal(program.leaves.count, 5);
  struct row_value leaves[5];
  uint64_t sum = 0, bares = 0;
  for (size_t i = 0; i < 5; i++) { /* A, taken to be 0, adds nothing; the others all do */
    bool is_bare = program.leaves.data[i].occurrence == NULL;
    leaves[i] = exact(is_bare ? UINT64_C(1) << (4 * i) : 0);
    assert_string_equal(program.leaves.data[i].component, is_bare ? "B" : "C");
    bares += is_bare;
    sum += leaves[i].upper_ns;
  }
  assert_int_equal(bares, 4);
  assert_int_equal(row_evaluate(&program, leaves).upper_ns, sum);
  row_program_clear(&program);
  expression_table_clear(&f.table);
}

/* 2^80 paths, but few nodes. */
static void test_what_is_shared_is_computed_once(void **state) {
  (void)state;
  enum { LEVELS = 80 };
  struct fixture f = {0};
  expression_table_init(&f.table);
  const struct expression *e = term(&f, 0);
  for (int i = 0; i < LEVELS; i++)
    e = pair(&f, EXPRESSION_MAX, pair(&f, EXPRESSION_ADD, e, term(&f, 1)),
             pair(&f, EXPRESSION_MIN, e, term(&f, 2)));
  struct row_program program;
  const char *why = NULL;
  assert_true(row_program_init(&program, e, &why));
  assert_int_equal(program.leaves.count, 3);
  assert_true(program.steps.count <= 5 * LEVELS + 1);
  struct row_value leaves[3];
  for (size_t i = 0; i < 3; i++)
    leaves[i] = exact((uint64_t)program.leaves.data[i].occurrence->indices[0] + 1);
  assert_int_equal(row_evaluate(&program, leaves).upper_ns, 1 + 2 * LEVELS);
  row_program_clear(&program);
  expression_table_clear(&f.table);
}

static void assert_refused(const struct expression *e, const char *reason) {
  struct row_program program;
  const char *why = NULL;
  assert_false(row_program_init(&program, e, &why));
  assert_string_equal(why, reason);
  row_program_clear(&program);
}

static void test_refusals_have_a_reason(void **state) {
  (void)state;
  struct fixture f = {0};
  expression_table_init(&f.table);
  const struct expression *bare = expression_bare(&f.table, "B"), *a = term(&f, 0), *e = bare;
  struct rational huge;
  rational_init(&huge);
  assert_true(rational_parse(&huge, "1e30"));
  assert_refused(scale(&f, 3, 2, bare), "it has a multiple of a name without an index");
  assert_refused(scale(&f, INT64_C(1) << 40, 1, bare),
                 "it has a multiple of a name without an index");
  assert_refused(scale(&f, 2, 1, pair(&f, EXPRESSION_MAX, bare, a)),
                 "it has a multiple of names without an index");
  assert_refused(expression_scale(&f.table, &huge, a), "it has a factor that does not fit 63 bits");
  for (int i = 0; i < 40; i++) /* each mention is a draw: nothing is shared */
    e = pair(&f, EXPRESSION_MAX, e, e);
  assert_refused(e, "the expression is too large");
  assert_refused(scale(&f, ROW_STEPS_MAX, 1, bare), "the expression is too large");
  rational_clear(&huge);
  expression_table_clear(&f.table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_numbers_are_exact),
      cmocka_unit_test(test_fractions_are_rounded_outward),
      cmocka_unit_test(test_ranges_hold_the_value),
      cmocka_unit_test(test_absence_is_at_least_no_time),
      cmocka_unit_test(test_rounding_of_one_step),
      cmocka_unit_test(test_infinity),
      cmocka_unit_test(test_what_is_absent),
      cmocka_unit_test(test_constants_stay_beside_what_is_absent),
      cmocka_unit_test(test_a_bare_name_is_drawn_anew),
      cmocka_unit_test(test_what_is_shared_is_computed_once),
      cmocka_unit_test(test_refusals_have_a_reason),
  };
  return cmocka_run_group_tests_name("row", tests, NULL, NULL);
}
