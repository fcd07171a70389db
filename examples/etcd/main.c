/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts to an etcd member of this host over several connections, each with one put at a time: as
 * many as it can, or at a given rate.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/common/complain.h"
#include "examples/common/moment.h"
#include "examples/common/options.h"
#include "examples/etcd/connection.h"

enum { CLIENTS_MAX = 256 };
#define SECOND_NS UINT64_C(1000000000)

struct load {
  uint64_t port, clients, puts, rate, first;
  uint64_t start_ns;
  uint64_t *latency_ns;      /* of each put, from when it was due */
  atomic_uint_fast64_t next; /* the put that nobody has begun */
  atomic_bool failed;
};

/* Of a fixed rate, when this put is due; else now. */
static uint64_t due_ns(const struct load *load, uint64_t put) {
  if (load->rate == 0)
    return moment_ns();
  uint64_t due =
      load->start_ns + put / load->rate * SECOND_NS + put % load->rate * SECOND_NS / load->rate;
  struct timespec until = {.tv_sec = (time_t)(due / SECOND_NS), .tv_nsec = (long)(due % SECOND_NS)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    ;
  return due;
}

static void *client(void *context) {
  struct load *load = context;
  struct connection connection;
  if (!connection_open(&connection, (uint16_t)load->port)) {
    load->failed = true;
    return NULL;
  }
  for (uint64_t put; !load->failed && (put = atomic_fetch_add(&load->next, 1)) < load->puts;) {
    uint64_t due = due_ns(load, put);
    if (!connection_put(&connection, (uint32_t)(load->first + put)))
      load->failed = true;
    else
      load->latency_ns[put] = moment_ns() - due;
  }
  connection_close(&connection);
  return NULL;
}

static int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void print(struct load *load, uint64_t took_ns) {
  qsort(load->latency_ns, load->puts, sizeof *load->latency_ns, by_size);
  printf("%" PRIu64 " puts in %.3f s: %.0f/s", load->puts, (double)took_ns / 1e9,
         (double)load->puts / ((double)took_ns / 1e9));
  static const unsigned percents[] = {50, 90, 99};
  for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
    uint64_t rank = (load->puts * percents[i] + 99) / 100;
    printf(", p%u %.3f ms", percents[i], (double)load->latency_ns[rank - 1] / 1e6);
  }
  printf("\n");
}

static void run(struct load *load) {
  pthread_t threads[CLIENTS_MAX];
  load->start_ns = moment_ns();
  uint64_t started = 0;
  while (started < load->clients && pthread_create(&threads[started], NULL, client, load) == 0)
    started++;
  if (started < load->clients) {
    complain("only %" PRIu64 " threads could be started", started);
    load->failed = true;
  }
  for (uint64_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
}

static void read_settings(struct load *load, int count, char **arguments) {
  const struct option_row rows[] = {
      {.name = "port",
       .value = "N",
       .help = "of the member, at 127.0.0.1",
       .number = &load->port,
       .least = 1,
       .most = 65535},
      {.name = "clients",
       .value = "N",
       .help = "connections",
       .number = &load->clients,
       .least = 1,
       .most = CLIENTS_MAX},
      {.name = "puts",
       .value = "N",
       .help = "altogether",
       .number = &load->puts,
       .least = 1,
       .most = 10000000},
      {.name = "rate",
       .value = "N",
       .help = "puts a second; 0: as many as the clients can",
       .number = &load->rate,
       .most = 1000000},
      {.name = "first",
       .value = "N",
       .help = "number of the first key",
       .number = &load->first,
       .most = 89999999},
  };
  options_parse("etcd",
                "Puts keys of eight digits into etcd, each once, and says how long that took.",
                rows, sizeof rows / sizeof *rows, count, arguments);
}

int main(int count, char **arguments) {
  struct load load = {.port = 2379, .clients = 1, .puts = 1000};
  read_settings(&load, count, arguments);
  load.latency_ns = calloc(load.puts, sizeof *load.latency_ns);
  if (load.latency_ns == NULL) {
    complain("no memory for %" PRIu64 " puts", load.puts);
    return EXIT_FAILED;
  }
  uint64_t begun = moment_ns();
  run(&load);
  if (!load.failed)
    print(&load, moment_ns() - begun);
  free(load.latency_ns);
  return load.failed ? EXIT_FAILED : EXIT_SUCCESS;
}
