/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds at parameter values against a direct computation from the same numbers, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <inttypes.h>
#include <string.h>

#include "lang/alike.h"
#include "lang/check.h"
#include "lang/instantiate.h"
#include "lang/parse.h"
#include "lang/source.h"

static struct model *model_of(const char *claims) {
  struct text text;
  text_init(&text);
  text_format(&text,
              "protocol p\n"
              "param n : int >= 1\n"
              "param m : int\n"
              "assume n <= 2000000000 and (m >= n or d <= 5 ms)\n"
              "assume forall k in 2..3. m != k*5\n"
              "role node[n] role more[m - 1] role main\n"
              "component C[node], E[int], Work param HB : time assume 2*HB - 1 ms <= 9 ms\n"
              "delay d queueing Queuing\n"
              "message M(to: node, k: int) : main -> node to\n"
              "action main.A cost Work { send M(x, 0) for all x in node }\n"
              "action node i.B on M(i, k) cost C[i] + E[k] { }\n"
              "%s\n",
              claims);
  struct source *source = source_from_text("test.tp", text.data, text.length);
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(source, &queue);
  struct model *model = check(ast, source, &queue);
  struct text out;
  text_init(&out);
  diagnostics_print(&out, &queue, source, false);
  if (model == NULL)
    print_message("%s", text_get(&out));
  assert_non_null(model);
  text_clear(&out);
  text_clear(&text);
  ast_free(ast);
  diagnostics_clear(&queue);
  source_free(source);
  return model;
}

static void expect(const char *expression, int64_t n, int64_t m, const char *expected) {
  struct text claims, message, printed;
  text_init(&claims);
  text_init(&message);
  text_init(&printed);
  text_format(&claims, "bound b: when true at main within %s", expression);
  struct model *model = model_of(claims.data);
  struct expression_table table;
  expression_table_init(&table);
  const struct expression *made = NULL;
  enum status status =
      bound_instantiate(&made, &table, model, model->bounds.items[0], (int64_t[]){n, m},
                        (bool[]){n != INT64_MIN, m != INT64_MIN}, &message);
  if (status == STATUS_OK)
    expression_print(&printed, made);
  else
    text_format(&printed, "%d %s", status, text_get(&message));
  assert_int_equal(status == STATUS_OK, message.length == 0);
  assert_string_equal(text_get(&printed), expected);
  expression_table_clear(&table);
  model_free(model);
  text_clear(&claims);
  text_clear(&message);
  text_clear(&printed);
}

static void test_expressions(void **state) {
  (void)state;
  expect("Work + n*d + 3 ms", 2, 3, "Work + 2*d + 3 ms");
  expect("max x in node (C[x] + d(M(x, m)))", 2, 7, "max(C[0] + d(M(0, 7)), C[1] + d(M(1, 7)))");
  expect("sum k in 0..n - 1 (E[k + 1])", 3, 3, "E[1] + E[2] + E[3]");
  expect("sum k in 1..n - 1 (E[k])", 1, 1, "0 ns");
  expect("max x in {first(node), last(node), next(first(node))} (C[x])", 3, 3,
         "max(C[0], C[1], C[2])");
  expect("min x in node - {last(node)} (C[x])", 3, 3, "min(C[0], C[1])");
  expect("max(C[prev(first(node))], E[index(last(node))], 0)", 4, 4, "max(C[3], E[3], 0 ns)");
  expect("sum x in node (sum k in 1..index(x) (E[k]))", 3, 3, "E[1] + E[1] + E[2]");
  expect("Queuing(M(first(node), 2)) + (if n == 1 then 3 else max(m, 2))*C", 5, 8,
         "Queuing(M(0, 2)) + 8*C");
}

static void test_ranks(void **state) {
  (void)state;
  expect("kth(n - 1, x in node (C[x] + d(M(x, 0))))", 3, 3,
         "kth(2, C[0] + d(M(0, 0)), C[1] + d(M(1, 0)), C[2] + d(M(2, 0)))");
  expect("kth(1, x in node - {first(node)} (C[x])) + Work", 3, 3, "kth(1, C[1], C[2]) + Work");
  expect("max x in node (kth(index(x) + 1, y in node (C[y] + C[x])))", 2, 2,
         "max(kth(1, C[0] + C[0], C[1] + C[0]), kth(2, C[0] + C[1], C[1] + C[1]))");
  expect("kth(2, x in node (0))", 2, 2, "kth(2, 0 ns, 0 ns)");
  expect("kth(n + 1, x in node (C[x]))", 3, 3,
         "65 kth(n + 1, x in node (C[x])): the rank is 4, but there are 3 members at these "
         "parameters");
  expect("kth(m - n, x in node (C[x]))", 3, 3,
         "65 kth(m - n, x in node (C[x])): the rank is 0, but there are 3 members at these "
         "parameters");
  expect("kth(1, x in node - node (C[x]))", 3, 3,
         "65 kth(1, x in node - node (C[x])): the rank is 1, but there are 0 members at these "
         "parameters");
  expect("?", 3, 3,
         "65 the bound \"b\" has no expression: it asks for one (within ?), "
         "which tailproof verify --infer looks for");
}

