/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/evaluate/compose.h"
#include "tests/unit/dist/operands.h"

/* --- the language ------------------------------------------------------------------------------
 */

static void assert_refused(const char *expression, const char *expected) {
  struct compose *compose = NULL;
  struct text message;
  text_init(&message);
  enum status status = compose_parse(&compose, expression, &message);
  if (status != STATUS_USAGE || compose != NULL)
    fail_msg("accepted: %s", expression);
  assert_string_equal(text_get(&message), expected);
  text_clear(&message);
}

static void test_mistakes_have_a_place_and_a_remedy(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"", "column 1: expected a law: a name, a duration such as 5ms, or an operation such as "
           "max(X, Y)"},
      {"X +", "column 4: expected a law: a name, a duration such as 5ms, or an operation such as "
              "max(X, Y)"},
      {"X Y", "column 3: expected the end, or \"+\" and another law"},
      {"X - Y",
       "column 3: this character has no meaning here; laws are made with + * ( ) and commas"},
      {"5 + X", "column 1: a number by itself; write a duration (5ms), or a multiple (2 * X)"},
      {"X * 2", "column 3: only numbers stand before \"*\": 2 * X, not X * 2"},
      {"(X", "column 3: expected \")\" for the \"(\" before"},
      {"most(X, Y)",
       "column 1: most is no operation; there are max min sum kth mix cap timeout retry"},
      {"max(X", "column 6: expected \")\" at the end of the list"},
      {"kth(3, X, Y)", "column 5: rank 3 of 2 laws; use a rank up to 2"},
      {"kth(1.5, X)", "column 5: expected a rank, a whole number from 1 to 2560000"},
      {"kth(X, Y)", "column 5: expected a rank, a whole number from 1 to 2560000"},
      {"max(0 of X)", "column 5: expected how many, a whole number from 1 to 10000"},
      {"mix(0.9 X, 0.2 Y)",
       "column 5: the chances of this mixture add up to 1.1; make them add up to 1"},
      {"mix(X, Y)", "column 5: expected a chance, as in mix(0.9 Hit, 0.1 Miss)"},
      {"mix(0.5 * X, 0.5 * Y)", "column 9: expected a law behind the chance, without \"*\""},
      {"mix(1/2305843009213693951 X, 2305843009213693950/2305843009213693951 Y)",
       "column 5: 2305843009213693951 is out of range; use numbers from 1e-18 to 1e18"},
      {"cap(X)", "column 6: expected \",\" and a duration"},
      {"cap(X, 20)", "column 8: expected a duration such as 20ms, as in cap(X, 20ms)"},
      {"cap(X, 0ms)",
       "column 8: a limit of 0; use a duration above it, such as 20ms, as in cap(X, 20ms)"},
      {"timeout(X, Y)", "column 12: expected a duration such as 5ms, as in timeout(X, 5ms, Y)"},
      {"retry(X, 5ms)", "column 13: expected \",\" and how many attempts, as in retry(X, 5ms, 3)"},
      {"retry(X, 5ms, 0)",
       "column 15: expected how many attempts, a whole number from 1 to 1000000"},
      {"retry(X, 5ms, 3, Y)",
       "column 18: expected a duration such as 1ms between attempts, or the word wait"},
      {"retry(X, 5ms, 3, 1ms, weit)",
       "column 23: expected the word wait, or the end of retry(...)"},
      {"1e19 * X", "column 1: 1e19 is out of range; use numbers from 1e-18 to 1e18"},
      {"1/0 * X", "column 1: a fraction over 0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_refused(cases[i][0], cases[i][1]);
}

static void test_depth_is_limited(void **state) {
  (void)state;
  char deep[256];
  memset(deep, '(', 200);
  strcpy(deep + 200, "X");
  assert_refused(deep, "column 65: more than 64 levels of parentheses; name a part of it by a law "
                       "of its own");
}

static void assert_names(const char *expression, const char *expected) {
  struct compose *compose;
  struct text text;
  text_init(&text);
  if (compose_parse(&compose, expression, &text) != STATUS_OK)
    fail_msg("%s: %s", expression, text_get(&text));
  for (size_t i = 0; i < compose_name_count(compose); i++)
    text_format(&text, "%s ", compose_name(compose, i));
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
  compose_clear(compose);
}

static void test_names(void **state) {
  (void)state;
  assert_names("X", "X ");
  assert_names("  mix( 0.9 Hit,0.1 Miss ) ", "Hit Miss ");
  assert_names("b.2 + a_1 + b.2 + max(a_1, c)", "b.2 a_1 c ");
  assert_names("max + min(kth, of) + wait", "max kth of wait "); /* not followed by "(" */
  assert_names("3rd + 5msx + 2e + 1000ms", "3rd 5msx 2e ");
}

