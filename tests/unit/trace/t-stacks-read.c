/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trace/stacks/frame.h"
#include "trace/stacks/known.h"
#include "trace/stacks/read.h"
#include "trace/stacks/write.h"

static enum status add(struct stack_profile *profile, const char *text,
                       const struct stack_reading *reading, struct text *message) {
  return stack_profile_read_bytes(profile, (struct slice){text, strlen(text)}, "f", reading,
                                  message);
}

/* What the folded stacks are that are read from `text`. */
static void check(const char *text, const struct stack_reading *reading, bool marks,
                  const char *folded) {
  struct stack_profile profile;
  struct text message = {0}, written = {0};
  stack_profile_init(&profile);
  assert_int_equal(add(&profile, text, reading, &message), STATUS_OK);
  stack_write_folded(&profile, marks, &written);
  assert_string_equal(text_get(&written), folded);
  text_clear(&written);
  stack_profile_clear(&profile);
}

static void refuse(const char *text, const char *complaint) {
  struct stack_profile profile;
  struct text message = {0};
  stack_profile_init(&profile);
  assert_int_equal(add(&profile, text, NULL, &message), STATUS_DATA);
  assert_non_null(strstr(text_get(&message), complaint));
  text_clear(&message);
  stack_profile_clear(&profile);
}

static void test_frames_and_nodes_are_kept_once(void **state) {
  (void)state;
  struct stack_profile profile;
  stack_profile_init(&profile);
  uint32_t node = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    struct stack_frame frame = {.function = i % 100, .offset = i / 500};
    uint32_t number = stack_profile_frame(&profile, &frame);
    assert_int_equal(number, i % 100 + i / 500 * 100);
    uint32_t next = stack_profile_node(&profile, node, number);
    assert_int_equal(stack_profile_node(&profile, node, number), next);
    node = next;
  }
  assert_int_equal(profile.frames.count, 200);
  assert_int_equal(profile.nodes.count, 1001);
  stack_profile_add(&profile, node, UINT64_MAX - 1);
  stack_profile_add(&profile, 1, 5);
  assert_true(profile.total == UINT64_MAX && profile.nodes.data[1].own == 5);
  stack_profile_clear(&profile);
}

static void test_folded(void **state) {
  (void)state;
  check("b;c 1\na 2\na;x 3\na:b 4\nb;c 10\n", NULL, false, "a 2\na:b 4\na;x 3\nb;c 11\n");
  check("a b;c d 7\r\n\n# a comment\nmain;f_[k] 1", NULL, true, "a b;c d 7\nmain;f_[k] 1\n");
  check("main;f_[k] 1\nmain;g_[i]_[j] 1\n", NULL, false, "main;f 1\nmain;g_[i] 1\n");
  check(" 3\na;;b 1\n", NULL, false, " 3\na;[unknown];b 1\n");
  check("a;b;c 1\na;b 2\na;b;c 4\na;bc 8\n", NULL, false, "a;b 2\na;b;c 5\na;bc 8\n");
  check("", NULL, false, "");
}

/* Files one after another give the sums of all, whether lines of files before are known or not, in
 * any order, and when there is no room to keep them. */
static void test_folded_of_a_fleet(void **state) {
  (void)state;
  static const char *const files[] = {
      "a;b 1\na;b;c 2\na;d 4\n", "a;b 8\na;c 1\na;d 2\na;e 4\n", "z 1\na;d 2\na;b 4\na 8\n",
      "a 1\na;b;c 2\na;b;c;x 4\na;e 8\nb 1\nz 2\n", "a;b 1\na;b 1\n"};
  for (size_t most = 0; most <= 64; most += 8) {
    struct stack_profile profile;
    struct text message = {0}, written = {0};
    struct stack_known known = {.most = most};
    const struct stack_reading reading = {.known = &known};
    stack_profile_init(&profile);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
      assert_int_equal(add(&profile, files[i], &reading, &message), STATUS_OK);
    stack_write_folded(&profile, false, &written);
    assert_string_equal(text_get(&written), "a 9\na;b 15\na;b;c 4\na;b;c;x 4\na;c 1\na;d 8\n"
                                            "a;e 12\nb 1\nz 3\n");
    assert_int_equal(profile.total, 57);
    assert_true(known.texts.length <= most);
    text_clear(&written);
    stack_known_clear(&known);
    stack_profile_clear(&profile);
  }
}

