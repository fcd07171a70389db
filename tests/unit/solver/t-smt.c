/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The solver's wrapper: what its shortcuts simplify still means the same, answers, models, limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "solver/smt/smt.h"

static bool is_valid(struct smt *smt, smt_term a) {
  smt_push(smt);
  smt_assert(smt, smt_not(smt, a));
  enum smt_answer answer = smt_check(smt, 2000, false, NULL);
  smt_pop(smt);
  return answer == SMT_UNSAT;
}

/* Every shortcut on every pair of true, false and an unknown, against its definition by cases. */
static void test_connectives(void **state) {
  (void)state;
  struct smt *smt = smt_new();
  smt_sort sort = smt_sort_bool(smt);
  smt_term x = smt_fresh(smt, "x", sort), y = smt_fresh(smt, "y", sort);
  smt_term values[] = {smt_bool(smt, false), smt_bool(smt, true), x, y};
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++) {
      smt_term p = smt_fresh(smt, "p", sort), q = smt_fresh(smt, "q", sort);
      smt_push(smt);
      smt_assert(smt, smt_equal(smt, p, values[i]));
      smt_assert(smt, smt_equal(smt, q, values[j]));
      smt_term a = values[i], b = values[j];
      assert_true(is_valid(smt, smt_equal(smt, smt_and2(smt, a, b), smt_and2(smt, p, q))));
      assert_true(is_valid(smt, smt_equal(smt, smt_or2(smt, a, b), smt_or2(smt, p, q))));
      assert_true(is_valid(smt, smt_equal(smt, smt_implies(smt, a, b), smt_implies(smt, p, q))));
      assert_true(is_valid(smt, smt_equal(smt, smt_equal(smt, a, b), smt_equal(smt, p, q))));
      assert_true(is_valid(smt, smt_equal(smt, smt_not(smt, a), smt_not(smt, p))));
      for (size_t k = 0; k < 4; k++)
        assert_true(is_valid(smt, smt_equal(smt, smt_if(smt, values[k], a, b),
                                            smt_or2(smt, smt_and2(smt, values[k], p),
                                                    smt_and2(smt, smt_not(smt, values[k]), q)))));
      assert_false(is_valid(smt, smt_and2(smt, p, smt_not(smt, p))));
      smt_pop(smt);
    }
  smt_free(smt);
}

static void test_arithmetic(void **state) {
  (void)state;
  struct smt *smt = smt_new();
  int64_t value;
  smt_term x = smt_fresh(smt, "x", smt_sort_int(smt)), zero = smt_int(smt, 0);
  assert_true(smt_is_numeral(smt, smt_add(smt, smt_int(smt, 2), smt_int(smt, 3)), &value));
  assert_int_equal(value, 5);
  assert_true(smt_is_numeral(smt, smt_sub(smt, smt_int(smt, 2), smt_int(smt, 3)), &value));
  assert_int_equal(value, -1);
  assert_true(smt_is_numeral(smt, smt_mul(smt, smt_int(smt, -2), smt_int(smt, 3)), &value));
  assert_int_equal(value, -6);
  assert_ptr_equal(smt_add(smt, x, zero), x);
  assert_ptr_equal(smt_add(smt, zero, x), x);
  assert_true(smt_is_true(smt, smt_le(smt, smt_int(smt, 3), smt_int(smt, 3))));
  assert_true(smt_is_false(smt, smt_lt(smt, smt_int(smt, 3), smt_int(smt, 3))));
  /* beyond 64 bits nothing wraps */
  smt_term most = smt_int(smt, INT64_MAX);
  assert_true(is_valid(smt, smt_lt(smt, most, smt_add(smt, most, smt_int(smt, 1)))));
  assert_true(is_valid(smt, smt_lt(smt, most, smt_mul(smt, most, smt_int(smt, 2)))));
  /* quotients are rounded down, of numbers as of what is unknown */
  smt_term three = smt_int(smt, 3), third = smt_div(smt, x, three);
  assert_true(smt_is_numeral(smt, smt_div(smt, smt_int(smt, -7), three), &value));
  assert_int_equal(value, -3);
  assert_true(smt_is_numeral(smt, smt_div(smt, smt_int(smt, INT64_MIN), smt_int(smt, 1)), &value));
  assert_true(value == INT64_MIN);
  assert_true(is_valid(smt, smt_le(smt, smt_mul(smt, three, third), x)));
  assert_true(is_valid(smt, smt_lt(smt, x, smt_add(smt, smt_mul(smt, three, third), three))));
  /* an integer times a real */
  smt_term r = smt_fresh(smt, "r", smt_sort_real(smt));
  smt_term twice = smt_mul(smt, smt_int(smt, 2), r);
  assert_true(is_valid(smt, smt_equal(smt, twice, smt_add(smt, r, r))));
  assert_false(is_valid(smt, smt_le(smt, r, twice)));
  smt_free(smt);
}

