/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Scripts for solvers: what smt_print writes passes, and nothing that makes a solver do more than
 * answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "solver/smt/script.h"
#include "solver/smt/smt.h"

static void accept_bytes(const char *bytes, size_t length) {
  struct text why;
  text_init(&why);
  bool plain = script_is_plain(bytes, length, &why);
  assert_string_equal(text_get(&why), "");
  assert_true(plain);
  text_clear(&why);
}

static void accept(const char *script) {
  accept_bytes(script, strlen(script));
}

static void refuse_bytes(const char *bytes, size_t length, const char *wanted) {
  struct text why;
  text_init(&why);
  bool plain = script_is_plain(bytes, length, &why);
  if (plain || strncmp(text_get(&why), wanted, strlen(wanted)) != 0)
    fail_msg("%.*s: \"%s\", not \"%s\"", (int)length, bytes, text_get(&why), wanted);
  text_clear(&why);
}

static void refuse(const char *script, const char *wanted) {
  refuse_bytes(script, strlen(script), wanted);
}

#define HEAD "; unsat if it holds\n(set-info :status unknown)\n(set-logic ALL)\n"
#define DECLARED                                                                                   \
  HEAD "(declare-sort role.n 0)\n(declare-fun f.x (role.n Int) Real)\n(declare-fun a!1 () Int)\n"
#define ASKED "\n(check-sat)\n"

static void test_accepted(void **state) {
  (void)state;
  accept("(check-sat)");
  accept("(set-logic ALL)\n(assert false)\n(check-sat)\n");
  accept(DECLARED "(assert (<= 0 a!1 12345678901234567890 1))" ASKED);
  accept(DECLARED "(assert\n (forall ((n!1 role.n) (i!2 Int) )(! (let ((?x1 (f.x n!1 i!2)))\n (let "
                  "(($x2 (<= 0.0 ?x1)))\n (and $x2 true))) :pattern ( (f.x n!1 i!2) )))\n )" ASKED);
  accept(HEAD "(declare-fun |any time!0| () Real)\n(declare-fun |s.p(Request)| () Real)\n"
              "(assert (not (= |any time!0| (- (/ 1.0 2.0)))))" ASKED);
  accept(HEAD
         "(declare-fun |any.x| () Bool)(assert any.x)" ASKED); /* the same name, by the standard */
}

/* What is asserted with every word of smt.h. */
static void test_printed(void **state) {
  (void)state;
  struct smt *smt = smt_new();
  smt_sort node = smt_sort_named(smt, "role.node"), integer = smt_sort_int(smt);
  smt_function f = smt_declare(smt, "occurrence.d(M).", &node, 1, smt_sort_real(smt));
  smt_term x = smt_fresh(smt, "x", node), i = smt_fresh(smt, "any time", integer);
  smt_term fx = smt_apply(smt, f, &x, 1), two = smt_int(smt, 2);
  smt_term product = smt_mul(smt, i, fx), half = smt_div(smt, i, two);
  smt_term least = smt_le(smt, smt_real_zero(smt), smt_add(smt, product, fx));
  smt_assert(smt, smt_forall(smt, &x, 1, least, &fx, 1));
  smt_assert(smt, smt_exists(smt, &x, 1, smt_lt(smt, fx, smt_real_zero(smt))));
  smt_assert(smt, smt_or2(smt, smt_not(smt, smt_equal(smt, half, two)),
                          smt_implies(smt, smt_lt(smt, smt_sub(smt, i, two), smt_int(smt, -3)),
                                      smt_le(smt, smt_if(smt, least, i, two), half))));
  struct text script;
  text_init(&script);
  smt_print(smt, &script);
  accept_bytes(script.data, script.length);
  text_clear(&script);
  smt_free(smt);
}

/* What certify writes none of. */
static const char *const commands[] = {"set-option",
                                       "SET-OPTION",
                                       "Set-option",
                                       "echo",
                                       "include",
                                       "get-value",
                                       "get-model",
                                       "get-info",
                                       "get-option",
                                       "get-assertions",
                                       "get-proof",
                                       "get-unsat-core",
                                       "push",
                                       "pop",
                                       "reset",
                                       "reset-assertions",
                                       "exit",
                                       "define-fun",
                                       "define-fun-rec",
                                       "define-sort",
                                       "declare-const",
                                       "declare-datatypes",
                                       "check-sat-assuming",
                                       "eval",
                                       "display",
                                       "simplify",
                                       "apply",
                                       "set-option:x",
                                       "assert-soft",
                                       "minimize",
                                       "declare-rel",
                                       "model-del",
                                       "include-file",
                                       "block-model",
                                       "|set-option|",
                                       "|check-sat|",
                                       "|assert|",
                                       "_",
                                       "help",
                                       "labels",
                                       "check-synth"};

