/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/director.h"

#include "base/address.h"
#include "measure/throughput/poker/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { SLICE_MS = 50 }; /* how soon an interrupt is seen */

struct director {
  int socket;
  int failed; /* the errno value after which nothing more is tried; 0 */
  uint32_t timeout_ms;
  const volatile sig_atomic_t *interrupted;
  uint64_t number; /* of the latest question */
  struct wire wire;
  size_t got, taken; /* bytes of `bytes` */
  uint8_t bytes[4 * WIRE_FRAME];
  char address[ADDRESS_TEXT];
  char error[KEY_MESSAGE];
};

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Returns -error; the connection is of no use any more. */
__attribute__((format(printf, 3, 4))) static int give_up(struct director *director, int error,
                                                         const char *format, ...) {
  int length = snprintf(director->error, KEY_MESSAGE, "%s: ", director->address);
  va_list values;
  va_start(values, format);
  vsnprintf(director->error + length, KEY_MESSAGE - (size_t)length, format, values);
  va_end(values);
  director->failed = error;
  return -error;
}

/* Waits until the socket can be read (POLLIN) or written (POLLOUT). 0, or -errno after give_up. */
static int wait_for(struct director *director, short events, uint64_t deadline_ms) {
  for (;;) {
    if (director->interrupted != NULL && *director->interrupted != 0)
      return give_up(director, EINTR, "interrupted");
    uint64_t now = now_ms();
    if (now >= deadline_ms)
      return give_up(director, ETIMEDOUT,
                     "no answer within %.3g s; is a `tailproof poker` there, and its host not "
                     "overloaded?",
                     director->timeout_ms / 1000.0);
    uint64_t left = deadline_ms - now;
    struct pollfd wait = {director->socket, events, 0};
    int ready = poll(&wait, 1, left < SLICE_MS ? (int)left : SLICE_MS);
    if (ready > 0)
      return 0;
    if (ready < 0 && errno != EINTR)
      return give_up(director, errno, "poll: %s", strerror(errno));
  }
}

static int send_frame(struct director *director, const uint8_t frame[WIRE_FRAME],
                      uint64_t deadline_ms) {
  for (size_t sent = 0; sent < WIRE_FRAME;) {
    ssize_t now = send(director->socket, frame + sent, WIRE_FRAME - sent, MSG_NOSIGNAL);
    if (now >= 0)
      sent += (size_t)now;
    else if (errno == EAGAIN) {
      int error = wait_for(director, POLLOUT, deadline_ms);
      if (error != 0)
        return error;
    } else if (errno != EINTR)
      return give_up(director, errno, "%s; has the poker ended?", strerror(errno));
  }
  return 0;
}

static int refused_frame(struct director *director) {
  bool forged = director->wire.trouble == WIRE_FORGED;
  return give_up(director, forged ? EKEYREJECTED : EPROTO, "%s%s", wire_explain(&director->wire),
                 forged ? "; use the key of the poker there" : "");
}

/* More bytes into `bytes`, all of which are taken. */
static int receive(struct director *director, uint64_t deadline_ms) {
  for (;;) {
    ssize_t got = recv(director->socket, director->bytes, sizeof director->bytes, 0);
    director->taken = 0;
    director->got = got > 0 ? (size_t)got : 0;
    if (got > 0)
      return 0;
    if (got == 0)
      return give_up(
          director, ECONNRESET, "%s",
          director->wire.taken == 0
              ? "it closed the connection without a greeting; is a `tailproof poker` there?"
              : "it closed the connection; has the poker ended, or another key?");
    if (errno == EAGAIN) {
      int error = wait_for(director, POLLIN, deadline_ms);
      if (error != 0)
        return error;
    } else if (errno != EINTR) {
      return give_up(director, errno, "%s; has the poker ended?", strerror(errno));
    }
  }
}

/* The next message. */
static int take(struct director *director, struct poke *poke, uint64_t deadline_ms) {
  for (;;) {
    size_t used = 0;
    enum wire_result result = wire_take(&director->wire, director->bytes + director->taken,
                                        director->got - director->taken, &used, poke);
    director->taken += used;
    if (result == WIRE_MESSAGE)
      return 0;
    if (result == WIRE_BROKEN)
      return refused_frame(director);
    int error = receive(director, deadline_ms);
    if (error != 0)
      return error;
  }
}

/* --- connecting ---------------------------------------------------------------------------------
 */

