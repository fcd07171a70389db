/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every diagnostic, pinned to its place and text. A case is a source and what it must give:
 * "CODE LINE:COLUMN MESSAGE", one a line, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/unit/lang/term_cases.h"
#include "tests/unit/lang/timing_cases.h"

static void test_right(void **state) {
  (void)state;
  expect(BASE, "");
}

static void test_syntax(void **state) {
  (void)state;
  expect(BASE "invariant a b\n", "E0101 20:13 unexpected name \"b\", expected \":\"\n");
  expect(BASE "invariant a: 1 = 2\n",
         "E0101 20:16 unexpected \"=\", expected an operator or a declaration\n");
  expect(BASE "invariant a: true && false\n", "E0102 20:19 unknown operator \"&&\"\n");
  expect(BASE "invariant a: \xE2\x89\xA0 true $\n",
         "E0102 20:14 unexpected character \"\xE2\x89\xA0\"\n"
         "E0102 20:21 unexpected character \"$\"\n");
  expect(BASE "invariant a: true // never\n", "E0102 20:19 unexpected character \"//\"\n");
  expect(BASE "invariant a: time(main) < 1.5\n", "E0103 20:27 decimal number without a unit\n");
  expect(BASE "invariant a: time(main) < 15min\n", "E0103 20:27 malformed number \"15min\"\n");
  expect(BASE "invariant a: 99999999999999999999 > 1\n",
         "E0103 20:14 the number is too large (64 bits)\n");
  expect("", "E0106 1:1 the file is empty\n");
  expect(" \n\n", "E0106 1:1 the file is empty\n");
  expect("# only a comment\n", "E0101 2:1 unexpected end of file, expected \"protocol\"\n");
  expect("param n : int\n", "E0101 1:1 unexpected \"param\", expected \"protocol\"\n");
}

static void test_not_text(void **state) {
  (void)state;
  struct text out;
  text_init(&out);
  report(&out, "protocol p\nab\0c", 15, NULL);
  assert_string_equal(text_get(&out), "E0104 2:3 this is not UTF-8 text: byte 0x00\n");
  text_clear(&out);
  report(&out, "protocol \xC3\xA9\xFF", 12, NULL);
  assert_string_equal(text_get(&out), "E0104 1:11 this is not UTF-8 text: byte 0xFF\n");
  text_clear(&out);
}

static void test_depth(void **state) {
  (void)state;
  static const char *const parts[] = {"(",          "not ",          "-",
                                      "1 + ",       "if true then ", "x in {",
                                      "a implies ", "max(",          "forall x in int. ",
                                      "| ",         "kth(",          "kth(1, x in D ("};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    struct text source, out;
    text_init(&source);
    text_init(&out);
    text_append(&source, "protocol p\ninvariant a: ");
    for (size_t j = 0; j < 100000; j++)
      text_append(&source, parts[i]);
    report(&out, source.data, source.length, NULL);
    assert_non_null(strstr(text_get(&out), "E0105"));
    assert_null(strstr(strstr(text_get(&out), "E0105") + 1, "E0105"));
    text_clear(&source);
    text_clear(&out);
  }
}

