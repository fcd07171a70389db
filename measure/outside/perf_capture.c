/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/perf_capture.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "measure/outside/attach.h"
#include "measure/outside/perf_fields.h"
#include "measure/outside/perf_records.h"
#include "measure/outside/program.h"
#include "measure/record/clock.h"

static uint32_t probes_of(const struct perf_capture *capture) {
  return (uint32_t)capture->plan->probes->list.count;
}

/* A probe's site has one reading, of USDT one for each place. */
static enum status make_readings(struct perf_capture *capture, struct text *message) {
  const struct outside_probes *probes = capture->plan->probes;
  enum status status = STATUS_OK;
  for (uint32_t i = 0; status == STATUS_OK && i < probes_of(capture); i++) {
    const struct outside_site *site = &probes->sites.data[i];
    const struct planned_probe *planned = &capture->plan->list.data[i];
    size_t places = site->kind == SITE_USDT ? planned->target.places.count : 1;
    for (size_t k = 0; status == STATUS_OK && k < places; k++) {
      struct perf_reading reading;
      const struct target_place *place =
          probe_plan_has_path(site) ? &planned->target.places.data[k] : NULL;
      if (probe_plan_has_socket(site)) {
        text_format(
            message,
            "probe %s (line %u): sockets can be probed by BPF alone: record with --with bpf "
            "(root, or CAP_BPF and CAP_PERFMON), or probe the system call",
            probes->list.data[i].name, site->line);
        return STATUS_DATA;
      }
      status = perf_reading_make(&reading, &probes->list.data[i], site, planned, place, message);
      vector_push(&capture->readings, reading);
    }
  }
  return status;
}

enum status perf_capture_init(struct perf_capture *capture, const struct outside_plan *plan,
                              const struct capture_interest *interest, bool everyone,
                              struct text *message) {
  *capture = (struct perf_capture){.plan = plan, .interest = *interest, .everyone = everyone};
  return make_readings(capture, message);
}

static void detach(struct perf_capture *capture) {
  for (size_t i = 0; i < capture->attached.count; i++)
    close(capture->attached.data[i].event);
  capture->attached.count = 0;
  for (size_t i = 0; i < capture->processors.count; i++) {
    ring_unmap(&capture->processors.data[i].ring);
    close(capture->processors.data[i].event);
  }
  capture->processors.count = 0;
}

void perf_capture_clear(struct perf_capture *capture) {
  detach(capture);
  vector_clear(&capture->readings);
  vector_clear(&capture->processors);
  vector_clear(&capture->attached);
  vector_clear(&capture->traced);
  vector_clear(&capture->named);
  vector_clear(&capture->bytes);
  order_clear(&capture->order);
}

/* --- processes --- */

static struct capture_process *find(struct capture_process *list, size_t count, uint32_t process) {
  for (size_t i = 0; i < count; i++)
    if (list[i].id == process)
      return &list[i];
  return NULL;
}

void perf_capture_follow(struct perf_capture *capture, uint32_t process, uint64_t places) {
  struct capture_process *there = find(capture->traced.data, capture->traced.count, process);
  if (there != NULL)
    there->places = places;
  else
    vector_push(&capture->traced, (struct capture_process){process, places});
}

void perf_capture_forget(struct perf_capture *capture, uint32_t process) {
  struct capture_process *there = find(capture->traced.data, capture->traced.count, process);
  if (there != NULL)
    *there = capture->traced.data[--capture->traced.count];
}

/* --- attaching --- */