/* One address of the host; 0 or -errno after give_up. */
static int reach(struct director *director, const struct addrinfo *at, uint64_t deadline_ms) {
  director->failed = 0;
  director->socket = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (director->socket < 0)
    return give_up(director, errno, "no socket: %s", strerror(errno));
  int error = 0;
  if (connect(director->socket, at->ai_addr, at->ai_addrlen) != 0)
    error = errno == EINTR ? EINPROGRESS : errno;
  if (error == EINPROGRESS) {
    error = -wait_for(director, POLLOUT, deadline_ms);
    socklen_t size = sizeof error;
    if (error == 0)
      getsockopt(director->socket, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error != 0 && director->failed == 0)
    give_up(director, error, "%s; start a `tailproof poker` there, or correct the address",
            strerror(error));
  if (error != 0) {
    close(director->socket);
    director->socket = -1;
    return -error;
  }
  int yes = 1;
  setsockopt(director->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return 0;
}

static int connect_to(struct director *director, uint64_t deadline_ms) {
  struct address place;
  if (!address_read(&place, director->address, 1))
    return give_up(director, EINVAL, "no address; write HOST:PORT or [HOST]:PORT");
  char service[8];
  snprintf(service, sizeof service, "%u", place.port);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  int problem = getaddrinfo(place.host, service, &hints, &found);
  if (problem != 0)
    return give_up(director, ENXIO, "%s; correct the address or the name service",
                   problem == EAI_SYSTEM ? strerror(errno) : gai_strerror(problem));
  int error = -ENXIO;
  for (const struct addrinfo *at = found; at != NULL && error != 0 && error != -EINTR;
       at = at->ai_next)
    error = reach(director, at, deadline_ms);
  freeaddrinfo(found);
  return error;
}

static int greet(struct director *director, const struct poker_key *key, const char *name,
                 uint64_t deadline_ms) {
  uint64_t nonce[2];
  uint8_t frame[WIRE_FRAME];
  struct poke hello;
  if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce)
    return give_up(director, EIO, "no random numbers: %s", strerror(errno));
  wire_init(&director->wire, WIRE_ASKER, key != NULL ? key->bytes : (const uint8_t *)"",
            key != NULL ? key->size : 0, nonce);
  wire_greet(&director->wire, name, frame);
  int error = send_frame(director, frame, deadline_ms);
  return error != 0 ? error : take(director, &hello, deadline_ms);
}

void director_close(struct director *director) {
  if (director == NULL)
    return;
  if (director->socket >= 0)
    close(director->socket);
  free(director);
}

/* --- asking -------------------------------------------------------------------------------------
 */

static int say(struct director *director, struct poke *poke, uint64_t deadline_ms) {
  uint8_t frame[WIRE_FRAME];
  if (!wire_seal(&director->wire, poke, frame))
    return give_up(director, EINVAL, "this message cannot be sent");
  return send_frame(director, frame, deadline_ms);
}

/* Asks, and waits for the report with the same number; *refused is the word of a POKE_REFUSE with
 * that number that came before, or "". */
static int ask(struct director *director, struct director_report *report, char refused[POKE_TEXT],
               uint64_t deadline_ms) {
  struct poke poke = {.kind = POKE_ASK, .number = director->number};
  refused[0] = '\0';
  int error = say(director, &poke, deadline_ms);
  while (error == 0) {
    error = take(director, &poke, deadline_ms);
    if (error != 0 || poke.number != director->number)
      continue;
    if (poke.kind == POKE_REFUSE)
      memcpy(refused, poke.text, POKE_TEXT);
    if (poke.kind != POKE_REPORT)
      continue;
    if (report != NULL) {
      report->epoch = poke.epoch;
      memcpy(report->values, poke.values, sizeof report->values);
    }
    return 0;
  }
  return error;
}

int director_ask(struct director *director, struct director_report *report) {
  char refused[POKE_TEXT];
  if (director->failed != 0)
    return -director->failed;
  director->number++;
  return ask(director, report, refused, now_ms() + director->timeout_ms);
}

/* How many values say it all. */
static uint32_t values_of(const struct director_setting *setting) {
  if (setting->holding != HOLDING_OFF)
    return 9;
  return setting->each_round_ns != 0 ? 6 : setting->saved_ppm != 0 ? 5 : 4;
}

int director_set(struct director *director, const struct director_setting *setting,
                 struct director_report *report) {
  if (director->failed != 0)
    return -director->failed;
  uint64_t deadline_ms = now_ms() + director->timeout_ms;
  struct poke poke = {.kind = POKE_SET,
                      .count = values_of(setting),
                      .epoch = setting->epoch,
                      .number = ++director->number,
                      .values = {setting->per_request_ns, setting->batch, setting->least_ns,
                                 setting->most_ns, setting->saved_ppm, setting->each_round_ns,
                                 setting->holding, setting->workers, setting->own_ns}};
  struct director_report here;
  char refused[POKE_TEXT];
  int error = say(director, &poke, deadline_ms);
  if (error == 0)
    error = ask(director, &here, refused, deadline_ms);
  if (error != 0)
    return error;
  if (report != NULL)
    *report = here;
  if (refused[0] == '\0')
    return 0;
  bool stale = strcmp(refused, "stale") == 0;
  if (stale)
    snprintf(director->error, KEY_MESSAGE,
             "%s: the epoch %" PRIu64 " is not later than the poker's, %" PRIu64
             "; does somebody else direct it?",
             director->address, setting->epoch, here.epoch);
  else
    snprintf(director->error, KEY_MESSAGE, "%s: the poker refuses the setting: %s",
             director->address, refused);
  return stale ? -ESTALE : -EINVAL;
}

int director_open(struct director **director, const char *address, const struct poker_key *key,
                  const char *name, uint32_t timeout_ms, const volatile sig_atomic_t *interrupted,
                  char message[KEY_MESSAGE]) {
  char refused[POKE_TEXT];
  *director = NULL;
  struct director *made = calloc(1, sizeof *made);
  if (made == NULL) {
    snprintf(message, KEY_MESSAGE, "there is no memory");
    return -ENOMEM;
  }
  made->socket = -1;
  made->timeout_ms = timeout_ms;
  made->interrupted = interrupted;
  snprintf(made->address, sizeof made->address, "%s", address);
  uint64_t deadline_ms = now_ms() + timeout_ms;
  int error = strlen(address) < sizeof made->address
                  ? connect_to(made, deadline_ms)
                  : give_up(made, EINVAL, "an address has at most %d characters", ADDRESS_TEXT - 1);
  if (error == 0)
    error = greet(made, key, name, deadline_ms);
  if (error == 0) /* what was said after the greeting makes a peer of either side for the other */
    error = ask(made, NULL, refused, deadline_ms);
  if (error == 0) {
    *director = made;
    return 0;
  }
  snprintf(message, KEY_MESSAGE, "%s", made->error);
  director_close(made);
  return error;
}

const char *director_peer(const struct director *director) {
  return director->wire.peer;
}

const char *director_error(const struct director *director) {
  return director->error;
}
