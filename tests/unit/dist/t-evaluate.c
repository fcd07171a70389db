/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "dist/survival/combine.h"
#include "dist/evaluate/evaluate.h"
#include "dist/survival/sum.h"
#include "tests/unit/dist/random.h"

/* Whole numbers to 512, on which nothing is rounded. */
static const struct grid exact_grid = {.sub_bits = 8, .octaves = 1};

enum { LAWS = 3, ATOMS = 3, EIGHTHS = 8 };

/* Law i takes value[i][j] with chance mass[i][j] / 8. */
static const int64_t values[LAWS][ATOMS] = {{0, 3, 10}, {1, 4, 5}, {2, 7, 20}};
static const uint64_t masses[LAWS][ATOMS] = {{5, 2, 1}, {1, 3, 4}, {4, 3, 1}};
static const char *const names[LAWS] = {"A", "B", "C"};

struct laws {
  struct survival survivals[LAWS];
};

static size_t law_index(const char *component) {
  for (size_t i = 0; i < LAWS; i++)
    if (strcmp(names[i], component) == 0)
      return i;
  return LAWS;
}

static enum status find(void *context, size_t *law, const struct survival **survival,
                        const struct occurrence *occurrence, const char *component,
                        struct text *message) {
  struct laws *laws = context;
  assert_true(occurrence == NULL || strcmp(occurrence->component, component) == 0);
  *law = law_index(component);
  if (*law == LAWS) {
    text_format(message, "no data for %s", component);
    return STATUS_NO_INPUT;
  }
  *survival = &laws->survivals[*law];
  return STATUS_OK;
}

static void laws_init(struct laws *laws, const struct grid *grid) {
  for (size_t i = 0; i < LAWS; i++) {
    survival_init(&laws->survivals[i], grid);
    for (size_t k = 0; k < grid_count(grid); k++) {
      uint64_t tail = 0;
      for (size_t j = 0; j < ATOMS; j++)
        tail += (uint64_t)values[i][j] > grid_value_ns(grid, k) ? masses[i][j] : 0;
      laws->survivals[i].tail[k] = tail * (SURVIVAL_ONE / EIGHTHS);
    }
  }
}

static void laws_clear(struct laws *laws) {
  for (size_t i = 0; i < LAWS; i++)
    survival_clear(&laws->survivals[i]);
}

struct fixture {
  struct ground_table table;
  struct laws laws;
  struct survival result;
  struct ledger ledger;
  struct text message;
};

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  ground_table_init(&f->table);
  laws_init(&f->laws, &exact_grid);
  survival_init(&f->result, &exact_grid);
  ledger_init(&f->ledger);
  text_init(&f->message);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  ground_table_clear(&f->table);
  laws_clear(&f->laws);
  survival_clear(&f->result);
  ledger_clear(&f->ledger);
  text_clear(&f->message);
  free(f);
  return 0;
}

static enum status evaluate(struct fixture *f, const struct ground *e, bool fresh) {
  struct evaluate_laws laws = {.find = find, .context = &f->laws};
  ledger_clear(&f->ledger);
  text_clear(&f->message);
  return evaluate_survival(&f->result, e, &laws, fresh, &f->ledger, &f->message);
}

static bool has_line(const struct fixture *f, const char *part) {
  for (size_t i = 0; i < f->ledger.count; i++)
    if (strstr(f->ledger.lines[i].text, part) != NULL)
      return true;
  return false;
}

/* The exact tails of the expression, by running through all joint outcomes. */
static void enumerate(uint64_t *tail, const struct fixture *f, const struct ground *e) {
  size_t n = f->table.occurrences.count;
  size_t outcomes = 1;
  struct rational terms[8], value;
  rational_init(&value);
  for (size_t i = 0; i < n; i++) {
    rational_init(&terms[i]);
    outcomes *= ATOMS;
  }
  for (size_t k = 0; k < grid_count(&exact_grid); k++)
    tail[k] = SURVIVAL_ONE;
  for (size_t outcome = 0; outcome < outcomes; outcome++) {
    uint64_t mass = SURVIVAL_ONE;
    for (size_t i = 0, rest = outcome; i < n; i++, rest /= ATOMS) {
      size_t law = law_index(f->table.occurrences.data[i]->component);
      rational_set_integer(&terms[i], values[law][rest % ATOMS]);
      mass = mass / EIGHTHS * masses[law][rest % ATOMS];
    }
    ground_value(&value, e, terms, NULL, NULL);
    int64_t at = 0;
    assert_true(rational_ceil(&at, &value) && rational_is_integer(&value));
    for (size_t k = (size_t)at; k < grid_count(&exact_grid); k++)
      tail[k] -= mass;
  }
  for (size_t i = 0; i < n; i++)
    rational_clear(&terms[i]);
  rational_clear(&value);
}

