/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parent of the services (examples/storefront/storefront.h): reads the command line, connects
 * them and forks them.
 */
#include "examples/storefront/storefront.h"

#include "examples/common/complain.h"
#include "examples/common/options.h"
#include "examples/common/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char about[] =
    "Three services, front, cart and price, over TCP on this host. Requests run one after "
    "another;\n"
    "their traces are written as Jaeger JSON, for tailproof draft and tailproof whatif latency.";

static void command_line(struct storefront_options *options, int count, char **arguments) {
  const struct option_row rows[] = {
      {.name = "out", .value = "FILE", .help = "where the traces go", .text = &options->out},
      {.name = "store",
       .value = "DIR",
       .help = "where the services record through libtailproof-measure",
       .text = &options->store},
      {"requests", "N", "requests, one after another", &options->requests, 1, 1000000, NULL, NULL},
      {"seed", "N", "of the times that parts take", &options->seed, 0, UINT32_MAX, NULL, NULL},
      {"mean-us", "N", "mean microseconds of a call's work", &options->mean_us, 100, 1000000, NULL,
       NULL},
      {"get-percent", "N", "time that cart/get takes, of what it would", &options->get_percent, 1,
       1000, NULL, NULL},
      {"commit-percent", "N", "the same of cart/commit", &options->commit_percent, 1, 1000, NULL,
       NULL},
      {"look-percent", "N", "the same of both calls of price", &options->look_percent, 1, 1000,
       NULL, NULL},
      {"link-us", "N", "microseconds more on the way back from price", &options->link_us, 0,
       1000000, NULL, NULL},
      {"hit-percent", "N", "requests whose cart/get takes 300 us, from a cache",
       &options->hit_percent, 0, 100, NULL, NULL},
      {"price-workers", "N", "calls that price serves at once", &options->workers, 1, 2, NULL,
       NULL},
      {.name = "metered",
       .help = "work is sleep of which a stopped process has none, as with a processor",
       .flag = &options->metered},
      {.name = "serve",
       .value = "SERVICE",
       .help = "run front, cart or price alone, until the others are gone; front asks without end",
       .text = &options->serve},
      {"port", "N", "with --serve: of cart on this host; price has the next one", &options->port, 1,
       65534, NULL, NULL},
      {.name = "realtime",
       .help = "sleepers wake in time on a busy machine; needs the right to SCHED_FIFO",
       .flag = &options->realtime},
  };
  options_parse("storefront", about, rows, sizeof rows / sizeof *rows, count, arguments);
  if ((options->out != NULL && *options->out != '\0') || options->serve != NULL)
    return;
  complain("--out FILE is missing; see --help");
  exit(EXIT_USAGE);
}

static bool fail(const char *what) {
  complain("%s: %s", what, strerror(errno));
  return false;
}

/* Both ends of a connection over the loopback interface. */
static bool connection(int listener, const struct sockaddr_in *address, int *near, int *far) {
  const int on = 1;
  *near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*near < 0 || connect(*near, (const struct sockaddr *)address, sizeof *address) != 0)
    return fail("connecting");
  *far = accept(listener, NULL, NULL);
  if (*far < 0)
    return fail("accepting");
  setsockopt(*near, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(*far, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return true;
}

static bool connect_all(struct storefront *storefront) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t length = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, CALLS) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) != 0)
    return fail("listening");
  for (size_t c = 0; c < CALLS; c++)
    if (!connection(listener, &address, &storefront->front[c], &storefront->service[c]))
      return false;
  close(listener);
  return true;
}

/* --- a service alone --------------------------------------------------------------------------
 */

static struct sockaddr_in address_at(uint64_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static void hurry(int connection) {
  const int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Two connections of front, in its order. */
static bool accept_two(uint64_t port, int *first, int *second) {
  const int on = 1;
  struct sockaddr_in address = address_at(port);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, CALLS) != 0)
    return fail("listening");
  *first = accept(listener, NULL, NULL);
  *second = accept(listener, NULL, NULL);
  if (*first < 0 || *second < 0)
    return fail("accepting");
  hurry(*first);
  hurry(*second);
  close(listener);
  return true;
}

/* Waits for a service that is just starting. */
static bool connect_to(uint64_t port, int *connection) {
  enum { TRIES = 500, APART_NS = 10000000 };
  struct sockaddr_in address = address_at(port);
  for (int i = 0; i < TRIES; i++) {
    *connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*connection >= 0 &&
        connect(*connection, (const struct sockaddr *)&address, sizeof address) == 0) {
      hurry(*connection);
      return true;
    }
    close(*connection);
    nanosleep(&(struct timespec){.tv_nsec = APART_NS}, NULL);
  }
  return fail("connecting");
}

static int serve_alone(struct storefront *storefront) {
  const struct storefront_options *options = storefront->options;
  uint64_t port = options->port;
  int *service = storefront->service, *front = storefront->front;
  if (strcmp(options->serve, "cart") == 0)
    return accept_two(port, &service[CALL_GET], &service[CALL_COMMIT]) ? cart_run(storefront)
                                                                       : EXIT_FAILED;
  if (strcmp(options->serve, "price") == 0)
    return accept_two(port + 1, &service[CALL_LOOK_A], &service[CALL_LOOK_B])
               ? price_run(storefront)
               : EXIT_FAILED;
  if (strcmp(options->serve, "front") != 0) {
    complain("--serve %s: there are front, cart and price", options->serve);
    return EXIT_USAGE;
  }
  bool connected = connect_to(port, &front[CALL_GET]) && connect_to(port, &front[CALL_COMMIT]) &&
                   connect_to(port + 1, &front[CALL_LOOK_A]) &&
                   connect_to(port + 1, &front[CALL_LOOK_B]);
  return connected ? front_run_alone(storefront) : EXIT_FAILED;
}

static bool schedule(const struct storefront_options *options) {
  const struct sched_param priority = {.sched_priority = 10};
  return !options->realtime || sched_setscheduler(0, SCHED_FIFO, &priority) == 0 ||
         fail("--realtime");
}

int main(int count, char **arguments) {
  struct storefront_options options = {.requests = 1000,
                                       .seed = 1,
                                       .mean_us = 4000,
                                       .get_percent = 100,
                                       .commit_percent = 100,
                                       .look_percent = 100,
                                       .port = 7310,
                                       .workers = 2};
  static struct process_set processes;
  command_line(&options, count, arguments);
  complain_as("storefront");
  struct storefront storefront = {.options = &options};
  if (!schedule(&options))
    return EXIT_MISSING;
  if (options.serve != NULL)
    return serve_alone(&storefront);
  process_set_init(&processes);
  storefront.gate = shared_memory(sizeof *storefront.gate);
  if (storefront.gate == NULL || !connect_all(&storefront))
    return EXIT_FAILED;
  storefront.gate->expected = 3;
  bool started = process_start(&processes, "cart", PROCESS_SERVANT, cart_run, &storefront) &&
                 process_start(&processes, "price", PROCESS_SERVANT, price_run, &storefront) &&
                 process_start(&processes, "front", PROCESS_WORKER, front_run, &storefront);
  int result = started ? process_wait(&processes) : EXIT_FAILED;
  process_kill(&processes);
  return result;
}
