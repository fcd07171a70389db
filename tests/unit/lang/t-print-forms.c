/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How each construct of a protocol is printed, and what stays as its author wrote it. */
#include "tests/unit/lang/print_law.h"

static void expect_printed(const char *source, const char *expected) {
  struct ast *ast = tree_of(source, strlen(source));
  assert_non_null(ast);
  struct text out;
  text_init(&out);
  print_ast(&out, ast);
  assert_string_equal(text_get(&out), expected);
  text_clear(&out);
  ast_free(ast);
  assert_true(check_law(source, strlen(source)));
}

static void test_comments(void **state) {
  (void)state;
  expect_printed("# top\n"
                 "protocol p # name\n"
                 "\n\n\n"
                 "  # before\n"
                 "param   n:int>=1# behind\n"
                 "role main\n"
                 "state main{ x:int=0 # x\n"
                 "   longer : int = 1 # longer\n"
                 "# last\n"
                 "}# after\n"
                 "action main.A { # head\n"
                 "# first\n"
                 "if x==0{x:=1}else{\n"
                 "  x := x + # inside\n"
                 "    2 }\n"
                 "# end\n"
                 "}\n"
                 "# bottom",
                 "# top\n"
                 "protocol p  # name\n"
                 "\n"
                 "# before\n"
                 "param n : int >= 1  # behind\n"
                 "role main\n"
                 "state main {\n"
                 "  x : int = 0       # x\n"
                 "  longer : int = 1  # longer\n"
                 "  # last\n"
                 "}  # after\n"
                 "action main.A {  # head\n"
                 "  # first\n"
                 "  if x == 0 {\n"
                 "    x := 1\n"
                 "  } else {\n"
                 "    # inside\n"
                 "    x := x + 2\n"
                 "  }\n"
                 "  # end\n"
                 "}\n"
                 "# bottom\n");
}

/* Words of the new declarations are words only where they can stand. */
static void test_constructs(void **state) {
  (void)state;
  expect_printed("protocol p timing eager param HB:time<=1s param n:int repeated A,B\n"
                 "timeout T, U delay d,wan\n"
                 "message M(to:node,k:int):main->node to over wan fifo message K:main->main fifo\n"
                 "message O(over:node):node over->main over d\n"
                 "schedule node=[A2 , B2]timeout T\n"
                 "state main{ghost g:time=HB # g\n x:int=0;ghost h:bool=true}\n"
                 "action node i.Go in A2 on M(i,k)reads t cost if x then A else(B+0){}\n"
                 "action main.Out on timeout T{} action main.At on timer (a-b)+c reads t{}\n"
                 "action main.Any at any time reads t cost A{} action any any.any at any time{}\n"
                 "invariant a:|S+{x}|<=kth((f+1),r in S+T(C[r]))\n"
                 "phase one{ # the first\n start a;invariant b:began<=now# b\n\n # last\n"
                 "end when a at main within d}\n"
                 "bound z:sent M within upto(node,2)by phases bound y:delivered M within ?\n"
                 "bound x:when time at any within d",
                 "protocol p\n"
                 "timing eager\n"
                 "param HB : time <= 1 s\n"
                 "param n : int\n"
                 "repeated A, B\n"
                 "timeout T, U\n"
                 "delay d, wan\n"
                 "message M(to: node, k: int) : main -> node to over wan fifo\n"
                 "message K : main -> main fifo\n"
                 "message O(over: node) : node over -> main over d\n"
                 "schedule node = [A2, B2] timeout T\n"
                 "state main {\n"
                 "  ghost g : time = HB  # g\n"
                 "  x : int = 0\n"
                 "  ghost h : bool = true\n"
                 "}\n"
                 "action node i.Go in A2 on M(i, k) reads t cost if x then A else B + 0 {}\n"
                 "action main.Out on timeout T {}\n"
                 "action main.At on timer a - b + c reads t {}\n"
                 "action main.Any at any time reads t cost A {}\n"
                 "action any any.any at any time {}\n"
                 "invariant a: |S + {x}| <= kth(f + 1, r in S + T (C[r]))\n"
                 "phase one {  # the first\n"
                 "  start a\n"
                 "  invariant b: began <= now  # b\n"
                 "\n"
                 "  # last\n"
                 "  end when a at main within d\n"
                 "}\n"
                 "bound z: sent M within upto(node, 2) by phases\n"
                 "bound y: delivered M within ?\n"
                 "bound x: when time at any within d\n");
}

