/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/profile/event.h"
#include "measure/profile/machine.h"
#include "measure/profile/refusal.h"
#include "measure/profile/tpp_format.h"

const char *counter_event_name(enum counter_event event) {
  return event == COUNTER_CYCLES       ? "cycles"
         : event == COUNTER_SWITCHES   ? TPP_WAITING
         : event == COUNTER_TASK_CLOCK ? "task-clock"
                                       : "cpu-clock";
}

enum { FORMAT_LOST = 1 << 4 }; /* PERF_FORMAT_LOST, which headers have from Linux 6.0 on */

static bool counts_switches(const struct counters *counters) {
  return counters->options.event == COUNTER_SWITCHES;
}

/* What clocks and trackers have in common. */
static struct perf_event_attr common(const struct counters *counters) {
  return (struct perf_event_attr){
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof(struct perf_event_attr),
      .disabled = 1,
      .inherit = counters->scope == COUNTER_THREADS,
      .enable_on_exec = counters->on_exec,
      .exclude_kernel = counters->options.user_only && !counts_switches(counters),
      .exclude_hv = 1,
      .sample_id_all = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
      .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
      .read_format = PERF_FORMAT_TOTAL_TIME_RUNNING | (counters->tells_lost ? FORMAT_LOST : 0),
  };
}

static struct perf_event_attr tracker_of(const struct counters *counters) {
  struct perf_event_attr attr = common(counters);
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_period = 1;
  attr.context_switch = counts_switches(counters);
  attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
  attr.watermark = 1; /* nobody is woken: the rings are looked at by time */
  attr.wakeup_watermark = INT32_MAX;
  return attr;
}

/* A clock's period is fixed, which the kernel makes of a clock's rate anyway. */
static void set_clock(struct perf_event_attr *attr, const struct counter_options *options) {
  enum { NANOSECONDS = 1000000000 };
  if (options->event == COUNTER_CYCLES) {
    attr->type = PERF_TYPE_HARDWARE;
    attr->config = PERF_COUNT_HW_CPU_CYCLES;
    attr->freq = 1;
    attr->sample_freq = options->rate;
    return;
  }
  if (options->event == COUNTER_SWITCHES) {
    attr->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    attr->sample_period = 1;
    return;
  }
  attr->config =
      options->event == COUNTER_TASK_CLOCK ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;
  attr->sample_period = NANOSECONDS / options->rate;
}

static struct perf_event_attr clock_of(const struct counters *counters) {
  const struct counter_options *options = &counters->options;
  struct perf_event_attr attr = common(counters);
  set_clock(&attr, options);
  if (options->processors)
    attr.inherit = attr.enable_on_exec = 0;
  attr.watermark = 1;
  attr.wakeup_watermark = INT32_MAX;
  attr.exclude_idle = counters->scope == COUNTER_ALL || options->processors;
  attr.exclude_callchain_kernel = options->user_only;
  attr.sample_type = EVENT_SAMPLE_TYPE;
  if (MACHINE_UNWINDS && options->stack_bytes != 0) {
    attr.sample_type |= EVENT_STACK_TYPE;
    attr.sample_regs_user = MACHINE_REGISTERS;
    attr.sample_stack_user = options->stack_bytes;
  }
  return attr;
}

static int open_counter(const struct counters *counters, struct perf_event_attr *attr, pid_t thread,
                        int processor) {
  unsigned long flags = PERF_FLAG_FD_CLOEXEC;
  if (counters->scope == COUNTER_CGROUP) {
    thread = counters->cgroup;
    flags |= PERF_FLAG_PID_CGROUP;
  }
  return (int)syscall(SYS_perf_event_open, attr, thread, processor, -1, flags);
}

/* Does without what the last attempt was refused for; false where nothing is left to give up. */
static bool give_up_something(struct counters *counters, int error) {
  struct counter_options *options = &counters->options;
  if (counters->tells_lost && error == EINVAL) { /* Linux before 6.0 */
    counters->tells_lost = false;
    return true;
  }
  bool missing = error == ENOENT || error == EOPNOTSUPP || error == ENODEV;
  if (options->event == COUNTER_CYCLES && missing) {
    options->event = COUNTER_CPU_CLOCK;
    return true;
  }
  if (!options->user_only && options->event != COUNTER_SWITCHES &&
      (error == EACCES || error == EPERM)) {
    options->user_only = true;
    return true;
  }
  return false;
}