static void test_models(void **state) {
  (void)state;
  struct smt *smt = smt_new();
  struct rational third, got;
  rational_init(&third);
  rational_init(&got);
  assert_true(rational_parse(&third, "1/3"));
  smt_term r = smt_fresh(smt, "r", smt_sort_real(smt)), i = smt_fresh(smt, "i", smt_sort_int(smt));
  smt_term b = smt_fresh(smt, "b", smt_sort_bool(smt));
  smt_assert(smt, smt_equal(smt, r, smt_real(smt, &third)));
  smt_assert(smt, smt_equal(smt, i, smt_int(smt, INT64_MIN)));
  smt_assert(smt, smt_equal(smt, b, smt_lt(smt, i, smt_int(smt, 0))));
  assert_int_equal(smt_check(smt, 2000, false, NULL), SMT_SAT);
  int64_t value;
  assert_true(smt_value_real(smt, r, &got));
  assert_int_equal(rational_compare(&got, &third), 0);
  assert_true(smt_value_int(smt, i, &value));
  assert_true(value == INT64_MIN);
  assert_true(smt_value_bool(smt, b));
  assert_false(smt_value_int(smt, smt_sub(smt, i, smt_int(smt, 1)), &value));
  rational_clear(&third);
  rational_clear(&got);
  smt_free(smt);
}

static void test_quantifiers_and_stack(void **state) {
  (void)state;
  struct smt *smt = smt_new();
  smt_sort sort = smt_sort_named(smt, "node"), boolean = smt_sort_bool(smt);
  smt_function p = smt_declare(smt, "p", &sort, 1, boolean);
  assert_ptr_equal(p, smt_declare(smt, "p", &sort, 1, boolean));
  smt_term x = smt_fresh(smt, "x", sort), c = smt_fresh(smt, "c", sort);
  smt_term px = smt_apply(smt, p, &x, 1), pc = smt_apply(smt, p, &c, 1);
  smt_term all = smt_forall(smt, &x, 1, px, &px, 1), some = smt_exists(smt, &x, 1, px);
  assert_true(is_valid(smt, smt_implies(smt, all, pc)));
  assert_true(is_valid(smt, smt_implies(smt, pc, some)));
  assert_false(is_valid(smt, smt_implies(smt, some, all)));
  assert_true(smt_is_true(smt, smt_forall(smt, &x, 1, smt_bool(smt, true), NULL, 0)));
  assert_ptr_equal(smt_forall(smt, NULL, 0, pc, NULL, 0), pc);
  smt_push(smt);
  smt_assert(smt, smt_bool(smt, false));
  assert_int_equal(smt_check(smt, 2000, false, NULL), SMT_UNSAT);
  smt_pop(smt);
  assert_int_equal(smt_check(smt, 2000, false, NULL), SMT_SAT);
  smt_free(smt);
}

