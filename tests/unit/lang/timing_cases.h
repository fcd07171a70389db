/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cases of t-diagnostics.c about timing models, repeated components, delays, schedules, clock
 * reads, sets, ranks and phases. */
#ifndef TESTS_UNIT_LANG_TIMING_CASES_H
#define TESTS_UNIT_LANG_TIMING_CASES_H

#include "tests/unit/lang/diagnostics.h"

/* A protocol that is right, to which the cases add a line (its line 23). */
#define TIMED                                                                                      \
  "protocol p\n"                                                                                   \
  "timing eager\n"                                                                                 \
  "param n : int >= 1\n"                                                                           \
  "param HB : time <= 1 s\n"                                                                       \
  "role main\n"                                                                                    \
  "role node[n]\n"                                                                                 \
  "external client\n"                                                                              \
  "component Work, Step[node]\n"                                                                   \
  "repeated Tick\n"                                                                                \
  "timeout T0, T1\n"                                                                               \
  "delay d, wan\n"                                                                                 \
  "message Ask(to: node) : main -> node to over wan\n"                                             \
  "message Answer(from: node) : node from -> main over d fifo\n"                                   \
  "message Done : main -> client over d\n"                                                         \
  "schedule node = [Proc, Beat] timeout T0\n"                                                      \
  "state main { seen : set of node = {} ghost old : set of node = {} due : time = HB "             \
  "done : bool = false }\n"                                                                        \
  "state node i { beat : time = 0 }\n"                                                             \
  "action main.Go on timer due cost if done then Work else Tick { when not done; done := true; "   \
  "send Ask(b) for all b in node }\n"                                                              \
  "action main.Take on Answer(b) { old := old + seen; seen := seen + {b}; if |seen| >= n { send "  \
  "Done } }\n"                                                                                     \
  "action node i.Proc in Proc on Ask(i) { send Answer(i) }\n"                                      \
  "action node i.Beat in Beat reads t cost Step[i] { when t >= beat; beat := t + HB }\n"           \
  "bound done: sent Done within Work + kth(1, b in node (wan(Ask(b))))\n"

/* Used by the action of line 23, so that the timeout is no warning. */
#define WAIT "action main.Wait on timeout T1 { }\n"

static void timed(const char *line, const char *diagnostics) {
  struct text source;
  text_init(&source);
  text_format(&source, "%s%s%s", TIMED, line, WAIT);
  expect(text_get(&source), diagnostics);
  text_clear(&source);
}

static void test_timing_models(void **state) {
  (void)state;
  timed("", "");
  timed("invariant a: now >= 0 and n >= 1\n", "");
  expect("protocol p\ntiming quick\nrole a\nbound b: when true at a within 1 s\n",
         "E0424 2:8 unknown timing model \"quick\"\n");
  timed("timing standard\n", "E0425 23:1 a second timing model\n");
  expect("protocol p\nqueueing Q\ntiming advanced\nrole a\nbound b: when true at a within Q\n",
         "E0426 2:10 the advanced timing model has no queueing term\n");
  timed("invariant a: arrival(main) >= 0\n",
        "E0427 23:14 only the advanced timing model has arrival times\n");
  expect("protocol p\nrole a\ninvariant i: now >= 0\nbound b: when true at a within 1 s\n",
         "E0427 3:14 only the eager timing model has \"now\"\n");
  timed("invariant a: time(main) >= began\n",
        "E0427 23:28 \"began\" is the start of a phase, and this is in none\n");
  timed("action main.X { when now >= HB }\n",
        "E0413 23:22 an action cannot see the start of the latest step\n");
}

