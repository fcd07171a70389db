/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/attach.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's number for probes in files, which is not fixed; 0: it has none. */
static uint32_t type_of_uprobes(void) {
  unsigned type = 0;
  FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
  if (file == NULL)
    return 0;
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
      ioctl(event, PERF_EVENT_IOC_ENABLE, 0) == 0)
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

int attach_file(const char *path, uint64_t offset, uint64_t semaphore, bool at_return,
                int32_t process, int program) {
  struct perf_event_attr attr;
  if (!attach_describe(&attr, path, offset, semaphore, at_return)) {
    errno = ENOSYS;
    return -1;
  }
  return attach(&attr, process, program);
}

int attach_tracepoint(unsigned id, int program) {
  struct perf_event_attr attr = {
      .size = sizeof attr, .type = PERF_TYPE_TRACEPOINT, .config = id, .sample_period = 1};
  return attach(&attr, ATTACH_ALL, program);
}