/* What an answer used, and nothing of the asking stays behind. */
static void test_core(void **state) {
  (void)state;
  struct smt *smt = smt_new();
  smt_term x = smt_fresh(smt, "x", smt_sort_int(smt)), y = smt_fresh(smt, "y", smt_sort_int(smt));
  smt_term one = smt_int(smt, 1), two = smt_int(smt, 2);
  smt_term facts[] = {smt_le(smt, x, one), smt_le(smt, two, y), smt_lt(smt, y, x)};
  struct smt_effort effort = {.limit_ms = 2000};
  bool used[3];
  assert_int_equal(smt_core(smt, facts, 2, &effort, used), SMT_SAT);
  assert_int_equal(smt_core(smt, facts, 3, &effort, used), SMT_UNSAT);
  assert_true(used[0] && used[1] && used[2]);
  smt_push(smt);
  smt_assert(smt, smt_le(smt, two, x));
  assert_int_equal(smt_core(smt, facts, 2, &effort, used), SMT_UNSAT);
  assert_true(used[0] && !used[1]);
  assert_int_equal(smt_check(smt, 2000, false, NULL), SMT_SAT);
  smt_pop(smt);
  assert_false(is_valid(smt, facts[0]));
  smt_free(smt);
}

enum { PIGEONS = 7, MANY_PIGEONS = 12 };

/* More pigeons than holes: small to say, long to refute. */
static void assert_pigeons(struct smt *smt, int pigeons) {
  smt_term hole[MANY_PIGEONS];
  for (int i = 0; i < pigeons; i++) {
    hole[i] = smt_fresh(smt, "hole", smt_sort_int(smt));
    smt_assert(smt, smt_le(smt, smt_int(smt, 2), hole[i]));
    smt_assert(smt, smt_le(smt, hole[i], smt_int(smt, pigeons)));
    for (int j = 0; j < i; j++)
      smt_assert(smt, smt_not(smt, smt_equal(smt, hole[i], hole[j])));
  }
}

/* Resources end a search at the same point every time, and the next one is as good as new. */
static void test_resources(void **state) {
  (void)state;
  struct smt *smt = smt_new_seeded(3);
  struct text reasons[2];
  for (size_t i = 0; i < 2; i++) {
    text_init(&reasons[i]);
    smt_push(smt);
    assert_pigeons(smt, PIGEONS);
    struct smt_effort little = {.strategy = SMT_QUICK, .resources = 2000};
    assert_int_equal(smt_try(smt, &little, &reasons[i]), SMT_UNKNOWN);
    assert_true(reasons[i].length != 0);
    smt_pop(smt);
    assert_true(is_valid(smt, smt_lt(smt, smt_int(smt, 1), smt_int(smt, 2))));
  }
  assert_string_equal(reasons[0].data, reasons[1].data);
  smt_push(smt);
  assert_pigeons(smt, PIGEONS);
  struct smt_effort efforts[] = {{.strategy = SMT_QUICK},
                                 {.strategy = SMT_OTHER},
                                 {.strategy = SMT_ALL},
                                 {.strategy = SMT_THOROUGH},
                                 {.strategy = SMT_QUICK, .reseed = 1}};
  for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++)
    assert_int_equal(smt_try(smt, &efforts[i], NULL), SMT_UNSAT);
  smt_pop(smt);
  for (size_t i = 0; i < 2; i++)
    text_clear(&reasons[i]);
  smt_free(smt);
}

/* So does processor time, in every kind of query. */
static void test_work(void **state) {
  (void)state;
  struct smt *smt = smt_new();
  struct text reason;
  text_init(&reason);
  smt_term fact = smt_bool(smt, true);
  bool used;
  for (int i = 0; i < 3; i++) {
    struct smt_effort little = {.strategy = SMT_QUICK, .limit_ms = 30};
    smt_push(smt);
    assert_pigeons(smt, MANY_PIGEONS);
    assert_int_equal(smt_try(smt, &little, &reason), SMT_UNKNOWN);
    assert_string_equal(text_get(&reason), "timeout");
    assert_int_equal(smt_core(smt, &fact, 1, &little, &used), SMT_UNKNOWN);
    smt_pop(smt);
    assert_true(is_valid(smt, smt_lt(smt, smt_int(smt, 1), smt_int(smt, 2))));
    text_clear(&reason);
  }
  smt_free(smt);
}

