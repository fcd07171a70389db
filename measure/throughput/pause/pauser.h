/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One service that can be paused: it is started in a session and process group of its own, and a
 * thread of the caller's process stops and continues the whole of it, by what the proved core
 * (measure/throughput/core/pause.h) decides. Here are only the system calls.
 *
 * A service is stopped by cgroup.freeze (cgroup v2, in a group of its own below the caller's) or by
 * SIGSTOP and SIGCONT to its process group. Of what leaves that group (daemons that call setsid)
 * signals stop nothing; freezing reaches all descendants. Both may make system calls of the service
 * fail with EINTR (epoll_wait, recv with a time-out, sigtimedwait) although it has no handler.
 *
 * The service is continued whatever happens to the caller: a second process, the guard, does it
 * when the caller's process ends or a pause is overdue by half a second. It does not end the
 * service, unless it is told to: measuring takes nothing down. Without the caller the guard stays until the service has
 * ended, removes its cgroup and ends. A guard that dies is started again. When both die at once a
 * service that was stopped by signals is continued by the kernel (PR_SET_PDEATHSIG; its first
 * process only), a frozen one is not.
 *
 * A service that somebody else has stopped (SIGSTOP) is not paused and not continued while it is
 * seen to be stopped; one that somebody stops *during* a pause by signals is continued with it,
 * and when the caller's process ends its first process is continued in any case.
 *
 * Times are in nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef MEASURE_THROUGHPUT_PAUSE_PAUSER_H
#define MEASURE_THROUGHPUT_PAUSE_PAUSER_H

#include "measure/throughput/core/pause.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PAUSER_ERROR_TEXT 512

enum pauser_mode {
  PAUSER_AUTO,   /* freezing where it works, else signals */
  PAUSER_FREEZE, /* cgroup.freeze; an error where it does not work */
  PAUSER_SIGNAL, /* SIGSTOP and SIGCONT */
};

struct pauser_options {
  char *const *command;     /* NULL-terminated; the first is looked for in PATH */
  char *const *environment; /* NULL-terminated "NAME=VALUE"s that the service gets besides (or
                             * instead of the same NAME in) the caller's; NULL: none */
  enum pauser_mode mode;
  uint64_t least_ns, most_ns;  /* of one pause, as for pauser_limits; most_ns 0: 1 s */
  bool ends_service;           /* with the caller's process, however that ends: the guard does it */
  const char *const *leftover; /* what the guard removes then, if the caller did not
                                * (measure/throughput/pause/guard.h); must outlive the pauser */
  bool uncalibrated;           /* pauses are some 20 us longer than told; starts 0.1 s sooner */
};

/* Why a service was not started. */
struct pauser_error {
  int exit_code; /* 69: the command cannot be run, or cgroup.freeze was demanded and does not work;
                  * 70: the system refused something that every system grants */
  char text[PAUSER_ERROR_TEXT]; /* one line, with the remedy */
};

struct pauser_report {
  struct pause_ledger ledger;
  uint64_t rounds;       /* handed over by pauser_round */
  uint64_t pauses;       /* had */
  uint64_t late_pauses;  /* continued more than half a millisecond after their deadline */
  uint64_t unseen_stops; /* pauses that were over before the service was seen to stop: it waits in
                          * the kernel, or the machine is too busy; they count as had */
  uint64_t refused;      /* rounds whose pause stays carried: somebody else has stopped the service,
                          * it may not be stopped (another user's), or there is no guard just now */
  uint64_t rescues;      /* pauses that the guard ended as they were overdue */
  uint64_t guard_starts; /* 1, and one for each guard that died */
  uint64_t offset_ns;    /* calibrated: how much longer a pause is than the time between its two
                          * calls; the ledger counts it */
  uint64_t lead_ns;      /* calibrated: how much before its end a pause's timer is set */
  uint64_t pausing_since_ns; /* when the pause that is on was asked for, which the ledger does not
                              * have yet; 0: none is on */
  enum pause_state state;
  enum pauser_mode mode; /* never PAUSER_AUTO */
  bool realtime;         /* the pausing thread has SCHED_FIFO; without it (no CAP_SYS_NICE, no
                          * RLIMIT_RTPRIO) pauses are late on a busy machine */
  pid_t service, guard;  /* the service's first process, which is also its group */
};

struct pauser;

/* Starts the service, and the thread that pauses it. Takes 0.1 to 0.3 s for the calibration. NULL
 * on failure: `error` says why; nothing is left running. To be called in a thread that lives as
 * long as the process (the service's PR_SET_PDEATHSIG is about that thread). The service gets an
 * empty signal mask, SIGPIPE's default, and the caller's standard streams; no other descriptors
 * but those without FD_CLOEXEC. */
struct pauser *pauser_start(const struct pauser_options *options, struct pauser_error *error);

/* A descriptor that becomes readable (poll, epoll, uv_poll) when the service's first process has
 * ended; nothing is to be read from it, and the pauser closes it. */
int pauser_event(const struct pauser *pauser);

/* A round was accepted or begun: of the requests that the service has begun so far, those since the
 * last round owe per_request_ns each, and what is due is paused now, once, by the thread. Never
 * waits. A count that is below the last one owes nothing and changes nothing. */
void pauser_round(struct pauser *pauser, uint64_t requests_so_far, uint64_t per_request_ns);

/* A round in which the service owes that much, whatever it has begun. Never waits. */
void pauser_owe(struct pauser *pauser, uint64_t ns);

enum pauser_known {
  PAUSER_KNOWN,
  PAUSER_LATER,     /* a pause of that time is not over yet: ask again */
  PAUSER_FORGOTTEN, /* there were too many pauses since (measure/throughput/pause/history.h) */
};

/* How much of begin .. end, which is over, the service was paused. */
enum pauser_known pauser_paused(struct pauser *pauser, uint64_t begin_ns, uint64_t end_ns,
                                uint64_t *paused_ns);

/* Pause number `number`, from 0; false when it is not over, or forgotten. */
bool pauser_pause(struct pauser *pauser, uint64_t number, uint64_t *from_ns, uint64_t *until_ns);

/* Requests up to here owe nothing more: a new setting begins. Nothing is paused; what is carried
 * stays so. */
void pauser_settle(struct pauser *pauser, uint64_t requests_so_far);

/* The least pause and the most, from the next pause on. What is due stays carried until it is as
 * much as the least (which is never less than offset_ns + lead_ns); what is due beyond the most
 * stays carried for the next round. most_ns 0: 1 s. */
void pauser_limits(struct pauser *pauser, uint64_t least_ns, uint64_t most_ns);

void pauser_report(struct pauser *pauser, struct pauser_report *report);

/* Continues the service if it is paused, and pauses it no more. Returns at once; the thread does it
 * within a few milliseconds. */
void pauser_cancel(struct pauser *pauser);

/* pauser_cancel, then sends the service a signal, as whoever sent it to the caller meant it: SIGINT
 * and SIGQUIT, which come from a keyboard, and SIGKILL go to the whole group, others to the first
 * process. Does not wait. */
void pauser_signal(struct pauser *pauser, int signal);

/* Cancels, sends the service `signal` unless it is 0 or the service has ended, waits limit_ns for
 * its end, kills its group after that; removes the cgroup, ends the guard and the thread, frees
 * all. With a signal, what is left of the group when its first process has ended gets it too, and
 * is killed after the limit; without one it is left alone. The exit code of the service, 128 +
 * signal when one ended it. */
int pauser_end(struct pauser *pauser, int signal, uint64_t limit_ns);

/* "cgroup.freeze" or "signals". */
const char *pauser_mode_name(enum pauser_mode mode);

#endif
