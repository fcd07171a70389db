/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* syscall, O_PATH */
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
enum { NATIVE = AUDIT_ARCH_X86_64 };
#elif defined __aarch64__
enum { NATIVE = AUDIT_ARCH_AARCH64 };
#elif defined __riscv && __riscv_xlen == 64
enum { NATIVE = AUDIT_ARCH_RISCV64 };
#else
enum { NATIVE = 0 };
#endif

/* As the kernel numbers them: headers of Linux 6.1 end with the one before. */
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)

/* What the kernel's version of Landlock can forbid, of all that changes a file or a folder. */
static __u64 writing(long version) {
  __u64 all = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (version >= 2)
    all |= LANDLOCK_ACCESS_FS_REFER;
  return version >= 3 ? all | ACCESS_TRUNCATE : all;
}

static bool permit_null(int rules, __u64 handled) {
  int null = open("/dev/null", O_PATH | O_CLOEXEC);
  if (null < 0)
    return false;
  struct landlock_path_beneath_attr beneath = {
      .allowed_access = handled & (LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE),
      .parent_fd = null};
  bool good = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
  close(null);
  return good;
}

static bool confine_files(void) {
  long version =
      syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return false;
  struct landlock_ruleset_attr handled = {.handled_access_fs = writing(version)};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  if (rules < 0)
    return false;
  (void)permit_null(rules, handled.handled_access_fs); /* otherwise that is not written either */
  bool good = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return good;
}

/* Sockets come from socket(2), and from rings that are asked for one. Another architecture's calls have other numbers, and
 * the 32-bit numbers of x86-64 (x32) a bit of their own: all of these fail. */
static bool confine_network(void) {
  enum { X32 = 0x40000000 };
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  return NATIVE != 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

int confine_thread(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return 0;
  int taken = confine_files() ? CONFINED_FILES : 0;
  return confine_network() ? taken | CONFINED_NETWORK : taken;
}
