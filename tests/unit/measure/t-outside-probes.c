/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/outside/probes.h"
#include "measure/outside/program.h"
#include "measure/outside/registers.h"
#include "measure/outside/usdt.h"

static char message[600];

static bool read_text(struct outside_probes *probes, const char *text, size_t length) {
  *probes = (struct outside_probes){0};
  struct tree_node *tree = tree_parse(text, length, message, sizeof message);
  bool good = tree != NULL && probes_read(probes, tree, message, sizeof message);
  tree_free(tree);
  return good;
}

static void test_file(void **state) {
  (void)state;
  struct outside_probes probes;
  static const char text[] =
      "messages: {x: 1}\n"
      "probes:\n"
      "  flush.begin: {uprobe: \"/bin/postgres:XLogFlush\", read: {lsn: arg1}}\n"
      "  put.end: {uretprobe: '/bin/etcd:a/b.(*T).Put', abi: go, read: {g: goroutine, e: ret2}}\n"
      "  place: {uprobe: \"/bin/x+0x1234 build-id=0123ab\"}\n"
      "  inner: {uprobe: \"/bin/x:f+16\"}\n"
      "  usdt: {usdt: \"/bin/x:postgresql:transaction__start\", read: {xid: arg1 u32}}\n"
      "  in: {syscall: fdatasync, read: {fd: arg1}}\n"
      "  out: {syscall.exit: fdatasync, read: {result: ret}}\n"
      "  switch: {tracepoint: \"sched:sched_switch\", read: {prev: prev_pid, n: \"string(comm, "
      "16)\"}}\n";
  if (!read_text(&probes, text, sizeof text - 1))
    fail_msg("%s", message);
  assert_int_equal(8, probes.list.count);
  const struct outside_site *site = probes.sites.data;
  assert_string_equal("flush.begin", probes.list.data[0].name);
  assert_string_equal("/bin/postgres", site[0].path);
  assert_string_equal("XLogFlush", site[0].symbol);
  assert_int_equal(3, site[0].line);
  assert_true(site[1].go && site[1].kind == SITE_URETPROBE);
  assert_string_equal("a/b.(*T).Put", site[1].symbol);
  assert_int_equal(READ_GOROUTINE, site[1].read[0].value.base);
  assert_int_equal(2, site[1].read[1].value.number);
  assert_int_equal(OUTSIDE_SIGNED, probes.list.data[1].field[1].kind);
  assert_null(site[2].symbol);
  assert_int_equal(0x1234, site[2].offset);
  assert_string_equal("0123ab", site[2].build_id);
  assert_string_equal("f", site[3].symbol);
  assert_int_equal(16, site[3].offset);
  assert_string_equal("transaction__start", site[4].name);
  assert_int_equal(SITE_SYSCALL_EXIT, site[6].kind);
  assert_string_equal("sched_switch", site[7].name);
  assert_int_equal(OUTSIDE_TEXTS, probes.list.data[7].field[1].kind);
  probes_clear(&probes);
}

static void refuse(const char *probe, const char *what) {
  struct outside_probes probes;
  char text[6000];
  snprintf(text, sizeof text, "probes:\n  good: {syscall: read}\n  %s\n", probe);
  if (read_text(&probes, text, strlen(text)))
    fail_msg("taken: %s", probe);
  if (strncmp(message, "line 3: ", 8) != 0 || strstr(message, what) == NULL)
    fail_msg("%s: %s", probe, message);
  assert_int_equal(0, probes.list.count);
}

static void test_socket_mistakes(void **state) {
  (void)state;
  refuse("a: {socket.send: 80, read: {x: arg1}}", "of a socket can be read: bytes");
  refuse("a: {socket.send: 80, read: {x: seq}}", "of a socket can be read: bytes");
  refuse("a: {socket.send: 0}", "from 1 to 65535");
  refuse("a: {socket.receive: http}", "from 1 to 65535");
  refuse("a: {socket.receive: tcp 0}", "from 1 to 65535");
  refuse("a: {socket.receive: unix run.sock}", "from 1 to 65535");
  refuse("a: {socket.send: udp 53, read: {x: begins}}", "only TCP has positions");
  refuse("a: {socket.send: 80, read: {x: data}}", "of a message can be read");
  refuse("a: {socket.send: 80, read: {x: '*(data-4) u32'}}", "of a message can be read");
  refuse("a: {socket.send: 80, read: {x: '*(*(data)+4)'}}", "of a message can be read");
  refuse("a: {socket.send: 80, read: {x: 'string(bytes, 8)'}}", "of a socket can be read");
  refuse("a: {socket.send: 80, read: {begun: bytes}}", "begun is when the call began");
}

