/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's number for probes in files, which is not fixed; 0: it has none (ENOSYS), or there is
 * no descriptor to look it up. */
static uint32_t type_of_uprobes(void) {
  unsigned type = 0;
  FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
  if (file == NULL) {
    errno = errno == EMFILE || errno == ENFILE ? errno : ENOSYS;
    return 0;
  }
  if (fscanf(file, "%u", &type) != 1)
    type = 0;
  fclose(file);
  return type;
}

/* Of all processes an event is opened on one processor; which does not matter: the program runs on
 * all. */
static int attach(struct perf_event_attr *attr, int32_t process, int program) {
  int processor = process == ATTACH_ALL ? 0 : -1;
  int event = (int)syscall(SYS_perf_event_open, attr, process, processor, -1, PERF_FLAG_FD_CLOEXEC);
  if (event < 0)
    return -1;
  if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program) == 0 &&
      (attr->disabled || ioctl(event, PERF_EVENT_IOC_ENABLE, 0) == 0))
    return event;
  int error = errno;
  close(event);
  errno = error;
  return -1;
}

bool attach_describe(struct perf_event_attr *attr, const char *path, uint64_t offset,
                     uint64_t semaphore, bool at_return) {
  *attr = (struct perf_event_attr){.size = sizeof *attr,
                                   .type = type_of_uprobes(),
                                   .config = semaphore << 32 | at_return,
                                   .uprobe_path = (uint64_t)(uintptr_t)path,
                                   .probe_offset = offset};
  return attr->type != 0;
}

int attach_sampling(struct perf_event_attr *attr, int processor) {
  return (int)syscall(SYS_perf_event_open, attr, -1, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

unsigned attach_programs(int event) {
  struct perf_event_query_bpf asked = {.ids_len = 0};
  return ioctl(event, PERF_EVENT_IOC_QUERY_BPF, &asked) == 0 || errno == ENOSPC ? asked.prog_cnt
                                                                                : 0;
}

int attach_file(const char *path, uint64_t offset, uint64_t semaphore, bool at_return,
                int32_t process, int program) {
  struct perf_event_attr attr;
  if (!attach_describe(&attr, path, offset, semaphore, at_return))
    return -1;
  return attach(&attr, process, program);
}

/* The program runs whether or not the event counts, which nobody reads. */
int attach_tracepoint(unsigned id, int program) {
  struct perf_event_attr attr = {.size = sizeof attr,
                                 .type = PERF_TYPE_TRACEPOINT,
                                 .config = id,
                                 .sample_period = 1,
                                 .disabled = 1};
  return attach(&attr, ATTACH_ALL, program);
}

/* --- links --- */

/* What bpf(2) is given for BPF_LINK_CREATE (union bpf_attr, link_create.uprobe_multi). */
struct link_wish {
  uint32_t program, target, type, flags;
  uint64_t path, offsets, semaphores, cookies;
  uint32_t count, kind, process;
};

int attach_link(const char *path, const struct attach_places *places, bool at_return,
                int32_t process, int program) {
  struct link_wish wish;
  memset(&wish, 0, sizeof wish); /* also what is between its members and its end */
  wish.program = (uint32_t)program;
  wish.type = ATTACH_LINK_TYPE;
  wish.path = (uintptr_t)path;
  wish.offsets = (uintptr_t)places->offsets;
  wish.semaphores = (uintptr_t)places->semaphores;
  wish.cookies = (uintptr_t)places->cookies;
  wish.count = places->count;
  wish.kind = at_return; /* BPF_F_UPROBE_MULTI_RETURN */
  wish.process = process == ATTACH_ALL ? 0 : (uint32_t)process;
  return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &wish, sizeof wish);
}

/* Two wishes that cannot be granted, and what is said against them. A folder is no file: EBADF,
 * where links are known. No process has the number INT32_MIN: EINVAL, where links are kept to
 * processes, as that is looked at first then. */
bool attach_has_links(void) {
  const struct bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
                                  {.code = BPF_JMP | BPF_EXIT}};
  const struct bpf_prog_load_opts options = {
      .sz = sizeof options, .expected_attach_type = (enum bpf_attach_type)ATTACH_LINK_TYPE};
  const uint64_t offset = 0;
  const struct attach_places places = {.offsets = &offset, .count = 1};
  const char *wanted = getenv("TAILPROOF_PROBE_LINKS");
  if (wanted != NULL && strcmp(wanted, "no") == 0)
    return false;
  int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "tp_links", "GPL", code,
                              sizeof code / sizeof *code, &options);
  if (program < 0)
    return false;
  bool known = attach_link("/", &places, false, ATTACH_ALL, program) < 0 && errno == EBADF;
  bool kept = known && attach_link("/", &places, false, INT32_MIN, program) < 0 && errno == EINVAL;
  close(program);
  return kept;
}
