/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Probes in running programs: attached by the kernel's uprobes and tracepoints, with a program of
 * BPF at each that leaves a record in one ring; or, where BPF is not permitted, by perf_event_open
 * alone (measure/outside/perf_capture.h).
 *
 * All that is attached is bound to descriptors of this process: when it ends, however it ends, the
 * kernel takes it away. Traced processes are not stopped, not written to and not signalled. A probe
 * in a file is one in all processes that have mapped it; of those that are not traced nothing is
 * recorded, but each time they come by costs them what it costs the traced ones.
 */
#ifndef MEASURE_OUTSIDE_CAPTURE_H
#define MEASURE_OUTSIDE_CAPTURE_H

#include "measure/outside/interest.h"
#include "measure/outside/order.h"
#include "measure/outside/probe_plan.h"
#include "measure/outside/program.h"
#include "measure/outside/kernel_ring.h"
#include "measure/outside/perf_capture.h"
#include "measure/outside/together.h"

/* The program where calls of a probe begin. */
struct capture_entry {
  uint32_t probe;
  uint32_t program;    /* its number */
  unsigned tracepoint; /* its id; 0: a place in a file */
};

struct outside_capture {
  enum capture_means means; /* after capture_init: never CAPTURE_ANY */
  struct perf_capture perf; /* with CAPTURE_PERF, instead of what follows up to `ring` */
  bool refused;             /* whether the kernel does not permit or know BPF */
  const struct outside_plan *plan;
  struct capture_interest interest;
  struct program_maps maps;
  bpf_code code;
  VECTOR(int) programs;
  VECTOR(uint32_t) program_of;          /* the probe that each is of */
  VECTOR(struct capture_entry) entries; /* by probe, rising */
  VECTOR(struct capture_process) named;
  bool links; /* places in files are attached by links, not events */
  together_places places;
  together_descriptors events; /* of events and links: attached as long as they are open */
  struct kernel_ring ring;
  struct outside_order order;
  struct outside_sink sink;
  struct capture_news news;
  uint64_t hits[OUTSIDE_PROBES], unread[OUTSIDE_PROBES];
  uint64_t start_ns;
};

/* Numbers of records that are no probe's begin here. */
static inline uint32_t capture_first_fate(const struct outside_capture *capture) {
  return (uint32_t)capture->plan->probes->list.count;
}

/* Loads programs and attaches nothing yet. `everyone`: all processes are traced. `plan` must
 * outlive the capture, which is cleared by capture_clear in any case. Otherwise one line in
 * `message`: STATUS_UNAVAILABLE where this is not permitted, with the remedy. */
enum status capture_init(struct outside_capture *capture, const struct outside_plan *plan,
                         const struct capture_interest *interest, bool everyone,
                         enum capture_means means, struct text *message);
void capture_clear(struct outside_capture *capture);

/* Traces a process, and what it will start. `settled`: it is what its command line says, until it
 * becomes another program. */
bool capture_follow(struct outside_capture *capture, uint32_t process, bool settled);
/* The same of a process that the user named, before capture_attach. */
bool capture_follow_named(struct outside_capture *capture, uint32_t process, bool settled);

void capture_forget(struct outside_capture *capture, uint32_t process);

/* Attaches all probes. */
enum status capture_attach(struct outside_capture *capture, struct text *message);

/* Gives what was recorded up to now to the sink, in order of time. False when that wants no more.
 * To be called every few ms: what the ring has no space for is lost, and counted. */
bool capture_drain(struct outside_capture *capture);

/* Detaches all, and gives the rest. `others`: how often processes came by that are not traced. */
bool capture_finish(struct outside_capture *capture, struct outside_run *run, uint64_t *others);

#endif
