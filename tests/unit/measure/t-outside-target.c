/* SPDX-License-Identifier: GPL-3.0-or-later
 * Places of functions, in this program and in one in Go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "measure/outside/bystanders.h"
#include "measure/outside/probe_plan.h"
#include "measure/outside/stepped.h"
#include "measure/outside/target_file.h"

static char self[4096];

/* Found by its name. */
int a_function_to_probe(int x);
__attribute__((noinline)) int a_function_to_probe(int x) {
  return 3 * x + 1;
}

static struct text message;

static enum status find(struct outside_target *target, enum site_kind kind, char *path,
                        char *symbol, bool go) {
  struct outside_site site = {.kind = kind,
                              .path = path,
                              .symbol = symbol,
                              .go = go,
                              .each_return = go && kind == SITE_URETPROBE};
  text_clear(&message);
  return target_find(target, &site, &message);
}

static unsigned char byte_at(const char *path, uint64_t offset) {
  unsigned char byte = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  assert_int_equal(1, pread(file, &byte, 1, (off_t)offset));
  close(file);
  return byte;
}

static void test_symbol(void **state) {
  (void)state;
  struct outside_target target;
  unsigned char bytes[16];
  assert_int_equal(STATUS_OK, find(&target, SITE_UPROBE, self, "a_function_to_probe", false));
  assert_int_equal(1, target.places.count);
  int file = open(self, O_RDONLY | O_CLOEXEC);
  assert_int_equal(16, pread(file, bytes, 16, (off_t)target.places.data[0].offset));
  close(file);
  const unsigned char *code = (const unsigned char *)(uintptr_t)a_function_to_probe;
  assert_memory_equal(bytes, code + stepped_avoid(code, 16, 0), 16);
  /* the same place by offset and build-id, and another build */
  struct outside_site site = {.path = self, .offset = target.places.data[0].offset};
  memcpy(site.build_id, target.build_id, sizeof site.build_id);
  struct outside_target again;
  assert_int_equal(STATUS_OK, target_find(&again, &site, &message));
  assert_int_equal(site.offset, again.places.data[0].offset);
  target_clear(&again);
  site.build_id[0] = site.build_id[0] == 'a' ? 'b' : 'a';
  assert_int_equal(STATUS_DATA, target_find(&again, &site, &message));
  assert_non_null(strstr(text_get(&message), "this is another build"));
  target_clear(&again);
  target_clear(&target);
}

static void refuse(enum site_kind kind, char *path, char *symbol, bool go, enum status status,
                   const char *what) {
  struct outside_target target;
  assert_int_equal(status, find(&target, kind, path, symbol, go));
  if (strstr(text_get(&message), what) == NULL || strstr(text_get(&message), path) == NULL)
    fail_msg("%s", text_get(&message));
  target_clear(&target);
}

static void test_mistakes(void **state) {
  (void)state;
  refuse(SITE_UPROBE, self, "a_function_to_prob", false, STATUS_DATA,
         "the nearest name is a_function_to_probe");
  refuse(SITE_UPROBE, "/no/such/file", "f", false, STATUS_NO_INPUT, "cannot be read");
  refuse(SITE_UPROBE, "/etc/passwd", "f", false, STATUS_DATA, "is no program or library");
  refuse(SITE_UPROBE, "/dev/null", "f", false, STATUS_DATA, "is no program or library");
  refuse(SITE_URETPROBE, "/usr/bin/prometheus", "main.main", false, STATUS_DATA,
         "whose stack moves under a uretprobe: add abi: go");
  struct outside_site site = {.kind = SITE_USDT, .path = self, .group = "a", .name = "b"};
  struct outside_target target;
  text_clear(&message);
  assert_int_equal(STATUS_DATA, target_find(&target, &site, &message));
  assert_non_null(strstr(text_get(&message), "no USDT probe a:b; it has none"));
  target_clear(&target);
}

/* Registers in which something is handed over. */
enum { OF_C = 0xffff & ~(1 << 0 | 1 << 11), OF_GO = 0xffff & ~(1 << 12 | 1 << 13) };

