/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dist/statistics/special.h"
#include "measure/agent/objective.h"
#include "measure/tailproof_measure.h"

static void test_a_breach_is_more_than_chance(void **state) {
  (void)state;
  static const double allowed[] = {0.5, 0.1, 0.01, 0.001};
  for (size_t a = 0; a < 4; a++)
    for (uint64_t of = 1; of < 3000; of = of * 3 / 2 + 1)
      for (uint64_t above = 0; above <= of; above = above * 5 / 4 + 1) {
        bool rare = special_binomial_from(above, allowed[a], of) < 0.01;
        assert_int_equal(objective_breached(above, of, allowed[a]),
                         rare && (double)above > allowed[a] * (double)of);
      }
  assert_true(objective_breached(1, 1, 0));
  assert_false(objective_breached(0, 0, 0.01));
}

static struct histogram now, last;

static void test_only_new_values_count(void **state) {
  (void)state;
  uint64_t above, of;
  histogram_init(&now);
  for (uint64_t i = 1; i <= 100; i++)
    histogram_record(&now, i * 1000000);
  histogram_init(&last);
  objective_count(&above, &of, &now, &last, 90000000);
  assert_int_equal(of, 100);
  assert_in_range(above, 9, 10); /* 91 .. 100; a bucket that holds the limit counts as within */
  last = now;
  histogram_record(&now, 95000000);
  histogram_record(&now, HISTOGRAM_VALUE_MAX_NS + 1ull);
  histogram_record(&now, 5);
  objective_count(&above, &of, &now, &last, 90000000);
  assert_int_equal(of, 3);
  assert_int_equal(above, 2);
}

static void record(struct tailproof_writer *writer, int name, unsigned count, uint64_t ns) {
  for (unsigned i = 0; i < count; i++) {
    struct tailproof_event event = {name, i, 1000, 1000 + ns, 0, {0}};
    assert_int_equal(tailproof_record(writer, &event), 0);
  }
}

static void test_a_store_is_watched_while_it_grows(void **state) {
  (void)state;
  char folder[] = "/tmp/objective-XXXXXX";
  assert_non_null(mkdtemp(folder));
  static struct objective objective;
  static struct objective_config config = {.series = "get", .share = 0.99, .limit_ns = 50000000};
  strcpy(config.store, folder);
  objective_init(&objective, &config);
  assert_int_equal(objective_look(&objective), OBJECTIVE_UNREAD);
  assert_non_null(strstr(objective.message, "no store in it"));

  struct tailproof_store *store;
  struct tailproof_options options = {.folder = folder, .clock = TAILPROOF_CLOCK_MONOTONIC};
  assert_int_equal(tailproof_open(&store, &options), 0);
  int other = tailproof_component(store, "put"), name = tailproof_component(store, "get");
  struct tailproof_writer *writer = tailproof_writer_open(store);
  record(writer, other, 10, 90000000);
  record(writer, name, 1000, 90000000);
  assert_int_equal(objective_look(&objective), OBJECTIVE_NOTHING); /* what was there before */
  assert_int_equal(objective_look(&objective), OBJECTIVE_NOTHING);
  record(writer, name, 1000, 10000000);
  record(writer, other, 1000, 90000000);
  record(writer, name, 12, 90000000);
  assert_int_equal(objective_look(&objective), OBJECTIVE_KEPT);
  assert_int_equal(objective.of, 1012);
  assert_int_equal(objective.above, 12);
  record(writer, name, 100, 90000000);
  assert_int_equal(objective_look(&objective), OBJECTIVE_BREACHED);
  strcpy(config.series, "none");
  assert_int_equal(objective_look(&objective), OBJECTIVE_UNREAD);
  assert_non_null(strstr(objective.message, "nothing is recorded of none"));

  char path[256];
  snprintf(path, sizeof path, "%s", tailproof_path(store));
  tailproof_close(store);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_breach_is_more_than_chance),
      cmocka_unit_test(test_only_new_values_count),
      cmocka_unit_test(test_a_store_is_watched_while_it_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
