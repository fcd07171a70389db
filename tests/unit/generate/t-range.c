/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The least and the largest value of numbers: which ones a step must look at before it stores them,
 * and which ones need 64 bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "generate/range.h"
#include "tests/unit/generate/protocol_text.h"

static struct protocol_text protocol;

/* The values that the first action assigns, in its order. */
static const struct term *value(size_t i) {
  return protocol.model->actions.items[0]->body.statements[i]->value;
}

static void check_range(size_t i, int64_t low, int64_t high) {
  struct number_range range = range_of(protocol.model, value(i));
  assert_true(range.known);
  assert_int_equal(range.low, low);
  assert_int_equal(range.high, high);
}

#define BEGINNING                                                                                  \
  "protocol p\n"                                                                                   \
  "param n : int >= 1\n"                                                                           \
  "param f : int >= 0\n"                                                                           \
  "param k : int\n"                                                                                \
  "role main\n"                                                                                    \
  "role node[2*n + 1]\n"                                                                           \
  "role disk[f]\n"                                                                                 \
  "component Work\n"                                                                               \
  "delay d\n"                                                                                      \
  "message Note(v: int) : main -> node\n"

enum { MOST = INT32_MAX };

static void numbers(void **state) {
  (void)state;
  protocol_text_make(&protocol,
                     BEGINNING "state main { x : int = 0  y : int = 0  seen : set of node = {}\n"
                               "  mark : map node to int = 0 }\n"
                               "action main.Go cost Work { x := 7  y := x + 1 }\n"
                               "action main.On cost Work { x := 0 }\n");
  check_range(0, 7, 7);
  check_range(1, -(int64_t)MOST + 1, (int64_t)MOST + 1);
  struct number_range range = range_of(protocol.model, value(1));
  assert_false(range_is_stored(&range, TYPE_INT));
  assert_true(range_is_stored(&range, TYPE_TIME));
  assert_false(range_is_small(protocol.model, value(1)));
  assert_true(range_is_small(protocol.model, value(0)));
  protocol_text_clear(&protocol);
}

/* Of what is computed of sizes and parameters nothing can be too large: families have 64 nodes. */
static void sizes(void **state) {
  (void)state;
  protocol_text_make(
      &protocol,
      BEGINNING "state main { a : int = 0  b : int = 0  c : int = 0  e : int = 0  g : int = 0\n"
                "  h : int = 0  seen : set of node = {}  disks : set of disk = {} }\n"
                "action main.Go cost Work {\n"
                "  a := |seen| + 1\n"
                "  b := n\n"
                "  c := f - n\n"
                "  e := k\n"
                "  g := max(n, f) + min(n, f)\n"
                "  h := (|seen| + 3) / 2 }\n");
  check_range(0, 1, RANGE_NODES + 1);
  check_range(1, 1, 31); /* 2*n + 1 <= 64 */
  check_range(2, 0 - 31, RANGE_NODES - 1);
  check_range(3, -(int64_t)MOST, MOST); /* no family says how large k may be */
  check_range(4, 1 + 0, RANGE_NODES + 31);
  check_range(5, 1, 33);
  for (size_t i = 0; i < 6; i++)
    assert_true(range_is_small(protocol.model, value(i)));
  protocol_text_clear(&protocol);
}

/* Of an element of a map nothing is known but that it has 32 bits. */
static void elements(void **state) {
  (void)state;
  protocol_text_make(
      &protocol, BEGINNING
      "state main { x : int = 0  mark : map node to int = 0  last : node = first(node) }\n"
      "action main.Go cost Work { x := mark[last]  x := index(last) }\n");
  check_range(0, INT32_MIN, INT32_MAX);
  struct number_range range = range_of(protocol.model, value(0));
  assert_false(range_is_stored(&range, TYPE_INT));
  check_range(1, 0, RANGE_NODES);
  protocol_text_clear(&protocol);
}

/* What guards let a number be: x + 1 where x < k, x + 1 < k or k > x; x - 1 where x > k. */
static void guarded(void **state) {
  (void)state;
  static const struct {
    const char *guard, *value;
    int64_t low, high;
  } cases[] = {
      {"x < k", "x + 1", -(int64_t)MOST + 1, MOST},
      {"x <= k", "x + 1", -(int64_t)MOST + 1, (int64_t)MOST + 1},
      {"y == 0 and x + 1 < k", "x + 1", -(int64_t)MOST + 1, MOST - 1},
      {"k > x", "x + 1", -(int64_t)MOST + 1, MOST},
      {"y < k", "x + 1", -(int64_t)MOST + 1, (int64_t)MOST + 1},
      {"x < k or y < k", "x + 1", -(int64_t)MOST + 1, (int64_t)MOST + 1},
      {"not x > k", "x + 1", -(int64_t)MOST + 1, (int64_t)MOST + 1},
      {"x < n", "x", -(int64_t)MOST, MOST / 2 - 1},
      {"x > k", "x - 1", -(int64_t)MOST, MOST - 1},
      {"x >= n", "x - 1", 0, MOST - 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             BEGINNING "state main { x : int = 0  y : int = 0 }\n"
                       "action main.Go cost Work { when %s  x := %s }\n",
             cases[i].guard, cases[i].value);
    protocol_text_make(&protocol, text);
    const struct action *action = protocol.model->actions.items[0];
    struct number_range range = range_of(protocol.model, value(0));
    range_limit(&range, protocol.model, value(0), action->guards[0]);
    assert_true(range.known);
    assert_int_equal(range.low, cases[i].low);
    assert_int_equal(range.high, cases[i].high);
    protocol_text_clear(&protocol);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers),
      cmocka_unit_test(sizes),
      cmocka_unit_test(elements),
      cmocka_unit_test(guarded),
  };
  return cmocka_run_group_tests_name("generate/range", tests, NULL, NULL);
}