/* How far a probe goes to cost less, and whether it is stepped there. */
static void avoids(const char *bytes, size_t size, bool go, size_t behind, bool still_stepped) {
  const unsigned char *code = (const unsigned char *)bytes;
  assert_int_equal(behind, stepped_avoid(code, size, go ? OF_GO : OF_C));
  assert_int_equal(still_stepped, stepped(code + behind, size - behind));
}
#define AVOIDS(bytes, ...) avoids(bytes, sizeof(bytes) - 1, __VA_ARGS__)

static void test_stepped(void **state) {
  (void)state;
  AVOIDS("\x55\x48\x89\xe5", false, 0, false);     /* push %rbp */
  AVOIDS("\x41\x57\x90", false, 0, false);         /* push %r15 */
  AVOIDS("\x90\xc3", false, 0, false);             /* nop */
  AVOIDS("\xf3\x0f\x1e\xfa\x55", false, 4, false); /* endbr64; push %rbp */
  AVOIDS("\x31\xc0\xc3", false, 0, true);          /* xor %eax, %eax */
  AVOIDS("\x49\x90\xc3", false, 0, true);          /* xchg %rax, %r8 */
  AVOIDS("\x66\xe8\x00\x00\xc3", false, 0, true);  /* a call of 16 bits */
  AVOIDS("\x85\xff\x74\x01\xc3", false, 2, false); /* test %edi, %edi; je */
  AVOIDS("\x89\xf8\x55\xc3", false, 2, false);     /* mov %edi, %eax; push %rbp */
  AVOIDS("\x89\xf8\x55\xc3", true, 0, true);       /* where eax is an argument */
  AVOIDS("\x89\xf7\x55\xc3", false, 0, true);      /* mov %esi, %edi */
  AVOIDS("\x48\x83\xec\x08\x55", false, 0, true);  /* sub $8, %rsp */
  AVOIDS("\x48\x89\x07\x55", false, 0, true);      /* mov %rax, (%rdi) */
  /* what functions in Go begin with: cmp 16(%r14), %rsp; jbe, and with a large frame */
  AVOIDS("\x49\x3b\x66\x10\x76\x7d", true, 4, false);
  AVOIDS("\x49\x3b\x66\x10\x0f\x86\x7d\0\0\0", true, 4, false);
  AVOIDS("\x4c\x8d\x64\x24\xd0\x4d\x3b\x66\x10\x0f\x86\xbc\5\0\0", true, 9, false);
  AVOIDS("\x49\x3b\x66", true, 0, true); /* and no more */
  /* 1: dec-like lea, test, jne 1b behind a mov: only the first is come by once a call */
  AVOIDS("\x89\xf8\x67\x8d\x40\xff\x85\xc0\x75\xf8\xc3", false, 0, true);
  AVOIDS("\x89\xf8\x67\x8d\x40\xff\x85\xc0\x75\x01\xc3", false, 8, false);
  AVOIDS("\x31\xc0\x85\xff\x74\x04\x90\x90\xeb\xfc\xc3", false, 4, false); /* back to behind it */
}

/* What a probe does not read may have changed. */
static void test_kept(void **state) {
  (void)state;
  static const unsigned char code[] = "\x48\x83\xec\x18\x48\x89\xf7\x31\xd2\xe8\0\0\0\0";
  /* sub $24, %rsp; mov %rsi, %rdi; xor %edx, %edx; call */
  assert_int_equal(9, stepped_avoid(code, 14, 0));
  assert_int_equal(9, stepped_avoid(code, 14, 1 << 6)); /* %rsi */
  for (unsigned kept = 0; kept < 16; kept++)
    assert_int_equal(kept == 4 || kept == 7 || kept == 2 ? 0 : 9,
                     stepped_avoid(code, 14, 1u << kept));
  /* movq $0, 8(%rsp); call: a write to memory, which may be read */
  assert_int_equal(
      0, stepped_avoid((const unsigned char *)"\x48\xc7\x44\x24\x08\0\0\0\0\xe8\0\0\0\0", 14, 0));
}

