/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "measure/outside/event_text.h"

static const struct outside_probe probes[] = {
    {.name = "put",
     .field_count = 3,
     .field = {{"id", OUTSIDE_UNSIGNED}, {"ret", OUTSIDE_SIGNED}, {"key", OUTSIDE_TEXTS}}},
    {.name = "get"},
};

/* What a sink got, as text again. */
struct got {
  struct text text;
  uint64_t count, most;
};

static bool take(void *context, const struct outside_event *event) {
  struct got *got = context;
  event_text_append(&got->text, probes, event);
  return ++got->count < got->most;
}

static enum status read_bytes(struct got *got, struct outside_run *run, const char *bytes,
                              size_t length, struct text *message) {
  char path[] = "/tmp/t-outside-text.XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, bytes, length) == (ssize_t)length);
  close(file);
  struct outside_sink sink = {take, got, NULL};
  enum status status = event_text_read(run, probes, 2, path, &sink, message);
  unlink(path);
  return status;
}

static void check(const char *given, const char *events) {
  struct got got = {.most = UINT64_MAX};
  struct outside_run run;
  struct text message = {0};
  assert_int_equal(STATUS_OK, read_bytes(&got, &run, given, strlen(given), &message));
  assert_string_equal(events, text_get(&got.text));
  text_clear(&got.text);
  text_clear(&message);
}

static void test_lines(void **state) {
  (void)state;
  check("", "");
  check("5 get 1 2", "5 get 1 2\n");
  check(&"# put\n\n 5 get 1 2\r\n6 put 1 2 ret=-3 id=18446744073709551615\n"[8],
        "5 get 1 2\n6 put 1 2 id=18446744073709551615 ret=-3\n");
  check("7 put 1 2 key=\"a \\\"b\\\\ \\x00\\xff=\" id=1\n",
        "7 put 1 2 id=1 key=\"a \\\"b\\\\ \\x00\\xff=\"\n");
  check("7 put 1 2 key=\"\"\n", "7 put 1 2 key=\"\"\n");
  check("9 get 1 2\n7 get 1 3\n9 get 0 0\n8 get 1 2\n",
        "7 get 1 3\n8 get 1 2\n9 get 1 2\n9 get 0 0\n");
}

static void test_run(void **state) {
  (void)state;
  struct got got = {.most = UINT64_MAX};
  struct outside_run run = {.clock = 0xabcdef0123456789, .start_ns = 17};
  struct text file = {0}, message = {0};
  event_text_begin(&file, &run);
  text_append(&file, "20 put 1 1 id=1\n20 put 1 1 id=1 ret=1 key=\"x\"\n");
  run.end_ns = 30;
  run.count[1].lost = 12;
  event_text_end(&file, probes, 2, &run);
  assert_int_equal(STATUS_OK, read_bytes(&got, &run, text_get(&file), file.length, &message));
  assert_int_equal(0xabcdef0123456789, run.clock);
  assert_int_equal(17, run.start_ns);
  assert_int_equal(30, run.end_ns);
  assert_int_equal(2, run.count[0].hits);
  assert_int_equal(1, run.count[0].unread);
  assert_int_equal(0, run.count[0].lost);
  assert_int_equal(12, run.count[1].lost);
  text_clear(&got.text);
  text_clear(&file);
  text_clear(&message);
}

/* A sink that wants no more ends the reading, which is no mistake. */
static void test_enough(void **state) {
  (void)state;
  struct got got = {.most = 2};
  struct outside_run run;
  struct text message = {0};
  const char *lines = "1 get 1 1\n2 get 1 1\n3 get 1 1\n";
  assert_int_equal(STATUS_OK, read_bytes(&got, &run, lines, strlen(lines), &message));
  assert_int_equal(2, got.count);
  text_clear(&got.text);
  text_clear(&message);
}

static void test_long(void **state) {
  (void)state;
  struct got got = {.most = UINT64_MAX};
  struct outside_run run;
  struct text lines = {0}, message = {0};
  for (unsigned i = 0; i < 50000; i++)
    text_format(&lines, "%u get 1 1\n", 1000 * (i ^ 1));
  assert_int_equal(STATUS_OK, read_bytes(&got, &run, text_get(&lines), lines.length, &message));
  assert_int_equal(50000, got.count);
  const char *at = text_get(&got.text);
  for (unsigned i = 0; i < 50000; i++, at = strchr(at, '\n') + 1)
    assert_int_equal(1000 * i, strtoull(at, NULL, 10));
  text_clear(&lines);
  text_clear(&got.text);
  text_clear(&message);
}

