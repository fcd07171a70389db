/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/capture.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/outside/attach.h"
#include "measure/outside/bystanders.h"
#include "measure/record/clock.h"

enum { RING_BYTES = 8 << 20, TRACED_MOST = 1 << 16, CALLS_MOST = 1 << 16 };

/* Numbers of records that are no probe's begin here. */
static uint32_t first_fate(const struct outside_capture *capture) {
  return (uint32_t)capture->plan->probes->list.count;
}

/* --- what the kernel refuses --- */

static enum status refuse(struct outside_capture *capture, struct text *message, const char *what,
                          int error) {
  capture->refused = error == EPERM || error == EACCES || error == ENOSYS;
  if (error == EPERM || error == EACCES)
    text_format(message,
                "%s is not permitted: run this as root, or with CAP_BPF and CAP_PERFMON (newer "
                "kernels want CAP_SYS_ADMIN for probes in files; in a container: --cap-add BPF "
                "--cap-add PERFMON --cap-add SYS_ADMIN --security-opt seccomp=unconfined --pid "
                "host)",
                what);
  else if (error == ENOSYS)
    text_format(message, "%s: this kernel cannot (CONFIG_UPROBES, CONFIG_BPF_SYSCALL); use another",
                what);
  else
    text_format(message, "%s: %s", what, strerror(error));
  return STATUS_UNAVAILABLE;
}

/* --- maps and programs --- */

/* Kernels before 5.11 count maps and programs as locked memory. */
static void unlock_memory(void) {
  struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_MEMLOCK, &unlimited);
}

static bool keeps_calls(const struct outside_capture *capture) {
  for (size_t i = 0; i < capture->plan->list.count; i++)
    if (probe_plan_keeps_call(&capture->plan->probes->sites.data[i]))
      return true;
  return false;
}

static enum status make_maps(struct outside_capture *capture, bool everyone, struct text *message) {
  struct program_call_key key;
  struct program_call call;
  uint32_t numbers = first_fate(capture) + FATES + 1;
  unlock_memory();
  capture->maps.ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "tp_ring", 0, 0, RING_BYTES, NULL);
  if (capture->maps.ring < 0)
    return refuse(capture, message, "tracing by BPF", errno);
  capture->maps.counts = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "tp_counts", 4,
                                        sizeof(struct program_count), numbers, NULL);
  if (!everyone)
    capture->maps.traced = bpf_map_create(BPF_MAP_TYPE_HASH, "tp_traced", 4, 8, TRACED_MOST, NULL);
  if (keeps_calls(capture))
    capture->maps.calls = bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "tp_calls", sizeof key, sizeof call,
                                         CALLS_MOST, NULL);
  if (capture->maps.counts < 0 || (!everyone && capture->maps.traced < 0) ||
      (keeps_calls(capture) && capture->maps.calls < 0) ||
      !kernel_ring_map(&capture->ring, capture->maps.ring, RING_BYTES))
    return refuse(capture, message, "memory for tracing by BPF", errno);
  return STATUS_OK;
}

