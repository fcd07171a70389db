/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What would be attached for a list of probes: places in files and tracepoints of this kernel,
 * found without attaching anything.
 */
#ifndef MEASURE_OUTSIDE_PROBE_PLAN_H
#define MEASURE_OUTSIDE_PROBE_PLAN_H

#include "measure/outside/socket.h"
#include "measure/outside/target.h"
#include "measure/outside/tracefs.h"

struct planned_probe {
  struct outside_target target; /* of a site with a path */
  struct socket_layout socket;  /* of a probe on sockets */
  struct tracepoint tracepoint; /* of the others */
  begun_calls calls;            /* where its calls begin: tracepoints, of a site without a path */
};

struct outside_plan {
  const struct outside_probes *probes;
  VECTOR(struct planned_probe) list; /* of each probe */
  struct target_files *files;        /* that the targets are in */
  uint64_t key;                      /* of Unix sockets (measure/outside/socket.h) */
  int events;                        /* descriptor of tracefs; -1: not needed, or not there */
};

/* `probes` must outlive the plan, which is initialised in any case. Otherwise one line in
 * `message`, which names the probe. */
enum status probe_plan_make(struct outside_plan *plan, const struct outside_probes *probes,
                            struct text *message);
/* Whether the files are as they were when the plan was made; STATUS_DATA with one line in `message`
 * if not: the places may be in the middle of instructions now. Ask it before attaching. */
enum status probe_plan_check(const struct outside_plan *plan, struct text *message);

void probe_plan_clear(struct outside_plan *plan);

/* Whether a site is in a program or library. */
bool probe_plan_has_path(const struct outside_site *site);

/* Whether the kernel waits at the function's entry for its return: a uretprobe that has no probe on
 * each return instruction. */
bool probe_plan_waits(const struct outside_site *site);

/* Whether something is kept from where a call begins until it is done. */
bool probe_plan_keeps_call(const struct outside_site *site);

/* Whether it is on sockets. */
bool probe_plan_has_socket(const struct outside_site *site);

/* Appends what the probe is attached to, for people: "XLogFlush", "fdatasync, at its return". */
void probe_plan_describe(struct text *text, const struct outside_site *site);

#endif