static void test_folded_that_is_none(void **state) {
  (void)state;
  refuse("a;b 1\na;b\n", "f:2: no whole number");
  refuse("a;b 1.5\n", "f:1: 1.5 is no whole number; if it is a time say its unit: --weight ms");
  refuse("a;b 18446744073709551616\n", "f:1: the number is too large");
  refuse("a;b 1.5.5\n", "f:1: no whole number");
  refuse("a;b .\n", "f:1: no whole number");
}

static const char perf[] = "# a heading\n"
                           "my prog 12/13 [001] 100.000002: 250 cycles:u: \n"
                           "\t  4f4f inner(int, (anonymous namespace)::t)+0x3d (/usr/lib/a.so)\n"
                           "\t   d78 outer->part->deep (/usr/lib/a.so)\n"
                           "\t   d79 [unknown] (/opt/b.so (deleted))\n"
                           "\t   d80 [unknown] ([unknown])\n"
                           "\t   d81 (gone) (/usr/lib/a.so)\n"
                           "\n"
                           "my prog 12/13 [001] 100.000001: 50 cycles:u: \n"
                           "\tffff f;g\"h' ([kernel.kallsyms])\n"
                           "\n"
                           "my prog 12/13 [001] 100.000003: 9 faults: \n"
                           "\tffff other ([kernel.kallsyms])\n"
                           "\n"
                           "java 12 [001] 100.000004: 7 cycles:u: \n"
                           "\t  1 Lorg/a/B;::c (/tmp/perf-12.map)\n"
                           "\t  2 net/http.(*Client).Do (/usr/bin/x)\n"
                           "\n"
                           "swapper 0 [001] 100.1: PERF_RECORD_LOST lost 12\n"
                           "\n"
                           "java 12 [001] 100.000005: 7 cycles:u: \n"
                           "\t  1 Lorg/a/B;::cut_off (/tmp/perf-12.map)\n";

static void test_perf_script(void **state) {
  (void)state;
  struct stack_reading cycles = {.event = "cycles:u"};
  check(perf, &cycles, false,
        "java;net/http.(*Client).Do;org/a/B:::c 7\n"
        "my_prog;[unknown];[b.so];outer;part_[i];deep_[i];inner 250\n"
        "my_prog;f:gh 50\n");
  struct stack_reading threads = {
      .first = STACK_FIRST_THREAD, .addresses = true, .event = "cycles:u"};
  check(perf, &threads, true,
        "java-?/12;net/http.(*Client).Do;org/a/B:::c_[j] 7\n"
        "my_prog-12/13;[unknown <d80>];[b.so <d79>];outer;part_[i];deep_[i];inner 250\n"
        "my_prog-12/13;f:gh_[k] 50\n");
}

/* Instances of a template are told apart where names are wanted whole; Debian's kernel is one. */
static void test_perf_script_whole_names(void **state) {
  (void)state;
  static const char text[] =
      "w 1 1.1: 1 c:\n\t 1 std::function<void (int)>::call(int) const+0x1 (/a)\n\n"
      "w 1 1.2: 1 c:\n\t 1 std::function<void (char)>::call(char) const+0x1 (/a)\n\n"
      "w 1 1.3: 1 c:\n\t f entry (/usr/lib/debug/boot/vmlinux-6.1.0-13-amd64)\n\n";
  struct stack_reading whole = {.signatures = true};
  check(text, NULL, true, "w;entry_[k] 1\nw;std::function<void  2\n");
  check(text, &whole, true,
        "w;entry_[k] 1\nw;std::function<void (char)>::call(char) const 1\n"
        "w;std::function<void (int)>::call(int) const 1\n");
}