static void test_mistakes(void **state) {
  (void)state;
  refuse("a: {syscall: read, read: {x: arg7}}", "no such argument");
  refuse("a: {syscall: read, read: {x: arg0}}", "numbered from 1");
  refuse("a: {syscall: read, read: {x: ret}}", "no result yet");
  refuse("a: {syscall.exit: read, read: {x: arg7}}", "first six arguments");
  refuse("a: {uretprobe: \"/x:f\", abi: go, read: {x: arg1}}", "arguments are gone");
  refuse("a: {syscall: read, read: {x: fd}}", "only tracepoints have fields");
  refuse("a: {tracepoint: 'a:b', read: {x: arg1}}", "fields by name");
  refuse("a: {uprobe: '/x:f', read: {x: goroutine}}", "add abi: go");
  refuse("a: {uprobe: '/x:f', read: {t: begun}}", "when a call began");
  refuse("a: {uretprobe: '/x:f', read: {x: ret2}}", "only Go has several results");
  refuse("a: {uprobe: '/x:f', read: {x: '*(arg1'}}", "a bracket is not closed");
  refuse("a: {uprobe: '/x:f', read: {x: '*(*(*(*(*(arg1)))))'}}", "at most 4 pointers");
  refuse("a: {uprobe: '/x:f', read: {x: arg1 u31}}", "a type that is none of");
  refuse("a: {uprobe: '/x:f', read: {x: 'string(arg1)'}}", "write string(");
  refuse("a: {uprobe: '/x:f', read: {x: 'string(arg1, 300)'}}", "write string(");
  refuse("a: {uprobe: '/x:f', read: {x: 'arg1+'}}", "no number behind");
  refuse("a: {uprobe: '/x:f', read: {x: 'string(arg1, 200)', y: 'string(arg2, 200)'}}",
         "texts of more than 256 bytes");
  refuse("a: {uprobe: '/x:f', read: arg1}", "names and values");
  refuse("a: {uprobe: '/x:f', read: {1: arg1}}", "name a field");
  refuse("a: {uprobe: '/x:f', read: {a: arg1, b: arg1, c: arg1, d: arg1, e: arg1, f: arg1, g: arg1,"
         " h: arg1, i: arg1}}",
         "at most 8 fields");
  refuse("a: {uprobe: 'x:f'}", "write uprobe: \"/PATH:SYMBOL\"");
  refuse("a: {uprobe: '/x'}", "write uprobe: \"/PATH:SYMBOL\"");
  refuse("a: {uprobe: '/x+0x12'}", "add build-id=ID");
  refuse("a: {uprobe: '/x+0x12 build-id=zz'}", "hexadecimal");
  refuse("a: {uretprobe: '/x:f+0x12'}", "leave out the offset");
  refuse("a: {usdt: '/x:y'}", "/PATH:PROVIDER:NAME");
  refuse("a: {tracepoint: sched}", "GROUP:NAME");
  refuse("a: {tracepoint: '../x:y'}", "GROUP:NAME");
  refuse("a: {syscall: 'a b'}", "one system call");
  refuse("a: {syscall: read, abi: go}", "abi: go is all");
  refuse("a: {uprobe: '/x:f', abi: rust}", "abi: go is all");
  refuse("a: {syscall: read, children: no}", "children: no is all");
  refuse("a: {uprobe: '/x:f', children: yes}", "children: no is all");
  refuse("a: {syscall: read, syscall.exit: read}", "a probe has one of");
  refuse("a: {read: {x: arg1}}", "a probe has one of");
  refuse("a: {kprobe: f}", "unknown key \"kprobe\"");
  refuse("a: f", "a probe has one of");
  refuse("'a b': {syscall: read}", "name a probe");
  refuse("good: {syscall: read}", "stands above already");
  char deep[400] = "a: {uprobe: '/x:f', read: {x: '";
  for (unsigned i = 0; i < 150; i++)
    strcat(deep, "*(");
  strcat(deep, "'}}");
  refuse(deep, "too long");
}