static void test_channels(void **state) {
  (void)state;
  timed("message M : node -> main over d fifo\n",
        "E0428 23:9 the channel of \"M\" is FIFO, but which \"node\" sends it cannot be told\n");
  timed("message M : main -> client\n", "E0429 23:9 which delay does message \"M\" have?\n");
  timed("message M : main -> client over Work\n", "E0309 23:33 \"Work\" is no delay\n");
  timed("message M : main -> client over lan\n", "E0206 23:33 unknown component \"lan\"\n");
  timed("invariant a: time(main) <= d(Ask(first))\n",
        "E0430 23:28 \"d\" is not the delay of message \"Ask\"\n");
  timed("queueing Q\nqueueing R\n", "E0402 24:10 a second queueing term\n");
}

static void test_sums(void **state) {
  (void)state;
  timed("invariant a: sum x in node (if x == first then 1 else 0) == 1\n", "");
  timed("invariant a: sum x in node (if exists k in 1..x.slot. k == 3 then 1 else 0) >= 0\n", "");
  timed("invariant a: sum x in node (if pending Ask(x) then 1 else 0) >= 0\n",
        "E0470 23:32 a sum of integers adds up what each node has\n");
  timed("invariant a: sum x in main.seen (index(x)) >= 0\n",
        "E0470 23:23 a sum of integers ranges over a role\n");
  timed("invariant a: sum x in 1..n (x) >= 0\n",
        "E0470 23:23 a sum of integers ranges over a role\n");
}

static void test_priorities(void **state) {
  (void)state;
  timed("message Urgent(priority: node) : main -> node priority over d fifo loses n priority 2\n",
        "W0504 23:9 message \"Urgent\" is never sent\n");
  timed("message Urgent : main -> main over d priority 10000000\n",
        "E0471 23:47 a priority is at most 1000000\n");
  timed("message Urgent : main -> client over d priority 2\n",
        "E0471 23:49 \"Urgent\" goes to \"client\", which is external and takes no message\n");
  expect("protocol p\nrole a\ndelay d\nmessage M : a -> a priority 1\n"
         "bound b: when true at a within d\n",
         "E0471 4:29 nothing makes a node take one message before another in this timing model\n");
}

static void test_losses(void **state) {
  (void)state;
  timed("message Lossy(i: int) : main -> node to\n",
        "E0429 23:9 which delay does message \"Lossy\" have?\n"
        "E0208 23:38 message \"Lossy\" has no field \"to\"\n");
  timed("message Lossy(to: node) : main -> node to over d fifo loses n - 1\n"
        "invariant a: losses(Lossy, first) <= 1 or lost Lossy(last)\n",
        "W0504 23:9 message \"Lossy\" is never sent\n");
  timed("message Lossy : main -> client over d loses 1\n",
        "E0468 23:45 \"Lossy\" goes to \"client\", which is external: what it misses changes "
        "nothing\n");
  timed("message Lossy : main -> main over d loses (-1)\n",
        "E0468 23:44 no fewer than 0 messages are lost\n");
  timed("message Own : main -> main over d loses 1\n"
        "bound lost: when sent Own and not pending Own at main within d(Own)\n",
        "E0447 24:35 \"pending Own\" may change when a message is lost, which is no step of main, "
        "whose clock counts\n");
  timed("invariant a: losses(Ask, first) <= 1\n", "E0469 23:14 no \"Ask\" is ever lost\n");
  timed("invariant a: lost Ask(first)\n", "E0469 23:14 no \"Ask\" is ever lost\n");
}

static void test_arrivals(void **state) {
  (void)state;
  timed("arrivals Ask every HB burst 2\n",
        "E0451 18:93 \"Ask\" is sent to many at once, but its arrivals are limited one by one\n");
  timed("arrivals Answer every HB burst 2\narrivals Answer every 1 ms burst 1\n",
        "E0450 24:10 the arrivals of \"Answer\" are declared twice\n");
  timed("arrivals Answer every Work burst 2\n",
        "E0450 23:23 the time between arrivals is a duration or a parameter\n");
  timed("arrivals Answer every HB burst 0\n", "E0450 23:32 a burst is at least 1\n");
  timed("arrivals Answer every HB + 2*(3 ms) burst n\n"
        "invariant i: forall b in node. paced(Answer(b)) <= time(Answer(b)) + n*HB\n",
        "");
  timed("arrivals Done every HB jitter 2 ms\n", "");
  timed("invariant i: paced(Done) <= 1 s\n",
        "E0449 23:14 nothing is declared of the arrivals of \"Done\"\n");
  timed("arrivals Answer every HB\n", "E0101 24:1 unexpected \"action\", expected an operator or "
                                      "\"burst\" or \"jitter\"\n");
}

