/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/load/redis.h"

#include "base/address.h"
#include "base/memory.h"
#include "measure/throughput/proxy/resp.h"
#include "measure/throughput/proxy/buffer.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REDIS_BYTES = 65536, REDIS_PORT = 6379, CLOSED = -1 };
#define NOBODY SIZE_MAX /* waits for this answer: its request was given up */

static const char redis_scheme[] = "redis://";

struct redis_carrier {
  const char *command;
  struct address place;
  struct sockaddr_storage to;
  socklen_t to_size;
  int fd; /* CLOSED: not open */
  bool connected;
  struct proxy_buffer out; /* not sent yet */
  struct resp_reader reader;
  VECTOR(size_t) waiting; /* slots in the order of their commands, or NOBODY */
  size_t first;           /* of `waiting` those before are answered */
  size_t opened, answered;
};

bool redis_is_address(const char *text) {
  return strncmp(text, redis_scheme, sizeof redis_scheme - 1) == 0;
}

static bool read_place(struct redis_carrier *redis, const char *url) {
  const char *start = url + sizeof redis_scheme - 1;
  size_t length = strcspn(start, "/");
  char text[ADDRESS_TEXT + 8];
  if (length == 0 || length >= ADDRESS_TEXT || memchr(start, '@', length) != NULL ||
      (start[length] == '/' && start[length + 1] != '\0'))
    return false;
  snprintf(text, sizeof text, "%.*s", (int)length, start);
  if (strrchr(text, ':') == NULL || text[length - 1] == ']')
    snprintf(text + length, sizeof text - length, ":%d", REDIS_PORT);
  return address_read(&redis->place, text, 1);
}

static bool find_server(struct redis_carrier *redis, struct text *message) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  char port[8];
  snprintf(port, sizeof port, "%u", redis->place.port);
  int failed = getaddrinfo(redis->place.host, port, &hints, &found);
  if (failed != 0) {
    text_format(message, "%s: %s", redis->place.host, gai_strerror(failed));
    return false;
  }
  memcpy(&redis->to, found->ai_addr, found->ai_addrlen);
  redis->to_size = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

struct redis_carrier *redis_carrier_new(enum status *status, const char *url, const char *command,
                                        struct text *message) {
  struct redis_carrier *redis = mem_alloc(1, sizeof *redis);
  redis->command = command;
  redis->fd = CLOSED;
  *status = STATUS_USAGE;
  if (!read_place(redis, url))
    text_format(message, "\"%.100s\" is no address; write redis://HOST:PORT/", url);
  else if (command[strspn(command, " ")] == '\0')
    text_append(message, "--send: no command in it; write one such as \"SET key value\"");
  else
    *status = find_server(redis, message) ? STATUS_OK : STATUS_UNAVAILABLE;
  if (*status == STATUS_OK)
    return redis;
  mem_free(redis);
  return NULL;
}

static void hang_up(struct redis_carrier *redis) {
  if (redis->fd != CLOSED)
    close(redis->fd);
  redis->fd = CLOSED;
  redis->connected = false;
  redis->reader = (struct resp_reader){0};
  proxy_buffer_clear(&redis->out, REDIS_BYTES);
}

void redis_carrier_free(struct redis_carrier *redis) {
  if (redis == NULL)
    return;
  hang_up(redis);
  proxy_buffer_free(&redis->out);
  vector_clear(&redis->waiting);
  mem_free(redis);
}

size_t redis_opened(const struct redis_carrier *redis) {
  return redis->opened;
}

/* --- a command ---------------------------------------------------------------------------------
 */

static void put_word(struct text *text, const char *word, size_t length, size_t number) {
  struct text whole;
  text_init(&whole);
  for (size_t i = 0; i < length; i++)
    if (word[i] == '#')
      text_format(&whole, "%zu", number);
    else
      text_append_bytes(&whole, &word[i], 1);
  text_format(text, "$%zu\r\n%s\r\n", whole.length, text_get(&whole));
  text_clear(&whole);
}

static void put_command(struct redis_carrier *redis, size_t number) {
  struct text words, head;
  size_t count = 0;
  text_init(&words);
  text_init(&head);
  for (const char *at = redis->command + strspn(redis->command, " "); *at != '\0'; count++) {
    size_t length = strcspn(at, " ");
    put_word(&words, at, length, number);
    at += length + strspn(at + length, " ");
  }
  text_format(&head, "*%zu\r\n", count);
  proxy_buffer_text(&redis->out, text_get(&head));
  proxy_buffer_text(&redis->out, text_get(&words));
  text_clear(&head);
  text_clear(&words);
}

/* --- the connection ----------------------------------------------------------------------------
 */

