/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Explanations: what is called needed is needed, what is not can be left out; the chain of steps
 * adds up to the event without gaps; the slowest execution found is as slow as it can be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/tell/explain.h"
#include "solver/verify.h"
#include "tests/unit/solver/loaded.h"

static const char head[] = "protocol relay\n"
                           "param k : int >= 1\n"
                           "role a\n"
                           "role z\n"
                           "component A, W, R\n"
                           "delay d\n"
                           "queueing Q\n"
                           "assume A <= 5 ms\n"
                           "message M : a -> z\n"
                           "message Done : z -> a\n"
                           "state a { s : bool = false }\n"
                           "state z { w : bool = false }\n"
                           "action a.Go cost A {\n"
                           "  when not s\n"
                           "  s := true\n"
                           "  send M\n"
                           "}\n"
                           "action z.Work cost W {\n"
                           "  when not w\n"
                           "  w := true\n"
                           "}\n"
                           "action z.Take on M cost R { send Done }\n";

static const struct {
  const char *name, *formula;
  bool needed;
} invariants[] = {
    {"still", "not s implies time(a) <= 0", true},
    {"sent_in_time", "sent M implies time(M) <= A + d(M)", true},
    {"unused", "w implies 0 ns <= time(z)", false},
    {"also_unused", "sent Done implies received M", false},
};
enum { INVARIANTS = sizeof invariants / sizeof *invariants };

/* With the invariants whose bit is set. */
static void make(struct text *text, unsigned which, const char *bound) {
  text_init(text);
  text_append(text, head);
  for (unsigned i = 0; i < INVARIANTS; i++)
    if (which & 1u << i)
      text_format(text, "invariant %s: %s\n", invariants[i].name, invariants[i].formula);
  text_format(text, "%s\n", bound);
}

static const char exact[] = "bound b: delivered Done within A + d(M) + Q(M) + R + d(Done)";
static const char loose[] = "bound b: delivered Done within A + d(M) + Q(M) + R + d(Done) + R";
static const struct verify_options options = {
    .jobs = 2, .limit_ms = 2000, .search_seconds = 4, .explain = true};

static enum verdict verdict_of(unsigned which) {
  struct text text;
  make(&text, which, exact);
  struct loaded loaded;
  loaded_init(&loaded, "relay", text_get(&text));
  assert_non_null(loaded.model);
  struct verification v;
  verification_init(&v, loaded.model, &options);
  enum verdict verdict = v.bounds.data[0].verdict;
  verification_clear(&v);
  loaded_clear(&loaded);
  text_clear(&text);
  return verdict;
}

static bool has(const char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

static void check_chain(const struct slowest *s) {
  struct rational at;
  rational_init(&at);
  for (size_t i = 0; i < s->chain.count; i++) {
    rational_add(&at, &at, &s->chain.data[i].amount);
    assert_int_equal(rational_compare(&at, &s->chain.data[i].until), 0);
  }
  assert_int_equal(rational_compare(&at, &s->time), 0);
  rational_clear(&at);
}

static void explain(struct verification *v, struct loaded *loaded, const char *bound) {
  struct text text;
  make(&text, (1u << INVARIANTS) - 1, bound);
  loaded_init(loaded, "relay", text_get(&text));
  text_clear(&text);
  assert_non_null(loaded->model);
  verification_init(v, loaded->model, &options);
  assert_int_equal(v->bounds.data[0].verdict, VERDICT_PROVED);
  assert_non_null(v->bounds.data[0].explanation);
}

static void test_support(void **state) {
  (void)state;
  struct loaded loaded;
  struct verification v;
  explain(&v, &loaded, exact);
  const struct explanation *x = v.bounds.data[0].explanation;
  unsigned needed = 0;
  assert_true(x->exact);
  for (unsigned i = 0; i < INVARIANTS; i++) {
    const char *name = invariants[i].name;
    assert_int_equal(has(x->used.data, x->used.count, name), invariants[i].needed);
    assert_int_equal(has(x->unused.data, x->unused.count, name), !invariants[i].needed);
    needed |= invariants[i].needed ? 1u << i : 0;
  }
  assert_int_equal(x->assumptions.count, 0);
  verification_clear(&v);
  loaded_clear(&loaded);
  assert_int_equal(verdict_of(needed), VERDICT_PROVED);
  for (unsigned i = 0; i < INVARIANTS; i++)
    if (invariants[i].needed)
      assert_int_equal(verdict_of(needed & ~(1u << i)), VERDICT_UNKNOWN);
}

static void test_chain_of_a_tight_bound(void **state) {
  (void)state;
  static const struct {
    const char *what, *adds;
  } expected[] = {
      {"a does Go", "A"},
      {"M is under way", "d(M)"},
      {"z is busy with steps of its own", "Q(M)"},
      {"z does Take on M", "R"},
      {"Done is under way", "d(Done)"},
  };
  struct loaded loaded;
  struct verification v;
  explain(&v, &loaded, exact);
  const struct slowest *s = &v.bounds.data[0].explanation->slowest;
  assert_true(s->found && v.bounds.data[0].tight);
  assert_int_equal(rational_compare(&s->time, &s->limit), 0);
  assert_int_equal(s->chain.count, 5);
  for (size_t i = 0; i < 5; i++) {
    assert_string_equal(s->chain.data[i].what, expected[i].what);
    assert_string_equal(s->chain.data[i].adds, expected[i].adds);
  }
  check_chain(s);
  verification_clear(&v);
  loaded_clear(&loaded);
}

/* R is counted twice, but taken once; and with every name 1 ns the node is
 * never late for M. */
static void test_slack(void **state) {
  (void)state;
  struct loaded loaded;
  struct verification v;
  explain(&v, &loaded, loose);
  const struct slowest *s = &v.bounds.data[0].explanation->slowest;
  assert_true(s->found && s->unit && !v.bounds.data[0].tight);
  struct rational four, six;
  rational_init(&four);
  rational_init(&six);
  rational_set_integer(&four, 4);
  rational_set_integer(&six, 6);
  assert_int_equal(rational_compare(&s->time, &four), 0);
  assert_int_equal(rational_compare(&s->limit, &six), 0);
  assert_true(s->tried >= 1);
  check_chain(s);
  rational_clear(&four);
  rational_clear(&six);
  verification_clear(&v);
  loaded_clear(&loaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_support),
                                     cmocka_unit_test(test_chain_of_a_tight_bound),
                                     cmocka_unit_test(test_slack)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