/* A parameter that is a time stays a bare name unless its value is given. */
static void test_times(void **state) {
  (void)state;
  expect("2*HB + Work", 3, 3, "2*HB + Work");
  struct model *model = model_of("bound b: when true at main within 2*HB + Work + d\n");
  struct rational value;
  rational_init(&value);
  rational_set_integer(&value, 21);
  const struct rational **times = mem_alloc(model->components.count, sizeof *times);
  for (size_t i = 0; i < model->components.count; i++)
    times[i] = &value; /* that of a component of another kind is not looked at */
  struct expression_table table;
  expression_table_init(&table);
  struct text text;
  text_init(&text);
  const struct expression *made;
  assert_int_equal(bound_instantiate_at(&made, &table, model, model->bounds.items[0], NULL,
                                        (int64_t[]){3, 3}, (bool[]){true, true}, times, &text),
                   STATUS_OK);
  expression_print(&text, made);
  assert_string_equal(text_get(&text), "42 ns + Work + d");
  text_clear(&text);
  rational_set_integer(&value, 5000001);
  assert_int_equal(bound_instantiate_at(&made, &table, model, model->bounds.items[0], NULL,
                                        (int64_t[]){3, 3}, (bool[]){true, true}, times, &text),
                   STATUS_USAGE);
  assert_string_equal(text_get(&text),
                      "the assumption \"2*HB - 1 ms <= 9 ms\" does not hold for these times");
  text_clear(&text);
  mem_free(times);
  rational_clear(&value);
  expression_table_clear(&table);
  model_free(model);
}

static void test_refusals(void **state) {
  (void)state;
  expect("n*d", INT64_MIN, 3, "64 a parameter is not given: --set n=...");
  expect("max x in more (d) + max x in node (d)", INT64_MIN, INT64_MIN,
         "64 parameters are not given: --set n=... --set m=...");
  expect("Work", INT64_MIN, INT64_MIN, "Work");
  expect("Work", 0, INT64_MIN, "64 the assumption \"n >= 1\" does not hold for n = 0");
  expect("Work", 7, 10,
         "64 the assumption \"forall k in 2..3. m != k*5\" does not hold for m = 10");
  expect("(n - 3)*d", 2, 2, "65 a time is multiplied by -1 at these parameters");
  expect("sum x in more (d)", 1, 0,
         "65 role \"more\" has no valid number of nodes at these parameters");
  expect("sum x in node (d)", 2000000000, 1,
         "65 the bound has more than 10000000 terms at these parameters; choose smaller ones");
  expect("n*m*d", 2000000000, INT64_MAX,
         "65 an index or factor of the bound is too large at these parameters");
}

/* A bound for all nodes: the largest over all, or the one asked for; the same for all when the
 * expression does not mention the node. */
static void test_for_all(void **state) {
  (void)state;
  struct model *model = model_of("bound b for all i in node: when true at i within C[i] + d\n"
                                 "bound c for all i in node: when true at i within Work + d\n");
  struct expression_table table;
  expression_table_init(&table);
  struct text text;
  text_init(&text);
  const struct expression *made;
  const int64_t params[] = {3, 1}, node[] = {2};
  const bool given[] = {true, true};
  const struct bound *b = model->bounds.items[0], *c = model->bounds.items[1];
  assert_int_equal(bound_instantiate(&made, &table, model, b, params, given, &text), STATUS_OK);
  expression_print(&text, made);
  assert_string_equal(text_get(&text), "max(C[0] + d, C[1] + d, C[2] + d)");
  text_clear(&text);
  assert_int_equal(bound_instantiate_at(&made, &table, model, b, node, params, given, NULL, &text),
                   0);
  expression_print(&text, made);
  assert_string_equal(text_get(&text), "C[2] + d");
  text_clear(&text);
  assert_int_equal(bound_instantiate(&made, &table, model, c, params, given, &text), STATUS_OK);
  expression_print(&text, made);
  assert_string_equal(text_get(&text), "Work + d");
  text_clear(&text);
  expression_table_clear(&table);
  model_free(model);
}