/* What waits at its sender; its words are names elsewhere. */
static void test_pacers(void **state) {
  (void)state;
  timed(
      "message Part(paced: int, every: node) : main -> node every over d fifo loses n paced every "
      "2*HB burst n priority 2\n"
      "invariant a: forall burst in node. sent Part(n, burst) implies handed(Part(n, burst)) <= "
      "released(Part(n, burst)) and released(Part(n, burst)) <= paced(Part(n, burst))\n",
      "W0504 23:9 message \"Part\" is never sent\n");
  timed("message Part(paced: node) : main -> node paced over d paced every 1 ms burst 2\n",
        "W0504 23:9 message \"Part\" is never sent\n");
  timed("message Part : main -> main over d paced every HB\n",
        "E0101 24:1 unexpected \"action\", expected an operator or \"burst\"\n");
  timed("message Part : main -> main over d fifo paced every HB burst 1\n"
        "message Rest : main -> main over d fifo\n",
        "E0472 23:53 \"Part\" waits for its pacer, and \"Rest\" goes round it on the same FIFO "
        "channel\n");
  timed("message Part : main -> main over d paced every HB burst 0\n",
        "E0450 23:57 a burst is at least 1\n");
  timed(
      "message Part : main -> main over d paced every HB burst 1\narrivals Part every HB burst 2\n",
      "E0450 24:10 \"Part\" has a pacer, which holds what comes too soon\n");
  timed("invariant i: handed(Done) <= 1 s\n",
        "E0449 23:14 no pacer holds \"Done\": it leaves when it is sent\n");
}

static void test_schedules(void **state) {
  (void)state;
  timed("action node i.X { }\n", "E0431 23:15 in which slot of \"node\" is \"X\"?\n");
  timed("action node i.X in Prok { }\n", "E0431 23:20 role \"node\" has no slot \"Prok\"\n");
  timed("action main.X in Proc { }\n",
        "E0431 23:18 \"Proc\" is a slot of \"node\", not of \"main\"\n");
  timed("schedule node = [More]\n", "E0432 23:10 a second schedule of \"node\"\n");
  timed("role r\nschedule r = [Proc]\n", "E0201 24:15 \"Proc\" is declared twice\n");
  expect("protocol p\ntiming advanced\nrole a\nrole b\nexternal c\ndelay d\nmessage M : a -> b\n"
         "message N : a -> b\nmessage R : b -> c\nschedule b = [One, Two]\n"
         "action a.Go { send M  send N }\naction b.M in One on M { send R }\n"
         "action b.N in Two on N { }\nbound x: sent R within 1 s\n",
         "E0448 13:8 \"b.N\" receives in another slot than \"b.M\"\n");
  timed("schedule client = [More]\n",
        "E0442 23:10 role \"client\" is external and takes no steps\n");
  timed("action node i.X in Proc on timeout T0 { }\n",
        "E0443 23:36 an action in a slot waits for no timeout or timer\n");
  timed("action node i.X in Beat on timer beat { }\n",
        "E0443 23:34 an action in a slot waits for no timeout or timer\n");
  timed("action node i.X(k in 0..1) in Beat { }\n",
        "E0453 23:17 a step in a slot of a schedule cannot choose \"k\"\n");
  timed("action node i.X in Beat at any time { }\n",
        "E0443 23:15 an action in a slot waits for no timeout or timer\n");
  timed("action main.X on timeout Work { }\n", "E0444 23:26 \"Work\" is no timeout\n");
  timed("action node i.X in Beat { slot := 0 }\n",
        "E0436 23:27 \"slot\" belongs to the schedule\n");
  timed("state node { slot : int = 0 }\n", "E0201 23:14 \"slot\" is declared twice\n");
  timed("param slot : int\n", "E0201 23:7 \"slot\" is the hidden variable of a schedule\n");
  timed("bound b: sent Done within upto(main)\n", "E0433 23:32 this role has no schedule\n");
  timed("bound b: sent Done within upto(node, 3)\n", "E0433 23:38 \"node\" has 2 slots\n");
  timed("bound b: sent Done within upto(node, -1)\n", "E0433 23:38 \"node\" has 2 slots\n");
  timed("bound b: sent Done within upto(node, n)\n",
        "E0433 23:38 only an invariant can leave open how many slots there are\n");
  timed("bound b: sent Done within upto(n + 1)\n",
        "E0433 23:32 \"upto\" takes the name of a role\n");
  timed("bound b: sent Done within upto(node, 1, 2)\n",
        "E0433 23:27 \"upto\" takes a role and perhaps a number of slots\n");
  timed(
      "invariant a: forall i in node. time(i) <= upto(node, if upto(node, n) <= d then 1 else n)\n",
      "E0433 23:57 \"upto\" cannot stand in another one\n");
  timed("bound b: sent Done within upto(node) + upto(node, 0) + upto(node, 2)\n"
        "invariant a: forall i in node. time(i) <= upto(node, i.slot)\n",
        "");
}

