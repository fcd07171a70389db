/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scripts for other solvers: Z3's attributes gone, everything else as it was; and what smt_print
 * gives is what was asserted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/process.h"
#include "solver/smt/smt.h"
#include "solver/smt/smtlib.h"

static void expect(const char *script, const char *wanted) {
  struct text out;
  text_init(&out);
  smtlib_portable(&out, script);
  assert_string_equal(text_get(&out), wanted);
  text_clear(&out);
}

static void test_attributes(void **state) {
  (void)state;
  expect("(assert (! (f x) :pattern ((f x)) :weight 0))", "(assert (! (f x) :pattern ((f x)) ))");
  expect("(assert (! (f x) :weight 12))", "(assert    (f x) )");
  expect("(assert (! (! (f x) :weight 0) :pattern ((f x))))",
         "(assert (!    (f x)  :pattern ((f x))))");
  expect("(set-info :weight 3)", "(set-info :weight 3)");
  expect("; (! x :weight 0)\n(f |(! y :weight 0)| \"(! z :weight 0)\")",
         "; (! x :weight 0)\n(f |(! y :weight 0)| \"(! z :weight 0)\")");
  expect("(let ((a!1 (! b :weight 0))) a!1)", "(let ((a!1    b )) a!1)");
}

static void test_names(void **state) {
  (void)state;
  expect("(let (($x931 p)) (let ((?x7 t)) (or $x931 (= ?x7 $x12))))",
         "(let (($x1 p)) (let ((?x2 t)) (or $x1 (= ?x2 $x3))))");
  expect("($xy $x ?x1a x12 $x00000000000000012)", "($xy $x ?x1a x12 $x00000000000000012)");
  expect("", "");
  expect(")(", ")(");
}

/* The answer that a solver of its own gives to what is asserted. */
static const char *ask(struct smt *smt, struct text *output) {
  struct text script;
  text_init(&script);
  text_clear(output);
  smt_print(smt, &script);
  const char *const argv[] = {"cvc5", "--lang=smt2", "-", NULL};
  assert_int_equal(process_run(argv, script.data, script.length, 60000, NULL, output),
                   PROCESS_ENDED);
  text_clear(&script);
  return text_get(output);
}

/* forall i: 0 <= f(i) by a pattern; then f(k) negative; also after checks, pushes and pops. */
static void test_print(void **state) {
  (void)state;
  struct smt *smt = smt_new();
  smt_sort integer = smt_sort_int(smt), node = smt_sort_named(smt, "node");
  smt_function f = smt_declare(smt, "occurrence.d.", &node, 1, smt_sort_real(smt));
  smt_term i = smt_fresh(smt, "i", node), k = smt_fresh(smt, "k", node);
  smt_term fi = smt_apply(smt, f, &i, 1), fk = smt_apply(smt, f, &k, 1);
  smt_term n = smt_fresh(smt, "n", integer);
  struct text output;
  text_init(&output);
  smt_assert(smt, smt_forall(smt, &i, 1, smt_le(smt, smt_real_zero(smt), fi), &fi, 1));
  smt_assert(smt, smt_lt(smt, smt_int(smt, -3), n));
  assert_string_not_equal(ask(smt, &output), "unsat\n");
  smt_push(smt);
  smt_assert(smt, smt_lt(smt, smt_mul(smt, smt_int(smt, 2), fk), smt_real_zero(smt)));
  assert_string_equal(ask(smt, &output), "unsat\n");
  assert_int_equal(smt_check(smt, 10000, false, NULL), SMT_UNSAT);
  assert_string_equal(ask(smt, &output), "unsat\n");
  smt_pop(smt);
  assert_string_not_equal(ask(smt, &output), "unsat\n");
  smt_assert(smt, smt_bool(smt, false));
  assert_string_equal(ask(smt, &output), "unsat\n");
  text_clear(&output);
  smt_free(smt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attributes),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_print),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