enum { STOPPED_LIMIT_MS = 2000 };

static int solve_in_child(int ready) {
  struct smt *smt = smt_new();
  assert_pigeons(smt, PIGEONS + 1);
  struct smt_effort effort = {.strategy = SMT_QUICK, .limit_ms = STOPPED_LIMIT_MS};
  if (write(ready, "", 1) != 1)
    return 3;
  enum smt_answer answer = smt_try(smt, &effort, NULL);
  smt_free(smt);
  return answer == SMT_UNSAT ? 0 : 1;
}

/* A process that stands still for longer than the limit in the middle of a query answers it. */
static void test_stopped(void **state) {
  (void)state;
  int ends[2], status;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0)
    _exit(solve_in_child(ends[1]));
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(kill(child, SIGSTOP), 0);
  assert_int_equal(waitpid(child, &status, WUNTRACED), child);
  if (WIFSTOPPED(status)) {
    nanosleep(&(struct timespec){.tv_sec = STOPPED_LIMIT_MS / 1000 + 1}, NULL);
    assert_int_equal(kill(child, SIGCONT), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
  }
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  close(ends[0]);
  close(ends[1]);
}

enum { LINKS = 50, TURNS = 300, LINK_MOST = 5 };

/* A chain of numbers, each larger than the one before by a link at least; those from `pushed_from`
 * on are asserted behind a push, which is left there for smt_clear. */
static void assert_chain(struct smt *smt, const int *links, int pushed_from) {
  smt_term at = smt_real_zero(smt);
  long total = 0;
  for (int i = 0; i < LINKS; i++) {
    struct rational link;
    rational_init(&link);
    rational_set_integer(&link, links[i]);
    smt_term next = smt_fresh(smt, "next", smt_sort_real(smt));
    if (i == pushed_from)
      smt_push(smt);
    smt_assert(smt, smt_le(smt, smt_add(smt, at, smt_real(smt, &link)), next));
    rational_clear(&link);
    at = next;
    total += links[i];
  }
  for (int spare = 0; spare >= -1; spare--) { /* there is just room for the whole chain */
    struct rational most;
    rational_init(&most);
    rational_set_integer(&most, total + spare);
    smt_push(smt);
    smt_assert(smt, smt_le(smt, at, smt_real(smt, &most)));
    assert_int_equal(smt_check(smt, 0, false, NULL), spare == 0 ? SMT_SAT : SMT_UNSAT);
    smt_pop(smt);
    rational_clear(&most);
  }
}

/* What questions have in common with those before changes no answer, wherever they part. */
static void test_alike(void **state) {
  (void)state;
  struct smt *smt = smt_new_ground();
  int links[LINKS] = {0};
  unsigned long random = 1;
  for (int turn = 0; turn < TURNS; turn++) {
    random = random * 6364136223846793005UL + 1442695040888963407UL;
    for (int i = (int)(random >> 33) % LINKS; i < LINKS; i++)
      links[i] = (int)(random >> (20 + i % 20)) % LINK_MOST;
    if (turn != 0)
      smt_clear(smt);
    assert_chain(smt, links, turn % 3 == 0 ? (int)(random >> 40) % LINKS : LINKS);
  }
  smt_free(smt);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_connectives), cmocka_unit_test(test_arithmetic),
      cmocka_unit_test(test_models),      cmocka_unit_test(test_quantifiers_and_stack),
      cmocka_unit_test(test_core),        cmocka_unit_test(test_resources),
      cmocka_unit_test(test_work),        cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