static void test_commands(void **state) {
  (void)state;
  char script[256], wanted[64];
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
    snprintf(script, sizeof script, "%s(%s :regular-output-channel \"x\")\n%s", HEAD, commands[k],
             ASKED);
    snprintf(wanted, sizeof wanted, "4: %.6s",
             commands[k][0] == '|' ? commands[k] + 1 : commands[k]);
    if (strchr(commands[k], ':') != NULL)
      strcpy(wanted, "4: set-option is no command");
    refuse(script, wanted);
  }
  refuse(HEAD "((set-option :print-success true))" ASKED, "4: has a command without a name");
  refuse(HEAD "(:status unknown)" ASKED, "4: :status is no command");
  refuse(HEAD "(12)" ASKED, "4: has a command without a name");
  refuse(HEAD "()" ASKED, "4: has a command without a name");
  refuse(HEAD "set-option" ASKED, "4: set-option stands outside");
  refuse(HEAD ")" ASKED, "4: ) stands outside");
  refuse("", "1: ends without (check-sat)");
  refuse(HEAD, "4: ends without (check-sat)");
  refuse(HEAD "; (check-sat)\n", "5: ends without (check-sat)");
  refuse(HEAD ASKED ASKED, "7: goes on behind");
  refuse(HEAD ASKED "(exit)", "6: goes on behind");
  refuse(HEAD "(check-sat a.b)", "4: has a command with more");
  refuse(HEAD "(check-sat", "4: has a command with more");
  refuse("(set-logic QF_UF)" ASKED, "1: has a logic other");
  refuse("(set-logic |ALL)(echo x|)" ASKED, "1: has a logic other");
  refuse("(set-info :status unsat)" ASKED, "1: has a set-info that tells");
  refuse("(set-info :status |unknown\n|)" ASKED, "1: has a quoted name");
  refuse("(set-info :source unknown)" ASKED, "1: has a set-info of something");
  refuse("(set-info :status \"unknown\")" ASKED, "1: has a string");
}

static void test_names(void **state) {
  (void)state;
  refuse(HEAD "(declare-fun unsat () Bool)" ASKED, "4: unsat is declared");
  refuse(HEAD "(declare-fun |unsat| () Bool)" ASKED, "4: unsat is declared");
  refuse(HEAD "(declare-fun and (Bool) Bool)" ASKED, "4: and is declared");
  refuse(HEAD "(declare-fun .x () Bool)" ASKED, "4: .x is declared");
  refuse(HEAD "(declare-fun @x () Bool)" ASKED, "4: @x is declared");
  refuse(HEAD "(declare-fun |a.b\nunsat\n| () Bool)" ASKED, "4: has a quoted name");
  refuse(HEAD "(declare-fun |a.\"| () Bool)" ASKED, "4: has a quoted name");
  refuse(HEAD "(declare-fun |a.\\| () Bool)" ASKED, "4: has a quoted name");
  refuse(HEAD "(declare-fun |a.b", "4: has a quoted name");
  refuse(HEAD "(declare-fun a.b () Bool)(declare-fun a.b () Int)" ASKED,
         "4: a.b is declared twice");
  refuse(HEAD "(declare-fun a.b () Bool)(declare-fun |a.b| () Int)" ASKED,
         "4: a.b is declared twice");
  refuse(HEAD "(declare-sort a.b 0)(declare-fun a.b () Int)" ASKED, "4: a.b is declared twice");
  refuse(HEAD "(declare-fun a.b () String)" ASKED, "4: String is no sort");
  refuse(HEAD "(declare-fun a.b ((Array Int Int)) Int)" ASKED, "4: ( is no sort");
  refuse(HEAD "(declare-fun a.b Int)" ASKED, "4: has a declaration without");
  refuse(HEAD "(declare-fun 1.5 () Int)" ASKED, "4: 1.5 is declared");
  refuse(HEAD "(declare-sort a.b 1)" ASKED, "4: has a sort of sorts");
  refuse(HEAD "(assert (forall ((a.b Int)) true))(declare-fun a.b () Int)" ASKED,
         "4: a.b is declared twice, or bound");
}