/* Loads what stands in capture->code; the program's descriptor, or -1 after a message. */
static int load_program(struct outside_capture *capture, uint32_t number, bool in_file,
                        struct text *message) {
  char log[4096] = "";
  struct bpf_prog_load_opts options = {.sz = sizeof options};
  enum bpf_prog_type type = in_file ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACEPOINT;
  int program =
      bpf_prog_load(type, "tailproof", "GPL", capture->code.data, capture->code.count, &options);
  if (program < 0 && errno != EPERM) { /* again, for its reason */
    options.log_buf = log;
    options.log_size = sizeof log;
    options.log_level = 1;
    program =
        bpf_prog_load(type, "tailproof", "GPL", capture->code.data, capture->code.count, &options);
  }
  if (program < 0 && errno == EPERM)
    refuse(capture, message, "tracing by BPF", EPERM);
  else if (program < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
    text_format(message, "a program for each probe cannot be loaded: %s; %s", strerror(errno),
                errno == ENOMEM
                    ? "free some memory"
                    : "permit more open files (`ulimit -n 4096`), as each probe takes two");
  else if (program < 0)
    text_format(message, "the kernel's verifier refused a program, which is a defect: %.600s",
                strlen(log) > 600 ? log + strlen(log) - 600 : log);
  if (program < 0)
    return -1;
  vector_push(&capture->programs, program);
  vector_push(&capture->program_of, number);
  return program;
}

static uint64_t places_of(const struct outside_capture *capture, uint32_t process, bool settled) {
  return settled && capture->interest.of_process != NULL
             ? capture->interest.of_process(capture->interest.context, process)
             : PROGRAM_EVERYWHERE;
}

static uint64_t places_asked(const struct outside_capture *capture, uint32_t number) {
  return capture->interest.of_probe == NULL
             ? PROGRAM_EVERYWHERE
             : capture->interest.of_probe(capture->interest.context, number);
}

static enum status load_probe(struct outside_capture *capture, uint32_t number,
                              const struct target_place *place, struct text *message) {
  const struct outside_probes *probes = capture->plan->probes;
  const struct outside_site *site = &probes->sites.data[number];
  struct text why = {0};
  uint64_t places = places_asked(capture, number);
  capture->code.count = 0;
  if (!program_write(&capture->code, number, &probes->list.data[number], site,
                     &capture->plan->list.data[number], place, &capture->maps, places, &why)) {
    text_format(message, "probe %s (line %u): %s", probes->list.data[number].name, site->line,
                text_get(&why));
    text_clear(&why);
    return STATUS_DATA;
  }
  int program = load_program(capture, number, place != NULL, message);
  return program < 0 ? STATUS_UNAVAILABLE : STATUS_OK;
}

/* One program for a probe; of USDT one for each place, as arguments stand elsewhere in each. */
static enum status load_probes(struct outside_capture *capture, struct text *message) {
  enum status status = STATUS_OK;
  for (uint32_t i = 0; status == STATUS_OK && i < first_fate(capture); i++) {
    const struct outside_site *site = &capture->plan->probes->sites.data[i];
    const struct planned_probe *planned = &capture->plan->list.data[i];
    if (!probe_plan_has_path(site))
      status = load_probe(capture, i, NULL, message);
    size_t count =
        site->kind == SITE_USDT ? planned->target.places.count : probe_plan_has_path(site);
    for (size_t k = 0; status == STATUS_OK && k < count; k++)
      status = load_probe(capture, i, &planned->target.places.data[k], message);
  }
  return status;
}

static enum status load_entry(struct outside_capture *capture, uint32_t number,
                              struct begun_call begun, struct text *message) {
  const struct outside_site *site = &capture->plan->probes->sites.data[number];
  struct capture_entry entry = {.probe = number, .program = -1, .tracepoint = begun.id};
  const begun_calls *calls = &capture->plan->list.data[number].calls;
  size_t first = capture->entries.count;
  while (first > 0 && capture->entries.data[first - 1].probe == number)
    first--;
  for (size_t i = first; i < capture->entries.count; i++) /* one program for all of a form */
    if (calls->data[i - first].form == begun.form)
      entry.program = capture->entries.data[i].program;
  if (entry.program < 0) {
    capture->code.count = 0;
    program_write_entry(&capture->code, number, site, begun.form, &capture->maps,
                        places_asked(capture, number));
    entry.program = load_program(capture, number, probe_plan_has_path(site), message);
  }
  vector_push(&capture->entries, entry);
  return entry.program < 0 ? STATUS_UNAVAILABLE : STATUS_OK;
}

/* Behind all others, as they are not of a probe's own places. */
static enum status load_entries(struct outside_capture *capture, struct text *message) {
  enum status status = STATUS_OK;
  for (uint32_t i = 0; status == STATUS_OK && i < first_fate(capture); i++) {
    const struct outside_site *site = &capture->plan->probes->sites.data[i];
    const begun_calls *calls = &capture->plan->list.data[i].calls;
    if (probe_plan_has_path(site) && probe_plan_keeps_call(site))
      status = load_entry(capture, i, (struct begun_call){0, CALL_ARGUMENTS}, message);
    for (size_t k = 0; status == STATUS_OK && k < calls->count; k++)
      status = load_entry(capture, i, calls->data[k], message);
  }
  return status;
}

enum status capture_init(struct outside_capture *capture, const struct outside_plan *plan,
                         const struct capture_interest *interest, bool everyone,
                         enum capture_means means, struct text *message) {
  *capture = (struct outside_capture){
      .means = means, .plan = plan, .interest = *interest, .maps = {-1, -1, -1, -1}};
  if (means == CAPTURE_PERF)
    return perf_capture_init(&capture->perf, plan, interest, everyone, message);
  capture->means = CAPTURE_BPF;
  enum status status = make_maps(capture, everyone, message);
  if (status == STATUS_OK)
    status = load_probes(capture, message);
  if (status == STATUS_OK)
    status = load_entries(capture, message);
  if (status == STATUS_OK || means != CAPTURE_ANY || !capture->refused)
    return status;
  struct text why = {0};
  capture_clear(capture);
  if (capture_init(capture, plan, interest, everyone, CAPTURE_PERF, &why) == STATUS_OK) {
    text_clear(message);
    status = STATUS_OK;
  } else {
    text_format(message, "; and without BPF: %s", text_get(&why));
  }
  text_clear(&why);
  return status;
}

static void close_all(int *descriptors, size_t count) {
  for (size_t i = 0; i < count; i++)
    close(descriptors[i]);
}

void capture_clear(struct outside_capture *capture) {
  perf_capture_clear(&capture->perf);
  close_all(capture->events.data, capture->events.count);
  close_all(capture->programs.data, capture->programs.count);
  kernel_ring_unmap(&capture->ring);
  int maps[] = {capture->maps.ring, capture->maps.counts, capture->maps.traced,
                capture->maps.calls};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
    if (maps[i] >= 0)
      close(maps[i]);
  vector_clear(&capture->code);
  vector_clear(&capture->programs);
  vector_clear(&capture->program_of);
  vector_clear(&capture->entries);
  vector_clear(&capture->events);
  vector_clear(&capture->named);
  order_clear(&capture->order);
}

bool capture_follow(struct outside_capture *capture, uint32_t process, bool settled) {
  uint64_t places = places_of(capture, process, settled);
  if (capture->means == CAPTURE_PERF)
    return perf_capture_follow(&capture->perf, process, places), true;
  return capture->maps.traced < 0 ||
         bpf_map_update_elem(capture->maps.traced, &process, &places, BPF_ANY) == 0;
}

bool capture_follow_named(struct outside_capture *capture, uint32_t process, bool settled) {
  struct capture_process named = {process, places_of(capture, process, settled)};
  if (capture->means == CAPTURE_PERF)
    vector_push(&capture->perf.named, named);
  else
    vector_push(&capture->named, named);
  return capture_follow(capture, process, settled);
}

void capture_forget(struct outside_capture *capture, uint32_t process) {
  if (capture->means == CAPTURE_PERF)
    perf_capture_forget(&capture->perf, process);
  if (capture->maps.traced >= 0)
    bpf_map_delete_elem(capture->maps.traced, &process);
}

/* --- attaching --- */

static enum status add_event(struct outside_capture *capture, int event, const char *what,
                             struct text *message) {
  if (event < 0)
    return refuse(capture, message, what, errno);
  vector_push(&capture->events, event);
  return STATUS_OK;
}

/* The fates of processes, where not all are traced; before the probes, so that none is missed. */
static enum status attach_fates(struct outside_capture *capture, struct text *message) {
  static const char *const names[FATES] = {"sched_process_fork", "sched_process_exec",
                                           "sched_process_exit"};
  static const char *const fields[FATES] = {"child_pid", "pid", NULL};
  enum status status = STATUS_OK;
  int events = capture->maps.traced < 0 ? -1 : tracefs_open(message);
  if (events < 0)
    return capture->maps.traced < 0 ? STATUS_OK : STATUS_UNAVAILABLE;
  for (uint32_t i = 0; status == STATUS_OK && i < FATES; i++) {
    struct tracepoint tracepoint;
    status = tracepoint_find(&tracepoint, events, "sched", names[i], message);
    capture->code.count = 0;
    if (status == STATUS_OK &&
        !program_write_fate(&capture->code, first_fate(capture) + i, &tracepoint, fields[i],
                            i != FATE_EXIT, &capture->maps)) {
      text_format(message,
                  "this kernel does not say which process forks or becomes another; use another");
      status = STATUS_UNAVAILABLE;
    }
    int program =
        status == STATUS_OK ? load_program(capture, first_fate(capture) + i, false, message) : -1;
    if (status == STATUS_OK && program < 0)
      status = STATUS_UNAVAILABLE;
    if (status == STATUS_OK)
      status = add_event(capture, attach_tracepoint(tracepoint.id, program), "following processes",
                         message);
    tracepoint_clear(&tracepoint);
  }
  close(events);
  return status;
}

/* In all processes; with `children: no` in those named that may be where moments look for it. */
static enum status attach_place(struct outside_capture *capture, uint32_t number,
                                const struct target_place *place, bool at_return, int program,
                                struct text *message) {
  const struct outside_site *site = &capture->plan->probes->sites.data[number];
  const char *name = capture->plan->probes->list.data[number].name;
  uint64_t places = places_asked(capture, number);
  enum status status = STATUS_OK;
  char path[TARGET_PATH];
  target_path(path, &capture->plan->list.data[number].target);
  if (!site->named || capture->maps.traced < 0)
    return add_event(
        capture, attach_file(path, place->offset, place->semaphore, at_return, ATTACH_ALL, program),
        name, message);
  for (size_t i = 0; status == STATUS_OK && i < capture->named.count; i++) {
    const struct capture_process *process = &capture->named.data[i];
    if ((process->places & places) == 0)
      continue;
    int event = attach_file(path, place->offset, place->semaphore, at_return, (int32_t)process->id,
                            program);
    if (event >= 0 || errno != ESRCH) /* ESRCH: it has ended */
      status = add_event(capture, event, name, message);
  }
  return status;
}

/* Before the probe itself: what they do not see begin is not read when it is done. */
static enum status attach_entries(struct outside_capture *capture, uint32_t number,
                                  struct text *message) {
  const struct planned_probe *planned = &capture->plan->list.data[number];
  const char *name = capture->plan->probes->list.data[number].name;
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < capture->entries.count; i++) {
    const struct capture_entry *entry = &capture->entries.data[i];
    if (entry->probe != number)
      continue;
    status =
        entry->tracepoint == 0
            ? attach_place(capture, number, &planned->target.entry, false, entry->program, message)
            : add_event(capture, attach_tracepoint(entry->tracepoint, entry->program), name,
                        message);
  }
  return status;
}

