/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether assumptions leave room for measured times: of bare names, which may be more than what was
 * measured, and of single occurrences, which may be each value that was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/search/room.h"
#include "tests/unit/solver/loaded.h"

enum { L, A, B, F, G, D, COMPONENTS }; /* in the order of declaration */

#define HEAD                                                                                       \
  "protocol t\nparam L : time\nparam n : int\nrole a\nexternal c\ncomponent A, B\n"                \
  "component F[a]\ncomponent G[a]\ndelay d\nmessage Out : a -> c\nstate a { x : bool = false }\n"  \
  "action a.Go cost A { when not x  x := true  send Out }\nbound out: sent Out within A\n"

struct times {
  int64_t low[COMPONENTS], high[COMPONENTS]; /* high 0: nothing is known */
};

/* `broken`: what is named, "0 2"; "" when nothing has to be. */
static void expect(const char *assumptions, const struct times *times, int64_t n, enum room room,
                   const char *named) {
  struct text text, found;
  struct loaded loaded;
  struct rational low[COMPONENTS], high[COMPONENTS];
  const struct rational *exact[COMPONENTS] = {0}, *shortest[COMPONENTS] = {0},
                        *longest[COMPONENTS] = {0};
  bool broken[8] = {false};
  text_init(&text);
  text_init(&found);
  text_format(&text, "%s%s", HEAD, assumptions);
  loaded_init(&loaded, "room", text_get(&text));
  assert_non_null(loaded.model);
  assert_int_equal(loaded.model->components.count, COMPONENTS);
  for (size_t i = 0; i < COMPONENTS; i++) {
    rational_init(&low[i]);
    rational_init(&high[i]);
    rational_set_integer(&low[i], times->low[i]);
    rational_set_integer(&high[i], times->high[i]);
    bool constant = loaded.model->components.items[i]->kind == COMPONENT_CONSTANT;
    exact[i] = constant && times->high[i] != 0 ? &high[i] : NULL;
    shortest[i] = !constant && times->high[i] != 0 ? &low[i] : NULL;
    longest[i] = !constant && times->high[i] != 0 ? &high[i] : NULL;
  }
  bool given = n != 0;
  struct room_facts facts = {&n, &given, exact, shortest, longest};
  assert_int_equal(room_find(loaded.model, &facts, broken), room);
  for (size_t i = 0; room == ROOM_NONE && i < loaded.model->assumptions.count; i++)
    if (broken[i])
      text_format(&found, "%s%zu", found.length == 0 ? "" : " ", i);
  assert_string_equal(text_get(&found), named);
  for (size_t i = 0; i < COMPONENTS; i++) {
    rational_clear(&low[i]);
    rational_clear(&high[i]);
  }
  loaded_clear(&loaded);
  text_clear(&found);
  text_clear(&text);
}

static void of_bare_names_the_longest_counts(void **state) {
  (void)state;
  const struct times t = {.high = {[L] = 100, [F] = 100, [G] = 60}, .low = {[F] = 5, [G] = 50}};
  expect("", &t, 0, ROOM_LEFT, "");
  expect("assume F <= L\n", &t, 0, ROOM_LEFT, "");
  expect("assume G <= L\nassume F < L\n", &t, 0, ROOM_NONE, "1");
  expect("assume F <= G\n", &t, 0, ROOM_LEFT, ""); /* G's bare name may be 100 */
  expect("assume F <= G\nassume d <= L\nassume 2*G <= L + F\n", &t, 0, ROOM_LEFT, "");
  expect("assume F <= G\nassume d <= L\nassume 2*G < L + 100 ns\n", &t, 0, ROOM_NONE, "0 2");
  expect("assume F + G <= L\n", &t, 0, ROOM_NONE, "0");
}

static void what_is_not_known_leaves_room(void **state) {
  (void)state;
  const struct times t = {.high = {[F] = 100}};
  expect("assume F <= L\n", &t, 0, ROOM_LEFT, "");
  expect("assume F <= n*L\nassume L <= 10 ns\n", &t, 10, ROOM_LEFT, "");
  expect("assume F <= n*L\nassume L <= 10 ns\n", &t, 9, ROOM_NONE, "0 1");
  expect("assume n >= 3\nassume F + d <= 50 ns\n", &t, 3, ROOM_NONE, "1");
}

static void of_single_occurrences_each_value_counts(void **state) {
  (void)state;
  const struct times t = {.high = {[L] = 100, [A] = 40, [B] = 90}, .low = {[A] = 10, [B] = 30}};
  expect("assume B <= L\n", &t, 0, ROOM_LEFT, "");
  expect("assume A <= B\n", &t, 0, ROOM_NONE, "0"); /* 40 against 30 */
  expect("assume A <= B + 10 ns\n", &t, 0, ROOM_LEFT, "");
  expect("assume A + B >= 40 ns\n", &t, 0, ROOM_LEFT, "");
  expect("assume A + B > 40 ns\n", &t, 0, ROOM_NONE, "0");
}

/* Between the ends there may be more: A of 20 has no room. */
static void what_is_no_interval_is_not_decided(void **state) {
  (void)state;
  const struct times t = {.high = {[L] = 100, [A] = 40}, .low = {[A] = 10}};
  expect("assume A <= 15 ns or A >= 35 ns\n", &t, 0, ROOM_UNKNOWN, "");
  expect("assume A <= 15 ns or A >= 45 ns\n", &t, 0, ROOM_NONE, "0");
  expect("assume F <= 15 ns or F >= 35 ns\n", &t, 0, ROOM_UNKNOWN, "");
  expect("assume n >= 1 or n <= 5\nassume A <= L\n", &t, 1, ROOM_LEFT, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_bare_names_the_longest_counts),
      cmocka_unit_test(what_is_not_known_leaves_room),
      cmocka_unit_test(of_single_occurrences_each_value_counts),
      cmocka_unit_test(what_is_no_interval_is_not_decided),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
