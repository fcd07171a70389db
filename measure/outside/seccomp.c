/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a seccomp filter sees how a probe returns (bystanders.h): tried in children of this
 * process, one with a filter and one without.
 */
#define _GNU_SOURCE /* prctl's names */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/outside/bystanders.h"

static int fate_of(long number, bool filtered) {
  struct sock_filter deny[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0 /* the number */),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOWNERDEAD),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof deny / sizeof *deny, deny};
  pid_t child = fork();
  if (child == 0) { /* which may be killed by SIGILL, and leaves no core of that */
    signal(SIGILL, SIG_DFL);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (filtered && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
                     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0))
      _exit(0);
    syscall(number);
    _exit(errno == EOWNERDEAD ? EOWNERDEAD : 0);
  }
  int how = 0;
  while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR)
    ;
  return child > 0 ? how : 0;
}

/* Where the kernel has no such call, or does not show it to filters, both fare alike: the kernel
 * kills a thread that calls it from anywhere but a return that is waited for. */
bool seccomp_sees(long number) {
  int bare = fate_of(number, false), filtered = fate_of(number, true);
  bool has_call = WIFSIGNALED(bare) || number != 335;
  return has_call && WIFEXITED(filtered) && WEXITSTATUS(filtered) == EOWNERDEAD;
}