static enum status attach_places(struct outside_capture *capture, uint32_t number,
                                 const int *programs, struct text *message) {
  const struct outside_site *site = &capture->plan->probes->sites.data[number];
  const struct planned_probe *planned = &capture->plan->list.data[number];
  const char *name = capture->plan->probes->list.data[number].name;
  enum status status = attach_entries(capture, number, message);
  if (status == STATUS_OK && !probe_plan_has_path(site))
    return add_event(capture, attach_tracepoint(planned->tracepoint.id, programs[0]), name,
                     message);
  for (size_t i = 0; status == STATUS_OK && i < planned->target.places.count; i++) {
    int program = programs[site->kind == SITE_USDT ? i : 0];
    status = attach_place(capture, number, &planned->target.places.data[i], probe_plan_waits(site),
                          program, message);
  }
  return status;
}

static enum status check_bystanders(const struct outside_capture *capture, struct text *message) {
  VECTOR(uint32_t) named = {0};
  for (size_t i = 0; i < capture->named.count; i++)
    vector_push(&named, capture->named.data[i].id);
  enum status status = bystanders_check(capture->plan, named.data, named.count, message);
  vector_clear(&named);
  return status;
}

enum status capture_attach(struct outside_capture *capture, struct text *message) {
  size_t count = capture->programs.count, at = 0;
  enum status status = probe_plan_check(capture->plan, message);
  if (status == STATUS_OK)
    status = check_bystanders(capture, message);
  if (status != STATUS_OK)
    return status;
  if (capture->means == CAPTURE_PERF) {
    enum status attached = perf_capture_attach(&capture->perf, message);
    capture->start_ns = clock_monotonic();
    return attached;
  }
  status = attach_fates(capture, message);
  for (uint32_t i = 0; status == STATUS_OK && i < first_fate(capture); i++) {
    status = attach_places(capture, i, &capture->programs.data[at], message);
    while (at < count && capture->program_of.data[at] == i)
      at++;
  }
  capture->start_ns = clock_monotonic();
  return status;
}