static void test_words(void **state) {
  (void)state;
  expect_printed("protocol p action a.B on timer ({a}){} action a.C on timer() reads t {}\n"
                 "action a.D on timer {} action a.E on timeout reads {} action phase x.by {}\n"
                 "action a.F(x in S-{a} , k in 0 .. n / 2)at any time{}\n"
                 "message M:a->b phase state phase{kth:int=0}",
                 "protocol p\n"
                 "action a.B on timer ({a}) {}\n"
                 "action a.C on timer() reads t {}\n"
                 "action a.D on timer {}\n"
                 "action a.E on timeout reads {}\n"
                 "action phase x.by {}\n"
                 "action a.F(x in S - {a}, k in 0..n/2) at any time {}\n"
                 "message M : a -> b phase\n"
                 "state phase {\n"
                 "  kth : int = 0\n"
                 "}\n");
}

static void expect_formatted(const char *source, const char *expected) {
  struct ast *ast = tree_of(source, strlen(source));
  assert_non_null(ast);
  struct text out;
  text_init(&out);
  format_ast(&out, ast);
  assert_string_equal(text_get(&out), expected);
  text_clear(&out);
  ast_free(ast);
  assert_true(check_law(source, strlen(source)));
}

/* What the author chose, where it may stay. */
static void test_kept(void **state) {
  (void)state;
  expect_formatted("protocol p\n"
                   "param n     :int>=1            # a column\n"
                   "param Delay : time\n"
                   "param longest : time           # another\n"
                   "delay     d\n"
                   "queueing  Queuing  # alone\n"
                   "role main\n"
                   "state main  { x : int = 0;  ghost y : int=1 }\n"
                   "state other { x : int = 0 ghost y : int = 1 ; }\n"
                   "\n\n\nmessage   M : main -> main\n"
                   "\n"
                   "invariant   a:    (x==0)\n"
                   "     and   not (y == 1)  # one\n"
                   "invariant   long: max(\n"
                   "  x,  y)\n"
                   "    >= 0                     # gone\n"
                   "action main.A { when x==0 x:=1 ; send M}\n",
                   "protocol p\n"
                   "param n     : int >= 1         # a column\n"
                   "param Delay : time\n"
                   "param longest : time           # another\n"
                   "delay     d\n"
                   "queueing  Queuing  # alone\n"
                   "role main\n"
                   "state main  { x : int = 0; ghost y : int = 1 }\n"
                   "state other { x : int = 0  ghost y : int = 1 }\n"
                   "\n"
                   "message M : main -> main\n"
                   "\n"
                   "invariant a:    (x == 0)\n"
                   "     and not (y == 1)  # one\n"
                   "invariant long: max(\n"
                   "  x, y)\n"
                   "    >= 0  # gone\n"
                   "action main.A { when x == 0  x := 1; send M }\n");
}

static void expect_term(const char *term, const char *expected) {
  struct text source, printed;
  text_init(&source);
  text_init(&printed);
  text_format(&source, "protocol p\ninvariant a: %s\n", term);
  text_format(&printed, "protocol p\ninvariant a: %s\n", expected);
  expect_printed(source.data, printed.data);
  text_clear(&source);
  text_clear(&printed);
}

static void test_parentheses(void **state) {
  (void)state;
  expect_term("((a)and(b or c))or((d))", "a and (b or c) or d");
  expect_term("(a implies b) implies (c implies d)", "(a implies b) implies c implies d");
  expect_term("a-(b-c)-(d+e)*2", "a - (b - c) - (d + e)*2");
  expect_term("-(-a)*-(b*c)", "--a*-(b*c)");
  expect_term("(a*b)/ (2)*(c / 3)", "a*b/2*(c/3)");
  expect_term("a - (b-c)/2 in {d/2}", "a - (b - c)/2 in {d/2}");
  expect_term("-(2 ^(3)) + (-2)^(1+2)*2^10", "-2^3 + (-2)^(1 + 2)*2^10");
  expect_term("forall k in 0 .. n / 2 + 2^3. a", "forall k in 0..n/2 + 2^3. a");
  expect_term("not (a == b)", "not a == b");
  expect_term("(not a) == b", "(not a) == b");
  expect_term("(forall x in S. a) and b", "(forall x in S. a) and b");
  expect_term("b and (forall x in S. a)", "b and forall x in S. a");
  expect_term("b and (not (forall x in S. a)) and c", "b and not (forall x in S. a) and c");
  expect_term("1 + (if a then b else c) + 2", "1 + (if a then b else c) + 2");
  expect_term("max b in (first) ((x))", "max b in (first) (x)");
  expect_term("max b in (f(x)) (x)", "max b in (f(x)) (x)");
  expect_term("(charged C)[b]", "(charged C)[b]");
  expect_term("charged C [b]", "charged C[b]");
  expect_term("sent M()", "sent M");
  expect_term("|(S)|*(|a| - |b - c|) <= (|d|)", "|S|*(|a| - |b - c|) <= |d|");
  expect_term("max b in |S| (x)", "max b in |S| (x)");
  expect_term("max b in (kth) (x)", "max b in (kth) (x)");
  expect_term("kth ((f),b in(S)((x))) + 1", "kth(f, b in S (x)) + 1");
  expect_term("sent kth(x) and kth == 1", "sent kth(x) and kth == 1");
  expect_term("1.50ms <= 3  s", "1.50 ms <= 3 s");
}

