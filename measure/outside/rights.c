/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* faccessat, AT_EACCESS */
#include "measure/outside/rights.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

enum {
  OF_PERFMON = 38,
  OF_BPF = 39 /* CAP_PERFMON, CAP_BPF: headers before Linux 5.8 lack them */
};

static uint64_t bit(unsigned capability) {
  return UINT64_C(1) << capability;
}

static bool read_own(uint64_t *permitted) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &head, data) != 0)
    return false;
  *permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
  return true;
}

/* What may not be inherited is not kept over exec either, and leaves the ambient set empty. */
static void write_own(uint64_t permitted, uint64_t effective) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
      {.permitted = (uint32_t)permitted, .effective = (uint32_t)effective},
      {.permitted = (uint32_t)(permitted >> 32), .effective = (uint32_t)(effective >> 32)}};
  (void)syscall(SYS_capset, &head, data);
}

static bool may_look_up(int map) {
  unsigned char *values = mem_alloc(1 << 16, 1);
  uint32_t key = 0;
  bool may = map < 0 || bpf_map_lookup_elem(map, &key, values) == 0 || errno != EPERM;
  mem_free(values);
  return may;
}

/* Others' files are replaced and removed by their owner alone where the folder is sticky. */
static bool may_write(const char *path) {
  struct stat about;
  char *folder = mem_copy_text(path, strlen(path)), *end = strrchr(folder, '/');
  if (end != NULL)
    end[end == folder] = '\0';
  bool may = faccessat(AT_FDCWD, end == NULL ? "." : folder, W_OK | X_OK, AT_EACCESS) == 0;
  mem_free(folder);
  if (may && stat(path, &about) == 0)
    return about.st_uid == geteuid();
  return may;
}

/* Those that are kept, and those without which what is to be written is refused; no others, and none by exec. */
static void keep(uint64_t permitted, uint64_t kept, const char *const *written) {
  write_own(permitted, 0);
  for (; *written != NULL; written++)
    if (!may_write(*written))
      kept |= bit(CAP_DAC_OVERRIDE) | bit(CAP_FOWNER);
  write_own(permitted & kept, permitted & kept);
  (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void rights_keep_sampling(const char *const *written, bool signals) {
  uint64_t permitted, kept = bit(CAP_SYS_PTRACE) | bit(CAP_DAC_READ_SEARCH) | bit(CAP_SYSLOG);
  if (!read_own(&permitted))
    return;
  kept |= permitted & bit(OF_PERFMON) ? bit(OF_PERFMON) : bit(CAP_SYS_ADMIN);
  keep(permitted, signals ? kept | bit(CAP_KILL) : kept, written);
}

void rights_give_up(const char *const *written, int map, bool signals) {
  uint64_t permitted, kept = signals ? bit(CAP_KILL) : 0;
  if (!read_own(&permitted))
    return;
  write_own(permitted, 0);
  if (!may_look_up(map))
    kept |= bit(OF_BPF);
  keep(permitted, kept, written);
}
