/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The thread that pauses one service: it waits, stops, continues and accounts (inside.h).
 */
#define _GNU_SOURCE /* ppoll */
#include "measure/throughput/pause/inside.h"

#include "measure/throughput/pause/moment.h"
#include "measure/throughput/pause/priority.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* The end of a wait is slept to by one timer, in which nothing else is noticed. */
static const uint64_t exact_ns = 5000000;
static const uint64_t look_least_ns = 20000, look_most_ns = 1000000;
static const uint64_t late_ns = 500000;
static const uint64_t guard_again_ns = 100000000;
enum { CONTINUES_MOST = 60 };

enum notice { NOTICE_TIME, NOTICE_ROUND, NOTICE_CANCELLED, NOTICE_LEFT };

/* One pause. */
struct pause {
  uint64_t asked_ns, deadline_ns, ended_ns;
  bool seen; /* to stand */
};

void pausing_wake(const struct pauser *pauser) {
  static const uint64_t one = 1;
  while (write(pauser->wake, &one, sizeof one) < 0 && errno == EINTR)
    ;
}

/* --- waiting -----------------------------------------------------------------------------------
 */

static void mind_the_guard(struct pauser *pauser) {
  if (!guard_is_gone(&pauser->guard) || !guard_start(&pauser->guard, &pauser->brake))
    return;
  pthread_mutex_lock(&pauser->lock);
  pauser->report.guard_starts++;
  pauser->report.guard = pauser->guard.pid;
  pthread_mutex_unlock(&pauser->lock);
}

static void forget_wakes(const struct pauser *pauser) {
  uint64_t count;
  while (read(pauser->wake, &count, sizeof count) < 0 && errno == EINTR)
    ;
}

/* Waits for something to notice, at most ns (UINT64_MAX: for ever). */
static enum notice notice(struct pauser *pauser, uint64_t ns) {
  if (atomic_load(&pauser->cancelled))
    return NOTICE_CANCELLED;
  struct timespec most = moment_timespec(ns);
  struct pollfd on[] = {{.fd = pauser->wake, .events = POLLIN},
                        {.fd = pauser->event, .events = POLLIN},
                        {.fd = pauser->guard.process, .events = POLLIN}};
  bool any = ppoll(on, 3, ns == UINT64_MAX ? NULL : &most, NULL) > 0;
  if (any && on[0].revents != 0)
    forget_wakes(pauser);
  if (any && on[1].revents != 0)
    return NOTICE_LEFT;
  if (atomic_load(&pauser->cancelled))
    return NOTICE_CANCELLED;
  if (any && on[2].revents != 0)
    mind_the_guard(pauser);
  return any && on[0].revents != 0 ? NOTICE_ROUND : NOTICE_TIME;
}

/* --- the service's state -----------------------------------------------------------------------
 */

/* Steps, and sends what is to be sent; *at_ns is the moment right before: a service that was woken
 * may come before everything after. False: it could not be sent. */
static bool advance(struct pauser *pauser, enum pause_event event, uint64_t *at_ns) {
  enum pause_send send;
  pthread_mutex_lock(&pauser->lock);
  pauser->report.state = pause_step(pauser->report.state, event, &send);
  *at_ns = moment_now();
  if (send == PAUSE_SEND_STOP)
    pauser->report.pausing_since_ns = *at_ns;
  pthread_mutex_unlock(&pauser->lock);
  *at_ns = moment_now();
  if (send == PAUSE_SEND_STOP)
    return brake_stop(&pauser->brake);
  return send != PAUSE_SEND_CONTINUE || brake_continue(&pauser->brake);
}

static void look(struct pauser *pauser, struct pause *pause) {
  if (pause->seen || !brake_stands(&pauser->brake))
    return;
  uint64_t at_ns;
  pause->seen = true;
  advance(pauser, PAUSE_HAS_STOPPED, &at_ns);
}

/* Until the pause is over, by its deadline or before. */
static enum pause_event stand(struct pauser *pauser, struct pause *pause) {
  bool rounds = false;
  uint64_t apart_ns = look_least_ns, now_ns;
  enum pause_event event = PAUSE_DUE;
  while (event == PAUSE_DUE && (now_ns = moment_now()) < pause->deadline_ns) {
    look(pauser, pause);
    uint64_t until_ns = pause->deadline_ns;
    if (!pause->seen && now_ns + apart_ns < until_ns) {
      until_ns = now_ns + apart_ns;
      apart_ns = apart_ns < look_most_ns ? 2 * apart_ns : look_most_ns;
    }
    if (until_ns <= now_ns + 2 * exact_ns) {
      moment_sleep_until(until_ns);
      continue;
    }
    enum notice noticed = notice(pauser, until_ns - now_ns - exact_ns);
    rounds = rounds || noticed == NOTICE_ROUND;
    if (noticed == NOTICE_LEFT)
      event = PAUSE_LEFT;
    else if (noticed == NOTICE_CANCELLED)
      event = PAUSE_CANCELLED;
  }
  look(pauser, pause);
  if (rounds)
    pausing_wake(pauser); /* they are for after this pause */
  return event;
}

