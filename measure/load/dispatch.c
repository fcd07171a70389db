/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/load/dispatch.h"

#include "base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 64, TICK_MS = 50, FREE = -1 };

struct dispatch {
  arrival_vector *arrivals;
  const struct carrier *carrier;
  const struct dispatch_options *options;
  struct text *message;
  enum status status;
  long *asked; /* by slot: the number of its request, or FREE */
  size_t *free_slots, free_count;
  size_t due, begun, over; /* due: requests whose moment has come */
  int poll, timer;
  uint64_t start_ns, looked_ns;
};

static uint64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now_of(const struct dispatch *d) {
  return clock_ns() - d->start_ns;
}

const struct load_arrival *dispatch_arrival(const struct dispatch *d, size_t number) {
  return &d->arrivals->data[number];
}

bool dispatch_watch(struct dispatch *d, size_t slot, int descriptor, uint32_t events, bool again) {
  struct epoll_event event = {.events = events, .data.u64 = slot + 1};
  int what = events == 0 ? EPOLL_CTL_DEL : again ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  return epoll_ctl(d->poll, what, descriptor, &event) == 0;
}

void dispatch_done(struct dispatch *d, size_t slot, enum arrival_end end, uint16_t status) {
  struct load_arrival *arrival = &d->arrivals->data[d->asked[slot]];
  uint64_t now = now_of(d);
  arrival->latency_ns = now > arrival->due_ns ? now - arrival->due_ns : 1;
  arrival->end = (uint8_t)end;
  arrival->status = status;
  d->asked[slot] = FREE;
  d->free_slots[d->free_count++] = slot;
  d->over++;
}

void dispatch_refuse(struct dispatch *d, const char *format, ...) {
  if (d->status != STATUS_OK)
    return;
  char line[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text_append(d->message, line);
  d->status = STATUS_UNAVAILABLE;
}

static bool is_stopped(const struct dispatch *d) {
  return d->status != STATUS_OK || (d->options->stop != NULL && *d->options->stop != 0);
}

static void begin_what_is_due(struct dispatch *d) {
  while (d->begun < d->due && d->free_count > 0 && !is_stopped(d)) {
    size_t slot = d->free_slots[--d->free_count], number = d->begun++;
    d->asked[slot] = (long)number;
    d->carrier->begin(d->carrier->context, d, slot, number);
  }
}

static void set_timer(const struct dispatch *d) {
  if (d->due == d->arrivals->count)
    return;
  uint64_t at_ns = d->start_ns + d->arrivals->data[d->due].due_ns;
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at_ns / 1000000000u),
                                         .tv_nsec = (long)(at_ns % 1000000000u)}};
  timerfd_settime(d->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void look_at_clock(struct dispatch *d) {
  uint64_t now = now_of(d);
  size_t before = d->due;
  for (; d->due < d->arrivals->count && d->arrivals->data[d->due].due_ns <= now; d->due++)
    d->arrivals->data[d->due].late_ns = now - d->arrivals->data[d->due].due_ns;
  if (d->due != before)
    set_timer(d);
}

/* Gives up the requests whose time is over, and those that never found a slot. */
static void lose_patience(struct dispatch *d) {
  uint64_t now = now_of(d), patience = d->options->patience_ns;
  if (now < d->looked_ns + (uint64_t)TICK_MS * 1000000)
    return;
  d->looked_ns = now;
  for (size_t slot = 0; slot < d->options->slots; slot++) {
    if (d->asked[slot] == FREE || now <= d->arrivals->data[d->asked[slot]].due_ns + patience)
      continue;
    d->carrier->abandon(d->carrier->context, d, slot);
    dispatch_done(d, slot, ARRIVAL_TIMED_OUT, 0);
  }
  while (d->begun < d->due && now > d->arrivals->data[d->begun].due_ns + patience) {
    d->arrivals->data[d->begun++].end = ARRIVAL_TIMED_OUT;
    d->over++;
  }
}

static bool is_over(const struct dispatch *d) {
  return d->status != STATUS_OK || d->over == d->arrivals->count ||
         (is_stopped(d) && d->over == d->begun);
}

static void loop(struct dispatch *d) {
  set_timer(d);
  while (!is_over(d)) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(d->poll, events, EVENTS, TICK_MS);
    uint64_t expirations;
    for (int i = 0; i < count; i++)
      if (events[i].data.u64 != 0)
        d->carrier->event(d->carrier->context, d, (size_t)events[i].data.u64 - 1, events[i].events);
      else if (read(d->timer, &expirations, sizeof expirations) < 0)
        continue;
    look_at_clock(d);
    lose_patience(d);
    begin_what_is_due(d);
  }
  for (size_t slot = 0; slot < d->options->slots; slot++)
    if (d->asked[slot] != FREE)
      d->carrier->abandon(d->carrier->context, d, slot);
}

enum status dispatch_run(arrival_vector *arrivals, const struct carrier *carrier,
                         const struct dispatch_options *options, struct text *message) {
  struct dispatch d = {
      .arrivals = arrivals, .carrier = carrier, .options = options, .message = message};
  d.asked = mem_alloc(options->slots, sizeof *d.asked);
  d.free_slots = mem_alloc(options->slots, sizeof *d.free_slots);
  for (size_t i = 0; i < options->slots; i++) {
    d.asked[i] = FREE;
    d.free_slots[d.free_count++] = options->slots - 1 - i; /* the first is taken first */
  }
  d.poll = epoll_create1(EPOLL_CLOEXEC);
  d.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  d.start_ns = clock_ns();
  if (d.poll < 0 || d.timer < 0 || epoll_ctl(d.poll, EPOLL_CTL_ADD, d.timer, &event) != 0) {
    text_format(message, "no timer: %s", strerror(errno));
    d.status = STATUS_INTERNAL;
  } else {
    loop(&d);
  }
  if (d.poll >= 0)
    close(d.poll);
  if (d.timer >= 0)
    close(d.timer);
  mem_free(d.asked);
  mem_free(d.free_slots);
  return d.status;
}