static enum status refuse(struct text *message, const char *what, int error) {
  if (error == EPERM || error == EACCES)
    text_format(message,
                "%s is not permitted: run this as root, or with CAP_BPF and CAP_PERFMON (without "
                "BPF: CAP_PERFMON, and for probes in files CAP_SYS_ADMIN on newer kernels; in a "
                "container: --cap-add SYS_ADMIN --security-opt seccomp=unconfined --pid host)",
                what);
  else if (error == EMFILE || error == ENFILE)
    text_format(message,
                "%s: too many places for this process's descriptors, one for each processor; "
                "raise `ulimit -n` or leave probes out",
                what);
  else if (error == ENOSYS || error == ENOENT)
    text_format(message, "%s: this kernel cannot (CONFIG_UPROBES, CONFIG_PERF_EVENTS); use another",
                what);
  else
    text_format(message, "%s: %s", what, strerror(error));
  return STATUS_UNAVAILABLE;
}

static void set_sampling(struct perf_event_attr *attr, const struct perf_reading *reading) {
  attr->size = sizeof *attr;
  attr->disabled = 1;
  attr->sample_period = 1;
  attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr->use_clockid = 1;
  attr->clockid = CLOCK_MONOTONIC;
  if (reading != NULL && reading->raw)
    attr->sample_type |= PERF_SAMPLE_RAW;
  if (reading != NULL && reading->registers != 0) {
    attr->sample_type |= PERF_SAMPLE_REGS_USER;
    attr->sample_regs_user = reading->registers;
  }
}

/* The ring of a processor, as large as this user may have it, with what becomes of processes. False
 * with errno. */
static bool open_processor(struct perf_capture *capture, int number) {
  enum { PAGES_MOST = 1024, PAGES_LEAST = 8 };
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
  set_sampling(&attr, NULL);
  attr.sample_id_all = 1;
  attr.task = attr.comm = attr.comm_exec = !capture->everyone;
  struct perf_processor processor = {.number = number};
  processor.event = attach_sampling(&attr, number);
  if (processor.event < 0)
    return false;
  size_t pages = PAGES_MOST;
  while (!ring_map(&processor.ring, processor.event, pages) && pages > PAGES_LEAST)
    pages /= 2;
  int error = errno;
  vector_push(&capture->processors, processor);
  errno = error;
  return processor.ring.page != NULL;
}

static enum status open_processors(struct perf_capture *capture, struct text *message) {
  int count = (int)sysconf(_SC_NPROCESSORS_CONF);
  for (int i = 0; i < count; i++)
    if (!open_processor(capture, i) && errno != ENODEV) /* ENODEV: it is switched off */
      return refuse(message, "tracing by perf_event_open", errno);
  return STATUS_OK;
}

static enum status add_event(struct perf_capture *capture, uint32_t number, size_t reading,
                             struct perf_event_attr *attr, struct text *message) {
  const char *name = capture->plan->probes->list.data[number].name;
  set_sampling(attr, &capture->readings.data[reading]);
  for (size_t i = 0; i < capture->processors.count; i++) {
    const struct perf_processor *processor = &capture->processors.data[i];
    struct perf_attached attached = {.probe = number, .reading = reading};
    attached.event = attach_sampling(attr, processor->number);
    if (attached.event < 0)
      return refuse(message, name, errno);
    vector_push(&capture->attached, attached);
    if (ioctl(attached.event, PERF_EVENT_IOC_SET_OUTPUT, processor->event) != 0 ||
        ioctl(attached.event, PERF_EVENT_IOC_ID,
              &capture->attached.data[capture->attached.count - 1].id) != 0)
      return refuse(message, name, errno);
  }
  return STATUS_OK;
}

static enum status attach_probe(struct perf_capture *capture, uint32_t number, size_t *reading,
                                struct text *message) {
  const struct outside_site *site = &capture->plan->probes->sites.data[number];
  const struct planned_probe *planned = &capture->plan->list.data[number];
  enum status status = STATUS_OK;
  struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = planned->tracepoint.id};
  if (!probe_plan_has_path(site))
    return add_event(capture, number, (*reading)++, &attr, message);
  bool at_return = probe_plan_waits(site);
  char path[TARGET_PATH];
  target_path(path, &planned->target);
  for (size_t i = 0; status == STATUS_OK && i < planned->target.places.count; i++) {
    const struct target_place *place = &planned->target.places.data[i];
    if (!attach_describe(&attr, path, place->offset, place->semaphore, at_return))
      return refuse(message, capture->plan->probes->list.data[number].name, errno);
    status = add_event(capture, number, *reading, &attr, message);
    *reading += site->kind == SITE_USDT;
  }
  *reading += site->kind != SITE_USDT;
  return status;
}