static void refuse(const char *bytes, size_t length, const char *where, const char *what) {
  struct got got = {.most = UINT64_MAX};
  struct outside_run run;
  struct text message = {0};
  enum status status = read_bytes(&got, &run, bytes, length, &message);
  if (status != STATUS_DATA)
    fail_msg("taken: %s", bytes);
  if (strstr(text_get(&message), where) == NULL || strstr(text_get(&message), what) == NULL)
    fail_msg("%s", text_get(&message));
  assert_null(strchr(text_get(&message), '\n'));
  text_clear(&got.text);
  text_clear(&message);
}

static void test_mistakes(void **state) {
  (void)state;
#define REFUSE(text, where, what) refuse(text, sizeof(text) - 1, where, what)
  REFUSE("1 get 1 1\nx get 1 1\n", "line 2:", "neither an event");
  REFUSE("1 set 1 1\n", "line 1:", "a probe that the probe file has not");
  REFUSE("1 get 1\n", "line 1:", "no process and thread");
  REFUSE("1x get 1 1\n", "line 1:", "no time");
  REFUSE("1 get 1 1 id=3\n", "line 1:", "a field that the probe does not read");
  REFUSE("1 put 1 1 id\n", "line 1:", "a field that the probe does not read");
  REFUSE("1 put 1 1 id=\n", "line 1:", "without a whole number");
  REFUSE("1 put 1 1 id=-1\n", "line 1:", "without a whole number");
  REFUSE("1 put 1 1 id= 1\n", "line 1:", "without a whole number");
  REFUSE("1 put 1 1 id=1 id=1\n", "line 1:", "a field twice");
  REFUSE("1 put 1 1 id=1x\n", "line 1:", "right behind a value");
  REFUSE("1 put 1 1 key=a\n", "line 1:", "in no quotes");
  REFUSE("1 put 1 1 key=\"a\n", "line 1:", "without its closing quote");
  REFUSE("1 put 1 1 key=\"\\n\"\n", "line 1:", "an escape");
  REFUSE("1 get 1 1\n\0\n", "line 2:", "a NUL");
  REFUSE("lost get\n", "line 1:", "no count");
  REFUSE("end soon\n", "line 1:", "no number");
  char longer[9000];
  memset(longer, '#', sizeof longer);
  refuse(longer, sizeof longer, "line 1:", "more than 8192 bytes");
  char text[400] = "1 put 1 1 key=\"";
  memset(text + strlen(text), 'a', 257);
  strcat(text, "\"\n");
  refuse(text, strlen(text), "line 1:", "more than 256 bytes");
}

static void test_disorder(void **state) {
  (void)state;
  struct text lines = {0};
  text_append(&lines, "5000000000 get 1 1\n");
  for (unsigned i = 0; i < 5000; i++)
    text_append(&lines, "5000000000 get 1 1\n");
  text_append(&lines, "1 get 1 1\n");
  refuse(text_get(&lines), lines.length, "line 5002:", "sort the events by time");
  text_clear(&lines);
}

/* Any bytes: a status, and one line where it is bad. */
static void test_any(void **state) {
  (void)state;
  static const char good[] = "12 put 3 4 id=5 ret=-6 key=\"a\\x00\"\nlost get 3\nend 9\n";
  srand(1);
  for (unsigned i = 0; i < 3000; i++) {
    char bytes[sizeof good];
    struct got got = {.most = UINT64_MAX};
    struct outside_run run;
    struct text message = {0};
    memcpy(bytes, good, sizeof good);
    for (unsigned k = 0; k < 3; k++)
      bytes[(unsigned)rand() % (sizeof good - 1)] =
          (char)(rand() % 2 ? rand() : "0 =\"\n\\"[rand() % 6]);
    enum status status = read_bytes(&got, &run, bytes, sizeof good - 1, &message);
    assert_true(status == STATUS_OK ? message.length == 0
                                    : strstr(text_get(&message), "line ") != NULL);
    text_clear(&got.text);
    text_clear(&message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),    cmocka_unit_test(test_run),
      cmocka_unit_test(test_enough),   cmocka_unit_test(test_long),
      cmocka_unit_test(test_mistakes), cmocka_unit_test(test_disorder),
      cmocka_unit_test(test_any),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