/* The same lines again: a class of Java loses its L in Java only, and stacks share outer frames. */
static void test_perf_script_repeats(void **state) {
  (void)state;
  static const char text[] =
      "java 12 1.1: 1 c:\n\t 1 La/B (/usr/bin/x)\n\t 2 c->d (/usr/bin/x)\n\n"
      "prog 13 1.2: 1 c:\n\t 1 La/B (/usr/bin/x)\n\t 2 c->d (/usr/bin/x)\n\n"
      "java 12 1.3: 1 c:\n\t 1 La/B (/usr/bin/x)\n\t 2 c->d (/usr/bin/x)\n\n"
      "java 12 1.4: 1 c:\n\t 2 c->d (/usr/bin/x)\n\n"
      "java 12 1.5: 1 c:\n\n"
      "prog 13 1.6: 1 c:\n\t 1 La/B (/usr/bin/x)\n\t 1 La/B (/usr/bin/x)\n\n";
  check(text, NULL, false,
        "java 1\njava;c;d_[i] 1\njava;c;d_[i];a/B 2\nprog;La/B;La/B 1\nprog;c;d_[i];La/B 1\n");
}

static void test_perf_script_has_moments(void **state) {
  (void)state;
  struct stack_profile profile;
  struct text message = {0};
  struct stack_reading cycles = {.event = "cycles:u"};
  stack_profile_init(&profile);
  assert_int_equal(add(&profile, perf, &cycles, &message), STATUS_OK);
  assert_int_equal(profile.samples.count, 3);
  assert_int_equal(profile.samples.data[0].time, 100000001000);
  assert_int_equal(profile.samples.data[0].weight, 50);
  assert_int_equal(profile.samples.data[2].time, 100000004000);
  assert_int_equal(profile.start, 100000001000);
  assert_int_equal(profile.threads.count, 2);
  assert_int_equal(profile.threads.data[0].process, 12);
  assert_int_equal(profile.threads.data[0].thread, 13);
  assert_int_equal(profile.threads.data[0].weight, 300);
  assert_int_equal(profile.unit, STACK_PERIODS);
  assert_int_equal(profile.count, 3);
  assert_int_equal(profile.lost, 12);
  assert_string_equal(names_text(&profile.names, profile.event), "cycles:u");
  stack_profile_clear(&profile);
}

/* None of several events is left out in silence. */
static void test_perf_script_of_several_events(void **state) {
  (void)state;
  static const char hybrid[] = "work 10 1.1: 1000 cpu_core/cycles/:\n\t 1 p (/w)\n\n"
                               "work 10 1.2: 9000 cpu_atom/cycles/:\n\t 1 e (/w)\n\n"
                               "work 10 1.3: 9000 cpu_atom/cycles/:\n\t 1 e (/w)\n\n";
  struct stack_reading atom = {.event = "cpu_atom/cycles/"};
  refuse(hybrid,
         "several events, which are not added up: cpu_core/cycles/ (1), cpu_atom/cycles/ (2)");
  check(hybrid, &atom, false, "work;e 18000\n");
  struct stack_profile profile;
  struct text message = {0};
  struct stack_reading none = {.event = "faults"};
  stack_profile_init(&profile);
  assert_int_equal(add(&profile, hybrid, &none, &message), STATUS_DATA);
  assert_non_null(strstr(text_get(&message), "no sample of --event faults, but of cpu_core"));
  text_clear(&message);
  stack_profile_clear(&profile);
}

