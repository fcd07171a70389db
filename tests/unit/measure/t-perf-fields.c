/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "measure/outside/perf_fields.h"

static char message[600];

/* Of the only probe of a file, "a", at a tracepoint with these fields. */
static enum status make(struct perf_reading *reading, const char *line, char *why, size_t size) {
  struct outside_probes probes = {0};
  struct text file = {0}, text = {0};
  struct planned_probe planned = {0};
  struct target_place place = {.arguments = {3,
                                             {{USDT_REGISTER, 4, true, 40 /* BX */, 0},
                                              {USDT_NUMBER, 8, false, 0, 7},
                                              {USDT_MEMORY, 8, false, 152, 16}}}};
  char format[] = "\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n"
                  "\tfield:char comm[8];\toffset:12;\tsize:8;\tsigned:0;\n"
                  "\tfield:__data_loc char[] name;\toffset:20;\tsize:4;\tsigned:0;\n";
  tracepoint_parse(&planned.tracepoint, format);
  text_format(&file, "probes:\n  a: %s\n", line);
  struct tree_node *tree = tree_parse(text_get(&file), file.length, message, sizeof message);
  if (tree == NULL || !probes_read(&probes, tree, message, sizeof message))
    fail_msg("%s", message);
  enum status status =
      perf_reading_make(reading, probes.list.data, probes.sites.data, &planned, &place, &text);
  strncpy(why, text_get(&text), size - 1);
  why[size - 1] = '\0';
  text_clear(&file);
  text_clear(&text);
  tree_free(tree);
  probes_clear(&probes);
  tracepoint_clear(&planned.tracepoint);
  return status;
}

static void good(struct perf_reading *reading, const char *line) {
  char why[300];
  if (make(reading, line, why, sizeof why) != STATUS_OK)
    fail_msg("%s", why);
}

/* The words stand where not one behind them may be looked at. */
static bool read_words(struct outside_event *event, const struct perf_reading *reading,
                       const uint64_t *words, size_t count) {
  uint64_t *exact = malloc(count == 0 ? 1 : 8 * count);
  memcpy(exact, words, 8 * count);
  bool whole = perf_sample_read(event, reading, exact, count);
  free(exact);
  return whole;
}

static void test_registers(void **state) {
  (void)state;
  struct perf_reading reading;
  struct outside_event event;
  good(&reading, "{uprobe: '/x:f', read: {a: arg1, b: arg2 i32, c: arg1 be16, d: stack}}");
  assert_int_equal(1 << 4 | 1 << 5 | 1 << 7, reading.registers); /* SI, DI, SP */
  const uint64_t words[] = {9, UINT64_C(12) << 32 | 11, 1000, 2, 0x1fffffffd, 0x1234, 0x7000};
  assert_true(read_words(&event, &reading, words, 7));
  assert_int_equal(11, event.pid);
  assert_int_equal(12, event.tid);
  assert_int_equal(1000, event.time_ns);
  assert_int_equal(15, event.fields);
  assert_int_equal(0x1234, event.field[0]);
  assert_int_equal(-3, (int64_t)event.field[1]);
  assert_int_equal(0x3412, event.field[2]);
  assert_int_equal(0x7008, event.field[3]);
  for (size_t count = 0; count < 7; count++)
    assert_false(read_words(&event, &reading, words, count));
  const uint64_t none[] = {9, 11, 1000, 0};
  assert_true(read_words(&event, &reading, none, 4));
  assert_int_equal(0, event.fields);
}

static void test_go_and_usdt(void **state) {
  (void)state;
  struct perf_reading reading;
  struct outside_event event;
  good(&reading, "{uprobe: '/x:f', abi: go, read: {g: goroutine, a: arg2, l: arg9}}");
  assert_int_equal(1 << 1 | 1 << 19 | 1 << 22, reading.registers); /* BX, R11, R14 */
  const uint64_t words[] = {9, 11, 1000, 2, 1, 2, 3};
  assert_true(read_words(&event, &reading, words, 7));
  assert_int_equal(3, event.field[0]);
  assert_int_equal(1, event.field[1]);
  assert_int_equal(2, event.field[2]);
  good(&reading, "{usdt: '/x:p:n', read: {a: arg1, b: arg2}}");
  const uint64_t usdt[] = {9, 11, 1000, 2, 0xfffffffe};
  assert_true(read_words(&event, &reading, usdt, 5));
  assert_int_equal(-2, (int64_t)event.field[0]);
  assert_int_equal(7, event.field[1]);
}