static const struct ground *integer(struct fixture *f, int64_t value) {
  struct rational x;
  rational_init(&x);
  rational_set_integer(&x, value);
  const struct ground *e = ground_constant(&f->table, &x);
  rational_clear(&x);
  return e;
}

static const struct ground *times(struct fixture *f, int64_t factor, const struct ground *part) {
  struct rational x;
  rational_init(&x);
  rational_set_integer(&x, factor);
  const struct ground *e = ground_scale(&f->table, &x, part);
  rational_clear(&x);
  return e;
}

static const struct ground *term(struct fixture *f, size_t law, int64_t index) {
  return ground_term(&f->table, ground_occurrence(&f->table, names[law], NULL, &index, 1));
}

static const struct ground *combine(struct fixture *f, enum ground_kind kind,
                                    const struct ground *a, const struct ground *b) {
  const struct ground *parts[] = {a, b};
  return ground_combine(&f->table, kind, parts, 2, 2);
}

#define ADD(a, b) combine(f, GROUND_ADD, a, b)
#define MAX(a, b) combine(f, GROUND_MAX, a, b)

/* At most six occurrences, so that all outcomes can be run through. */
static const struct ground *random_expression(struct fixture *f, struct random *random, int depth) {
  uint64_t kind = random_below(random, depth == 0 ? 7 : 20);
  if (kind == 0)
    return integer(f, (int64_t)random_below(random, 6));
  if (kind < 7)
    return term(f, random_below(random, LAWS), (int64_t)random_below(random, 2));
  if (kind == 7)
    return times(f, (int64_t)random_below(random, 4), random_expression(f, random, depth - 1));
  const struct ground *parts[4];
  size_t count = 1 + random_below(random, 4);
  for (size_t i = 0; i < count; i++)
    parts[i] = random_expression(f, random, depth - 1);
  enum ground_kind combined = kind < 13 ? GROUND_ADD : kind < 19 ? GROUND_MAX : GROUND_KTH;
  return ground_combine(&f->table, combined, parts, count, (int64_t)count);
}

/* Sound always; exact unless the ledger admits that shared terms were treated as independent. */
static void test_random_expressions_against_enumeration(void **state) {
  struct fixture *f = *state;
  uint64_t tail[513];
  int exact = 0, associated = 0, refused = 0;
  for (uint64_t seed = 0; seed < 1500; seed++) {
    struct random random = {seed};
    ground_table_clear(&f->table);
    ground_table_init(&f->table);
    const struct ground *e = random_expression(f, &random, 3);
    enum status status = evaluate(f, e, false);
    if (status != STATUS_OK) {
      assert_int_equal(status, STATUS_UNKNOWN);
      assert_true(f->message.length != 0 && f->ledger.count == 0);
      refused++;
      continue;
    }
    enumerate(tail, f, e);
    bool is_associated = has_line(f, "association");
    exact += !is_associated;
    associated += is_associated;
    for (size_t k = 0; k < 512; k++) {
      uint64_t got = f->result.tail[k];
      if (got < tail[k] || (got > tail[k] && !is_associated)) {
        struct text text;
        text_init(&text);
        ground_print(&text, e);
        fail_msg("seed %lu: P(%s > %zu) is %g, not %g", (unsigned long)seed, text_get(&text), k,
                 (double)got * 0x1p-61, (double)tail[k] * 0x1p-61);
      }
    }
  }
  /* all three ways out are exercised */
  assert_true(exact > 300 && associated > 50 && refused > 50);
}

static void expect_same(struct fixture *f, const struct ground *a, const struct ground *b) {
  struct survival first;
  survival_init(&first, &exact_grid);
  assert_int_equal(evaluate(f, a, false), STATUS_OK);
  assert_false(has_line(f, "association"));
  survival_set(&first, &f->result);
  assert_int_equal(evaluate(f, b, false), STATUS_OK);
  assert_true(survival_equal(&first, &f->result));
  survival_clear(&first);
}

