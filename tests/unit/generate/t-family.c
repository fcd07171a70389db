/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which families have place for 64 nodes alone: those that a step puts into a set, a map or a ring,
 * or does something for all of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "generate/family.h"
#include "tests/unit/generate/protocol_text.h"

/* The families are "node", the second role, and "other", of which nothing counts any. */
static void check_family(const char *rest, int64_t most) {
  char text[1000];
  struct protocol_text protocol;
  snprintf(text, sizeof text,
           "protocol p\nparam n : int >= 1\nrole main\nrole node[n]\nrole other[n]\n"
           "component Work, Each[node]\nrepeated Tick\ndelay d\n"
           "message Note(to: node) : main -> node to\nmessage Call(v: int) : main -> node\n"
           "message Hello(from: node, to: other) : node from -> other to\n%s",
           rest);
  protocol_text_make(&protocol, text);
  assert_int_equal(family_most(protocol.model, protocol.model->roles.items[1]), most);
  assert_int_equal(family_most(protocol.model, protocol.model->roles.items[2]), INT32_MAX);
  assert_int_equal(family_most(protocol.model, protocol.model->roles.items[0]), RANGE_NODES);
  protocol_text_clear(&protocol);
}

static void named(void **state) {
  (void)state;
  check_family("state main { x : node = first(node)  y : int = 0 }\n"
               "action node i.Get on Note(i) cost Tick { }\n"
               "action main.Go cost Each[x] { y := index(x)  x := last(node)  send Note(x) }\n"
               "invariant every: forall i in node. index(i) >= 0\n",
               INT32_MAX);
  check_family("state main { x : int = 0  ghost seen : set of node = {} }\n"
               "action main.Go cost Tick { x := 1  seen := {first(node)} }\n",
               INT32_MAX);
}

static void counted(void **state) {
  (void)state;
  static const char *const rests[] = {
      "state main { seen : set of node = {} }\naction main.Go cost Tick { }\n",
      "state main { seen : map node to int = 0 }\naction main.Go cost Tick { }\n",
      "state main { x : node = first(node) }\naction main.Go cost Tick { x := next(x) }\n",
      "state main { x : node = first(node) }\naction main.Go cost Tick { if x == prev(x) { } }\n",
      "action main.Go cost Tick { send Note(b) for all b in node }\n",
      "action main.Go cost sum b in node (Each[b]) { }\n",
      "action main.Go cost if |node| > 2 then Work else 0 { }\n",
      "action main.Go cost Tick { when |node| > 2 }\n",
      "action main.Go cost Tick { send Call(|node|) to first(node) }\n",
      "action main.Go cost Tick { send Call(1) to next(first(node)) }\n",
  };
  for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
    check_family(rests[i], RANGE_NODES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(named),
      cmocka_unit_test(counted),
  };
  return cmocka_run_group_tests_name("generate/family", tests, NULL, NULL);
}
