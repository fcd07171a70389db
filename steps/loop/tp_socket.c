/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* ppoll */
#include "tp_socket.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;
static sigset_t waiting_mask; /* while waiting the signals come through */
static bool caught;

bool tp_socket_address(struct tp_socket *socket, int32_t node, const char *text) {
  char host[256];
  const char *colon = strrchr(text, ':');
  if (colon == NULL || colon[1] == '\0' || (size_t)(colon - text) >= sizeof host)
    return false;
  size_t length = (size_t)(colon - text);
  bool bracketed = length >= 2 && text[0] == '[' && text[length - 1] == ']';
  snprintf(host, sizeof host, "%.*s", (int)(bracketed ? length - 2 : length), text + bracketed);
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV}, *found;
  if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
    return false;
  memcpy(&socket->addresses[node], found->ai_addr, found->ai_addrlen);
  socket->lengths[node] = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

const char *tp_socket_open(struct tp_socket *s, int32_t self) {
  const struct sockaddr *address = (const struct sockaddr *)&s->addresses[self];
  s->descriptor = socket(address->sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (s->descriptor >= 0 && bind(s->descriptor, address, s->lengths[self]) == 0)
    return NULL;
  return strerror(errno);
}

void tp_socket_close(struct tp_socket *socket) {
  if (socket->descriptor >= 0)
    close(socket->descriptor);
  socket->descriptor = -1;
}

static void stop(int number) {
  (void)number;
  stopped = 1;
}

void tp_socket_catch(void) {
  struct sigaction action = {.sa_handler = stop};
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  sigprocmask(SIG_BLOCK, &both, &waiting_mask);
  sigdelset(&waiting_mask, SIGINT);
  sigdelset(&waiting_mask, SIGTERM);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  caught = true;
}

static bool is_stopped(void) {
  sigset_t pending;
  return stopped != 0 ||
         (caught && sigpending(&pending) == 0 &&
          (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1));
}

static bool knows(void *context, int32_t to) {
  return ((struct tp_socket *)context)->lengths[to] != 0;
}

static bool send_bytes(void *context, int32_t to, const uint8_t *bytes, size_t size) {
  struct tp_socket *s = context;
  if (s->lengths[to] == 0)
    return true;
  ssize_t sent;
  do
    sent = sendto(s->descriptor, bytes, size, 0, (const struct sockaddr *)&s->addresses[to],
                  s->lengths[to]);
  while (sent < 0 && errno == EINTR);
  return sent >= 0 || (errno != EBADF && errno != ENOTSOCK && errno != EINVAL);
}

/* Nanoseconds of a clock that runs on. */
static int64_t moment(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int receive_bytes(void *context, uint8_t *bytes, size_t size, uint64_t *arrived,
                         int64_t wait_ns) {
  struct tp_socket *s = context;
  const int64_t end = wait_ns > 0 ? moment() + wait_ns : 0;
  for (int64_t left = wait_ns;; left = end - moment()) {
    ssize_t got = recv(s->descriptor, bytes, size, MSG_TRUNC);
    *arrived = s->writer == NULL ? 0 : tailproof_now(s->writer);
    if (got > 0) /* longer ones are none of ours: the loop sees it by their size */
      return (size_t)got <= size ? (int)got : (int)size;
    if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED)
      return -1;
    if (is_stopped())
      return -1;
    if (got < 0 && errno == EAGAIN) {
      if (left <= 0)
        return 0;
      struct pollfd ready = {.fd = s->descriptor, .events = POLLIN};
      struct timespec time = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = left % 1000000000};
      if (ppoll(&ready, 1, &time, caught ? &waiting_mask : NULL) < 0 && errno != EINTR)
        return -1;
    }
  }
}

struct tp_port tp_socket_port(struct tp_socket *socket) {
  return (struct tp_port){
      .context = socket, .send = send_bytes, .receive = receive_bytes, .knows = knows};
}
