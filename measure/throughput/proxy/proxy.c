/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/proxy/proxy.h"

#include "base/address.h"
#include "measure/throughput/proxy/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
  TICK_MS = 100,
  BACKLOG = 4096,     /* the system cuts it to its own limit */
  OTHER_FILES = 128,  /* of the process that this one leaves alone */
  FILES_MOST = 200000 /* as far as the soft limit is raised */
};

const char *proxy_listens(const struct proxy *proxy) {
  return proxy->listens;
}

void proxy_statistics(const struct proxy *proxy, struct proxy_statistics *statistics) {
  *statistics = proxy->statistics;
}

void proxy_handle_closed(struct proxy *proxy) {
  if (--proxy->handles > 0 || !proxy->stopping)
    return;
  void (*stopped)(void *) = proxy->stopped;
  void *of = proxy->stopped_of;
  holding_clear(&proxy->holding);
  free(proxy);
  if (stopped != NULL)
    stopped(of);
}

static void after_close(uv_handle_t *handle) {
  proxy_handle_closed(handle->data);
}

/* How many pairs there may be: two files each, those of connections that are being closed too. */
static bool room_for_more(struct proxy *proxy) {
  struct rlimit files;
  if (proxy->limits.connections != 0 && proxy->statistics.open >= proxy->limits.connections)
    return false;
  uint64_t needed = proxy->handles + 2 + OTHER_FILES;
  if (needed <= proxy->most || getrlimit(RLIMIT_NOFILE, &files) != 0)
    return true;
  rlim_t wanted = files.rlim_max < FILES_MOST ? files.rlim_max : FILES_MOST;
  if (needed > files.rlim_cur && wanted > files.rlim_cur) {
    struct rlimit raised = {wanted, files.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
      files = raised;
  }
  proxy->most = files.rlim_cur;
  return needed <= proxy->most;
}

/* A connection that waits to be accepted; libuv asks for no other before. */
static void accept_one(struct proxy *proxy) {
  struct proxy_side *side;
  proxy->waiting = true;
  if (proxy->stopping || !room_for_more(proxy) || (side = proxy_side_new(proxy, NULL)) == NULL)
    return;
  proxy->waiting = false;
  if (uv_accept((uv_stream_t *)&proxy->listener, (uv_stream_t *)&side->tcp) != 0) {
    proxy_side_close(side, false);
    return;
  }
  side->connected = true;
  uv_tcp_nodelay(&side->tcp, 1);
  if (!proxy_pair_new(proxy, side))
    proxy_side_close(side, false);
}

static void after_arrival(uv_stream_t *listener, int error) {
  if (error == 0)
    accept_one(listener->data);
}

void proxy_pair_gone(struct proxy *proxy) {
  if (proxy->waiting)
    accept_one(proxy);
}

static void tick(uv_timer_t *timer) {
  struct proxy *proxy = timer->data;
  uint64_t now_ms = uv_now(proxy->loop);
  for (struct proxy_pair *pair = proxy->pairs, *next; pair != NULL; pair = next) {
    next = pair->next;
    proxy_pair_tick(pair, now_ms);
  }
  if (proxy->waiting)
    accept_one(proxy);
}

static void fill_limits(struct proxy_limits *limits, const struct proxy_limits *given) {
  static const struct proxy_limits usual = {10000, 300000, 60000, 120000, 0};
  *limits = given == NULL ? usual : *given;
  if (limits->connect_ms == 0)
    limits->connect_ms = usual.connect_ms;
  if (limits->answer_ms == 0)
    limits->answer_ms = usual.answer_ms;
  if (limits->head_ms == 0)
    limits->head_ms = usual.head_ms;
  if (limits->idle_ms == 0)
    limits->idle_ms = usual.idle_ms;
}

static const char *remedy_for(int error) {
  return error == UV_EADDRINUSE      ? "another program has it: end that, or give another port"
         : error == UV_EADDRNOTAVAIL ? "no interface of this machine has it: give one of its own"
         : error == UV_EACCES        ? "ports below 1024 are the administrator's: give another"
                                     : "give another address";
}

/* Whether there may be one pair: otherwise everybody would wait to be accepted, and nobody be told why. */
static bool has_files(char message[PROXY_MESSAGE]) {
  struct rlimit files;
  enum { LEAST = OTHER_FILES + 4 }; /* the proxy's own handles, and a pair's */
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max >= LEAST)
    return true;
  snprintf(message, PROXY_MESSAGE,
           "a proxy needs at least %d open files, and this process may have %llu; raise the hard "
           "limit (ulimit -Hn)",
           LEAST, (unsigned long long)files.rlim_max);
  return false;
}