/* A filter sees each call but the one that the kernel hides from it, or has not. */
static void test_seccomp(void **state) {
  (void)state;
  assert_true(seccomp_sees(SYS_getppid));
  struct utsname about;
  int major = 0, minor = 0;
  assert_int_equal(0, uname(&about));
  assert_int_equal(2, sscanf(about.release, "%d.%d", &major, &minor));
  if (major != 6 || minor < 11 || minor > 13) /* mended in 6.14 */
    assert_false(seccomp_sees(335));
}

/* Debian's prometheus, which has lost its symbols. */
static void test_go(void **state) {
  (void)state;
  char path[] = "/usr/bin/prometheus";
  struct outside_target target;
  assert_int_equal(STATUS_OK, find(&target, SITE_UPROBE, path, "main.main", true));
  assert_int_equal(1, target.places.count);
  assert_false(target.places.data[0].stepped);
  uint64_t start = target.places.data[0].offset;
  target_clear(&target);
  assert_int_equal(STATUS_OK, find(&target, SITE_URETPROBE, path, "main.main", true));
  assert_true(target.places.count > 0);
  for (size_t i = 0; i < target.places.count; i++) {
    assert_true(target.places.data[i].offset > start);
    assert_int_equal(0xc3, byte_at(path, target.places.data[i].offset));
  }
  target_clear(&target);
  refuse(SITE_URETPROBE, path, "main.main", false, STATUS_DATA, "add abi: go");
  refuse(SITE_UPROBE, path, "main.mai", true, STATUS_DATA, "the nearest name is main.main");
}

static void copy(const char *to) {
  char command[9000];
  snprintf(command, sizeof command, "cp -f '%s' '%s'", self, to);
  assert_int_equal(0, system(command));
}

/* The file that was looked at stays the one that is probed, whatever has its name by then; one that
 * was written meanwhile is seen to be. */
static void test_replaced(void **state) {
  (void)state;
  char folder[] = "/tmp/outside-target-XXXXXX", path[64], other[64], reached[TARGET_PATH];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/program", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  copy(path);
  struct outside_target target;
  struct target_files *files = target_files_new();
  struct outside_site site = {.path = path, .symbol = "a_function_to_probe"};
  text_clear(&message);
  assert_int_equal(STATUS_OK, target_find_in(&target, &site, files, &message));
  unsigned char byte = byte_at(path, target.places.data[0].offset);
  FILE *file = fopen(other, "we");
  assert_non_null(file);
  fputs("another one", file);
  assert_int_equal(0, fclose(file));
  assert_int_equal(0, rename(other, path));
  target_path(reached, &target);
  assert_int_equal(byte, byte_at(reached, target.places.data[0].offset));
  assert_null(target_files_changed(files));
  file = fopen(reached, "r+e");
  assert_non_null(file);
  assert_int_equal(0, ftruncate(fileno(file), 100));
  assert_int_equal(0, fclose(file));
  assert_ptr_equal(target.file, target_files_changed(files));
  target_clear(&target);
  target_files_free(files);
  unlink(path);
  rmdir(folder);
}

static void test_format(void **state) {
  (void)state;
  struct tracepoint tracepoint = {0};
  char format[] = "name: x\nID: 3\nformat:\n"
                  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
                  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
                  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                  "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
                  "\tfield:broken\n\nprint fmt: \"x\"\n";
  tracepoint_parse(&tracepoint, format);
  assert_int_equal(4, tracepoint.fields.count);
  assert_true(tracepoint_field(&tracepoint, "prev_comm")->is_array);
  assert_int_equal(24, tracepoint_field(&tracepoint, "prev_pid")->offset);
  assert_true(tracepoint_field(&tracepoint, "prev_pid")->has_sign);
  assert_true(tracepoint_field(&tracepoint, "name")->is_elsewhere);
  assert_null(tracepoint_field(&tracepoint, "fmt"));
  tracepoint_clear(&tracepoint);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_symbol),  cmocka_unit_test(test_stepped),  cmocka_unit_test(test_kept),
      cmocka_unit_test(test_seccomp), cmocka_unit_test(test_mistakes), cmocka_unit_test(test_go),
      cmocka_unit_test(test_format),  cmocka_unit_test(test_replaced),
  };
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    return 70;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  text_clear(&message);
  return failed;
}