/* --- what it means -----------------------------------------------------------------------------
 */

/* A, B, C, D are the operands. */
static enum status find_operand(void *context, const struct survival **survival, const char *name,
                                struct text *message) {
  const struct operands *o = context;
  if (strlen(name) != 1 || *name < 'A' || *name >= 'A' + OPERANDS) {
    text_format(message, "no law %s", name);
    return STATUS_NO_INPUT;
  }
  *survival = &o->s[*name - 'A'];
  return STATUS_OK;
}

static struct evaluate_cost compose_into(struct operands *o, const char *expression) {
  struct compose *compose;
  struct text message;
  text_init(&message);
  const struct compose_laws laws = {.find = find_operand, .context = o};
  if (compose_parse(&compose, expression, &message) != STATUS_OK ||
      compose_survival(&o->z, compose, &laws, NULL, &message) != STATUS_OK)
    fail_msg("%s: %s", expression, text_get(&message));
  struct evaluate_cost cost = compose_cost(compose);
  compose_clear(compose);
  text_clear(&message);
  return cost;
}

/* Against the exact law in o->result, as far off as compose_cost says. */
static void check_expression(struct operands *o, const char *expression, bool stretches) {
  struct evaluate_cost cost = compose_into(o, expression);
  struct rational stretch, step;
  rational_init(&stretch);
  rational_init(&step);
  rational_set_integer(&stretch, 1);
  int64_t b = INT64_C(1) << o->z.grid.sub_bits;
  rational_set_fraction(&step, o->z.side == SIDE_UPPER ? b + 1 : b - 1, b);
  for (unsigned i = 0; i < cost.depth; i++)
    rational_mul(&stretch, &stretch, &step);
  bool linear = grid_is_linear(&o->z.grid);
  size_t k;
  bool missed;
  bool close =
      exact_bounds(&o->z, &o->result, (struct exact_slack){&stretch, 200, NULL}, &k, &missed);
  if (missed || !survival_is_valid(&o->z) || (!linear && stretches && !close))
    fail_msg("seed %lu: %s, %s side, point %zu", (unsigned long)o->seed, expression,
             o->z.side == SIDE_UPPER ? "upper" : "lower", k);
  rational_clear(&step);
  rational_clear(&stretch);
}

static void check_meaning(struct operands *o) {
  const size_t first = 1, second = 2, third = 3;
  struct rational value, other, chances[2];
  struct exact part;
  exact_init(&part);
  rational_init(&value);
  rational_init(&other);
  const struct exact *two[] = {o->laws[0], o->laws[1]}, *alike[] = {o->laws[0], o->laws[0]};

  exact_apply(&part, two, 2, exact_of_sum, NULL);
  rational_set_integer(&value, 7);
  exact_shift(&o->result, &part, &value);
  check_expression(o, "A + 4ns + B + 3ns", true);
  exact_apply(&o->result, alike, 2, exact_of_sum, NULL);
  check_expression(o, "A + A", true);
  check_expression(o, "sum(2 of A)", true);
  rational_set_integer(&value, 3);
  exact_apply(&o->result, o->laws, 1, exact_of_scale, &value);
  check_expression(o, "1.5 * 2 * A", true);
  exact_apply(&o->result, two, 2, exact_of_rank, &second);
  check_expression(o, "max(A, B)", true);
  exact_apply(&o->result, two, 2, exact_of_rank, &first);
  check_expression(o, "min(A, (B))", true);
  exact_apply(&o->result, (const struct exact *[]){two[0], two[0], two[1], o->laws[2]}, 4,
              exact_of_rank, &third);
  check_expression(o, "kth(3, 2 of A, B, C)", true);

  rational_init(&chances[0]);
  rational_init(&chances[1]);
  rational_set_fraction(&chances[0], 2, 3);
  rational_set_fraction(&chances[1], 1, 3);
  exact_never(&part);
  exact_mix(&o->result, (const struct exact *[]){two[0], &part}, chances, 2);
  check_expression(o, "mix(2/3 A, 1/3 never)", true);
  rational_set_fraction(&chances[0], 9, 10);
  rational_set_fraction(&chances[1], 1, 10);
  exact_mix(&o->result, two, chances, 2);
  check_expression(o, "mix(0.9 A, 0.1 B)", true);
  rational_clear(&chances[0]);
  rational_clear(&chances[1]);

  rational_set_integer(&value, 9);
  rational_set_integer(&other, 2);
  exact_cap(&o->result, two[0], &value);
  check_expression(o, "cap(A, 9ns)", true);
  exact_apply(&o->result, two, 2, exact_of_timeout, &value);
  check_expression(o, "timeout(A, 9ns, B)", false);
  exact_apply(&o->result, two, 1, exact_of_timeout, &value);
  check_expression(o, "timeout(A, 0.009us)", false);
  exact_retry(&o->result, two[0], &value, &other, 3, false);
  check_expression(o, "retry(A, 9ns, 3, 2ns)", false);
  exact_retry(&o->result, two[0], &value, &other, 3, true);
  check_expression(o, "retry(A, 9ns, 3, 2ns, wait)", false);
  rational_set_integer(&other, 0);
  exact_retry(&o->result, two[0], &value, &other, 2, true);
  check_expression(o, "retry(A, 9ns, 2, wait)", false);
  exact_clear(&part);
  rational_clear(&value);
  rational_clear(&other);
}

