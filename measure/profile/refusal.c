/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/refusal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int read_number(const char *path, int otherwise) {
  FILE *file = fopen(path, "re");
  int number = otherwise;
  if (file == NULL)
    return otherwise;
  if (fscanf(file, "%d", &number) != 1)
    number = otherwise;
  fclose(file);
  return number;
}

int refusal_paranoid(void) {
  return read_number("/proc/sys/kernel/perf_event_paranoid", -2);
}

/* Whether a filter of system calls is in force, as in containers; of this thread. */
static bool is_filtered(void) {
  FILE *file = fopen("/proc/self/status", "re");
  char line[256];
  int mode = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "Seccomp: %d", &mode) == 1)
      break;
  if (file != NULL)
    fclose(file);
  return mode != 0;
}

static void say_forbidden(struct text *message, const struct counters *counters, pid_t thread) {
  int paranoid = refusal_paranoid();
  if (is_filtered())
    text_append(message, "the container's filter of system calls forbids perf_event_open; start it "
                         "with --cap-add PERFMON and a seccomp profile that allows the call, or "
                         "sample from outside of it");
  else if (counters->options.event == COUNTER_SWITCHES)
    text_format(message,
                "waits have their stacks only with CAP_PERFMON or where "
                "kernel.perf_event_paranoid is below 2 (it is %d); run as root, or for programs "
                "of your own: sysctl kernel.perf_event_paranoid=1",
                paranoid);
  else if (counters->options.processors)
    text_format(
        message,
        "a clock for each processor needs CAP_PERFMON or kernel.perf_event_paranoid below 1 "
        "(it is %d); run as root, or leave out --short-threads",
        paranoid);
  else if (counters->scope != COUNTER_THREADS)
    text_format(message,
                "all processes of a machine or a cgroup may be sampled only with CAP_PERFMON or "
                "where kernel.perf_event_paranoid is below 1 (it is %d); run as root, or sample "
                "one process of yours with --pid",
                paranoid);
  else if (paranoid > 2)
    text_format(message,
                "kernel.perf_event_paranoid is %d, which forbids sampling; run as root, give "
                "CAP_PERFMON, or set it to 2: sysctl kernel.perf_event_paranoid=2",
                paranoid);
  else
    text_format(message,
                "process %d is another user's; sample it as that user or as root (CAP_PERFMON and "
                "CAP_SYS_PTRACE)",
                (int)thread);
}

static void say_rings(struct text *message, const struct counters *counters) {
  text_format(message,
              "no memory for %zu rings of %u pages: the limit of this user is "
              "kernel.perf_event_mlock_kb = %d for each processor, and \"ulimit -l\"; ask for "
              "smaller ones with --ring, or run as root",
              counters->lanes.count, counters->options.ring_pages,
              read_number("/proc/sys/kernel/perf_event_mlock_kb", 516));
}

void refusal_say(struct text *message, const struct counters *counters, pid_t thread, int error) {
  switch (error) {
  case EACCES:
  case EPERM:
    say_forbidden(message, counters, thread);
    break;
  case ENOSYS:
    text_append(message, "this kernel has no perf_event_open (CONFIG_PERF_EVENTS); sample on "
                         "another machine");
    break;
  case ENOBUFS:
  case ENOMEM:
    say_rings(message, counters);
    break;
  case EMFILE:
  case ENFILE:
    text_format(message,
                "no descriptors left: two are needed for each of %zu processors and each thread; "
                "raise the limit with \"ulimit -n\", or sample the whole machine with --all",
                counters->lanes.count);
    break;
  case ENOENT:
  case EOPNOTSUPP:
    text_format(message, "this machine cannot sample by %s; leave out --event",
                counter_event_name(counters->options.event));
    break;
  default:
    text_format(message, "the kernel refused to sample: %s", strerror(error));
  }
}