static void test_repeated(void **state) {
  (void)state;
  timed("action main.X cost Tick[first] { }\n",
        "E0435 23:20 the executions of \"Tick\" have no names\n");
  timed("invariant a: time(main) <= Tick[first]\n",
        "E0435 23:28 the executions of \"Tick\" have no names\n");
  timed("invariant a: charged Tick\n", "E0435 23:14 the executions of \"Tick\" have no names\n");
  timed("invariant a: time(main) <= Tick + T0(Done)\n", "E0309 23:35 \"T0\" is no function\n");
  timed("action main.X cost T0 { }\n", "E0417 23:20 \"T0\" is no step, so no action takes it\n");
  timed("action main.X cost if n then Work else 0 { }\n",
        "E0301 23:23 the condition of a cost must be bool, not int\n");
  timed("param M : time\n", "W0503 23:7 parameter \"M\" is never used\n");
  timed("repeated M\n", "W0502 23:10 component \"M\" is the cost of no action\n");
  timed("timeout T2\n", "W0502 23:9 no action waits for the timeout \"T2\"\n");
}

static void test_ghosts(void **state) {
  (void)state;
  timed("action main.X { when old == seen }\n",
        "E0437 23:22 the ghost variable \"old\" would influence what the protocol does\n");
  timed("action main.X { seen := old }\n",
        "E0437 23:25 the ghost variable \"old\" would influence what the protocol does\n");
  timed("action main.X { send Ask(b) for all b in old }\n",
        "E0437 23:42 the ghost variable \"old\" would influence what the protocol does\n");
  timed("action main.X { if |old| >= 1 { old := {} } }\n",
        "E0437 23:21 the ghost variable \"old\" would influence what the protocol does\n");
  timed("bound b: when old == node at main within d\n",
        "E0437 23:15 the event of a bound cannot depend on the ghost variable \"old\"\n");
  timed("invariant a: |old| <= |seen|\n", "");
}

