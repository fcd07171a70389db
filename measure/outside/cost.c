/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/cost.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/outside/attach.h"
#include "measure/outside/program.h"
#include "measure/record/clock.h"

enum { CALLS = 500, ROUNDS = 6, RING = 1 << 20 };

static bool is_stepped(const struct planned_probe *planned) {
  for (size_t i = 0; i < planned->target.places.count; i++)
    if (planned->target.places.data[i].stepped)
      return true;
  return false;
}

double cost_of(const double cost_ns[COSTS], const struct outside_site *site,
               const struct planned_probe *planned) {
  if (!probe_plan_has_path(site))
    return cost_ns[COST_KERNEL];
  double step = is_stepped(planned) ? cost_ns[COST_STEPPED] - cost_ns[COST_FUNCTION] : 0;
  bool at_return = probe_plan_waits(site);
  return cost_ns[at_return ? COST_RETURN : COST_FUNCTION] + (step > 0 ? step : 0);
}

/* What is probed: functions whose first instruction is known. */
__attribute__((naked, noinline)) static void pushes(void) {
  __asm__("push %rax\n\tpop %rax\n\tret");
}

__attribute__((naked, noinline)) static void moves(void) {
  __asm__("mov %rax, %rax\n\tret");
}

typedef void (*passed_function)(void);

static passed_function passed_by(enum cost_kind kind) {
  return kind == COST_STEPPED ? moves : pushes;
}

/* Where a function is in this program's file; 0: not found. */
static uint64_t own_offset(passed_function function) {
  uintptr_t wanted = (uintptr_t)function;
  unsigned long start, end, offset, found = 0;
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && start <= wanted &&
        wanted < end)
      found = offset + (wanted - start);
  if (maps != NULL)
    fclose(maps);
  return found;
}

/* ns for a call, the least of several averages. */
static double time_calls(enum cost_kind kind) {
  passed_function function = passed_by(kind);
  double least = 1e9;
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint64_t start = clock_monotonic();
    for (unsigned i = 0; i < CALLS; i++)
      if (kind == COST_KERNEL)
        syscall(SYS_getppid);
      else
        function();
    double average = (double)(clock_monotonic() - start) / CALLS;
    least = average < least ? average : least;
  }
  return least;
}

/* As together_attach does it. */
static int attach(enum cost_kind kind, int program, const struct tracepoint *tracepoint,
                  bool links) {
  if (kind == COST_KERNEL)
    return attach_tracepoint(tracepoint->id, program);
  const uint64_t offset = own_offset(passed_by(kind));
  const struct attach_places places = {.offsets = &offset, .count = 1};
  return links ? attach_link("/proc/self/exe", &places, kind == COST_RETURN, ATTACH_ALL, program)
               : attach_file("/proc/self/exe", offset, 0, kind == COST_RETURN, ATTACH_ALL, program);
}

static double measure(enum cost_kind kind, const struct program_maps *maps,
                      const struct tracepoint *tracepoint, bool links) {
  static const enum site_kind kinds[] = {SITE_UPROBE, SITE_UPROBE, SITE_URETPROBE, SITE_SYSCALL};
  struct outside_site site = {.kind = kinds[kind]};
  struct outside_probe probe = {.field_count = 0};
  struct text message = {0};
  bpf_code code = {0};
  double without = time_calls(kind), with = without;
  program_write(&code, 0, &probe, &site, &(struct planned_probe){.socket = {0}}, NULL, maps,
                PROGRAM_EVERYWHERE, &message);
  struct bpf_prog_load_opts options = {.sz = sizeof options};
  if (links && kind != COST_KERNEL)
    options.expected_attach_type = (enum bpf_attach_type)ATTACH_LINK_TYPE;
  int program = bpf_prog_load(kind == COST_KERNEL ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_KPROBE,
                              "tp_cost", "GPL", code.data, code.count, &options);
  int event = program < 0 ? -1 : attach(kind, program, tracepoint, links);
  if (event >= 0) {
    with = time_calls(kind);
    close(event);
  }
  if (program >= 0)
    close(program);
  vector_clear(&code);
  text_clear(&message);
  return with > without ? with - without : 0;
}

void cost_measure(double cost_ns[COSTS]) {
  struct text message = {0};
  struct tracepoint tracepoint = {0};
  uint32_t self = (uint32_t)getpid();
  uint64_t everywhere = PROGRAM_EVERYWHERE;
  struct program_maps maps = {
      .ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "tp_ring", 0, 0, RING, NULL),
      .counts = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "tp_counts", 4,
                               sizeof(struct program_count), 1, NULL),
      .traced = bpf_map_create(BPF_MAP_TYPE_HASH, "tp_traced", 4, 8, 16, NULL)};
  int events = tracefs_open(&message);
  bool links = attach_has_links();
  bool known = events >= 0 && tracepoint_find(&tracepoint, events, "syscalls", "sys_enter_getppid",
                                              &message) == STATUS_OK;
  bpf_map_update_elem(maps.traced, &self, &everywhere, BPF_ANY);
  for (enum cost_kind kind = 0; kind < COSTS; kind++)
    cost_ns[kind] = kind != COST_KERNEL || known ? measure(kind, &maps, &tracepoint, links) : 0;
  tracepoint_clear(&tracepoint);
  int open[] = {maps.ring, maps.counts, maps.traced, events};
  for (size_t i = 0; i < sizeof open / sizeof *open; i++)
    if (open[i] >= 0)
      close(open[i]);
  text_clear(&message);
}
