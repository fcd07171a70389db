/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "tests/unit/cli/fixture.h"
#include "cli/question/percentiles/critical.h"

static void find(struct critical *chain, struct fixture *f, int64_t percent) {
  struct rational share;
  rational_init(&share);
  rational_set_fraction(&share, percent, 100);
  assert_true(critical_find(chain, &f->calculation, &share));
  rational_clear(&share);
}

static void assert_links(const struct critical *chain, const char *const *labels, const double *ns,
                         size_t count) {
  double sum = 0;
  assert_int_equal(chain->links.count, count);
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(chain->links.data[i].label, labels[i]);
    assert_true(chain->links.data[i].ns == ns[i]);
    sum += ns[i];
  }
  assert_true(chain->total_ns == sum);
}

/* B is the slower way in every tenth request. */
static void test_of_a_request(void **state) {
  (void)state;
  struct fixture f;
  struct critical chain;
  fixture_init(&f, "max(A, B) + C");
  FILE *file = fixture_file(&f, "t.csv");
  fprintf(file, "A_ns,B_ns,C_ns\n");
  for (int i = 0; i < 100; i++)
    fprintf(file, "%d,%d,7\n", 100 + i, i % 10 == 9 ? 5000 + i : 5);
  fclose(file);
  fixture_run(&f, "--set n=1 --joint @/t.csv");
  find(&chain, &f, 50);
  assert_true(chain.of_request);
  assert_int_equal(chain.row, 55); /* with 154, the 50th of those that A makes, and of all */
  assert_links(&chain, (const char *const[]){"A", "C"}, (const double[]){154, 7}, 2);
  critical_clear(&chain);
  find(&chain, &f, 95);
  assert_int_equal(chain.row, 50);
  assert_links(&chain, (const char *const[]){"B", "C"}, (const double[]){5049, 7}, 2);
  critical_clear(&chain);
  fixture_clear(&f);
}

static void test_of_medians(void **state) {
  (void)state;
  struct fixture f;
  struct critical chain;
  fixture_init(&f, "max(A, 2*B) + C");
  static const char *const names[] = {"A.csv", "B.csv"};
  for (int k = 0; k < 2; k++) {
    FILE *file = fixture_file(&f, names[k]);
    fprintf(file, "latency_ns\n");
    for (int i = 1; i <= 9; i++)
      fprintf(file, "%d\n", (k == 0 ? 10 : 8) * i);
    fclose(file);
  }
  fixture_run(&f, "--set n=1 --data @ --law C=3ns");
  find(&chain, &f, 99);
  assert_false(chain.of_request);
  assert_links(&chain, (const char *const[]){"B", "C"}, (const double[]){80, 3}, 2);
  critical_clear(&chain);
  fixture_clear(&f);
}

/* What does not happen is not waited for. */
static void test_absence(void **state) {
  (void)state;
  struct fixture f;
  struct critical chain = {0};
  fixture_init(&f, "max(A, B) + C");
  FILE *file = fixture_file(&f, "t.csv");
  fprintf(file, "A_ns,B_ns,C_ns\n1,2,3\n");
  fclose(file);
  fixture_run(&f, "--set n=1 --joint @/t.csv");
  size_t count = f.calculation.laws.by_occurrence.count;
  assert_int_equal(count, 3);
  assert_true(critical_walk(&chain, f.calculation.expression, (const double[]){4, NAN, 5}));
  assert_links(&chain, (const char *const[]){"A", "C"}, (const double[]){4, 5}, 2);
  chain.links.count = 0;
  assert_false(critical_walk(&chain, f.calculation.expression, (const double[]){NAN, NAN, 0}));
  critical_clear(&chain);
  fixture_clear(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_of_a_request),
      cmocka_unit_test(test_of_medians),
      cmocka_unit_test(test_absence),
  };
  return cmocka_run_group_tests_name("critical", tests, NULL, NULL);
}
