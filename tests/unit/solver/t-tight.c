/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How tight a bound is: whether an execution attains it while all that it has takes time, at which
 * parameters, and which of its terms nothing needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/search/scope.h"
#include "solver/search/tight.h"
#include "tests/unit/solver/loaded.h"
#include "tests/unit/solver/meeting.h"

/* What is said of the first bound of the meeting with these lines added. */
static char *said(const char *lines, size_t work_max) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s\n", meeting, lines);
  struct loaded loaded;
  loaded_init(&loaded, "meeting", text);
  assert_non_null(loaded.model);
  struct tight_limits limits = {.work_max = work_max, .seconds_max = 1000, .steps = 3};
  struct tightness tightness;
  tightness_init(&tightness, loaded.model, loaded.model->bounds.items[0], &limits);
  struct text out;
  text_init(&out);
  tightness_print(&out, loaded.model, &tightness);
  assert_int_equal(strcmp(text_get(&out), "tight") == 0, tightness_holds(&tightness));
  tightness_clear(&tightness);
  loaded_clear(&loaded);
  return text_take(&out);
}

static void expect(const char *lines, const char *expected) {
  char *text = said(lines, 1000000);
  assert_string_equal(text, expected);
  mem_free(text);
}

#define TRUTH "A + d(M(true)) + Q(M(true)) + R"
#define UNCHARGED(term) "no execution found charges " term " on its way to the event)"

static void test_attained(void **state) {
  (void)state;
  expect("bound b: sent Done within " TRUTH, "tight");
  expect("bound b: sent Done within A + d + Q + R", "tight");
  expect("bound b: sent Done within " TRUTH " + 1 ms", "not tight");
  expect("bound b: sent Done within max(A + d(M(true)), W) + R", "tight");
}

/* What only other executions, or none, charge counts as well. */
static void test_terms_outside_the_execution(void **state) {
  (void)state;
  expect("bound b: sent Done within " TRUTH " + d(M(false))",
         "not tight (" UNCHARGED("d(M(false))"));
  expect("component N[int]\nbound b: sent Done within " TRUTH " + N[3]",
         "not tight (" UNCHARGED("N[3]"));
  expect("component N\nbound b: sent Done within " TRUTH " + N", "not tight (" UNCHARGED("N"));
  expect("component N[int]\nbound b: sent Done within " TRUTH " + N", "not tight (" UNCHARGED("N"));
  expect("param T : time\nbound b: sent Done within " TRUTH " + T", "not tight (T is not needed)");
  expect("bound b: sent Done within " TRUTH " + W",
         "not tight (Q(M(true)) is not needed; W is not needed)"); /* either will do */
}

static void test_branches(void **state) {
  (void)state;
  expect("component N[int]\nbound b: sent Done within max(" TRUTH ", N[3])",
         "not tight (" UNCHARGED("N[3]"));
  expect("component N[int]\nbound b: sent Done within min(" TRUTH ", " TRUTH " + N[3])",
         "not tight (" UNCHARGED("N[3]"));
  expect("component N[int]\nbound b: sent Done within max(A + d(M(true)), W, A + N[2]) + R",
         "not tight (A is not needed; " UNCHARGED("N[2]"));
  expect("role f[2]\ncomponent N[f]\nbound b: sent Done within " TRUTH " + max x in f (N[x])",
         "not tight (" UNCHARGED("N[x]"));
  expect("role f[2]\ncomponent N[f]\nbound b: sent Done within kth(1, x in f (" TRUTH " + N[x]))",
         "not tight (" UNCHARGED("N[x]"));
}

static void test_parameters(void **state) {
  (void)state;
  expect("param n : int >= 1\nbound b: sent Done within n*(" TRUTH ")",
         "tight at n=1 (not at n=2, 3)");
  expect("param n : int >= 1\nbound b: sent Done within n*n*(A + d + Q + R) + (n - 1)*d",
         "attained at n=1 (not at n=2, 3; d is not needed)");
  expect("param n : int >= 1\nbound b: sent Done within (n - 1)*W + " TRUTH,
         "attained at n=1 (not at n=2, 3; W is not needed)");
  expect("param n : int >= 2\nbound b: sent Done within n*(" TRUTH ")", "not tight");
  expect("param n : int >= 7\nbound b: sent Done within n*(" TRUTH ")", "not tight");
  expect("param n : int >= 7\nbound b: sent Done within " TRUTH, "tight");
  expect("param n : int >= 1\nparam k : int >= 1\nbound b: sent Done within n*k*(" TRUTH ")",
         "tight at n=1, k=1 (not at n=2, k=1; n=1, k=2; n=2, k=2; and 5 more)");
}

/* A bound of 0 says nothing of how tight it is elsewhere. */
static void test_nothing(void **state) {
  (void)state;
  expect("param n : int >= 0\nbound b: sent Done within " TRUTH, "tight");
  expect("param n : int >= 0\nassume n <= 1\nbound b: when z.w at z within n*W", "tight");
}

/* What the limits leave open is never called tight. */
static void test_limits(void **state) {
  (void)state;
  char *text = said("param n : int >= 1\nbound b: sent Done within " TRUTH, 1);
  assert_non_null(strstr(text, "not known whether tight"));
  mem_free(text);
  bool partly = false;
  for (size_t work = 2000; work <= 60000 && !partly; work += 2000) {
    text = said("param n : int >= 1\nbound b: sent Done within " TRUTH, work);
    partly = strstr(text, "tight at n=1") != NULL && strstr(text, "(not decided at n=") != NULL;
    mem_free(text);
  }
  assert_true(partly);
}

static bool has_scope(const struct scopes *scopes, size_t param, int64_t value) {
  for (size_t i = 0; i < scopes->items.count; i++)
    if (scopes->items.data[i][param] == value)
      return true;
  return false;
}

static void test_scopes_cover(void **state) {
  (void)state;
  struct loaded loaded;
  loaded_init(&loaded, "scopes",
              "protocol t\nparam a : int >= 0\nparam b : int >= 1\nparam c : int >= 0\n"
              "param e : int >= 0\nassume a <= b\nrole r\n");
  assert_non_null(loaded.model);
  struct scopes scopes;
  scopes_cover(&scopes, loaded.model, 3, 6);
  assert_in_range(scopes.items.count, 6, 20);
  for (int64_t value = 0; value <= 3; value++) {
    assert_true(has_scope(&scopes, 0, value) && has_scope(&scopes, 2, value));
    assert_int_equal(has_scope(&scopes, 1, value), value != 0);
  }
  scopes_clear(&scopes);
  loaded_clear(&loaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attained),    cmocka_unit_test(test_terms_outside_the_execution),
      cmocka_unit_test(test_branches),    cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_nothing),     cmocka_unit_test(test_limits),
      cmocka_unit_test(test_scopes_cover)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