/* Binds and listens; 0 or libuv's error. */
static int open_listener(struct proxy *proxy, const struct sockaddr_storage *address) {
  struct sockaddr_storage bound = {0};
  int length = sizeof bound;
  uv_stream_t *stream = (uv_stream_t *)&proxy->listener;
  int error = uv_tcp_bind(&proxy->listener, (const struct sockaddr *)address, 0);
  if (error == 0)
    error = uv_listen(stream, BACKLOG, after_arrival);
  if (error == 0)
    error = uv_tcp_getsockname(&proxy->listener, (struct sockaddr *)&bound, &length);
  address_print(proxy->listens, (const struct sockaddr *)(error == 0 ? &bound : address));
  return error;
}

/* The handles; 0 or libuv's error: those counted in `handles` are to be closed then. */
static int open_handles(struct proxy *proxy, const struct sockaddr_storage *address) {
  proxy->listener.data = proxy->timer.data = proxy;
  int error = uv_timer_init(proxy->loop, &proxy->timer);
  if (error != 0)
    return error;
  proxy->handles++;
  if ((error = uv_tcp_init(proxy->loop, &proxy->listener)) != 0)
    return error;
  proxy->handles++;
  if ((error = open_listener(proxy, address)) != 0)
    return error;
  return uv_timer_start(&proxy->timer, tick, TICK_MS, TICK_MS);
}

static int start(struct proxy **started, bool relay, uv_loop_t *loop, const char *where,
                 const struct proxy_calls *calls, const struct proxy_limits *limits,
                 char message[PROXY_MESSAGE]) {
  struct sockaddr_storage address;
  struct proxy *proxy = calloc(1, sizeof *proxy);
  if (proxy == NULL) {
    snprintf(message, PROXY_MESSAGE, "no memory");
    return -1;
  }
  proxy->loop = loop;
  proxy->calls = *calls;
  proxy->relay = relay;
  proxy->heard = proxy_relay_calls(proxy);
  proxy->held_timer = -1;
  holding_init(&proxy->holding);
  fill_limits(&proxy->limits, limits);
  if (!has_files(message) || !proxy_where(proxy, &address, where, message)) {
    free(proxy);
    return -1;
  }
  int error = open_handles(proxy, &address);
  if (error == 0) {
    *started = proxy;
    return 0;
  }
  snprintf(message, PROXY_MESSAGE, "cannot listen at %s: %s; %s", proxy->listens,
           uv_strerror(error), remedy_for(error));
  proxy->stopping = true;
  if (proxy->handles == 0) {
    free(proxy);
    return -1;
  }
  if (proxy->handles == 2)
    uv_close((uv_handle_t *)&proxy->listener, after_close);
  uv_close((uv_handle_t *)&proxy->timer, after_close);
  return -1;
}

int proxy_start(struct proxy **started, uv_loop_t *loop, const char *where,
                const struct proxy_calls *calls, const struct proxy_limits *limits,
                char message[PROXY_MESSAGE]) {
  return start(started, false, loop, where, calls, limits, message);
}

int proxy_start_relay(struct proxy **started, uv_loop_t *loop, const char *where,
                      const struct proxy_calls *calls, const struct proxy_limits *limits,
                      char message[PROXY_MESSAGE]) {
  return start(started, true, loop, where, calls, limits, message);
}

void proxy_stop(struct proxy *proxy, void (*stopped)(void *of), void *of) {
  if (proxy == NULL)
    return;
  proxy->stopping = true;
  proxy->stopped = stopped;
  proxy->stopped_of = of;
  while (proxy->pairs != NULL)
    proxy_pair_free(proxy->pairs);
  proxy_held_close(proxy);
  uv_close((uv_handle_t *)&proxy->listener, after_close);
  uv_close((uv_handle_t *)&proxy->timer, after_close);
}
