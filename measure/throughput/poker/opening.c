/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens and closes the pausing process: options, key, listening, folder, proxy, ready file
 * (work.h).
 */
#include "measure/throughput/poker/work.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { USAGE = 64, BAD_DATA = 65, UNREADABLE = 66, INTERNAL = 70, NEIGHBOURS_MOST = 64 };
enum { CLOSING_MS = 1000 };

/* Returns the exit code. */
__attribute__((format(printf, 2, 3))) static int refuse(int code, const char *format, ...) {
  char line[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(line, sizeof line, format, values);
  va_end(values);
  fprintf(stderr, "tailproof poker: %s\n", line);
  return code;
}

/* --- options ------------------------------------------------------------------------------------
 */

static bool is_name(const char *name) {
  size_t length = strlen(name);
  for (const char *at = name; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~')
      return false;
  return 0 < length && length < POKE_TEXT;
}

static int check_options(const struct poker_options *options) {
  struct address place;
  if (!is_name(options->name))
    return refuse(USAGE, "--name \"%.100s\": a name has 1 to %d printable characters and no blanks",
                  options->name, POKE_TEXT - 1);
  if (!address_read(&place, options->listen, 0))
    return refuse(USAGE,
                  "--listen \"%.100s\" is no address; write HOST:PORT or [HOST]:PORT, with port 0 "
                  "for any",
                  options->listen);
  if (options->neighbour_count > NEIGHBOURS_MOST)
    return refuse(USAGE, "more than %d neighbours; rounds are passed on, so a few are enough",
                  NEIGHBOURS_MOST);
  for (size_t i = 0; i < options->neighbour_count; i++)
    if (!address_read(&place, options->neighbours[i], 1))
      return refuse(USAGE, "--neighbour \"%.100s\" is no address; write HOST:PORT or [HOST]:PORT",
                    options->neighbours[i]);
  if (options->proxy != NULL && strchr(options->proxy, '=') == NULL)
    return refuse(USAGE, "--proxy \"%.100s\": write LISTEN=BACKEND, such as :8080=:8081",
                  options->proxy);
  if (options->relay != NULL && strchr(options->relay, '=') == NULL)
    return refuse(USAGE, "--relay \"%.100s\": write LISTEN=BACKEND, such as :6380=:6379",
                  options->relay);
  const char *both = options->relay == NULL ? "--proxy" : "--relay";
  if ((options->proxy != NULL || options->relay != NULL) && options->count_pipe)
    return refuse(USAGE, "%s and --count-pipe would both count each request; give one", both);
  if (options->proxy != NULL && options->relay != NULL)
    return refuse(USAGE, "--proxy and --relay would both count each request; give one");
  return 0;
}

static int read_key(struct poker *poker) {
  char message[KEY_MESSAGE];
  if (poker->options->key == NULL)
    return 0;
  int error = key_read(&poker->key, poker->options->key, message);
  if (error == 0)
    return 0;
  return refuse(error == EBADMSG ? BAD_DATA : UNREADABLE, "--key: %s", message);
}

/* --- listening ----------------------------------------------------------------------------------
 */

static int listen_at(struct poker *poker) {
  const char *listen = poker->options->listen;
  struct address place;
  address_read(&place, listen, 0);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  int problem = getaddrinfo(place.host, NULL, &hints, &found);
  if (problem != 0)
    return refuse(USAGE, "--listen %s: %s; give an address of this host", listen,
                  problem == EAI_SYSTEM ? strerror(errno) : gai_strerror(problem));
  int code = 0;
  if (!address_is_loopback(found->ai_addr) && poker->key.size == 0)
    code =
        refuse(USAGE,
               "--listen %s can be reached from other hosts, so --key FILE is needed: anybody "
               "could stop the service; `head -c 32 /dev/urandom >FILE; chmod 600 FILE` makes one",
               listen);
  int error = 0;
  address_set_port(found->ai_addr, place.port);
  if (code == 0)
    error = links_listen(&poker->links, found->ai_addr, poker->where);
  freeaddrinfo(found);
  if (error != 0)
    code = refuse(INTERNAL, "--listen %s: %s; choose another address or port, 0 for any", listen,
                  uv_strerror(error));
  return code;
}

/* --- the folder, and who counts in it -----------------------------------------------------------
 */

static int open_folder(struct poker *poker) {
  char message[FOLDER_MESSAGE];
  if (folder_make(&poker->folder, poker->options->count_pipe, message) != 0)
    return refuse(INTERNAL, "%s", message);
  setenv("TAILPROOF_POKER", poker->folder.path, 1);
  if (tailproof_counter_open(&poker->counter) != 0)
    return refuse(INTERNAL, "%s", tailproof_error());
  return 0;
}

static void begun(void *of, uint64_t at_ns) {
  struct poker *poker = of;
  poker->in_flight.count++;
  poker->in_flight.began_ns += at_ns;
  tailproof_count_begin(poker->counter);
}

static void ended(void *of, uint64_t began_ns, uint64_t at_ns) {
  struct poker *poker = of;
  (void)at_ns;
  poker->in_flight.count--;
  poker->in_flight.began_ns -= began_ns;
  tailproof_count_end(poker->counter, began_ns);
}

/* More of an answer that had ended with its first bytes. */
static void extended(void *of, uint64_t from_ns, uint64_t to_ns) {
  struct poker *poker = of;
  __atomic_fetch_add(&poker->folder.page->busy_ns, to_ns - from_ns, __ATOMIC_RELAXED);
}

static int open_proxy(struct poker *poker) {
  char message[PROXY_MESSAGE];
  const char *proxy = poker->options->proxy, *relay = poker->options->relay;
  const struct proxy_calls calls = {
      .of = poker, .begun = begun, .ended = ended, .extended = extended};
  if (proxy == NULL && relay == NULL)
    return 0;
  if ((relay != NULL ? proxy_start_relay : proxy_start)(
          &poker->proxy, &poker->loop, relay != NULL ? relay : proxy, &calls, NULL, message) == 0)
    return 0;
  poker->proxy = NULL;
  return refuse(INTERNAL, "--%s: %s", relay != NULL ? "relay" : "proxy", message);
}

/* --- the file that says where -------------------------------------------------------------------
 */

static int not_written(struct poker *poker, int error) {
  return refuse(INTERNAL, "--ready %.200s: %s; name a file that can be written",
                poker->options->ready, strerror(error));
}

/* Written now, so that what is wrong with it is found before the service runs. */
static int write_ready(struct poker *poker) {
  const char *path = poker->options->ready;
  if (path == NULL)
    return 0;
  int length = snprintf(poker->ready, sizeof poker->ready, "%s.%ld", path, (long)getpid());
  if (length < 0 || (size_t)length >= sizeof poker->ready) {
    poker->ready[0] = '\0';
    return not_written(poker, ENAMETOOLONG);
  }
  int descriptor = open(poker->ready, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    poker->ready[0] = '\0';
    return not_written(poker, errno);
  }
  errno = ENOSPC; /* a short write has no reason of its own */
  bool good = dprintf(descriptor, "%s\n", poker->where) == (int)strlen(poker->where) + 1;
  int error = errno;
  if (close(descriptor) == 0 && good)
    return 0;
  return not_written(poker, error);
}

int poker_say_ready(struct poker *poker) {
  if (poker->options->ready == NULL)
    return 0;
  if (rename(poker->ready, poker->options->ready) != 0)
    return not_written(poker, errno);
  poker->ready[0] = '\0';
  return 0;
}

/* --- all ----------------------------------------------------------------------------------------
 */

static int open_loop(struct poker *poker) {
  int error = uv_loop_init(&poker->loop);
  if (error != 0)
    return refuse(INTERNAL, "no events: %s", uv_strerror(error));
  poker->loop.data = poker;
  const struct link_calls calls = {
      .of = poker, .opened = poker_opened, .message = poker_message, .closed = poker_closed};
  links_init(&poker->links, &poker->loop, &poker->key, poker->options->name, &calls);
  dials_init(&poker->dials, &poker->loop, &poker->links, &poker->teller);
  struct gossip_instance own = {0, 0};
  while (own.high == 0 && own.low == 0)
    if (getrandom(&own, sizeof own, 0) != sizeof own)
      return refuse(INTERNAL, "there are no random numbers: %s", strerror(errno));
  gossip_init(&poker->gossip, &own);
  return 0;
}

int poker_open(struct poker *poker) {
  poker->teller.name = poker->options->name;
  poker->folder = (struct poker_folder){.wake = -1, .count = -1};
  int code = check_options(poker->options);
  if (code == 0)
    code = read_key(poker);
  if (code == 0)
    code = open_loop(poker);
  if (code == 0)
    code = listen_at(poker);
  if (code == 0)
    code = open_folder(poker);
  if (code == 0)
    code = open_proxy(poker);
  if (code == 0)
    code = write_ready(poker);
  int error = code == 0 ? latencies_open(poker) : 0;
  return error == 0 ? code
                    : refuse(INTERNAL, "--latencies %.200s: %s; name a file that can be written",
                             poker->options->latencies, strerror(error));
}

static void proxy_has_stopped(void *of) {
  struct poker *poker = of;
  poker->proxy_stopped = true;
}

static void close_handle(uv_handle_t *handle, void *unused) {
  (void)unused;
  if (!uv_is_closing(handle))
    uv_close(handle, NULL);
}

static void out_of_time(uv_timer_t *timer) {
  uv_stop(timer->loop);
}

/* What is still open after a second, such as a look-up that hangs, ends with the process. */
static bool close_loop(struct poker *poker) {
  uv_timer_t limit;
  poker->proxy_stopped = poker->proxy == NULL;
  proxy_stop(poker->proxy, proxy_has_stopped, poker);
  links_close(&poker->links);
  dials_close(&poker->dials);
  uv_timer_init(&poker->loop, &limit);
  uv_timer_start(&limit, out_of_time, CLOSING_MS, 0);
  uv_unref((uv_handle_t *)&limit);
  uv_run(&poker->loop, UV_RUN_DEFAULT);
  if (poker->proxy_stopped)
    uv_walk(&poker->loop, close_handle, NULL);
  uv_run(&poker->loop, UV_RUN_NOWAIT);
  return uv_loop_close(&poker->loop) == 0;
}

bool poker_close(struct poker *poker) {
  bool closed = poker->loop.data == NULL || close_loop(poker);
  tailproof_counter_close(poker->counter);
  latencies_close(poker);
  if (poker->follow.timer > 0)
    close(poker->follow.timer);
  folder_remove(&poker->folder);
  if (poker->ready[0] != '\0')
    unlink(poker->ready);
  return closed;
}