/* Integer terms against the same formulas in C. */
static void test_integers(void **state) {
  (void)state;
  struct model *model = model_of("invariant a: (n - 3)*m + max(n, -m) - min(m, 4) > 0\n"
                                 "invariant b: forall x in node. exists k in 0..m. k == index(x)\n"
                                 "invariant c: {first(node)} == node iff n == 1\n"
                                 "invariant e: next(last(node)) == first(node)\n"
                                 "invariant f: last(node) in node - {first(node)}\n"
                                 "invariant g: |node - {first(node)}| + |{last(node)}| == n\n"
                                 "invariant h: (3*m - n)/4 - (m - 1)/3*2^2 >= 0\n");
  int64_t *variables = mem_alloc(model->variable_count, sizeof *variables);
  for (int64_t n = 1; n < 6; n++)
    for (int64_t m = -3; m < 8; m++) {
      const int64_t params[] = {n, m};
      int64_t least = m < 4 ? m : 4, most = n > -m ? n : -m;
      double quarter = floor((double)(3 * m - n) / 4), third = floor((double)(m - 1) / 3);
      const int64_t expected[] = {(n - 3) * m + most - least > 0, m >= n - 1, 1, 1, n > 1, 1,
                                  quarter - third * 4 >= 0};
      for (size_t i = 0; i < model->invariants.count; i++) {
        int64_t found = -1;
        assert_true(
            term_integer(&found, model, model->invariants.items[i]->formula, params, variables));
        if (found != expected[i])
          print_message("invariant %zu at n = %" PRId64 ", m = %" PRId64 "\n", i, n, m);
        assert_int_equal(found, expected[i]);
      }
      int64_t size = -1;
      assert_true(role_size(&size, model, model->roles.items[0], params));
      assert_int_equal(size, n);
      assert_int_equal(role_size(&size, model, model->roles.items[1], params), m >= 1);
    }
  mem_free(variables);
  model_free(model);
}

/* Whether `from sent M(x, k)` says the same of every k. */
static void expect_alike(const char *expression, bool alike) {
  struct text claims;
  text_init(&claims);
  text_format(&claims, "bound b: from sent M(x, k) when true at main within %s", expression);
  struct model *model = model_of(claims.data);
  const struct variable *unlike = bound_unlike(model->bounds.items[0]);
  assert_int_equal(unlike == NULL, alike);
  if (unlike != NULL)
    assert_string_equal(unlike->name, "k");
  struct expression_table table;
  struct text text;
  const struct expression *made;
  expression_table_init(&table);
  text_init(&text);
  enum status status = bound_instantiate(&made, &table, model, model->bounds.items[0],
                                         (int64_t[]){3, 4}, (bool[]){true, true}, &text);
  assert_int_equal(status, alike ? STATUS_OK : STATUS_DATA);
  assert_int_equal(strstr(text_get(&text), "is not the same for every k") == NULL, alike);
  text_clear(&text);
  text_clear(&claims);
  expression_table_clear(&table);
  model_free(model);
}

static void test_alike(void **state) {
  (void)state;
  expect_alike("n*Work + d", true);
  expect_alike("E[k] + E[k + 1] + d(M(x, k))", true);
  expect_alike("sum j in k - n..k (E[j]) + max j in k..k + 2 (d(M(x, j)))", true);
  expect_alike("(k - (k - 2))*Work", true);
  expect_alike("(2*k - k - 1*k + n)*Work", true);
  expect_alike("max(E[k], E[k + n])", true);
  expect_alike("(if k < k + n then 2 else 3)*Work", true);
  expect_alike("sum j in k - 2..k (sum i in j..j + 1 (E[i]))", true);
  expect_alike("sum y in node (d(M(y, k)))", true);
  expect_alike("kth(2, y in node (d(M(y, k)) + E[k]))", true);
  expect_alike("E[k] + max j in 1..n (d(M(x, j + k)))", true);

  expect_alike("max(0, k)*Work", false);
  expect_alike("sum j in 0..k (E[j])", false);
  expect_alike("sum j in k..n (E[j])", false);
  expect_alike("sum j in (if k < 3 then 0 else k - 3)..k (E[j])", false);
  expect_alike("E[k] + E[0]", false); /* of request 0 the same occurrence twice */
  expect_alike("E[k] + sum j in 1..3 (E[j])", false);
  expect_alike("E[k] + E[2*k]", false);
  expect_alike("max j in k..k + 1 (E[j] + E[0])", false);
  expect_alike("(if k < n then 2 else 3)*Work", false);
  expect_alike("d(M(x, k)) + d(M(x, n))", false);
  expect_alike("max(0, k*k)*Work", false);
  expect_alike("(if (forall j in 0..k. j < n) then 1 else 2)*Work", false);
}

/* All values of a bool or an enumeration count, not the first one alone. */
static void test_finite(void **state) {
  (void)state;
  struct model *model =
      model_of("enum Kind { small, large }\nexternal user\n"
               "message O(k: Kind, urgent: bool) : main -> user\n"
               "action main.Say cost Work { send O(small, true) }\n"
               "bound b: from sent O(k, u) when true at main within d(O(k, u))\n");
  struct expression_table table;
  struct text text;
  const struct expression *made;
  expression_table_init(&table);
  text_init(&text);
  assert_int_equal(bound_instantiate(&made, &table, model, model->bounds.items[0],
                                     (int64_t[]){3, 4}, (bool[]){true, true}, &text),
                   STATUS_OK);
  expression_print(&text, made);
  assert_string_equal(text_get(&text), "max(d(O(0, 0)), d(O(0, 1)), d(O(1, 0)), d(O(1, 1)))");
  text_clear(&text);
  expression_table_clear(&table);
  model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_expressions), cmocka_unit_test(test_ranks),
      cmocka_unit_test(test_times),       cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_for_all),     cmocka_unit_test(test_alike),
      cmocka_unit_test(test_finite),      cmocka_unit_test(test_integers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