static void test_terms(void **state) {
  (void)state;
  static const char *const terms[][2] = {
      {"p.q", "p.q is neither"},
      {"f", "f is neither"},
      {"(str.++ \"a\" \"b\")", "str.++ is neither"},
      {"(_ bv1 8)", "_ is neither"},
      {"(as a!1 Int)", "as is neither"},
      {"(lambda ((x!1 Int)) x!1)", "lambda is neither"},
      {"(! true :named a.b)", ":named is an attribute"},
      {"(! true :qid a.b)", ":qid is an attribute"},
      {"(! true :pattern (a!1) :skolemid x)", ":skolemid is an attribute"},
      {"(and true :pattern)", ":pattern is an attribute"},
      {"(let ((and false)) true)", "and is bound"},
      {"(let ((true false)) true)", "true is bound"},
      {"(forall ((x Int)) true)", "x is bound"},
      {"(forall (x!1 Int) true)", "x!1 stands among variables"},
      {"(forall ((x!1 String)) true)", "String is no sort"},
      {"(let ((1 true)) true)", "1 is bound"},
      {"role.n", "role.n is neither"},
      {"1.2.3", "1.2.3 is no numeral"},
      {"1e3", "1e3 is no numeral"},
      {"#xff", "has a character"},
      {"\"x\"", "has a string"},
      {"true false", "has an assertion of two terms"},
      {"'a.b", "has a character"},
      {"[a.b]", "has a character"},
      {"\\a.b", "has a character"},
  };
  char script[512], wanted[128];
  for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
    snprintf(script, sizeof script, "%s(assert %s)%s", DECLARED, terms[k][0], ASKED);
    snprintf(wanted, sizeof wanted, "7: %s", terms[k][1]);
    refuse(script, wanted);
  }
  refuse(DECLARED "(assert (and true" ASKED, "8: check-sat is neither");
  refuse(DECLARED "(assert (and true", "7: ends within");
  /* bound in one assertion, free in the next */
  refuse(DECLARED "(assert (let ((?x1 true)) ?x1))\n(assert ?x1)" ASKED, "8: ?x1 is neither");
}

static void test_bytes(void **state) {
  (void)state;
  refuse("\xef\xbb\xbf(check-sat)", "1: has a byte");
  refuse("; a comment\r(set-option :x y)\n(check-sat)", "1: has a byte");
  refuse("(check-sat)\r\n", "1: has a byte");
  refuse("\n\t(check-sat)", "2: has a byte");
  refuse("; \xc3\xa4\n(check-sat)", "1: has a byte");
  refuse("; \033]0;own\007\n(check-sat)", "1: has a byte");
  refuse_bytes("; x\0\n(check-sat)", 16, "1: has a byte");
  refuse_bytes("(check-sat)\0(echo 1)", 20, "1: has a byte");
  refuse_bytes("(check\0-sat)", 12, "1: check is no command");
}

/* `count` times `piece`, between `before` and `behind`. */
static void many(const char *before, const char *piece, size_t count, const char *behind,
                 const char *wanted) {
  struct text script;
  text_init(&script);
  text_append(&script, before);
  for (size_t k = 0; k < count; k++)
    text_append(&script, piece);
  text_append(&script, behind);
  if (wanted == NULL)
    accept_bytes(script.data, script.length);
  else
    refuse_bytes(script.data, script.length, wanted);
  text_clear(&script);
}

static void test_sizes(void **state) {
  (void)state;
  many("(assert ", "(not ", 1000000, ASKED, "1: has more parentheses");
  many("(", "(", 1000000, ASKED, "1: has a command without a name");
  many("(assert (= 1 1", "1", 1000000, "))" ASKED, "1: has a word that is too long");
  many("(declare-fun a.", "b", 5000, " () Int)" ASKED, "1: has a word that is too long");
  many("(declare-fun |a.", "b", 5000, "| () Int)" ASKED, "1: has a quoted name");
  many("(assert (and true", " true", 200000, "))" ASKED, NULL);
  many("; ", "x", 1000000, ASKED, NULL);
  many("", " ", SCRIPT_LIMIT, ASKED, "1: is longer than");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accepted), cmocka_unit_test(test_printed),
      cmocka_unit_test(test_commands), cmocka_unit_test(test_names),
      cmocka_unit_test(test_terms),    cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
