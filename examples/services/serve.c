/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one thread of a service that waits for its sockets.
 */
#define _GNU_SOURCE /* accept4 */
#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/services/service.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 64, RETRY_MS = 20 };

void realtime_take(bool wanted) {
  struct sched_param priority = {.sched_priority = 1};
  prctl(PR_SET_TIMERSLACK, 1UL);
  if (wanted && sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
    complain("--realtime: %s; going on without it", strerror(errno));
}

/* All that wait. False after a complaint: without file descriptors it would be asked for ever. */
static bool callers_accept(struct service *service, int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
      continue;
    if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return true;
    struct caller *caller = fd >= 0 ? caller_new(service, fd) : NULL;
    if (caller == NULL) {
      complain("%s: accepting a connection: %s", service->self->name, strerror(errno));
      return false;
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = caller};
    if (epoll_ctl(service->poll, EPOLL_CTL_ADD, fd, &event) != 0)
      caller_release(caller);
  }
}

static void caller_serve(struct caller *caller, bool writable) {
  if (writable)
    channel_flush(&caller->channel);
  if (!channel_read(&caller->channel, caller_take, caller)) {
    channel_detach(&caller->channel);
    caller_release(caller);
  }
}

static bool is_link(const struct service *service, const void *pointer) {
  const char *first = (const char *)service->links, *given = pointer;
  return given >= first && given < first + sizeof service->links;
}

/* Until a signal comes. A wait that is interrupted, by a stop for instance, is waited again. False
 * after a complaint. */
static bool events_serve(struct service *service, int *listener, int *signals) {
  bool missing = true;
  for (;;) {
    struct epoll_event events[EVENTS];
    missing = missing && links_connect(service);
    int count = epoll_wait(service->poll, events, EVENTS, missing ? RETRY_MS : -1);
    for (int i = 0; i < count; i++) {
      void *source = events[i].data.ptr;
      bool writable = (events[i].events & EPOLLOUT) != 0;
      if (source == signals)
        return true;
      if (source == listener) {
        if (!callers_accept(service, *listener))
          return false;
      } else if (is_link(service, source)) {
        link_serve(source, writable);
        missing = missing || ((struct link *)source)->channel.fd < 0;
      } else
        caller_serve(source, writable);
    }
  }
}

static bool watch(int poll, int *fd, const char *what) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = fd};
  if (*fd >= 0 && poll >= 0 && epoll_ctl(poll, EPOLL_CTL_ADD, *fd, &event) == 0)
    return true;
  complain("%s: %s", what, strerror(errno));
  return false;
}

static int signals_open(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

/* One line: what this service was asked for, and what it asked for. */
static void report(struct service *service) {
  printf("%s: requests %lu failed %lu stops %lu lost %lu us calls", service->self->name,
         atomic_load(&service->begun), atomic_load(&service->failed), atomic_load(&service->stops),
         atomic_load(&service->lost_us));
  for (size_t i = 0; i < service->mesh->count; i++)
    if (service->links[i].used)
      printf(" %s=%lu", service->mesh->services[i].name, atomic_load(&service->called[i]));
  printf("\n");
}

static bool service_open(struct service *service, int *listener, int *signals) {
  uint16_t port = (uint16_t)(service->base + (service->self - service->mesh->services));
  char what[160];
  if (tailproof_counter_open(&service->counter) != 0) {
    complain("%s: %s", service->self->name, tailproof_error());
    return false;
  }
  *signals = signals_open();
  service->poll = epoll_create1(EPOLL_CLOEXEC);
  *listener = channel_listen(port);
  snprintf(what, sizeof what,
           "%s cannot listen at 127.0.0.1:%u (is it running already? --base or SERVICES_BASE names "
           "other ports)",
           service->self->name, port);
  if (!watch(service->poll, listener, what) || !watch(service->poll, signals, "signals"))
    return false;
  links_init(service);
  return pool_start(service);
}

int service_run(const struct mesh *mesh, size_t index, const struct serve_options *options) {
  static struct service service;
  int listener = -1, signals = -1;
  service.mesh = mesh;
  service.self = &mesh->services[index];
  service.base = options->base;
  service.random = random_seeded(options->seed, index);
  atomic_init(&service.faster, options->faster);
  realtime_take(options->realtime);
  if (!service_open(&service, &listener, &signals))
    return EXIT_FAILED;
  bool good = events_serve(&service, &listener, &signals);
  if (options->report)
    report(&service);
  good = fflush(stdout) == 0 && good;
  _exit(good ? EXIT_SUCCESS : EXIT_FAILED); /* the workers are in the midst of it */
}
