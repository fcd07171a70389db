/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The services of a plan, each under its poker, and the load: started, directed and ended.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_SERVICES_H
#define MEASURE_THROUGHPUT_EXPERIMENT_SERVICES_H

#include <signal.h>

#include "base/status.h"
#include "measure/throughput/experiment/window.h"

struct services;

enum services_end {
  SERVICES_GOOD,
  SERVICES_INTERRUPTED,
  SERVICES_NO_KEY,  /* the plan's key file cannot be read */
  SERVICES_BAD_KEY, /* or is none */
  SERVICES_MISSING, /* a program does not run, or nothing answers where a poker should */
  SERVICES_FAILED,  /* the machine: no folder, process or memory left */
};

struct services_options {
  const char *program; /* path of tailproof, whose `poker` is run */
  uint32_t users;      /* of the plan's load, to begin with; 0: as the plan says */
  bool latencies;     /* services with a command write the time of each request, and their pauses */
  bool uncoordinated; /* nobody hears of anybody's rounds */
  const volatile sig_atomic_t *interrupted; /* may be NULL */
};

/* Starts all in the plan's order, then the load, and waits until a request reaches the entry. On
 * failure *services is NULL, nothing runs, and `message` has one line. The plan must outlive it. */
enum services_end services_start(struct services **services, const struct experiment_plan *plan,
                                 const struct services_options *options,
                                 char message[PLAN_MESSAGE]);

/* Ends the plan's load and starts it with so many users, and waits likewise; only where the plan says
 * how many there are. */
enum services_end services_load(struct services *services, uint32_t users,
                                char message[PLAN_MESSAGE]);

/* The functions for window_run. They fail with -ECHILD when a service or the load ended, -EINTR
 * when interrupted; otherwise as the directors do. */
struct window_world services_world(struct services *services);

/* The file of a service's latencies (measure/throughput/poker/latencies.c), if it has a command; it
 * is removed by services_stop. */
const char *services_latencies(const struct services *services, uint32_t service);

/* The path of this program, whose `poker` is run; false when the system does not say. */
bool services_program(char path[4096]);

/* SERVICES_MISSING is STATUS_UNAVAILABLE, and so on. */
enum status services_status(enum services_end end);

/* Adds whom services talk to just now. */
void services_talks(struct talks *talks, const struct services *services);

/* An epoch that no poker has had. */
uint64_t services_next_epoch(struct services *services);

/* Ends the pauses of services that run elsewhere, the load and the services started here, the last
 * one first; also after a failure. NULL is accepted. */
void services_stop(struct services *services);

#endif