static void test_none(void **state) {
  (void)state;
  struct outside_probes probes;
  assert_false(read_text(&probes, "steps: 1\n", 9));
  assert_non_null(strstr(message, "no probes"));
  assert_false(read_text(&probes, "probes: {}\n", 11));
  assert_non_null(strstr(message, "no probes"));
}

/* Any bytes: probes, or one line with its place. */
static void test_any(void **state) {
  (void)state;
  static const char good[] = "probes:\n  a: {uprobe: \"/x:f\", read: {i: \"*(arg1+8) u32\", s: "
                             "\"string(arg2, arg3, 9)\"}}\n  b: {syscall: read}\n";
  srand(3);
  unsigned taken = 0;
  for (unsigned i = 0; i < 20000; i++) {
    char bytes[sizeof good];
    struct outside_probes probes;
    memcpy(bytes, good, sizeof good);
    for (unsigned k = 0; k < 2; k++)
      bytes[(unsigned)rand() % (sizeof good - 1)] =
          (char)(rand() % 2 ? rand() : "{}():,+*019 argstu\n"[rand() % 19]);
    message[0] = '\0';
    bool read = read_text(&probes, bytes, sizeof good - 1);
    taken += read;
    assert_true(read ? probes.list.count > 0 : strncmp(message, "line ", 5) == 0);
    assert_null(strchr(message, '\n'));
    probes_clear(&probes);
  }
  assert_true(taken > 100 && taken < 19900);
}

static void test_usdt(void **state) {
  (void)state;
  struct usdt_arguments all;
  usdt_parse(&all, "-4@%edi 8@-16(%rbp) 4@$-7 1@%r8b 8@(%rax) 8@x(%rip) 4@4(%rax,%rbx,2) 3@%eax");
  const struct usdt_argument *a = all.argument;
  assert_int_equal(8, all.count);
  assert_true(a[0].kind == USDT_REGISTER && a[0].place == PLACE_DI && a[0].width == 4 &&
              a[0].has_sign);
  assert_true(a[1].kind == USDT_MEMORY && a[1].place == PLACE_BP && a[1].value == -16 &&
              !a[1].has_sign);
  assert_true(a[2].kind == USDT_NUMBER && a[2].value == -7);
  assert_true(a[3].kind == USDT_REGISTER && a[3].place == PLACE_R8 && a[3].width == 1);
  assert_true(a[4].kind == USDT_MEMORY && a[4].place == PLACE_AX && a[4].value == 0);
  for (unsigned i = 5; i < 8; i++)
    assert_int_equal(USDT_STRANGE, a[i].kind);
  /* no width, though some bits of it are */
  usdt_parse(&all, "4294967297@%eax -9223372036854775808@%eax");
  assert_int_equal(all.count, 2);
  assert_true(a[0].kind == USDT_STRANGE && a[1].kind == USDT_STRANGE);
  usdt_parse(&all, "");
  assert_int_equal(0, all.count);
}

/* --- programs --- */

/* What the instructions of a program do to registers, for those without calls in between: reads of
 * the context are looked for by their place. */
static unsigned loads_of(const bpf_code *code, int offset) {
  unsigned count = 0;
  for (size_t i = 0; i < code->count; i++)
    count += code->data[i].code == (BPF_LDX | BPF_MEM | BPF_DW) &&
             code->data[i].src_reg == BPF_REG_6 && code->data[i].off == offset;
  return count;
}

/* Jumps go forward, to an instruction that is there; the last one ends the program. */
static void check_code(const bpf_code *code) {
  bool second = false;
  for (size_t i = 0; i < code->count; i++) {
    const struct bpf_insn *at = &code->data[i];
    bool jumps = (at->code & 7) == BPF_JMP && at->code != (BPF_JMP | BPF_CALL) &&
                 at->code != (BPF_JMP | BPF_EXIT);
    if (jumps && !second) {
      assert_true(at->off >= 0);
      assert_true(i + 1 + (size_t)at->off < code->count);
    }
    second = !second && at->code == (BPF_LD | BPF_DW | BPF_IMM);
  }
  assert_int_equal(BPF_JMP | BPF_EXIT, code->data[code->count - 1].code);
}