static void test_tracepoint(void **state) {
  (void)state;
  struct perf_reading reading;
  struct outside_event event;
  uint32_t length;
  unsigned char words[24 + 36 + 4] = {9};
  good(&reading,
       "{tracepoint: 'g:n', read: {n: number, c: 'string(comm, 5)', e: 'string(name, 64)'}}");
  uint32_t size = 36, number = (uint32_t)-5, place = 4 << 16 | 28;
  memcpy(words + 24, &size, 4);
  memcpy(words + 28 + 8, &number, 4);
  memcpy(words + 28 + 12, "abcdefgh", 8);
  memcpy(words + 28 + 20, &place, 4);
  memcpy(words + 28 + 28, "end", 4);
  uint64_t aligned[8];
  memcpy(aligned, words, sizeof aligned);
  assert_true(read_words(&event, &reading, aligned, 8));
  assert_int_equal(7, event.fields);
  assert_int_equal(-5, (int64_t)event.field[0]);
  assert_memory_equal("abcd", outside_text(&event, 1, &length), 4);
  assert_int_equal(4, length);
  assert_memory_equal("end", outside_text(&event, 2, &length), 3);
  assert_int_equal(3, length);
  for (size_t count = 0; count < 8; count++)
    assert_false(read_words(&event, &reading, aligned, count));
  place = 0xffff;
  memcpy((char *)aligned + 28 + 20, &place, 4);
  assert_true(read_words(&event, &reading, aligned, 8));
  assert_int_equal(3, event.fields);
}

/* Words of any content: refused, or fields within what an event holds. */
static void test_any(void **state) {
  (void)state;
  struct perf_reading readings[2];
  unsigned whole = 0, refused = 0;
  good(&readings[0], "{uprobe: '/x:f', read: {a: arg1, b: arg2 i32}}");
  good(&readings[1], "{tracepoint: 'g:n', read: {n: number, c: 'string(comm, 16)', e: "
                     "'string(name, 200)'}}");
  srand(1);
  for (unsigned round = 0; round < 20000; round++) {
    uint64_t words[12];
    struct outside_event event;
    size_t count = (size_t)rand() % 13;
    for (size_t i = 0; i < 12; i++)
      words[i] = (uint64_t)(rand() % 3 == 0 ? rand() : rand() % 96) << (rand() % 2 * 32);
    bool good_words = read_words(&event, &readings[round % 2], words, count);
    whole += good_words;
    refused += !good_words;
    assert_true(event.text_size <= OUTSIDE_TEXT);
    for (uint32_t i = 1; good_words && round % 2 == 1 && i < 3; i++) {
      uint32_t length;
      const uint8_t *text = outside_text(&event, i, &length);
      assert_true(!outside_has(&event, i) || text + length <= event.text + OUTSIDE_TEXT);
    }
  }
  assert_true(whole > 100 && refused > 100);
}

static void refuse(const char *line) {
  struct perf_reading reading;
  char why[300];
  assert_int_equal(STATUS_DATA, make(&reading, line, why, sizeof why));
  assert_non_null(strstr(why, "probe a (line 2): x is read from memory, which only BPF can"));
}

static void test_memory(void **state) {
  (void)state;
  refuse("{uprobe: '/x:f', read: {x: '*(arg1)'}}");
  refuse("{uprobe: '/x:f', read: {x: arg7}}");
  refuse("{uprobe: '/x:f', read: {x: 'string(arg1, 9)'}}");
  refuse("{usdt: '/x:p:n', read: {x: arg3}}");
  refuse("{usdt: '/x:p:n', read: {x: arg4}}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registers),  cmocka_unit_test(test_go_and_usdt),
      cmocka_unit_test(test_tracepoint), cmocka_unit_test(test_any),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