/* 4 MB where that is permitted, and 512 KB, which every user may have, where not. Threads may leave
 * their processors much more often than any clock ticks: 16 MB. */
static bool map_ring(struct counters *counters, struct ring *ring, int tracker) {
  enum { MOST = 4096, MANY = 1024, FEW = 128 };
  unsigned *pages = &counters->options.ring_pages;
  if (*pages == 0 && counts_switches(counters) && ring_map(ring, tracker, MOST))
    *pages = MOST;
  if (*pages == 0 && ring_map(ring, tracker, MANY))
    *pages = MANY;
  if (*pages == 0)
    *pages = FEW;
  return ring->page != NULL || ring_map(ring, tracker, *pages);
}

static int open_clock(const struct counters *counters, pid_t thread, int processor) {
  struct perf_event_attr attr = clock_of(counters);
  return open_counter(counters, &attr, counters->options.processors ? -1 : thread, processor);
}

/* Opens one of each on a processor, tells the kernel where records go, and keeps them. */
static int add_to_lane(struct counters *counters, struct counter_lane *lane, pid_t thread) {
  struct perf_event_attr attr = tracker_of(counters);
  int tracker = open_counter(counters, &attr, thread, lane->processor);
  if (tracker < 0)
    return errno;
  vector_push(&counters->trackers, tracker);
  bool first = lane->output < 0;
  if (first) {
    if (!map_ring(counters, &lane->ring, tracker))
      return errno == EPERM ? ENOBUFS : errno;
    lane->output = tracker;
  } else if (ioctl(tracker, PERF_EVENT_IOC_SET_OUTPUT, lane->output) != 0) {
    return errno;
  }
  if (counters->options.processors && !first)
    return 0;
  int clock = open_clock(counters, thread, lane->processor);
  if (clock < 0)
    return errno;
  vector_push(&counters->clocks, clock);
  return ioctl(clock, PERF_EVENT_IOC_SET_OUTPUT, lane->output) != 0 ? errno : 0;
}

/* What may be had is found out on the first processor, with counters that are closed again. */
static int find_permitted(struct counters *counters, pid_t thread) {
  for (;;) {
    int descriptor = open_clock(counters, thread, counters->lanes.data[0].processor);
    int error = errno;
    if (descriptor >= 0) {
      close(descriptor);
      return 0;
    }
    if (!give_up_something(counters, error))
      return error;
  }
}

enum counter_result counters_add(struct counters *counters, pid_t thread, struct text *message) {
  bool first = counters->clocks.count == 0;
  int error = first ? find_permitted(counters, thread) : 0;
  for (size_t i = 0; error == 0 && i < counters->lanes.count; i++)
    error = add_to_lane(counters, &counters->lanes.data[i], thread);
  if (error == 0)
    return COUNTER_OPENED;
  if (error == ESRCH)
    return COUNTER_GONE;
  refusal_say(message, counters, thread, error);
  return COUNTER_REFUSED;
}

static void find_lanes(struct counters *counters) {
  long processors = sysconf(_SC_NPROCESSORS_CONF);
  for (int i = 0; i < processors; i++) {
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .size = sizeof attr,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int descriptor = (int)syscall(SYS_perf_event_open, &attr, 0, i, -1, PERF_FLAG_FD_CLOEXEC);
    if (descriptor >= 0)
      close(descriptor);
    else if (errno == ENODEV) /* switched off */
      continue;
    vector_push(&counters->lanes, (struct counter_lane){.processor = i, .output = -1});
  }
}

bool counters_init(struct counters *counters, const struct counter_options *options,
                   enum counter_scope scope, struct text *message) {
  *counters =
      (struct counters){.options = *options, .scope = scope, .cgroup = -1, .tells_lost = true};
  if (counters->options.event == COUNTER_AUTO)
    counters->options.event = COUNTER_CYCLES;
  find_lanes(counters);
  if (counters->lanes.count == 0)
    text_format(message, "no processor of this machine can be sampled");
  return counters->lanes.count != 0;
}

