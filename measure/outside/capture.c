/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/capture.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/outside/attach.h"
#include "measure/outside/bystanders.h"
#include "measure/record/clock.h"

enum { RING_BYTES = 8 << 20, TRACED_MOST = 1 << 16, CALLS_MOST = 1 << 16 };

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
  else if (error == EMFILE || error == ENFILE)
    text_format(message,
                "%s: Too many open files; permit more (`ulimit -n 4096`), as each probe takes two",
                what);
  else if (error == ENOSYS)
    text_format(message, "%s: this kernel cannot (CONFIG_UPROBES, CONFIG_BPF_SYSCALL); use another",
                what);
  else
    text_format(message, "%s: %s", what, strerror(error));
  return STATUS_UNAVAILABLE;
}

/* --- maps and programs --- */

static int make_ring(void) {
  return bpf_map_create(BPF_MAP_TYPE_RINGBUF, "tp_ring", 0, 0, RING_BYTES, NULL);
}

/* Kernels before 5.11 count maps and programs as locked memory. Where they do not, a program that is
 * started here keeps its limit. */
static int make_ring_unlocked(void) {
  struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
  int ring = make_ring();
  if (ring >= 0 || errno != EPERM)
    return ring;
  return setrlimit(RLIMIT_MEMLOCK, &unlimited) == 0 ? make_ring() : -1;
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
  uint32_t numbers = capture_first_fate(capture) + FATES + 1;
  capture->maps.ring = make_ring_unlocked();
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
  if (in_file && capture->links)
    options.expected_attach_type = (enum bpf_attach_type)ATTACH_LINK_TYPE;
  enum bpf_prog_type type = in_file ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACEPOINT;
  int program =
      bpf_prog_load(type, "tailproof", "GPL", capture->code.data, capture->code.count, &options);
  bool scarce = program < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
  if (program < 0 && errno != EPERM && !scarce) { /* again, for its reason */
    options.log_buf = log;
    options.log_size = sizeof log;
    options.log_level = 1;
    program =
        bpf_prog_load(type, "tailproof", "GPL", capture->code.data, capture->code.count, &options);
  }
  if (program < 0 && errno == EPERM)
    refuse(capture, message, "tracing by BPF", EPERM);
  else if (scarce)
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

/* A link that is kept to the processes named (want_place) leaves nothing to ask. */
static struct program_maps maps_for(const struct outside_capture *capture,
                                    const struct outside_site *site) {
  struct program_maps maps = capture->maps;
  if (capture->links && site->named && probe_plan_has_path(site))
    maps.traced = -1;
  return maps;
}

static enum status load_probe(struct outside_capture *capture, uint32_t number,
                              const struct target_place *place, struct text *message) {
  const struct outside_probes *probes = capture->plan->probes;
  const struct outside_site *site = &probes->sites.data[number];
  struct text why = {0};
  uint64_t places = places_asked(capture, number);
  struct program_maps maps = maps_for(capture, site);
  capture->code.count = 0;
  if (!program_write(&capture->code, number, &probes->list.data[number], site,
                     &capture->plan->list.data[number], place, &maps, places, &why)) {
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
  for (uint32_t i = 0; status == STATUS_OK && i < capture_first_fate(capture); i++) {
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
  struct capture_entry entry = {
      .probe = number, .program = (uint32_t)capture->programs.count, .tracepoint = begun.id};
  struct program_maps maps = maps_for(capture, site);
  const begun_calls *calls = &capture->plan->list.data[number].calls;
  size_t first = capture->entries.count;
  while (first > 0 && capture->entries.data[first - 1].probe == number)
    first--;
  for (size_t i = first; i < capture->entries.count; i++) /* one program for all of a form */
    if (calls->data[i - first].form == begun.form)
      entry.program = capture->entries.data[i].program;
  if (entry.program == capture->programs.count) {
    capture->code.count = 0;
    program_write_entry(&capture->code, number, site, begun.form, &maps,
                        places_asked(capture, number));
    if (load_program(capture, number, probe_plan_has_path(site), message) < 0)
      return STATUS_UNAVAILABLE;
  }
  vector_push(&capture->entries, entry);
  return STATUS_OK;
}

/* Behind all others, as they are not of a probe's own places. */
static enum status load_entries(struct outside_capture *capture, struct text *message) {
  enum status status = STATUS_OK;
  for (uint32_t i = 0; status == STATUS_OK && i < capture_first_fate(capture); i++) {
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
  capture->links = attach_has_links();
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
  vector_clear(&capture->places);
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
        !program_write_fate(&capture->code, capture_first_fate(capture) + i, &tracepoint, fields[i],
                            i != FATE_EXIT, &capture->maps)) {
      text_format(message,
                  "this kernel does not say which process forks or becomes another; use another");
      status = STATUS_UNAVAILABLE;
    }
    int program = status == STATUS_OK
                      ? load_program(capture, capture_first_fate(capture) + i, false, message)
                      : -1;
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
static void want_place(struct outside_capture *capture, uint32_t number,
                       const struct target_place *place, bool at_return, size_t program) {
  uint64_t places = places_asked(capture, number);
  struct together_place wanted = {.target = &capture->plan->list.data[number].target,
                                  .offset = place->offset,
                                  .semaphore = place->semaphore,
                                  .probe = number,
                                  .number = (uint32_t)program,
                                  .process = ATTACH_ALL,
                                  .at_return = at_return};
  bool everywhere = !capture->plan->probes->sites.data[number].named || capture->maps.traced < 0;
  if (everywhere)
    vector_push(&capture->places, wanted);
  for (size_t i = 0; !everywhere && i < capture->named.count; i++) {
    wanted.process = (int32_t)capture->named.data[i].id;
    if ((capture->named.data[i].places & places) != 0)
      vector_push(&capture->places, wanted);
  }
}

/* Before the probe itself: what they do not see begin is not read when it is done. */
static enum status attach_entries(struct outside_capture *capture, uint32_t number,
                                  struct text *message) {
  const char *name = capture->plan->probes->list.data[number].name;
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < capture->entries.count; i++) {
    const struct capture_entry *entry = &capture->entries.data[i];
    int program = capture->programs.data[entry->program];
    if (entry->probe != number)
      continue;
    if (entry->tracepoint == 0)
      want_place(capture, number, &capture->plan->list.data[number].target.entry, false,
                 entry->program);
    else
      status = add_event(capture, attach_tracepoint(entry->tracepoint, program), name, message);
  }
  return status;
}

/* `program`: the number of the probe's first one. */
static enum status attach_probe(struct outside_capture *capture, uint32_t number, size_t program,
                                struct text *message) {
  const struct outside_site *site = &capture->plan->probes->sites.data[number];
  const struct planned_probe *planned = &capture->plan->list.data[number];
  const char *name = capture->plan->probes->list.data[number].name;
  enum status status = attach_entries(capture, number, message);
  if (status == STATUS_OK && !probe_plan_has_path(site))
    return add_event(capture,
                     attach_tracepoint(planned->tracepoint.id, capture->programs.data[program]),
                     name, message);
  for (size_t i = 0; status == STATUS_OK && i < planned->target.places.count; i++)
    want_place(capture, number, &planned->target.places.data[i], probe_plan_waits(site),
               program + (site->kind == SITE_USDT ? i : 0));
  return status;
}

static enum status attach_probes(struct outside_capture *capture, struct text *message) {
  size_t count = capture->programs.count, at = 0;
  enum status status = STATUS_OK;
  uint32_t number = 0;
  for (uint32_t i = 0; status == STATUS_OK && i < capture_first_fate(capture); i++) {
    status = attach_probe(capture, i, at, message);
    while (at < count && capture->program_of.data[at] == i)
      at++;
  }
  if (status != STATUS_OK)
    return status;
  int error = together_attach(&capture->events, &capture->places, capture->programs.data,
                              capture->links, &number);
  return error == 0
             ? STATUS_OK
             : refuse(capture, message, capture->plan->probes->list.data[number].name, error);
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
  if (status == STATUS_OK)
    status = attach_probes(capture, message);
  capture->start_ns = clock_monotonic();
  return status;
}
