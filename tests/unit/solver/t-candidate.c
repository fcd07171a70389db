/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is generated about families that belong to a family (solver/prove/candidate.h).
 */
#include "tests/unit/base/breaks.h"

#include "base/text.h"
#include "lang/print.h"
#include "solver/prove/candidate.h"
#include "tests/unit/solver/loaded.h"

static const char groups[] =
    "protocol groups\n"
    "param n : int >= 2\n"
    "role a\nrole u[n]\nrole w[u, n]\n"
    "component E[u]\ndelay d\n"
    "message W(x: w) : w x -> u x\n"
    "message N(y: u) : u y -> a\n"
    "state w { asked : bool = false }\n"
    "state u { have : set of w = {}  told : bool = false }\n"
    "action w x.Ask { when not asked  asked := true  send W(x) }\n"
    "action u y.Collect on W(x) cost if not told and |have| + 1 >= n then E[y] else 0 {\n"
    "  have := have + {x}\n"
    "  if not told and |have| >= n { told := true  send N(y) }\n"
    "}\n"
    "action a.Hear on N(y) { }\n"
    "bound whole: delivered N(first(u)) within E[first(u)]\n";

static bool is_generated(const struct candidates *c, const struct model *model, const char *text) {
  bool found = false;
  for (size_t i = 0; i < c->items.count; i++) {
    struct text printed;
    text_init(&printed);
    print_term(&printed, model, c->items.data[i]->formula);
    found = found || strcmp(text_get(&printed), text) == 0;
    text_clear(&printed);
  }
  return found;
}

/* What is about a node's owner alone is about owners, all else about nodes. */
static void of_owners(void **state) {
  (void)state;
  struct loaded p;
  loaded_init(&p, "groups.tp", groups);
  assert_non_null(p.model);
  struct candidates c;
  candidates_init(&c, p.model);
  static const char *const expected[] = {
      "forall x in u. sent N(x) implies x.told == true",
      "forall x in u. not x.told and |x.have| + 1 >= n implies not charged E[x]",
      "forall x in w. x in u(x).have implies received W(x)",
      "forall x in w. sent W(x) implies x.asked == true",
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    if (!is_generated(&c, p.model, expected[i]))
      fail_msg("not generated: %s", expected[i]);
  candidates_clear(&c);
  loaded_clear(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_owners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