static void test_identity_is_respected(void **state) {
  struct fixture *f = *state;
  const struct ground *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  expect_same(f, ADD(a, a), times(f, 2, a));
  expect_same(f, ADD(ADD(a, b), ADD(a, a)), ADD(times(f, 3, a), b));
  expect_same(f, MAX(ADD(a, b), ADD(c, a)), ADD(a, MAX(b, c)));
  expect_same(f, MAX(a, ADD(a, b)), ADD(a, b));
  expect_same(f, MAX(a, a), a);
  expect_same(f, ADD(MAX(a, b), MAX(b, a)), times(f, 2, MAX(a, b)));
  expect_same(f, ADD(MAX(ADD(a, b), ADD(a, c)), a), ADD(times(f, 2, a), MAX(b, c)));
  expect_same(f, MAX(ADD(a, integer(f, 5)), integer(f, 3)), ADD(a, integer(f, 5)));
  expect_same(f, MAX(times(f, 2, a), a), times(f, 2, a));
  expect_same(f, MAX(integer(f, 4), integer(f, 3)), integer(f, 4));
  expect_same(f, MAX(ADD(a, b), ADD(b, a)), ADD(a, b));
}

static void test_unsound_redraws_are_refused(void **state) {
  struct fixture *f = *state;
  const struct ground *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  assert_int_equal(evaluate(f, ADD(a, MAX(a, b)), false), STATUS_UNKNOWN);
  assert_non_null(strstr(text_get(&f->message), "A[0] is in more than one addend"));
  assert_int_equal(evaluate(f, ADD(MAX(a, b), MAX(a, c)), false), STATUS_UNKNOWN);
  assert_int_equal(evaluate(f, MAX(c, ADD(a, MAX(a, b))), false), STATUS_UNKNOWN);
  assert_int_equal(evaluate(f, combine(f, GROUND_MIN, a, b), false), STATUS_UNKNOWN);
  assert_non_null(strstr(text_get(&f->message), "min(A[0], B[0])"));
  const struct ground *parts[] = {a, b, c};
  const struct ground *second = ground_combine(&f->table, GROUND_KTH, parts, 3, 2);
  assert_int_equal(evaluate(f, ADD(a, second), false), STATUS_UNKNOWN);
  assert_non_null(strstr(text_get(&f->message), "kth(2, "));
  assert_non_null(strstr(text_get(&f->message), "a later one will"));
}

static void test_association_is_in_the_ledger(void **state) {
  struct fixture *f = *state;
  const struct ground *a = term(f, 0, 0), *b = term(f, 1, 0), *c = term(f, 2, 0);
  const struct ground *e = MAX(MAX(ADD(a, b), c), ADD(a, term(f, 1, 1)));
  assert_int_equal(evaluate(f, e, false), STATUS_OK);
  assert_true(has_line(f, "share A[0] are treated as independent"));
  assert_true(has_line(f, "independence: the 4 draws of A (1), B (2), C (1)"));
  assert_true(has_line(f, "rounded up to a grid of 256 steps"));
  assert_int_equal(evaluate(f, MAX(times(f, 2, a), ADD(a, b)), false), STATUS_OK);
  assert_true(has_line(f, "association"));
  assert_int_equal(evaluate(f, a, false), STATUS_OK);
  assert_false(has_line(f, "independence"));
}

static void test_bare_names(void **state) {
  struct fixture *f = *state;
  const struct ground *d = ground_bare(&f->table, "B");
  const struct ground *e = ADD(times(f, 2, d), MAX(d, term(f, 0, 0)));
  assert_int_equal(evaluate(f, e, false), STATUS_USAGE);
  assert_non_null(strstr(text_get(&f->message), "--fresh"));
  assert_int_equal(evaluate(f, e, true), STATUS_OK);
  assert_true(has_line(f, "--fresh: each of the 3 mentions of B"));
  assert_true(has_line(f, "no proof covers"));
  struct survival expected;
  survival_init(&expected, &exact_grid);
  survival_max(&expected, &f->laws.survivals[0], &f->laws.survivals[1]);
  survival_add(&expected, &expected, &f->laws.survivals[1]);
  survival_add(&expected, &expected, &f->laws.survivals[1]);
  assert_true(survival_equal(&expected, &f->result));
  /* never taken out of a maximum, never merged: every mention is a draw of its own */
  const struct ground *both = MAX(ADD(d, term(f, 0, 0)), ADD(d, term(f, 2, 0)));
  assert_int_equal(evaluate(f, both, true), STATUS_OK);
  struct survival other;
  survival_init(&other, &exact_grid);
  survival_add(&expected, &f->laws.survivals[1], &f->laws.survivals[0]);
  survival_add(&other, &f->laws.survivals[1], &f->laws.survivals[2]);
  survival_max(&expected, &expected, &other);
  assert_true(survival_equal(&expected, &f->result));
  survival_clear(&other);
  survival_clear(&expected);
}