static void test_meaning(void **state) {
  (void)state;
  operands_run(12, check_meaning);
}

static struct evaluate_cost cost(const char *expression) {
  struct compose *compose;
  struct text message;
  text_init(&message);
  assert_int_equal(compose_parse(&compose, expression, &message), STATUS_OK);
  struct evaluate_cost result = compose_cost(compose);
  compose_clear(compose);
  text_clear(&message);
  return result;
}

static void test_costs(void **state) {
  (void)state;
  const struct {
    const char *expression;
    unsigned depth;
    uint64_t addends;
  } cases[] = {{"X", 0, 1},
               {"X + Y", 1, 2},
               {"X + Y + 5ms + 6ms", 2, 3},
               {"sum(8 of X)", 3, 8},
               {"max(X + Y, Z)", 1, 2},
               {"2.5 * X", 1, 4},
               {"5ms", 1, 1},
               {"never", 0, 0},
               {"timeout(X, 5ms, Y)", 1, 2},
               {"retry(X, 5ms, 9)", 1, 2},
               {"kth(2, X, Y, X + X)", 1, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct evaluate_cost got = cost(cases[i].expression);
    if (got.depth != cases[i].depth || got.addends != cases[i].addends)
      fail_msg("%s: depth %u, %lu addends", cases[i].expression, got.depth,
               (unsigned long)got.addends);
  }
}

/* A law that is missing leaves the result and the ledger as they were. */
static void test_a_missing_law(void **state) {
  (void)state;
  struct operands o;
  operands_init(&o, &test_grids[0], SIDE_UPPER, 1);
  survival_set(&o.z, &o.s[3]);
  struct compose *compose;
  struct text message;
  struct ledger ledger;
  ledger_init(&ledger);
  text_init(&message);
  const struct compose_laws laws = {.find = find_operand, .context = &o};
  assert_int_equal(compose_parse(&compose, "max(A, B + E, C)", &message), STATUS_OK);
  assert_int_equal(compose_survival(&o.z, compose, &laws, &ledger, &message), STATUS_NO_INPUT);
  assert_string_equal(text_get(&message), "no law E");
  assert_true(survival_equal(&o.z, &o.s[3]) && ledger.count == 0);
  compose_clear(compose);
  text_clear(&message);
  operands_clear(&o);
  ledger_clear(&ledger);
}

static void test_what_the_ledger_says(void **state) {
  (void)state;
  struct operands o;
  operands_init(&o, &test_grids[0], SIDE_LOWER, 1);
  struct compose *compose;
  struct text message;
  struct ledger ledger;
  ledger_init(&ledger);
  text_init(&message);
  const struct compose_laws laws = {.find = find_operand, .context = &o};
  const char *expression = "retry(A, 5ns, 2) + timeout(A, 5ns, cap(B, 9ns))";
  assert_int_equal(compose_parse(&compose, expression, &message), STATUS_OK);
  assert_int_equal(compose_survival(&o.z, compose, &laws, &ledger, &message), STATUS_OK);
  assert_int_equal(ledger.count, 3);
  for (size_t i = 0; i < ledger.count; i++)
    assert_non_null(strstr(ledger.lines[i].text, expression));
  assert_non_null(strstr(ledger.lines[0].text, "a draw of its own"));
  compose_clear(compose);
  text_clear(&message);
  operands_clear(&o);
  ledger_clear(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mistakes_have_a_place_and_a_remedy),
      cmocka_unit_test(test_depth_is_limited),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_meaning),
      cmocka_unit_test(test_costs),
      cmocka_unit_test(test_a_missing_law),
      cmocka_unit_test(test_what_the_ledger_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