static void check_program(const char *line, int place, unsigned loads) {
  struct outside_probes probes;
  char text[600];
  struct text why = {0};
  struct program_maps maps = {3, 4, 5, 6};
  struct planned_probe planned = {.socket = {14, 12, 1000, 20, 24, 4, 16, 77}};
  vector_push(&planned.calls, (struct begun_call){7, CALL_MESSAGES});
  char format[] = "\tfield:void * sk;\toffset:8;\tsize:8;\tsigned:0;\n"
                  "\tfield:__u16 family;\toffset:16;\tsize:2;\tsigned:0;\n"
                  "\tfield:__u16 protocol;\toffset:18;\tsize:2;\tsigned:0;\n"
                  "\tfield:int ret;\toffset:20;\tsize:4;\tsigned:1;\n"
                  "\tfield:int flags;\toffset:24;\tsize:4;\tsigned:1;\n";
  tracepoint_parse(&planned.tracepoint, format);
  bpf_code code = {0};
  snprintf(text, sizeof text, "probes:\n  a: %s\n", line);
  if (!read_text(&probes, text, strlen(text)))
    fail_msg("%s", message);
  assert_true(program_write(&code, 0, probes.list.data, probes.sites.data, &planned, NULL, &maps,
                            PROGRAM_EVERYWHERE, &why));
  check_code(&code);
  assert_int_equal(loads, loads_of(&code, place));
  for (enum call_form form = CALL_TAKEN;
       probe_plan_has_socket(probes.sites.data) && form <= CALL_MESSAGES; form++) {
    code.count = 0;
    program_write_entry(&code, 0, probes.sites.data, form, &maps, PROGRAM_EVERYWHERE);
    check_code(&code);
  }
  tracepoint_clear(&planned.tracepoint);
  vector_clear(&planned.calls);
  vector_clear(&code);
  probes_clear(&probes);
}

static void test_program(void **state) {
  (void)state;
  check_program("{uprobe: '/x:f', read: {x: arg1}}", PLACE_DI, 1);
  check_program("{uprobe: '/x:f', read: {x: arg4}}", PLACE_CX, 1);
  check_program("{uprobe: '/x:f', read: {x: arg9}}", PLACE_SP, 1);
  check_program("{uretprobe: '/x:f', read: {x: ret}}", PLACE_AX, 1);
  check_program("{uprobe: '/x:f', abi: go, read: {x: arg1, y: arg2}}", PLACE_AX, 1);
  check_program("{uprobe: '/x:f', abi: go, read: {x: arg2}}", PLACE_BX, 1);
  check_program("{uprobe: '/x:f', abi: go, read: {x: arg9}}", PLACE_R11, 1);
  check_program("{uprobe: '/x:f', abi: go, read: {x: goroutine}}", PLACE_R14, 1);
  check_program("{uretprobe: '/x:f', abi: go, read: {x: ret3}}", PLACE_CX, 1);
  check_program("{syscall: read, read: {x: arg1, y: arg3}}", 16, 1);
  check_program("{syscall: read, read: {x: arg1, y: arg3}}", 32, 1);
  check_program("{syscall.exit: read, read: {x: ret}}", 16, 1);
  check_program("{uprobe: '/x:f', read: {x: '*(*(arg1+8)-4) be16', s: 'string(arg1, arg2, 9)'}}",
                PLACE_DI, 2);
  check_program("{socket.send: 80, read: {b: bytes}}", 8, 2);
  check_program("{socket.receive: 80, read: {b: bytes, l: local, r: remote}}", 8, 2);
  check_program("{socket.receive: 80, read: {from: begins, to: ends}}", 8, 4);
  check_program("{socket.send: udp, read: {r: remote, id: '*(data+2) be16', s: 'string(data, 9)'}}",
                8, 2);
  check_program("{socket.send: unix /run/a.sock, read: {s: 'string(data+1, bytes, 9)'}}", 8, 3);
  check_program("{socket.receive: unix @a, read: {r: remote, t: begun}}", 8, 3);
  check_program("{uretprobe: '/x:f', read: {t: begun, x: arg2}}", PLACE_SP, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_socket_mistakes),
      cmocka_unit_test(test_none),
      cmocka_unit_test(test_any),
      cmocka_unit_test(test_usdt),
      cmocka_unit_test(test_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