/* Arguments of a tracepoint are no weights. */
static void test_perf_script_of_tracepoints(void **state) {
  (void)state;
  static const char stacks[] =
      "redis 12 [000] 1.1: sched:sched_switch: prev=a ==> next_prio=120\n\t 1 schedule "
      "([kernel.kallsyms])\n\n"
      "redis 12 [000] 1.2: 1 sched:sched_switch: prev=a ==> next_prio=120\n\t 1 schedule "
      "([kernel.kallsyms])\n\n";
  check(stacks, NULL, false, "redis;schedule 2\n");
  refuse("redis  12 [000]   1.1: raw_syscalls:sys_exit: NR 0 = 512\n"
         "redis  12 [000]   1.2: raw_syscalls:sys_exit: NR 1 = 5\n",
         "f: its samples have no stacks, only one line each; record with `perf record -g`");
  refuse("            work 12 1.1:     250 cycles:u:  4f10 hash+0x1 (/usr/bin/w)\n",
         "have no stacks");
  refuse("work 12 1.1:     250 cycles:u:  4f10 hash+0x1 (/usr/bin/w)\n"
         "work 12 1.2:     250 cycles:u:  4f10 hash+0x1 (/usr/bin/w)\n",
         "have no stacks");
  check(" instruction trace error type 1 time 45.7 cpu 0 code 8: Lost trace data\n"
        "zeek 2/2 [000] 45.7: 1 branches:u: \n\t 4010 f+0x10 (/usr/bin/zeek)\n\n",
        NULL, false, "zeek;f 1\n");
}

/* Each is refused by its name, and nothing of it becomes a function. */
static void test_other_forms(void **state) {
  (void)state;
  refuse("a;b 10 20\na;c 30 10\n", "two numbers behind each stack, as difffolded.pl");
  check("a;b 10 20\na;c 30\n", NULL, false, "a;b 10 20\na;c 30\n");
  check("\xef\xbb\xbfmain;f 1\n", NULL, false, "main;f 1\n");
  check("{main};f 1\n[unknown];g 2\n<module>;h 3\n", NULL, false,
        "<module>;h 3\n[unknown];g 2\n{main};f 1\n");
  static const struct {
    const char *text, *complaint;
  } others[] = {
      {"PERFILE2h\1", "f: is a recording of perf (perf.data); print it: perf script -i f "},
      {"\x7f"
       "ELF\2\1\1",
       "is a program"},
      {"\xff\xfem;f 1\n", "UTF-16"},
      {"\4\b{\n:", "stackprof"},
      {"{\"head\":{\"functionName\":\"(root)\",\"hitCount\":0}}", "V8 with a tree below `head`"},
      {"{\"recording\":{\"events\":[]}}", "print it without --json"},
      {"[\n {\"ph\":\"B\"}]", "trace of Chrome"},
      {" {\"a\": 1}", "is JSON with the keys \"a\", and holds no sampled stacks"},
      {"latency_ms\n1\n", "give it to: tailproof percentiles"},
      {"# callgrind format\nversion: 1\n", "callgrind"},
      {"version: 1\ncreator: callgrind-3.19.0\n", "callgrind"},
      {"events: Instructions\nfn=main\n1 16\n", "callgrind"},
      {"positions: instr line\nevents: cpu(ms)\n\nob=(1) /a\nfn=(1) main\n", "callgrind"},
      {"--- contentionz 1 ---\n", "is a profile of gperftools"},
      {"heap profile:  1:  2 [ 3: 4] @ heapprofile\n", "gperftools"},
      {"<?xml version=\"1.0\"?>\n", "XML"},
      {"# To display the perf.data header info, please use\n", "perf report"},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    refuse(others[i].text, others[i].complaint);
}

static void test_perf_script_without_samples(void **state) {
  (void)state;
  refuse("prog 12 [001] 1.5: cycles:\n\t 1 f (/a)\n",
         "f: no empty line stands behind its only sample");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frames_and_nodes_are_kept_once),
      cmocka_unit_test(test_folded),
      cmocka_unit_test(test_folded_of_a_fleet),
      cmocka_unit_test(test_folded_that_is_none),
      cmocka_unit_test(test_perf_script),
      cmocka_unit_test(test_perf_script_repeats),
      cmocka_unit_test(test_perf_script_whole_names),
      cmocka_unit_test(test_perf_script_has_moments),
      cmocka_unit_test(test_perf_script_without_samples),
      cmocka_unit_test(test_perf_script_of_several_events),
      cmocka_unit_test(test_perf_script_of_tracepoints),
      cmocka_unit_test(test_other_forms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
