/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cases of t-diagnostics.c about terms: what stands before and after operators, and what a step
 * chooses. Includes what all of its cases share.
 */
#ifndef TESTS_UNIT_LANG_TERM_CASES_H
#define TESTS_UNIT_LANG_TERM_CASES_H

#include "tests/unit/lang/timing_cases.h"

/* A protocol that is right, to which the cases add a line (its line 20). */
#define BASE                                                                                       \
  "protocol p\n"                                                                                   \
  "param n : int >= 1\n"                                                                           \
  "role main\n"                                                                                    \
  "role node[n]\n"                                                                                 \
  "external client\n"                                                                              \
  "component Work, Step[node], Count[int]\n"                                                       \
  "delay d\n"                                                                                      \
  "queueing Queuing\n"                                                                             \
  "enum Phase { idle, busy }\n"                                                                    \
  "message Ask(to: node) : main -> node to\n"                                                      \
  "message Answer(from: node) : node from -> main\n"                                               \
  "message Pass(lap: int) : node -> node\n"                                                        \
  "message Done : main -> client\n"                                                                \
  "state main { phase : Phase = idle  seen : set of node = {}  mark : map node to bool = false "   \
  "}\n"                                                                                            \
  "state node i { held : bool = i == first  laps : int = 0 }\n"                                    \
  "action main.Go cost Work { when phase == idle; phase := busy; send Ask(b) for all b in node "   \
  "}\n"                                                                                            \
  "action node i.Reply on Ask(i) cost Step[i] + Count[laps] { when held; laps := 1; send "         \
  "Answer(i); send Pass(laps) to next(i) }\n"                                                      \
  "action main.End on Answer(b) { seen := seen + {b}; mark[b] := true; if seen == node and "       \
  "mark[b] { send Done } }\n"                                                                      \
  "bound done: sent Done within Work + max b in node (d(Ask(b)) + Step[b]) + n*d + 3 ms\n"

static void test_before(void **state) {
  (void)state;
  expect(BASE "invariant a: forall i in node. forall j in node before i. index(j) < index(i)\n",
         "");
  expect(BASE "invariant a: forall i in main before main. true\n",
         "E0475 20:26 what stands before \"before\" is a family of its own\n");
  expect(BASE "action main.Pick(i in node before last) { send Ask(i) }\n",
         "E0475 20:23 \"before\" stands in invariants, events and expressions of bounds alone\n");
}

static void test_quotients(void **state) {
  (void)state;
  expect(BASE "invariant a: (n - 3)/2 <= n/(2*3 - 1) + 2^(3 - 1) and 2^62/2^61 == 2\n", "");
  expect(BASE "invariant a: n / n <= 1\n",
         "E0452 20:18 what stands behind \"/\" is a number of at least 1\n");
  expect(BASE "invariant a: n / 0 <= 1\n",
         "E0452 20:18 what stands behind \"/\" is a number of at least 1\n");
  expect(BASE "invariant a: 2^n > n and (1 + 2)^(n - 1) >= 1\n", "");
  expect(BASE "invariant a: n^2 > n\n", "E0452 20:14 what stands before \"^\" is a number\n");
  expect(BASE "invariant a: 2^(0 - 1) > n\n",
         "E0452 20:17 what stands behind \"^\" is a number of at least 0\n");
  expect(BASE "invariant a: 1^n > n\n",
         "E0452 20:14 what stands before \"^\" is a number of at least 2, where what stands behind "
         "it is none\n");
  expect(BASE "invariant a: n^n > n\n",
         "E0452 20:14 what stands before \"^\" is a number of at least 2, where what stands behind "
         "it is none\n");
  expect(BASE "invariant a: 2^63 > n\n", "E0452 20:14 this power does not fit in 64 bits\n");
  expect(BASE "invariant a: time(main) <= d / 2\n", "E0303 20:28 a time cannot be divided\n");
  expect(BASE "invariant a: 2^d <= 4\n", "E0301 20:16 \"^\" works on integers, not on time\n");
}

static void test_choices(void **state) {
  (void)state;
  expect(BASE "action main.Pick(b in node - seen, k in 0..n) { when k > index(b)  seen := {b} }\n",
         "");
  expect(BASE "action main.Pick(k in 0..index(b)) on Answer(b) { when k > 0  seen := {b} }\n", "");
  expect(BASE "action main.Pick(b in node) on Answer(b) { }\n",
         "E0201 20:18 \"b\" already means something else here\n");
  expect(BASE "action main.Pick(b in node - seen) on timer 1 ms { seen := seen + {b} }\n", "");
  expect(BASE
         "timing eager\naction main.X(b in node) at once { when phase == busy and b in seen }\n",
         "");
  expect(BASE "timing eager\nrole once\naction main.X at once { when phase == busy }\n"
              "bound b: when phase == busy at main within d\n",
         "");
  expect(BASE "action main.X at once { when phase == busy }\n",
         "E0454 20:8 nothing makes a step start at once in this timing model\n");
  expect(BASE "action main.X on Answer(b) { mark[b] := kth(1, x in seen (index(x))) == 0 }\n",
         "E0465 20:53 \"kth\" of integers ranges over a role\n");
  expect(BASE "action main.X on Answer(b) { mark[b] := kth(1, x in {} (0)) == 0 }\n",
         "E0306 20:53 this set is empty\n");
  expect(BASE "action main.X on Answer(b) { mark[b] := kth(|seen|, x in node (index(x))) == 0 }\n",
         "E0465 20:45 the rank of integers is made of numbers and parameters\n");
  expect(BASE "action main.X on Answer(b) { mark[b] := kth(n/2 + 1, x in node (index(x))) == 0 }\n",
         "");
  expect(BASE "invariant i: kth(n, x in node (index(x))) >= kth(1, x in node (x.laps))\n", "");
  expect(BASE "action main.Pick(a in 0..1, b in 0..1, c in 0..1, e in 0..1, f in 0..1) { }\n",
         "E0453 20:18 a step chooses at most 4 values\n");
  expect(BASE "action main.Pick(k in int) { when k > 3 }\n",
         "E0419 20:23 only an invariant can speak of all integers\n");
  expect(BASE "action main.Pick(n in 0..2) { }\n",
         "E0201 20:18 \"n\" already means something else here\n");
}

#define TERM_TESTS                                                                                 \
  cmocka_unit_test(test_choices), cmocka_unit_test(test_before), cmocka_unit_test(test_quotients)

#endif