static int compare_attached(const void *a, const void *b) {
  const struct perf_attached *left = a, *right = b;
  return (left->id > right->id) - (left->id < right->id);
}

static enum status enable(struct perf_capture *capture, struct text *message) {
  for (size_t i = 0; i < capture->processors.count; i++)
    if (ioctl(capture->processors.data[i].event, PERF_EVENT_IOC_ENABLE, 0) != 0)
      return refuse(message, "tracing by perf_event_open", errno);
  for (size_t i = 0; i < capture->attached.count; i++)
    if (ioctl(capture->attached.data[i].event, PERF_EVENT_IOC_ENABLE, 0) != 0)
      return refuse(message, "tracing by perf_event_open", errno);
  return STATUS_OK;
}

enum status perf_capture_attach(struct perf_capture *capture, struct text *message) {
  struct rlimit files;
  size_t reading = 0;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  enum status status = open_processors(capture, message);
  for (uint32_t i = 0; status == STATUS_OK && i < probes_of(capture); i++)
    status = attach_probe(capture, i, &reading, message);
  if (status != STATUS_OK)
    return status;
  qsort(capture->attached.data, capture->attached.count, sizeof *capture->attached.data,
        compare_attached);
  return enable(capture, message);
}

const char *perf_capture_filtered(const struct perf_capture *capture, unsigned *programs) {
  for (size_t i = 0; i < capture->attached.count; i++) {
    uint32_t probe = capture->attached.data[i].probe;
    if (probe_plan_has_path(&capture->plan->probes->sites.data[probe]))
      continue;
    *programs = attach_programs(capture->attached.data[i].event);
    if (*programs != 0)
      return capture->plan->probes->list.data[probe].name;
  }
  return NULL;
}

/* --- records --- */

static void add(struct perf_capture *capture, const struct outside_event *event) {
  if (event->time_ns >= capture->given_ns)
    order_add(&capture->order, event);
  else if (event->probe < probes_of(capture))
    capture->late[event->probe]++;
}

static void take_sample(void *context, const uint64_t *words, size_t count) {
  struct perf_capture *capture = context;
  struct perf_attached key = {.id = words[0]};
  const struct perf_attached *attached =
      bsearch(&key, capture->attached.data, capture->attached.count, sizeof key, compare_attached);
  struct outside_event event;
  if (attached == NULL)
    return;
  const struct perf_reading *reading = &capture->readings.data[attached->reading];
  if (!perf_sample_read(&event, reading, words, count))
    return; /* is missing among those taken, and so counted as lost */
  event.probe = attached->probe;
  capture->taken[event.probe]++;
  add(capture, &event);
}

static void take_fate(void *context, const struct perf_fate *fate) {
  struct perf_capture *capture = context;
  struct outside_event event = {.time_ns = fate->time_ns,
                                .probe = probes_of(capture) + fate->fate,
                                .pid = fate->process,
                                .tid = fate->other};
  add(capture, &event);
}

static void take_rings(struct perf_capture *capture) {
  struct perf_record_sink sink = {capture, take_sample, take_fate};
  for (size_t i = 0; i < capture->processors.count; i++) {
    capture->bytes.count = 0;
    ring_take(&capture->processors.data[i].ring, &capture->bytes);
    perf_records_read(capture->bytes.data, capture->bytes.count, &sink);
  }
}

/* --- events in order of time --- */

struct perf_giving {
  struct perf_capture *capture;
  const struct outside_sink *sink;
  const struct capture_news *news;
};