/* --- records --- */

static void take_record(void *context, const void *bytes, size_t size) {
  struct outside_capture *capture = context;
  const struct program_record *record = bytes;
  uint32_t number = record->probe;
  struct outside_event event = {.time_ns = record->time_ns,
                                .probe = number,
                                .pid = record->pid,
                                .tid = record->tid,
                                .fields = record->fields};
  if (number > first_fate(capture) + FATES - 1)
    return; /* a measurement of costs */
  uint32_t fields =
      number < first_fate(capture) ? capture->plan->probes->list.data[number].field_count : 1;
  memcpy(event.field, record->field, 8 * fields);
  event.text_size = (uint32_t)(size - sizeof *record - 8 * fields);
  memcpy(event.text, &record->field[fields], event.text_size);
  if (number < first_fate(capture) && event.fields != (1u << fields) - 1)
    capture->unread[number]++;
  order_add(&capture->order, &event);
}

/* Probes' events go on; fates are told. */
static bool give(void *context, const struct outside_event *event) {
  struct outside_capture *capture = context;
  if (event->probe < first_fate(capture))
    return capture->sink.take(capture->sink.context, event);
  enum capture_fate fate = (enum capture_fate)(event->probe - first_fate(capture));
  uint32_t other = fate == FATE_FORK ? (uint32_t)event->field[0] : event->tid;
  if (capture->news.tell != NULL)
    capture->news.tell(capture->news.context, fate, event->pid, other);
  return true;
}

