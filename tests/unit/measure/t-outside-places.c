/* SPDX-License-Identifier: GPL-3.0-or-later
 * At which places of a program a probe may be: exactly where instructions begin. The program is
 * this one, with code that has data in it and jumps over it, as some have that were written by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/outside/stepped.h"
#include "measure/outside/target.h"

static char self[4096];
static struct text message;

/* Each has instructions of known lengths; offsets stand beside them. */
__asm__(
    ".text\n"
    ".type plain_code, @function\nplain_code:\n"
    "  endbr64\n"                  /* 0 */
    "  lea 8(%rdi,%rsi,4), %rax\n" /* 4 */
    "  nopl 0(%rax,%rax,1)\n"      /* 9 */
    "  lock incl (%rdi)\n"         /* 13: no probe of the kernel */
    "  notrack jmp *%rax\n"        /* 16: the same */
    "  ret\n"                      /* 19, which no way leads to */
    ".size plain_code, . - plain_code\n"
    "  .p2align 4\n"
    /* what no way leads to may be data, though it reads like code; a call that jumps over data */
    ".type data_inside, @function\ndata_inside:\n"
    "  jmp 1f\n"                       /* 0 */
    "  .byte 0x90, 0x48, 0x89, 0xd8\n" /* 2 */
    "1: call 2f\n"                     /* 6 */
    "  .ascii \"PQRSTUVW\"\n"          /* 11: pushes */
    "2: pop %rax\n"                    /* 19 */
    "  ret\n"                          /* 20 */
    "  .long 0x00c0ffee\n"             /* 21 */
    ".size data_inside, . - data_inside\n"
    /* a jump into an instruction, behind its prefix, as the C library has */
    ".type into_prefix, @function\ninto_prefix:\n"
    "  test %edi, %edi\n" /* 0 */
    "  je 1f\n"           /* 2 */
    "  .byte 0xf0\n"      /* 4: lock */
    "1: incl (%rsi)\n"    /* 5 */
    "  ret\n"             /* 7 */
    ".size into_prefix, . - into_prefix\n"
    /* bytes that are no instruction */
    ".type not_known, @function\nnot_known:\n"
    "  push %rbx\n"              /* 0 */
    "  .byte 0x0f, 0x04, 0x90\n" /* 1 */
    "  ret\n"                    /* 4 */
    ".size not_known, . - not_known\n"
    /* a symbol in the middle of an instruction of another function */
    ".type outer_code, @function\nouter_code:\n"
    "  movl $0xc3c3c3c3, %eax\n"
    "  ret\n"
    ".size outer_code, . - outer_code\n"
    ".type middle_code, @function\n.set middle_code, outer_code + 1\n.size middle_code, 4\n"
    /* symbols that do not say their size */
    ".type no_size, @function\nno_size:\n  xor %eax, %eax\n  ret\n"
    ".type behind_it, @function\nbehind_it:\n  xor %eax, %eax\n  ret\n"
    ".size behind_it, . - behind_it\n"
    /* a table of jumps, of distances, and filling behind a jump */
    "  .p2align 4\n"
    ".type with_table, @function\nwith_table:\n"
    "  lea 9f(%rip), %rdx\n"                    /* 0 */
    "  movslq (%rdx,%rdi,4), %rax\n"            /* 7 */
    "  add %rdx, %rax\n"                        /* 11 */
    "  jmp *%rax\n"                             /* 14 */
    "  .byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n" /* 16: nop */
    "1: mov $1, %eax\n"                         /* 24 */
    "  ret\n"                                   /* 29 */
    "2: mov $2, %eax\n"                         /* 30 */
    "  ret\n"                                   /* 35 */
    ".size with_table, . - with_table\n"
    ".section .rodata\n"
    "  .p2align 2\n"
    "9: .long 1b - 9b, 2b - 9b, 0x12345678\n"
    ".type in_rodata, @function\nin_rodata: .quad 0x90909090, 0x90909090\n"
    ".size in_rodata, . - in_rodata\n"
    ".text\n");

static enum status ask(enum site_kind kind, char *symbol, uint64_t offset) {
  struct outside_target target;
  struct outside_site site = {.kind = kind, .path = self, .symbol = symbol, .offset = offset};
  text_clear(&message);
  enum status status = target_find(&target, &site, &message);
  target_clear(&target);
  return status;
}

/* Checks offsets 1 to count - 1: accepted are those of the list, which ends with 0. */
static void accepts(char *symbol, uint64_t count, const uint64_t *good) {
  for (uint64_t offset = 1; offset < count; offset++) {
    bool wanted = *good == offset;
    if ((ask(SITE_UPROBE, symbol, offset) == STATUS_OK) != wanted)
      fail_msg("%s+%d: %s %s", symbol, (int)offset, wanted ? "refused:" : "accepted",
               text_get(&message));
    good += wanted;
  }
}
#define ACCEPTS(symbol, count, ...) accepts(symbol, count, (const uint64_t[]){__VA_ARGS__, 0})

static void refuses(enum site_kind kind, char *symbol, uint64_t offset, const char *what) {
  assert_int_equal(STATUS_DATA, ask(kind, symbol, offset));
  if (strstr(text_get(&message), what) == NULL || strchr(text_get(&message), '\n') != NULL)
    fail_msg("%s+%d: %s", symbol, (int)offset, text_get(&message));
}