/* One node mentioned twice is two mentions of the bare names in it. */
static void test_bare_names_in_shared_nodes(void **state) {
  struct fixture *f = *state;
  const struct survival *laws = f->laws.survivals;
  const struct ground *d = ground_bare(&f->table, "B");
  const struct ground *twice = times(f, 2, d), *max = MAX(d, ground_bare(&f->table, "A"));
  struct survival left, right;
  survival_init(&left, &exact_grid);
  survival_init(&right, &exact_grid);
  const struct ground *e = MAX(ADD(twice, term(f, 0, 0)), ADD(twice, term(f, 2, 0)));
  assert_int_equal(evaluate(f, e, true), STATUS_OK);
  survival_add_many(&left, &laws[1], 2);
  survival_add(&right, &left, &laws[2]);
  survival_add(&left, &left, &laws[0]);
  survival_max(&left, &left, &right);
  assert_true(survival_equal(&left, &f->result));
  assert_int_equal(evaluate(f, ADD(max, max), true), STATUS_OK);
  survival_max(&left, &laws[0], &laws[1]);
  survival_add_many(&left, &left, 2);
  assert_true(survival_equal(&left, &f->result));
  survival_clear(&left);
  survival_clear(&right);
}

static void test_failures_leave_the_result(void **state) {
  struct fixture *f = *state;
  const struct ground *a = term(f, 0, 0), *lost = ground_bare(&f->table, "Lost");
  assert_int_equal(evaluate(f, a, false), STATUS_OK);
  assert_int_equal(evaluate(f, ADD(a, lost), true), STATUS_NO_INPUT);
  assert_string_equal(text_get(&f->message), "no data for Lost");
  assert_true(survival_equal(&f->result, &f->laws.survivals[0]));
  assert_int_equal(f->ledger.count, 0);
}

static const struct ground *many(struct fixture *f, enum ground_kind kind, int64_t n) {
  const struct ground **parts = calloc((size_t)n, sizeof *parts);
  for (int64_t i = 0; i < n; i++)
    parts[i] = ADD(ADD(term(f, 0, i), term(f, 1, i)), ADD(term(f, 2, i), term(f, 0, n + i)));
  const struct ground *e = ground_combine(&f->table, kind, parts, (size_t)n, 0);
  free(parts);
  return e;
}

static void test_a_thousand_alike_on_the_default_grid(void **state) {
  (void)state;
  struct fixture *f = calloc(1, sizeof *f);
  ground_table_init(&f->table);
  laws_init(&f->laws, &grid_default);
  survival_init(&f->result, &grid_default);
  struct survival part, expected;
  survival_init(&part, &grid_default);
  survival_init(&expected, &grid_default);
  clock_t start = clock();
  assert_int_equal(evaluate(f, many(f, GROUND_MAX, 1000), false), STATUS_OK);
  survival_add_many(&part, &f->laws.survivals[0], 2);
  survival_add(&part, &part, &f->laws.survivals[1]);
  survival_add(&part, &part, &f->laws.survivals[2]);
  survival_max_many(&expected, &part, 1000);
  /* all sums are whole numbers below 2B, so their order does not matter but for rounding */
  for (size_t k = 0; k < grid_count(&grid_default); k++)
    assert_true(f->result.tail[k] + 4000 >= expected.tail[k] &&
                expected.tail[k] + 4000 >= f->result.tail[k]);
  assert_int_equal(evaluate(f, many(f, GROUND_ADD, 1000), false), STATUS_OK);
  uint64_t median = 0;
  assert_true(survival_quantile(&median, &f->result, SURVIVAL_ONE / 2));
  /* mean 2 * 2 + 4.125 - 0.0 + ... = sum of (5*0+2*3+1*10)*2/8 + (1+12+20)/8 + (8+21+20)/8 */
  assert_in_range(median, 14250 - 200, 14250 * 1.01 + 200);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (seconds > 20)
    fail_msg("%g seconds", seconds);
  survival_clear(&part);
  survival_clear(&expected);
  teardown((void **)&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_random_expressions_against_enumeration, setup, teardown),
      cmocka_unit_test_setup_teardown(test_identity_is_respected, setup, teardown),
      cmocka_unit_test_setup_teardown(test_unsound_redraws_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(test_association_is_in_the_ledger, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bare_names, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bare_names_in_shared_nodes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_failures_leave_the_result, setup, teardown),
      cmocka_unit_test(test_a_thousand_alike_on_the_default_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