bool capture_drain(struct outside_capture *capture) {
  uint64_t now = clock_monotonic();
  struct outside_sink sink = {give, capture, NULL};
  if (capture->means == CAPTURE_PERF)
    return perf_capture_drain(&capture->perf, &capture->sink, &capture->news);
  if (!kernel_ring_take(&capture->ring, take_record, capture))
    return true;
  return order_flush(&capture->order, now, &sink);
}

/* --- the end --- */

static void read_count(const struct outside_capture *capture, uint32_t number,
                       struct program_count *sum) {
  int processors = libbpf_num_possible_cpus();
  struct program_count *each = mem_alloc((size_t)(processors > 0 ? processors : 1), sizeof *each);
  *sum = (struct program_count){0};
  if (bpf_map_lookup_elem(capture->maps.counts, &number, each) != 0)
    processors = 0;
  for (int i = 0; i < processors; i++) {
    sum->hits += each[i].hits;
    sum->lost += each[i].lost;
    sum->others += each[i].others;
    sum->aside += each[i].aside;
  }
  mem_free(each);
}

/* Times at which the kernel did not run a program, as it ran one already on that processor. */
static void add_missed(const struct outside_capture *capture, struct outside_run *run) {
  for (size_t i = 0; i < capture->programs.count; i++) {
    struct bpf_prog_info info = {0};
    uint32_t size = sizeof info;
    if (capture->program_of.data[i] < first_fate(capture) &&
        bpf_obj_get_info_by_fd(capture->programs.data[i], &info, &size) == 0)
      run->count[capture->program_of.data[i]].lost += info.recursion_misses;
  }
}

bool capture_finish(struct outside_capture *capture, struct outside_run *run, uint64_t *others) {
  struct outside_sink sink = {give, capture, NULL};
  struct clock_facts clock;
  char why[200];
  *run = (struct outside_run){.start_ns = capture->start_ns, .end_ns = clock_monotonic()};
  if (clock_choose(&clock, 1 /* CLOCK_MONOTONIC */, why, sizeof why) == 0)
    run->clock = clock.identity;
  if (capture->means == CAPTURE_PERF)
    return perf_capture_finish(&capture->perf, run, others, &capture->sink, &capture->news);
  close_all(capture->events.data, capture->events.count);
  capture->events.count = 0;
  *others = 0;
  kernel_ring_take(&capture->ring, take_record, capture);
  for (uint32_t i = 0; i < first_fate(capture); i++) {
    struct program_count count;
    read_count(capture, i, &count);
    run->count[i] = (struct outside_count){count.hits, count.lost, capture->unread[i], count.aside};
    *others += count.others;
  }
  add_missed(capture, run);
  return order_flush(&capture->order, UINT64_MAX, &sink);
}