static void test_names(void **state) {
  (void)state;
  expect(BASE "param n : int\n", "E0201 20:7 \"n\" is declared twice\n");
  expect(BASE "bound done: sent Done within Work\n", "E0201 20:7 \"done\" is declared twice\n");
  expect(BASE "action main.Go { }\n", "E0201 20:13 \"Go\" is declared twice\n");
  expect(BASE "state main { phase : int = 1 }\n", "E0201 20:14 \"phase\" is declared twice\n");
  expect(BASE "invariant a: forall n in node. true\n",
         "E0201 20:21 \"n\" already means something else here\n");
  expect(BASE "invariant a: phase == idel\n", "E0202 20:23 unknown name \"idel\"\n");
  expect(BASE "action main.X { phaze := idle }\n", "E0203 20:17 unknown state \"phaze\"\n");
  expect(BASE "invariant a: held\n",
         "E0203 20:14 \"held\" is a state of \"node\": of which node?\n");
  expect(BASE "invariant a: main.held\n", "E0203 20:19 role \"main\" has no state \"held\"\n");
  expect(BASE "action man.X { }\n", "E0204 20:8 unknown role \"man\"\n");
  expect(BASE "invariant a: sent Asc(first)\n", "E0205 20:19 unknown message \"Asc\"\n");
  expect(BASE "action main.X cost Wark { }\n", "E0206 20:20 unknown component \"Wark\"\n");
  expect(BASE "state main { x : Fase = idle }\n", "E0207 20:18 unknown type \"Fase\"\n");
  expect(BASE "message M(a: node) : main -> node b\n",
         "E0208 20:35 message \"M\" has no field \"b\"\n");
  expect(BASE "param k : int <= l\nparam l : int == k\n",
         "E0209 20:18 parameter \"l\" is declared later\n");
  expect(BASE "role other\nstate other { phase : int = 0 }\ninvariant a: phase == 1\n",
         "E0210 22:14 both \"main\" and \"other\" have a state \"phase\"\n");
  expect(BASE "bound b: sent Done within Step[b]\n", "E0211 20:32 index \"b\" is not bound\n");
  expect(BASE "bound b: sent Done within d(Ask(b))\n", "E0211 20:33 index \"b\" is not bound\n");
  expect(BASE "invariant a: tiem(main) <= 0\n", "E0212 20:14 unknown function \"tiem\"\n");
}

static void test_types(void **state) {
  (void)state;
  expect(BASE "invariant a: n\n", "E0301 20:14 an invariant must be bool, not int\n");
  expect(BASE "invariant a: n and true\n",
         "E0301 20:14 the operand of \"and\" must be bool, not int\n");
  expect(BASE "invariant a: true == 1\n",
         "E0301 20:14 \"==\" has bool on the left and int on the right\n");
  expect(BASE "invariant a: sent Ask\n", "E0302 20:19 message \"Ask\" has 1 field, not 0\n");
  expect(BASE "bound b: sent Done within Count[1, 2]\n",
         "E0302 20:27 component \"Count\" has 1 index, not 2\n");
  expect(BASE "invariant a: time(main) <= 5\n",
         "E0303 20:14 \"<=\" has an integer on one side and a time on the other\n");
  expect(BASE "bound b: sent Done within n\n",
         "E0303 20:27 a bound must be a time, not an integer\n");
  expect(BASE "bound b: sent Done within d*d\n",
         "E0303 20:27 a time cannot be multiplied by a time\n");
  expect(BASE "invariant a: time(main) >= -5 ms\n", "E0304 20:28 a duration cannot be negative\n");
  expect(BASE "bound b: sent Done within -1*d\n",
         "E0304 20:27 a time cannot be multiplied by less than 0\n");
  expect(BASE "invariant a: sent Ask(main)\n",
         "E0305 20:23 field \"to\" of \"Ask\" must be node, not main\n");
  expect(BASE "invariant a: {} == {}\n",
         "E0306 20:14 both sides are empty sets, of no known role\n");
  expect(BASE "invariant a: first(main) == main\n",
         "E0307 20:20 role \"main\" is one node, not a family\n");
  expect(BASE "role more[n]\n",
         "E0307 15:35 there are several families that \"first\" could be of\n");
  expect(BASE "component X[bool]\n", "E0308 20:13 the index of a component cannot be bool\n");
  expect(BASE "action main.X { mark := true }\n",
         "E0308 20:17 a map is assigned one entry at a time\n");
  expect(BASE "invariant a: Done\n", "E0309 20:14 \"Done\" is a message, not a value\n");
  expect(BASE "bound b: sent Done within Step(first)\n",
         "E0309 20:27 \"Step\" is a step: its index is in brackets\n");
}