/* Lines are broken to 100 columns, wherever they can be. */
static void line_widths(const char *text, size_t length) {
  struct ast *ast = tree_of(text, length);
  struct text out;
  text_init(&out);
  print_ast(&out, ast);
  for (const char *line = text_get(&out); *line != '\0'; line += strcspn(line, "\n") + 1)
    if (strchr(line, '#') == NULL || strchr(line, '#') > line + strcspn(line, "\n"))
      assert_true(strcspn(line, "\n") <= 100);
  text_clear(&out);
  ast_free(ast);
}

static void test_widths(void **state) {
  (void)state;
  each_file("specs", line_widths);
}

/* Terms of the model print as they were written (in canonical form). */
static void test_terms(void **state) {
  (void)state;
  static const char *const formulas[] = {
      "forall i in node, j in node. i.held and j.held implies i == j",
      "phase == idle or first.held or last == next(prev(first))",
      "forall k in int. sent Pass(k) and pending Pass(k) implies not received Pass(k)",
      "time(Done) <= max(Work, Step[first], 1500 us) + 2*d(Done) + Queuing(Done)",
      "time(main) <= 0 iff seen == {}",
      "charged Step[last] and mark[first] and last in seen + {first} - node",
      "time(first) <= if index(last) > 3 then d else Work + sum k in 1..n - 1 (Step[first])",
      "exists k in 0..n. receiver(Pass(k)) == first",
      "|seen - node| <= n and main.slot < first.slot",
      "now <= kth(n + 1, b in seen (Step[b] + wan(Pass(1)))) + sum b in seen (Step[b] + Tick)",
      "now >= HB",
      "now <= upto(main) + upto(main, 2) + upto(node)",
      "now <= HB + upto(main, main.slot) + upto(node, first.slot)",
      "now <= B + A + F",
      "now <= (if main.slot > 0 then A else 0) + if main.slot > 1 then B else 0",
      "now <= (if main.slot > 0 then C else 0) + if first.slot > 1 then D else 0",
  };
  struct text source;
  text_init(&source);
  text_append(&source,
              "protocol p timing eager param n : int param HB : time role main role node[n]\n"
              "role other external client repeated Tick\n"
              "component Work, Step[node] delay d, wan queueing Queuing enum Phase { idle, busy }\n"
              "message Pass(lap: int) : node -> node over wan\n"
              "message Done : main -> client over d\n"
              "schedule main = [A, B, F] schedule node = [C, D] schedule other = [E]\n"
              "state main { phase : Phase = idle  seen : set of node = {}\n"
              "  mark : map node to bool = false }\n"
              "state node { held : bool = false }\n");
  for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
    text_format(&source, "invariant a%zu: %s\n", i, formulas[i]);
  struct source *from = source_from_text("test.tp", source.data, source.length);
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(from, &queue);
  struct model *model = check(ast, from, &queue);
  struct text out;
  text_init(&out);
  diagnostics_print(&out, &queue, from, false);
  if (model == NULL)
    print_message("%s", text_get(&out));
  assert_non_null(model);
  for (size_t i = 0; i < model->invariants.count; i++) {
    text_clear(&out);
    print_term(&out, model, model->invariants.items[i]->formula);
    assert_string_equal(text_get(&out), formulas[i]);
  }
  text_clear(&out);
  text_clear(&source);
  model_free(model);
  ast_free(ast);
  diagnostics_clear(&queue);
  source_free(from);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kept),        cmocka_unit_test(test_comments),
      cmocka_unit_test(test_parentheses), cmocka_unit_test(test_constructs),
      cmocka_unit_test(test_words),       cmocka_unit_test(test_widths),
      cmocka_unit_test(test_terms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