static void test_times_of_actions(void **state) {
  (void)state;
  static const char depends[] = "what this action does would depend on a time here\n";
  static const struct {
    const char *line, *place;
  } cases[] = {
      {"action main.X reads t { if t >= due { done := true } }\n", "23:28"},
      {"action main.X reads t { done := t >= due }\n", "23:33"},
      {"action main.X cost if due >= HB then Work else 0 { }\n", "23:23"},
      {"action main.X { when (if due >= HB then 1 else 2) == n }\n", "23:26"},
      {"action main.X { send Ask(b) for all b in (if due >= HB then seen else {}) }\n", "23:46"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct text text;
    text_init(&text);
    text_format(&text, "E0438 %s %s", cases[i].place, depends);
    timed(cases[i].line, text_get(&text));
    text_clear(&text);
  }
  timed("action main.X { due := n*HB }\n",
        "E0438 23:24 here a time is multiplied by a number or a power only\n");
  timed("action main.X { due := if done then due else HB }\n",
        "E0438 23:24 this time cannot be computed here\n");
  timed("action main.X { due := time(main) }\n",
        "E0413 23:24 an action cannot see clocks and delivery times\n");
  timed("action main.X { due := Work }\n",
        "E0413 23:24 an action cannot see the time of a component\n");
  timed("action main.X on timer t reads t { }\n", "E0202 23:24 unknown name \"t\"\n");
  timed("action main.X reads t { when not (t >= due and t + HB < 2*due or done)\n"
        "  due := max(t - HB, min(due, 3 ms)) }\n",
        "");
  timed("message M(moment: time) : main -> client over d\n",
        "E0308 23:19 a field cannot be time\n");
  timed("state main { m : map node to time = 0 }\n",
        "E0308 23:30 the element of a map cannot be time\n");
}

static void test_sets(void **state) {
  (void)state;
  timed("invariant a: time(main) <= sum b in seen (max(Step[b], Work))\n",
        "E0422 23:43 a sum over a set adds up occurrences, bare names and multiples of them\n");
  timed("invariant a: time(main) <= sum b in seen (Step[b] + 3 ms)\n",
        "E0422 23:43 a sum over a set adds up occurrences, bare names and multiples of them\n");
  timed("bound b: sent Done within sum b in {first} (Step[b])\n",
        "E0422 23:36 here a sum ranges over a role or lo..hi, not over a set\n");
  timed("invariant a: time(main) <= sum b in seen (Step[b] + 2*Tick + wan(Ask(b)))\n", "");
  timed("invariant a: |n| >= 1\n", "E0301 23:15 \"|...|\" works on sets, not on int\n");
  timed("invariant a: |{}| >= 1\n", "E0306 23:14 this set is empty\n");
  timed("bound b: sent Done within |node|*d\n",
        "E0415 23:27 the expression of a bound cannot depend on the size of a set\n");
  timed("bound b: sent Done within kth(0, b in node (Step[b]))\n",
        "E0434 23:31 a rank is at least 1\n");
  timed("bound b: sent Done within kth(-2, b in node (Step[b]))\n",
        "E0434 23:31 a rank is at least 1\n");
  timed("role few[3]\ncomponent C[few]\nbound b: sent Done within kth(4, x in few (C[x]))\n"
        "action few x.A cost C[x] { }\n",
        "E0434 25:31 \"few\" has only 3 nodes\n");
  timed("bound b: sent Done within kth(2, k in 1..n (d))\n",
        "E0301 23:39 \"kth\" ranges over a role or a set of nodes\n");
  timed("bound b: sent Done within kth(|seen|, b in node (Step[b]))\n",
        "E0415 23:31 the expression of a bound cannot depend on the size of a set\n");
  timed("invariant a: time(main) <= kth(|seen|, b in node (Step[b]))\n", "");
  timed("assume kth(1, b in node (d)) <= 3 ms\n",
        "E0418 23:8 an assumption cannot mention the k-th smallest of times\n");
}

static void test_phases(void **state) {
  (void)state;
  timed("phase one { start not done }\n", "E0439 23:7 phase \"one\" has no end\n");
  timed("phase one { end sent Done within d }\nphase two { end sent Done within d }\n",
        "E0439 24:7 phase \"two\" has no start\n");
  timed("phase one { end sent Done within d; end sent Done within d }\n",
        "E0439 23:37 phase \"one\" has two ends\n");
  timed("phase one { end sent Done within ? }\n", "E0439 23:13 the end of a phase needs a time\n");
  timed("bound b: sent Done within d by phases\n",
        "E0440 23:7 \"by phases\", but there are no phases\n");
  timed("phase one { end delivered Done within d }\nbound b: sent Done within d by phases\n",
        "E0440 24:10 a bound by phases is about the end of the last phase\n");
  timed("phase one { end sent Ask(first) within d }\nbound b: sent Ask(last) within d by phases\n",
        "E0440 24:10 a bound by phases is about the end of the last phase\n");
  timed("phase one { end when done at main within d }\nbound b: sent Done within d by phases\n",
        "E0440 23:13 a bound by phases is about a message: its last phase ends when one was sent "
        "or delivered\n");
  timed("phase one { end sent Done within d }\nbound b: sent Done within ? by phases\n",
        "E0440 24:7 a bound by phases needs its time\n");
  timed("phase one { end sent Done within d }\n"
        "bound b for all i in node: sent Done within d by phases\n",
        "E0440 24:17 a bound by phases is about one event, not one for all nodes\n");
  /* which message is meant changes with the state: one is in time, the next one late */
  timed(
      "message Turn(n: int) : main -> client over d\nstate node j { k : int = 0 }\n"
      "phase one { end sent Turn(first.k) within d }\n"
      "bound b: sent Turn(first.k) within d by phases\n",
      "E0440 26:20 a bound by phases is about one message, and which one this is changes with the "
      "state\n");
  timed(
      "message Turn(n: int) : main -> client over d\n"
      "phase one { end delivered Turn(if sent Done then 1 else 0) within d }\n"
      "bound b: delivered Turn(if sent Done then 1 else 0) within d by phases\n",
      "E0440 25:25 a bound by phases is about one message, and which one this is changes with the "
      "state\n");
  timed("phase one { end sent Ask(if |node| == n then first else last) within d }\n"
        "bound b: sent Ask(if |node| == n then first else last) within d by phases\n",
        "");
  timed("phase one { end sent Done within began + d }\n",
        "E0441 23:34 a bound cannot mention when a phase began\n");
  timed("phase one { end sent Done within d }\nphase one { start done end sent Done within d }\n",
        "E0201 24:7 \"one\" is declared twice\n");
  timed("phase one { start began <= 0; invariant a: time(main) <= began + d\n"
        "  end when done at main within d }\n"
        "phase two { start done end sent Ask(first) within d }\n"
        "bound b: sent Ask(first) within 2*d by phases\nbound c: delivered Done within ?\n",
        "");
}

/* A mistake in a phase does not hide those behind it. */
static void test_phase_recovery(void **state) {
  (void)state;
  timed("phase one {\n  start done done\n  invariant a: true true\n  invariant b: 3\n"
        "  end sent Done within d\n}\n",
        "E0101 24:14 unexpected name \"done\"\nE0101 25:21 unexpected \"true\"\n");
}

#define TIMING_TESTS                                                                               \
  cmocka_unit_test(test_timing_models), cmocka_unit_test(test_channels),                           \
      cmocka_unit_test(test_losses), cmocka_unit_test(test_priorities),                            \
      cmocka_unit_test(test_pacers), cmocka_unit_test(test_sums), cmocka_unit_test(test_arrivals), \
      cmocka_unit_test(test_schedules), cmocka_unit_test(test_repeated),                           \
      cmocka_unit_test(test_ghosts), cmocka_unit_test(test_times_of_actions),                      \
      cmocka_unit_test(test_sets), cmocka_unit_test(test_phases),                                  \
      cmocka_unit_test(test_phase_recovery)

#endif