static void test_inside(void **state) {
  (void)state;
  ACCEPTS("plain_code", 40, 4, 9);
  ACCEPTS("data_inside", 40, 6, 19, 20);
  ACCEPTS("into_prefix", 8, 2, 7);
  ACCEPTS("not_known", 6, 0);
  ACCEPTS("outer_code", 7, 5);
  ACCEPTS("no_size", 6, 2);
  ACCEPTS("with_table", 40, 7, 11, 14, 16, 24, 29, 30, 35);
  refuses(SITE_UPROBE, "plain_code", 5,
          "plain_code+5 is inside an instruction, and a probe there would kill the program; it "
          "begins at plain_code+4 and the next one at plain_code+9; write one of these");
  refuses(SITE_UPROBE, "plain_code", 2, "begins at plain_code and");
  refuses(SITE_UPROBE, "plain_code", 13,
          "puts no probe on (arch/x86/kernel/uprobes.c); take the "
          "next one, plain_code+16");
  refuses(SITE_UPROBE, "plain_code", 20, "behind the function, which has 20 bytes");
  refuses(SITE_UPROBE, "plain_code", UINT64_MAX, "behind the function");
  refuses(SITE_UPROBE, "data_inside", 2,
          "it may be data, which a probe would change; the last "
          "instruction before it is data_inside");
  refuses(SITE_UPROBE, "no_size", 3, "another one begins before it");
  refuses(SITE_UPROBE, "middle_code", 0, "is inside an instruction");
  refuses(SITE_UPROBE, "in_rodata", 0, "no part of the file that is code");
  refuses(SITE_UPROBE, "in_rodata", 8, "no part of the file that is code");
  assert_int_equal(STATUS_OK, ask(SITE_UPROBE, "plain_code", 0));
  assert_int_equal(STATUS_OK, ask(SITE_UPROBE, "into_prefix", 0));
}

/* The same by offset in the file, which needs no symbol. */
static void test_offsets(void **state) {
  (void)state;
  struct outside_target target;
  struct outside_site site = {.kind = SITE_UPROBE, .path = self, .symbol = "outer_code"};
  assert_int_equal(STATUS_OK, target_find(&target, &site, &message));
  uint64_t start = target.places.data[0].offset;
  memcpy(site.build_id, target.build_id, sizeof site.build_id);
  target_clear(&target);
  site.symbol = NULL;
  text_clear(&message);
  for (uint64_t i = 0; i < 6; i++) {
    site.offset = start + i;
    text_clear(&message);
    enum status status = target_find(&target, &site, &message);
    target_clear(&target);
    if (status != (i == 0 || i == 5 ? STATUS_OK : STATUS_DATA))
      fail_msg("%d: %s", (int)i, text_get(&message));
  }
  site.offset = 0x40; /* the program's headers */
  text_clear(&message);
  assert_int_equal(STATUS_DATA, target_find(&target, &site, &message));
  if (strstr(text_get(&message), ": +0x40 is in no part of the file that is code") == NULL)
    fail_msg("%s", text_get(&message));
  target_clear(&target);
  /* a return is waited for where the function begins, and there alone */
  site.kind = SITE_URETPROBE;
  site.offset = start + 5;
  text_clear(&message);
  assert_int_equal(STATUS_DATA, target_find(&target, &site, &message));
  assert_non_null(strstr(text_get(&message), "is not where a function is entered"));
  target_clear(&target);
  site.offset = start;
  assert_int_equal(STATUS_OK, target_find(&target, &site, &message));
  target_clear(&target);
  refuses(SITE_URETPROBE, "_start", 0, "is not where a function is entered");
  assert_int_equal(STATUS_OK, ask(SITE_URETPROBE, "with_table", 0));
}

/* What the kernel refuses; checked by attaching to each on Linux 6.18. */
static void test_refused(void **state) {
  (void)state;
#define REFUSED(bytes) stepped_refused((const unsigned char *)(bytes), sizeof(bytes) - 1, true)
  assert_true(REFUSED("\xc5\xfa\x6f\x07"));                /* vmovdqu (%rdi), %xmm0 */
  assert_true(REFUSED("\xc5\xf9\xef\xc0"));                /* vpxor */
  assert_true(REFUSED("\xf0\xff\x07"));                    /* lock incl */
  assert_true(REFUSED("\x66\x2e\x0f\x1f\x84\0\0\0\0\0"));  /* cs nopw */
  assert_true(REFUSED("\xf4"));                            /* hlt */
  assert_true(REFUSED("\xcc"));                            /* int3 */
  assert_true(REFUSED("\x3e\xff\xe0"));                    /* notrack jmp *%rax */
  assert_true(REFUSED("\x66\xe8\0\0"));                    /* a call of 16 bits */
  assert_true(REFUSED("\x6c"));                            /* insb */
  assert_true(REFUSED("\x48\xcf"));                        /* iretq */
  assert_false(REFUSED("\x66\x0f\x38\x00\xc0"));           /* pshufb */
  assert_false(REFUSED("\xc5\xf8\x77"));                   /* vzeroupper */
  assert_false(REFUSED("\xc5\xf8\x29\x07"));               /* vmovaps */
  assert_false(REFUSED("\xc5\xfd\xd7\xc0"));               /* vpmovmskb */
  assert_false(REFUSED("\xf3\x0f\x1e\xfa"));               /* endbr64 */
  assert_false(REFUSED("\x0f\x1f\x44\0\0"));               /* nopl */
  assert_false(REFUSED("\xf2\xc3"));                       /* bnd ret */
  assert_false(REFUSED("\x64\x48\x8b\x04\x25\x28\0\0\0")); /* mov %fs:0x28, %rax */
  assert_false(REFUSED("\xf3\xaa"));                       /* rep stosb */
  assert_false(REFUSED("\x0f\x05"));                       /* syscall */
#undef REFUSED
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inside),
      cmocka_unit_test(test_offsets),
      cmocka_unit_test(test_refused),
  };
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    return 70;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  text_clear(&message);
  return failed;
}