static void test_messages(void **state) {
  (void)state;
  expect("protocol p\nrole a\nexternal b\nmessage M : a -> b\naction a.X { send M }\n",
         "E0401 4:9 message \"M\" has no delay\n");
  expect(BASE "queueing e\n", "E0402 20:10 a second queueing term\n");
  expect(BASE "action node i.X { send Done }\n",
         "E0403 20:24 \"Done\" is sent by \"main\", not by \"node\"\n");
  expect(BASE "action node i.X { send Answer(next(i)) }\n",
         "E0404 20:31 field \"from\" names the sender, so it must be \"i\"\n");
  expect(BASE "action client.X { }\n",
         "E0405 20:8 role \"client\" is external and takes no steps\n");
  expect(BASE "state client { x : int = 0 }\n",
         "E0406 20:7 role \"client\" is external and has no state\n");
  expect(BASE "action node i.X on Answer(i) { }\n",
         "E0407 20:20 message \"Answer\" goes to \"main\", not to \"node\"\n");
  expect(BASE "action node i.X { send Pass(2) }\n",
         "E0408 20:19 to which \"node\" does \"Pass\" go?\n");
  expect(BASE "action main.X { send Ask(first) to first }\n",
         "E0409 20:36 the receiver of \"Ask\" is known\n");
  expect(BASE "action main.X { send Done for all b in node }\n",
         "E0410 20:35 \"b\" is no argument of \"Done\": one message would be sent several times\n");
}

static void test_actions(void **state) {
  (void)state;
  expect(BASE "action main.X { n := 1 }\n", "E0411 20:17 \"n\" is a parameter, not a state\n");
  expect(BASE "action main.X { held := true }\n",
         "E0411 20:17 \"held\" is a state of \"node\", not of \"main\"\n");
  expect(BASE "action node i.X { i := first }\n", "E0411 20:19 \"i\" is a variable, not a state\n");
  expect(BASE "action main.X { phase := idle  when phase == idle }\n",
         "E0412 20:32 a guard comes before all other statements\n");
  expect(BASE "action main.X { when time(main) <= 3 ms }\n",
         "E0413 20:22 an action cannot see clocks and delivery times\n");
  expect(BASE "action main.X { when sent Done }\n",
         "E0413 20:22 an action cannot see which messages were sent\n");
  expect(BASE "action node i.X { when next(i).held }\n",
         "E0414 20:24 this is the state of another node\n");
  expect(BASE "action main.X cost d { }\n",
         "E0417 20:20 \"d\" is no step, so no action takes it\n");
  expect(BASE "action main.X cost 3 ms { }\n",
         "E0417 20:20 a cost is a component, or a sum of components\n");
  expect(BASE "action main.X cost sum b in seen (Step[b]) + sum k in 1..n (Count[k]) { }\n", "");
  expect(BASE "action main.X cost if n > 2 then sum b in node (Step[b]) else Work { }\n", "");
  expect(BASE "action main.X cost sum b in seen (Step[first]) { }\n",
         "E0417 20:35 \"b\" must be one of the indices of Step, and in no other\n");
  expect(BASE "action main.X cost sum b in seen (Work) { }\n",
         "E0417 20:35 \"b\" must be one of the indices of Work, and in no other\n");
  expect(BASE "action main.X cost sum k in 1..n (Count[k + 1]) { }\n",
         "E0417 20:35 \"k\" must be one of the indices of Count, and in no other\n");
  expect(BASE "action main.X cost sum b in seen (if n > 2 then Step[b] else 0) { }\n",
         "E0417 20:35 within the sum of a batch a cost has no condition\n");
  expect(BASE "action main.X cost sum b in seen (sum c in seen (Step[c])) { }\n",
         "E0417 20:35 a cost is summed over one variable\n");
  expect(BASE "action main.X cost |seen|*Work { }\n",
         "E0417 20:20 a cost is a component, or a sum of components\n");
  expect(BASE "action main.X cost sum k in int (Count[k]) { }\n",
         "E0419 20:29 only an invariant can speak of all integers\n");
  expect(BASE "action node.X { }\n",
         "E0420 20:8 role \"node\" is a family: name the node that acts\n");
  expect(BASE "action main m.X { }\n", "E0420 20:13 role \"main\" is one node and needs no name\n");
}

