/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Probes attached by perf_event_open alone: for kernels and containers that do not permit BPF.
 *
 * Each place of a probe has an event on each processor, of all processes; the events of a processor
 * write into one ring. Which process an event is of is looked at here, in order of time, together
 * with the kernel's records of processes that start others: so no event of a child is missed.
 * Memory of the process cannot be read (measure/outside/perf_fields.h).
 */
#ifndef MEASURE_OUTSIDE_PERF_CAPTURE_H
#define MEASURE_OUTSIDE_PERF_CAPTURE_H

#include "base/status.h"
#include "base/text.h"
#include "measure/outside/interest.h"
#include "measure/outside/order.h"
#include "measure/profile/ring.h"

struct outside_plan;
struct perf_reading;

/* A probe at a place, on one processor. */
struct perf_attached {
  uint64_t id; /* in its records */
  int event;
  uint32_t probe;
  size_t reading;
};

struct perf_processor {
  int event; /* of which the ring is */
  int number;
  struct ring ring;
};

/* {0} holds nothing. */
struct perf_capture {
  const struct outside_plan *plan;
  struct capture_interest interest;
  bool everyone;
  VECTOR(struct perf_reading) readings; /* of each probe as many as it has programs */
  VECTOR(struct perf_processor) processors;
  VECTOR(struct perf_attached) attached;
  VECTOR(struct capture_process) traced;
  VECTOR(struct capture_process) named;
  ring_bytes bytes;
  struct outside_order order;
  uint64_t before_ns;             /* when the rings were last looked at */
  uint64_t given_ns;              /* what is earlier has been given away */
  uint64_t taken[OUTSIDE_PROBES]; /* samples of each probe, of any process */
  uint64_t late[OUTSIDE_PROBES], unread[OUTSIDE_PROBES];
  uint64_t hits[OUTSIDE_PROBES], aside[OUTSIDE_PROBES];
  uint64_t others[OUTSIDE_PROBES];
};

/* As the functions of measure/outside/capture.h. */
enum status perf_capture_init(struct perf_capture *capture, const struct outside_plan *plan,
                              const struct capture_interest *interest, bool everyone,
                              struct text *message);
void perf_capture_clear(struct perf_capture *capture);
void perf_capture_follow(struct perf_capture *capture, uint32_t process, uint64_t places);
void perf_capture_forget(struct perf_capture *capture, uint32_t process);
enum status perf_capture_attach(struct perf_capture *capture, struct text *message);
/* The first probe at a tracepoint where a program of BPF may keep events from being seen, and how
 * many there are; NULL: there is none. */
const char *perf_capture_filtered(const struct perf_capture *capture, unsigned *programs);
bool perf_capture_drain(struct perf_capture *capture, const struct outside_sink *sink,
                        const struct capture_news *news);
/* Fills in the counts of `run`. */
bool perf_capture_finish(struct perf_capture *capture, struct outside_run *run, uint64_t *others,
                         const struct outside_sink *sink, const struct capture_news *news);

#endif
