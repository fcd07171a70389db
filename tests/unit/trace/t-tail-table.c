/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/trace/tables.h"

static void test_columns_are_latency_calls_and_labels(void **state) {
  (void)state;
  struct call_table table;
  const char *labels[] = {"shard"};
  struct call_reading reading = {"ms", NULL, labels, 1};
  assert_int_equal(tables_read(&table,
                               "trace_id,Latency,\"a,b\",c_us,version,shard\n"
                               "x1,12,3.5,250,v1,7\nx2,20,-,1,v2,8\n",
                               &reading),
                   STATUS_OK);
  assert_int_equal(table.rows, 2);
  assert_int_equal(table.latency.ns[1], 20000000);
  assert_int_equal(table.calls.count, 2);
  assert_string_equal(table.calls.data[0].name, "a,b");
  assert_int_equal(table.calls.data[0].ns[0], 3500000);
  assert_int_equal(table.calls.data[0].ns[1], 0);
  assert_string_equal(table.calls.data[1].name, "c");
  assert_int_equal(table.calls.data[1].ns[0], 250000);
  assert_int_equal(table.labels.count, 2);
  assert_string_equal(names_text(&table.names, table.labels.data[0].values[1]), "v2");
  assert_string_equal(names_text(&table.names, table.labels.data[1].values[0]), "7");
  assert_int_equal(table.ignored.count, 1);
  call_table_clear(&table);
}

static void fails(const char *text, const struct call_reading *reading, const char *expected) {
  struct call_table table;
  assert_int_equal(tables_read(&table, text, reading), STATUS_DATA);
  if (strstr(tables_said, expected) == NULL)
    fail_msg("%s: said \"%s\", not \"%s\"", text, tables_said, expected);
  call_table_clear(&table);
}

static void test_mistakes_name_their_place(void **state) {
  (void)state;
  struct call_reading none = {0}, ms = {.unit = "ms"}, other = {.unit = "ms", .latency = "rt"};
  fails("", &ms, "t.csv:1:1: the file is empty");
  fails("Latency,a\n", &ms, "t.csv:1:1: a header without a row");
  fails("Latency,a\n1,2\n", &none,
        "t.csv:1:1: found \"Latency\", a column of times without a unit");
  fails("a,b\n1,2\n", &ms, "--latency NAME");
  fails("Latency,a\n1,2\n", &other, "no column is called rt");
  fails("Latency,duration_us\n1,2\n", &ms, "a second column of latencies");
  fails("Latency,a,a_us\n1,2,3\n", &ms, "t.csv:1:11: found \"a_us\", a second column of that call");
  fails("Latency,a\n1,2\n3\n", &ms, "t.csv:3:1: the row has 1 cell, the header 2");
  fails("Latency,a\n1,2\n3,x\n", &ms, "t.csv:3:3: found \"x\", which is no time");
  fails("Latency,a\n1,2\n3,\n", &ms, "which is no time");
  fails("Latency,a\n1,2\n-,2\n", &ms, "which is no time");
  fails("Latency,a\n1,-2\n", &ms, "a negative time");
  fails("Latency,a\n1,99999999999\n", &ms, "above 2^50 ns");
  fails("Latency,\"a\n1,2\n", &ms, "a quote is opened");
}

/* Cut off anywhere it is read or refused. */
static void test_every_cut_returns(void **state) {
  (void)state;
  static const char text[] = "Latency,\"a\"\"b\",v\n1,2,x\n\n3,4.5,\"y\"\n";
  struct call_reading ms = {.unit = "ms"};
  for (size_t length = 0; length < sizeof text; length++) {
    char cut[sizeof text] = {0};
    memcpy(cut, text, length);
    struct call_table table;
    enum status status = tables_read(&table, cut, &ms);
    assert_true(status == STATUS_OK || tables_said[0] != '\0');
    call_table_clear(&table);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_columns_are_latency_calls_and_labels),
      cmocka_unit_test(test_mistakes_name_their_place),
      cmocka_unit_test(test_every_cut_returns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