static void test_claims(void **state) {
  (void)state;
  expect(BASE "bound b: sent Done within time(main)\n",
         "E0415 20:27 the expression of a bound cannot depend on clocks and delivery times\n");
  expect(BASE "bound b: sent Done within first.laps*d\n",
         "E0415 20:27 the expression of a bound cannot depend on the state of a node\n");
  expect(BASE "bound b: sent Done within d - Work\n",
         "E0416 20:27 a bound cannot subtract times\n");
  expect(BASE "bound b: sent Done within if n == 1 then d else Work\n", "");
  expect(BASE "bound b: sent Done within if n == 1 then d - Work else Work\n",
         "E0416 20:42 a bound cannot subtract times\n");
  expect(BASE "bound b: sent Done within if d <= Work then d else Work\n",
         "E0416 20:30 what a bound chooses by cannot depend on times\n");
  expect(BASE "bound b: sent Done within if phase == idle then d else Work\n",
         "E0415 20:30 the expression of a bound cannot depend on the state of a node\n");
  expect(BASE "assume phase == idle\n",
         "E0418 20:8 an assumption cannot mention the state of a node\n");
  expect(BASE "assume Step[first] <= 3 ms\n",
         "E0418 20:8 an assumption cannot mention an occurrence\n");
  expect(BASE "assume Step <= 3 ms and n <= 5 and 2*d <= Work\n", "");
  expect(BASE "bound b: when forall k in int. k == k at main within d\n",
         "E0419 20:27 only an invariant can speak of all integers\n");
  expect(BASE "param k : int >= main\n", "E0421 20:18 a node is not a constant\n");
}

/* Only a step of the node itself may bring an event of its clock about. */
static void test_events(void **state) {
  (void)state;
  expect(BASE "bound b: when sent Done at client within d\n",
         "E0446 20:28 role \"client\" is external: it takes no steps, so its clock stands still\n");
  expect(BASE "bound b: when first.held at main within d\n",
         "E0447 20:15 \"first.held\" may change by a step of another node than main, whose clock "
         "counts\n");
  expect(BASE "bound b for all i in node: when held and sent Done at i within d\n",
         "E0447 20:42 \"sent Done\" may change by a step of another node than i, whose clock "
         "counts\n");
  expect(BASE "bound b for all i in node: when held at i within d\n", "");
  expect(BASE "state main { who : node = first }\nbound b: when true at who within d\n",
         "E0447 21:23 which node \"who\" is changes with the state\n");
}

static void test_rest(void **state) {
  (void)state;
  expect(BASE "state node { x : int = laps }\ninvariant a: first.x == 0\n",
         "E0421 20:24 the state of a node is not a constant\n");
  expect(BASE "bound b for all k in 0..n, j in k + 1..2*n: sent Pass(j - k) within k*d + j*d\n",
         "");
  expect(BASE "bound b for all k in 0..laps: sent Done within d\n",
         "E0203 20:25 \"laps\" is a state of \"node\": of which node?\n");
  expect(BASE "bound b for all k in 0..|seen|: sent Done within d\n",
         "E0423 20:22 the range of a bound depends on the state\n");
  expect(BASE "bound b for all x in seen: sent Done within d\n",
         "E0423 20:22 a bound holds for all nodes of a role, not of a set\n");
  expect("protocol p\nrole a[2]\nrole b[a, 3]\ninvariant i: forall x in a. time(b(x)) <= 0\n",
         "E0467 4:34 several nodes of \"b\" belong to one of \"a\"\n");
}

/* Every hint of a text. */
static void expect_hint(const char *text, const char *hint) {
  struct text out, printed;
  text_init(&out);
  text_init(&printed);
  report(&out, text, strlen(text), &printed);
  if (strstr(text_get(&printed), hint) == NULL)
    fail_msg("no \"%s\" in:\n%s", hint, text_get(&printed));
  text_clear(&out);
  text_clear(&printed);
}