/* Counts an event; whether it is wanted. */
static bool is_wanted(struct perf_capture *capture, const struct outside_event *event) {
  uint32_t number = event->probe;
  uint64_t asked = capture->interest.of_probe == NULL
                       ? PROGRAM_EVERYWHERE
                       : capture->interest.of_probe(capture->interest.context, number);
  if (!capture->everyone) {
    const struct capture_process *process =
        find(capture->traced.data, capture->traced.count, event->pid);
    const struct capture_process *named = process;
    if (capture->plan->probes->sites.data[number].named)
      named = find(capture->named.data, capture->named.count, event->pid);
    if (process == NULL || named == NULL || (named != process && (named->places & asked) == 0)) {
      capture->others[number]++;
      return false;
    }
    if ((process->places & asked) == 0) {
      capture->aside[number]++;
      return false;
    }
  }
  capture->hits[number]++;
  if (event->fields != (1u << capture->plan->probes->list.data[number].field_count) - 1)
    capture->unread[number]++;
  return true;
}

static bool give(void *context, const struct outside_event *event) {
  struct perf_giving *giving = context;
  struct perf_capture *capture = giving->capture;
  if (event->probe < probes_of(capture))
    return !is_wanted(capture, event) || giving->sink->take(giving->sink->context, event);
  enum capture_fate fate = (enum capture_fate)(event->probe - probes_of(capture));
  uint32_t other = event->tid;
  bool is_traced = find(capture->traced.data, capture->traced.count, event->pid) != NULL;
  if (fate == FATE_FORK && !is_traced)
    perf_capture_forget(capture, other); /* a number that is used again */
  if (!is_traced)
    return true;
  if (fate != FATE_EXIT)
    perf_capture_follow(capture, fate == FATE_FORK ? other : event->pid, PROGRAM_EVERYWHERE);
  if (giving->news->tell != NULL)
    giving->news->tell(giving->news->context, fate, event->pid, other);
  return true;
}

/* An event has its time before its place in the ring: what is later than the look before this one
 * waits, so that nothing comes after what is later. */
bool perf_capture_drain(struct perf_capture *capture, const struct outside_sink *sink,
                        const struct capture_news *news) {
  struct perf_giving giving = {capture, sink, news};
  struct outside_sink ordered = {give, &giving, NULL};
  uint64_t now = clock_monotonic();
  take_rings(capture);
  capture->given_ns = capture->before_ns;
  capture->before_ns = now;
  return order_flush(&capture->order, capture->given_ns, &ordered);
}

bool perf_capture_finish(struct perf_capture *capture, struct outside_run *run, uint64_t *others,
                         const struct outside_sink *sink, const struct capture_news *news) {
  struct perf_giving giving = {capture, sink, news};
  struct outside_sink ordered = {give, &giving, NULL};
  uint64_t passed[OUTSIDE_PROBES] = {0};
  for (size_t i = 0; i < capture->attached.count; i++) {
    const struct perf_attached *attached = &capture->attached.data[i];
    uint64_t count = 0;
    ioctl(attached->event, PERF_EVENT_IOC_DISABLE, 0);
    if (read(attached->event, &count, sizeof count) == sizeof count)
      passed[attached->probe] += count;
  }
  take_rings(capture);
  bool more = order_flush(&capture->order, UINT64_MAX, &ordered);
  bool has_lost = false;
  *others = 0;
  for (uint32_t i = 0; i < probes_of(capture); i++) {
    uint64_t lost = passed[i] > capture->taken[i] ? passed[i] - capture->taken[i] : 0;
    has_lost = has_lost || lost != 0;
    run->count[i] = (struct outside_count){capture->hits[i], lost + capture->late[i],
                                           capture->unread[i], capture->aside[i]};
    *others += capture->others[i];
  }
  /* Then the news of a child may be lost as well, and what seemed to be another's was its. */
  for (uint32_t i = 0; has_lost && i < probes_of(capture); i++)
    run->count[i].lost += capture->others[i];
  detach(capture);
  return more;
}