static void close_all(int *descriptors, size_t count) {
  for (size_t i = 0; i < count; i++)
    close(descriptors[i]);
}

void counters_clear(struct counters *counters) {
  for (size_t i = 0; i < counters->lanes.count; i++)
    ring_unmap(&counters->lanes.data[i].ring);
  close_all(counters->clocks.data, counters->clocks.count);
  close_all(counters->trackers.data, counters->trackers.count);
  vector_clear(&counters->lanes);
  vector_clear(&counters->clocks);
  vector_clear(&counters->trackers);
}

static enum counter_result add_clock(struct counters *counters, pid_t thread,
                                     struct text *message) {
  for (size_t i = 0; i < counters->lanes.count; i++) {
    const struct counter_lane *lane = &counters->lanes.data[i];
    int clock = open_clock(counters, thread, lane->processor);
    if (clock < 0 && errno == ESRCH)
      return COUNTER_GONE;
    if (clock < 0) {
      refusal_say(message, counters, thread, errno);
      return COUNTER_REFUSED;
    }
    vector_push(&counters->clocks, clock);
    ioctl(clock, PERF_EVENT_IOC_SET_OUTPUT, lane->output);
    ioctl(clock, PERF_EVENT_IOC_ENABLE, 0);
  }
  return COUNTER_OPENED;
}

/* Count, time running, and (if it is told) lost: 0 of what cannot be read. */
struct counter_reading {
  uint64_t count, time, lost;
};

static struct counter_reading read_counter(int descriptor) {
  struct counter_reading values = {0};
  if (read(descriptor, &values, sizeof values) < 0)
    return (struct counter_reading){0};
  return values;
}

enum counter_result counters_set_rate(struct counters *counters, unsigned rate,
                                      const uint32_t *threads, size_t count, struct text *message) {
  for (size_t i = 0; i < counters->clocks.count; i++)
    counters->lost_before += read_counter(counters->clocks.data[i]).lost;
  close_all(counters->clocks.data, counters->clocks.count);
  counters->clocks.count = 0;
  counters->options.rate = rate;
  if (counters->scope != COUNTER_THREADS || counters->options.processors)
    return add_clock(counters, -1, message);
  enum counter_result result = COUNTER_GONE;
  for (size_t i = 0; i < count && result != COUNTER_REFUSED; i++) {
    enum counter_result one = add_clock(counters, (pid_t)threads[i], message);
    result = one == COUNTER_GONE ? result : one;
  }
  return result;
}

static void control(const int *descriptors, size_t count, unsigned long what) {
  for (size_t i = 0; i < count; i++)
    ioctl(descriptors[i], what, 0);
}

/* What begins with an exec needs no word. */
void counters_enable(const struct counters *counters) {
  if (!counters->on_exec)
    control(counters->trackers.data, counters->trackers.count, PERF_EVENT_IOC_ENABLE);
  if (!counters->on_exec || counters->options.processors)
    control(counters->clocks.data, counters->clocks.count, PERF_EVENT_IOC_ENABLE);
}

void counters_disable(const struct counters *counters) {
  control(counters->trackers.data, counters->trackers.count, PERF_EVENT_IOC_DISABLE);
  control(counters->clocks.data, counters->clocks.count, PERF_EVENT_IOC_DISABLE);
}

uint64_t counters_time(const struct counters *counters) {
  bool trackers = counters->options.processors;
  const int *descriptors = trackers ? counters->trackers.data : counters->clocks.data;
  size_t count = trackers ? counters->trackers.count : counters->clocks.count;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += read_counter(descriptors[i]).time;
  return sum;
}

uint64_t counters_lost(const struct counters *counters) {
  uint64_t sum = counters->lost_before;
  for (size_t i = 0; i < counters->clocks.count; i++)
    sum += read_counter(counters->clocks.data[i]).lost;
  for (size_t i = 0; i < counters->trackers.count; i++)
    sum += read_counter(counters->trackers.data[i]).lost;
  return sum;
}