static void test_hints(void **state) {
  (void)state;
  expect_hint(BASE "action main.X { to := 1 }\n", "\"to\" is a word of the language");
  expect_hint(BASE "invariant a: phase == idle and at == 1\n", "\"at\" is a word of the language");
  expect_hint(BASE "component on\n", "\"on\" is a word of the language");
  expect_hint(BASE "invariant a: true\nbound a: sent Done within d\n",
              "hint: invariants and bounds share their names");
  expect_hint(BASE "bound b for all k in 0..|seen|: sent Done within d\n",
              "hint: give its ends as parameters and numbers");
  expect_hint(BASE "bound b for all k in int: sent Done within d\n",
              "hint: make \"k\" a parameter (param k : int)");
  expect_hint(BASE "bound b: when forall k in int. k == k at main within d\n",
              "hint: give a range: 0..n - 1");
  expect_hint(BASE "assume (sum i in node (n)) <= n\n",
              "hint: integers are added in actions and invariants; n times the same is a product");
  expect_hint(BASE "invariant a: (sum i in 1..n (i)) <= n\n", "hint: keep the sum in a variable");
  expect_hint(BASE "invariant a: (max i in node (i.laps)) <= n\n",
              "hint: say it with a quantifier: forall x in D. E <= k");
  expect_hint(BASE "action main.X cost |seen|*Work { }\n",
              "hint: a batch costs one occurrence for each member");
  expect_hint(BASE "role copy[n, 3]\n", "and write \"role copy[group, ...]\"");
}

static void test_warnings(void **state) {
  (void)state;
  expect("protocol p\nrole a\n", "W0501 1:10 protocol \"p\" has no bound\n");
  expect(BASE "component Idle\n", "W0502 20:11 component \"Idle\" is the cost of no action\n");
  expect(BASE "param m : int >= n\n", "W0503 20:7 parameter \"m\" is never used\n");
  expect(BASE "let twice(k: int) = k + k\n", "W0508 20:5 \"twice\" is never used\n");
  expect(BASE "param T : time\narrivals Done every T burst 1\n"
              "action main.Two { send Done  send Done }\n",
         "W0510 22:30 \"main.Two\" sends \"Done\" 2 times at once, which \"every T burst 1\" "
         "allows only "
         "where that time is 0\n");
  expect(BASE "message M : main -> client\n", "W0504 20:9 message \"M\" is never sent\n");
  expect(BASE "state main { x : int = 0 }\n", "W0505 20:14 state \"x\" is never read\n");
}

/* Five mistakes are five diagnostics, each once, also behind syntax errors. */
static void test_five(void **state) {
  (void)state;
  expect(BASE "action main.X {\n"
              "  when phase = idle\n"
              "  phase := \n"
              "  send Done(\n"
              "}\n"
              "invariant : true\n"
              "bound b sent Done within d\n",
         "E0101 21:14 unexpected \"=\", expected an operator or a statement or \"}\"\n"
         "E0101 23:3 unexpected \"send\", expected an expression\n"
         "E0101 24:1 unexpected \"}\", expected an expression or \")\"\n"
         "E0101 25:11 unexpected \":\", expected a name\n"
         "E0101 26:9 unexpected \"sent\", expected \"for\" or \":\"\n");
  expect(BASE "action main.X cost Wark { when phas == idle; sen := {}; send Don }\n"
              "invariant a: forall x in nodes. x.held and y\n",
         "E0206 20:20 unknown component \"Wark\"\n"
         "E0202 20:32 unknown name \"phas\"\n"
         "E0203 20:46 unknown state \"sen\"\n"
         "E0205 20:62 unknown message \"Don\"\n"
         "E0202 21:26 unknown name \"nodes\"\n"
         "E0202 21:44 unknown name \"y\"\n");
}