/* Until it is seen to run. One that still stands after many tries was stopped by somebody else in
 * the meantime (or an ancestor of its cgroup is frozen); that is not for us to undo. */
static void let_go(struct pauser *pauser) {
  uint64_t apart_ns = look_least_ns, at_ns;
  for (int i = 0; i < CONTINUES_MOST && brake_stands(&pauser->brake); i++) {
    moment_sleep_until(moment_now() + apart_ns);
    apart_ns = apart_ns < look_most_ns ? 2 * apart_ns : look_most_ns;
    advance(pauser, PAUSE_FAILED, &at_ns);
  }
  advance(pauser, PAUSE_CONTINUED, &at_ns);
}

/* --- one pause ---------------------------------------------------------------------------------
 */

static void account(struct pauser *pauser, const struct pause *pause) {
  const struct guard_page *page = pauser->guard.page;
  uint64_t rescued_ns = atomic_load(&page->rescued_ns);
  bool rescued = rescued_ns >= pause->asked_ns;
  uint64_t ended_ns = rescued && rescued_ns < pause->ended_ns ? rescued_ns : pause->ended_ns;
  uint64_t late = pause->ended_ns > pause->deadline_ns ? pause->ended_ns - pause->deadline_ns : 0;
  pthread_mutex_lock(&pauser->lock);
  struct pauser_report *report = &pauser->report;
  uint64_t length_ns = pause_length(pause->asked_ns, ended_ns, pauser->calibration.offset_ns);
  pause_realise(&report->ledger, length_ns);
  history_add(&pauser->history, pause->asked_ns, pause->asked_ns + length_ns);
  report->pausing_since_ns = 0;
  report->pauses++;
  report->late_pauses += late > late_ns;
  report->unseen_stops += !pause->seen;
  report->rescues += rescued;
  pthread_mutex_unlock(&pauser->lock);
}

/* How much before its end a pause's timer is set. */
static uint64_t early(const struct pauser *pauser) {
  return pauser->calibration.offset_ns + pauser->calibration.lead_ns;
}

/* One that is shorter than what stopping and continuing take anyway waits for more. */
static uint64_t due(struct pauser *pauser) {
  uint64_t early_ns = early(pauser);
  pthread_mutex_lock(&pauser->lock);
  uint64_t least_ns = pauser->least_ns > early_ns ? pauser->least_ns : early_ns;
  uint64_t ns = pause_due(&pauser->report.ledger, least_ns, pauser->most_ns);
  pthread_mutex_unlock(&pauser->lock);
  return ns;
}

static void refuse(struct pauser *pauser) {
  pthread_mutex_lock(&pauser->lock);
  pauser->report.pausing_since_ns = 0;
  pauser->report.refused++;
  pthread_mutex_unlock(&pauser->lock);
}

/* Stops the service, waits, continues it. False when it could not be stopped. */
static bool have_pause(struct pauser *pauser, struct pause *pause, uint64_t due_ns) {
  bool asked = advance(pauser, PAUSE_ASKED, &pause->asked_ns);
  pause->deadline_ns = pause_deadline(pause->asked_ns, due_ns, early(pauser));
  enum pause_event event = asked ? stand(pauser, pause) : PAUSE_FAILED;
  advance(pauser, event, &pause->ended_ns);
  if (event != PAUSE_LEFT)
    let_go(pauser);
  return asked;
}

static void pause_once(struct pauser *pauser) {
  uint64_t due_ns = due(pauser);
  if (due_ns == 0)
    return;
  if (pauser->guard.process < 0 || brake_stands(&pauser->brake)) {
    refuse(pauser);
    return;
  }
  struct pause pause = {0};
  guard_arm(&pauser->guard, pause_deadline(moment_now(), due_ns, 0));
  bool had = have_pause(pauser, &pause, due_ns);
  guard_disarm(&pauser->guard);
  if (had)
    account(pauser, &pause);
  else
    refuse(pauser);
}

void *pausing_run(void *argument) {
  struct pauser *pauser = argument;
  bool realtime = priority_take(PRIORITY_PAUSER);
  pthread_mutex_lock(&pauser->lock);
  pauser->report.realtime = realtime;
  pthread_mutex_unlock(&pauser->lock);
  sem_post(&pauser->ready);
  for (;;) {
    mind_the_guard(pauser);
    /* Without a guard nothing is paused. */
    bool guarded = pauser->guard.process >= 0;
    enum notice noticed = notice(pauser, guarded ? UINT64_MAX : guard_again_ns);
    uint64_t at_ns;
    if (noticed == NOTICE_ROUND)
      pause_once(pauser);
    else if (noticed == NOTICE_LEFT)
      advance(pauser, PAUSE_LEFT, &at_ns);
    if (noticed == NOTICE_LEFT || noticed == NOTICE_CANCELLED)
      return NULL;
  }
}