/* The connection is gone, and with it every answer. Without any so far there may be no server. */
static void lose(struct redis_carrier *redis, struct dispatch *d, int error) {
  if (redis->answered == 0 &&
      (error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH || error == EMFILE))
    dispatch_refuse(d, "%s:%u: %s; start the server first, or name its port", redis->place.host,
                    redis->place.port, strerror(error));
  hang_up(redis);
  for (; redis->first < redis->waiting.count; redis->first++)
    if (redis->waiting.data[redis->first] != NOBODY)
      dispatch_done(d, redis->waiting.data[redis->first], ARRIVAL_BROKEN, 0);
  redis->waiting.count = redis->first = 0;
}

/* 0, or an error. Events of the connection come as those of slot 0. */
static int open_connection(struct redis_carrier *redis, struct dispatch *d) {
  int one = 1;
  redis->fd = socket(redis->to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (redis->fd < 0)
    return errno;
  redis->opened++;
  setsockopt(redis->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(redis->fd, (const struct sockaddr *)&redis->to, redis->to_size) != 0 &&
      errno != EINPROGRESS)
    return errno;
  return dispatch_watch(d, 0, redis->fd, EPOLLIN | EPOLLOUT, false) ? 0 : errno;
}

/* Sends what can be; 0, or an error. Asks for EPOLLOUT as long as something is left. */
static int send_out(struct redis_carrier *redis, struct dispatch *d) {
  while (proxy_buffer_size(&redis->out) > 0) {
    ssize_t sent = send(redis->fd, proxy_buffer_at(&redis->out), proxy_buffer_size(&redis->out),
                        MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      return errno;
    if (sent < 0)
      break;
    proxy_buffer_drop(&redis->out, (size_t)sent);
  }
  uint32_t events = proxy_buffer_size(&redis->out) > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN;
  return dispatch_watch(d, 0, redis->fd, events, true) ? 0 : errno;
}

static void begin(void *context, struct dispatch *d, size_t slot, size_t arrival) {
  struct redis_carrier *redis = context;
  vector_push(&redis->waiting, slot);
  int error = redis->fd == CLOSED ? open_connection(redis, d) : 0;
  put_command(redis, arrival);
  if (error == 0 && redis->connected)
    error = send_out(redis, d);
  if (error == 0 && redis->out.failed)
    error = ENOMEM;
  if (error != 0)
    lose(redis, d, error);
}

/* Answers in `bytes`; false when they are none, or nobody asked. */
static bool take_answers(struct redis_carrier *redis, struct dispatch *d, const char *bytes,
                         size_t size) {
  for (size_t taken; size > 0; bytes += taken, size -= taken) {
    if (redis->first == redis->waiting.count)
      return false;
    enum resp_state state = resp_take(&redis->reader, bytes, size, &taken);
    if (state == RESP_BROKEN || state == RESP_PUSH) /* which nobody asked for */
      return false;
    if (state == RESP_PART)
      return true;
    size_t slot = redis->waiting.data[redis->first++];
    redis->answered++;
    if (slot != NOBODY)
      dispatch_done(d, slot, state == RESP_GOOD ? ARRIVAL_GOOD : ARRIVAL_REFUSED,
                    state == RESP_ERROR);
  }
  return true;
}

/* Moves the vector's rest to its start from time to time, so that it grows with what waits. */
static void drop_answered(struct redis_carrier *redis) {
  if (redis->first < redis->waiting.count / 2 + 64)
    return;
  redis->waiting.count -= redis->first;
  memmove(redis->waiting.data, redis->waiting.data + redis->first,
          redis->waiting.count * sizeof *redis->waiting.data);
  redis->first = 0;
}

static void event(void *context, struct dispatch *d, size_t slot, uint32_t events) {
  static char bytes[REDIS_BYTES];
  struct redis_carrier *redis = context;
  (void)slot;
  if (redis->fd == CLOSED)
    return;
  if ((events & EPOLLOUT) != 0 && (events & (EPOLLERR | EPOLLHUP)) == 0) {
    redis->connected = true;
    int error = send_out(redis, d);
    if (error != 0) {
      lose(redis, d, error);
      return;
    }
  }
  if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) == 0)
    return;
  ssize_t got = recv(redis->fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (got <= 0 || !take_answers(redis, d, bytes, (size_t)got))
    lose(redis, d, got < 0 ? errno : 0);
  else
    drop_answered(redis);
}

/* Its answer may still come, and is dropped then. */
static void abandon(void *context, struct dispatch *d, size_t slot) {
  struct redis_carrier *redis = context;
  (void)d;
  for (size_t i = redis->first; i < redis->waiting.count; i++)
    if (redis->waiting.data[i] == slot)
      redis->waiting.data[i] = NOBODY;
}

struct carrier redis_carrier(struct redis_carrier *redis) {
  return (struct carrier){redis, begin, event, abandon};
}