static void test_limit(void **state) {
  (void)state;
  struct text source, out, printed;
  text_init(&source);
  text_init(&out);
  text_init(&printed);
  text_append(&source, BASE);
  for (int i = 0; i < 80; i++)
    text_format(&source, "invariant a%d: unknown%d\n", i, i);
  report(&out, source.data, source.length, &printed);
  assert_non_null(strstr(text_get(&out), "\"unknown49\""));
  assert_null(strstr(text_get(&out), "\"unknown50\""));
  assert_non_null(strstr(text_get(&printed), "test.tp: 30 more not shown\n"));
  text_clear(&source);
  text_clear(&out);
  text_clear(&printed);
}

static void test_print(void **state) {
  (void)state;
  struct text out, printed;
  text_init(&out);
  text_init(&printed);
  const char *source = "protocol p\n"
                       "role main\n"
                       "state main { acked : bool = false }\n"
                       "action main.X {\n"
                       "\taked := \xC3\xA9 true # \xC3\xA9\n"
                       "  acked := true\n"
                       "}\n"
                       "role main\n";
  report(&out, source, strlen(source), &printed);
  assert_string_equal(text_get(&printed),
                      "test.tp:5:10: error[E0102]: unexpected character \"\xC3\xA9\"\n"
                      "    5 |  aked := \xC3\xA9 true # \xC3\xA9\n"
                      "      |          ^\n");
  text_clear(&printed);
  source = "protocol p\n"
           "role main\n"
           "state main { acked : bool = false }\n"
           "action main.X {\n"
           "  aked := true\n"
           "}\n"
           "role main\n";
  report(&out, source, strlen(source), &printed);
  assert_string_equal(text_get(&printed), "test.tp:5:3: error[E0203]: unknown state \"aked\"\n"
                                          "    5 |   aked := true\n"
                                          "      |   ^^^^\n"
                                          "  hint: did you mean \"acked\"?\n"
                                          "test.tp:7:6: error[E0201]: \"main\" is declared twice\n"
                                          "    7 | role main\n"
                                          "      |      ^^^^\n"
                                          "  note: test.tp:2:6: \"main\" is first declared here\n"
                                          "    2 | role main\n"
                                          "      |      ^^^^\n");
  text_clear(&out);
  text_clear(&printed);
}

/* A line of megabytes is cut around the mistake. */
static void test_long_line(void **state) {
  (void)state;
  struct text source, out, printed;
  text_init(&source);
  text_init(&out);
  text_init(&printed);
  text_append(&source, "protocol p ");
  for (int i = 0; i < 200000; i++)
    text_append(&source, "# \xC3\xA9 and so on ");
  text_append(&source, "\nrole a    ");
  for (int i = 0; i < 100000; i++)
    text_append(&source, "          ");
  text_append(&source, "; role b");
  report(&out, source.data, source.length, &printed);
  assert_string_equal(text_get(&out), "E0101 2:1000011 unexpected \";\", expected a declaration "
                                      "or \"[\" or \",\"\n");
  assert_true(printed.length < 600);
  text_clear(&source);
  text_clear(&out);
  text_clear(&printed);
}

static void test_all_exercised(void **state) {
  (void)state;
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++) {
    bool elsewhere = diagnostic_needs_proof((enum diagnostic_code)i); /* t-unused.c */
    if (!exercised[i] && !elsewhere)
      print_message("%s is in no test\n", diagnostic_code_name((enum diagnostic_code)i));
    assert_true(exercised[i] || elsewhere);
    assert_true(strlen(diagnostic_title((enum diagnostic_code)i)) > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_right),
                                     TERM_TESTS,
                                     cmocka_unit_test(test_syntax),
                                     cmocka_unit_test(test_not_text),
                                     cmocka_unit_test(test_depth),
                                     cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_types),
                                     cmocka_unit_test(test_messages),
                                     cmocka_unit_test(test_actions),
                                     cmocka_unit_test(test_claims),
                                     cmocka_unit_test(test_events),
                                     cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_hints),
                                     cmocka_unit_test(test_warnings),
                                     cmocka_unit_test(test_five),
                                     cmocka_unit_test(test_limit),
                                     cmocka_unit_test(test_print),
                                     cmocka_unit_test(test_long_line),
                                     TIMING_TESTS,
                                     cmocka_unit_test(test_all_exercised)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
