/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An open loop of HTTP requests to one server of this host: the command line and what it prints.
 */
#include "examples/common/complain.h"
#include "examples/common/options.h"
#include "examples/load/visit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000u
enum { ALL_ROUTES = ARRIVAL_ROUTES_MAX };

struct load_settings {
  const char *routes, *out;
  uint64_t port, rate, seconds, warmup, connections, seed, patience;
  bool constant;
};

static void settings_read(struct load_settings *settings, int count, char **arguments) {
  const struct option_row rows[] = {
      {.name = "port",
       .value = "N",
       .help = "of the server at 127.0.0.1",
       .number = &settings->port,
       .least = 1,
       .most = 65535},
      {.name = "routes",
       .value = "LIST",
       .help = "paths with weights: /page*9,/report; '#' in one is the request's number",
       .text = &settings->routes},
      {.name = "rate",
       .value = "N",
       .help = "requests a second",
       .number = &settings->rate,
       .least = 1,
       .most = 100000},
      {.name = "seconds",
       .value = "N",
       .help = "how long",
       .number = &settings->seconds,
       .least = 1,
       .most = 3600},
      {.name = "warmup",
       .value = "N",
       .help = "of these, seconds that do not count",
       .number = &settings->warmup,
       .most = 3600},
      {.name = "connections",
       .value = "N",
       .help = "at most",
       .number = &settings->connections,
       .least = 1,
       .most = 10000},
      {.name = "constant",
       .help = "equal gaps between requests (default: random ones, a Poisson process)",
       .flag = &settings->constant},
      {.name = "seed",
       .value = "N",
       .help = "of gaps and routes",
       .number = &settings->seed,
       .most = UINT64_MAX},
      {.name = "patience",
       .value = "N",
       .help = "seconds to wait for the last answers",
       .number = &settings->patience,
       .least = 1,
       .most = 3600},
      {.name = "out",
       .value = "FILE",
       .help = "a CSV file with the latency of each request; - for standard output",
       .text = &settings->out},
  };
  options_parse("load",
                "Sends requests when they are due, whether or not the server keeps up, and prints "
                "percentiles of the latency from then.",
                rows, sizeof rows / sizeof *rows, count, arguments);
}

static int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The smallest latency that `permille` of all do not exceed. */
static double percentile_ms(const uint64_t *sorted, size_t count, size_t permille) {
  size_t rank = (count * permille + 999) / 1000;
  return (double)sorted[rank == 0 ? 0 : rank - 1] / 1e6;
}

static bool counts(const struct arrival *arrival, const struct load_settings *settings,
                   size_t route) {
  return arrival->due_ns >= settings->warmup * SECOND_NS &&
         (route == ALL_ROUTES || arrival->route == route);
}

/* One line of the table; failures are requests without a complete answer below 500. */
static void route_print(const char *name, const struct arrival *arrivals, size_t count,
                        const struct load_settings *settings, size_t route) {
  uint64_t *sorted = calloc(count, sizeof *sorted);
  size_t good = 0, failed = 0;
  for (size_t i = 0; sorted != NULL && i < count; i++)
    if (counts(&arrivals[i], settings, route)) {
      bool failure = arrivals[i].status == 0 || arrivals[i].status >= 500;
      failed += failure;
      if (!failure)
        sorted[good++] = arrivals[i].latency_ns;
    }
  fprintf(stderr, "%-20s %9zu %6zu", name, good + failed, failed);
  if (good > 0) {
    qsort(sorted, good, sizeof *sorted, by_size);
    fprintf(stderr, " %9.3f %9.3f %9.3f %9.3f %9.3f", percentile_ms(sorted, good, 500),
            percentile_ms(sorted, good, 900), percentile_ms(sorted, good, 990),
            percentile_ms(sorted, good, 999), (double)sorted[good - 1] / 1e6);
  }
  fprintf(stderr, "\n");
  free(sorted);
}

static void table_print(const struct arrival *arrivals, size_t count,
                        const struct load_settings *settings, const struct arrival_routes *routes) {
  fprintf(stderr, "%-20s %9s %6s %9s %9s %9s %9s %9s  (ms)\n", "route", "requests", "failed", "p50",
          "p90", "p99", "p99.9", "max");
  for (size_t i = 0; i < routes->count; i++)
    route_print(routes->all[i].path, arrivals, count, settings, i);
  if (routes->count > 1)
    route_print("all", arrivals, count, settings, ALL_ROUTES);
}

static int rows_write(const struct arrival *arrivals, size_t count,
                      const struct load_settings *settings, const struct arrival_routes *routes) {
  bool standard = strcmp(settings->out, "-") == 0;
  FILE *file = standard ? stdout : fopen(settings->out, "w");
  if (file != NULL) {
    fprintf(file, "due,route,status,latency_ns\n");
    for (size_t i = 0; i < count; i++) {
      if (!counts(&arrivals[i], settings, ALL_ROUTES))
        continue;
      fprintf(file, "%.9f,%s,%u,", (double)arrivals[i].due_ns / 1e9,
              routes->all[arrivals[i].route].path, arrivals[i].status);
      if (arrivals[i].status == 0)
        fprintf(file, "timeout\n");
      else
        fprintf(file, "%" PRIu64 "\n", arrivals[i].latency_ns);
    }
    if (!ferror(file) && (standard ? fflush(file) : fclose(file)) == 0)
      return 0;
  }
  complain("%s: %s", settings->out, strerror(errno));
  return EXIT_FAILED;
}

static int settings_check(const struct load_settings *settings, struct arrival_routes *routes) {
  if (!arrival_routes_read(routes, settings->routes))
    complain("--routes %s: not a list of paths with weights, such as /page*9,/report",
             settings->routes);
  else if (settings->warmup >= settings->seconds)
    complain("--warmup %" PRIu64 ": nothing is left of --seconds %" PRIu64, settings->warmup,
             settings->seconds);
  else
    return 0;
  return EXIT_USAGE;
}

int main(int count, char **arguments) {
  struct load_settings settings = {.routes = "/",
                                   .port = 8080,
                                   .rate = 100,
                                   .seconds = 10,
                                   .connections = 100,
                                   .seed = 1,
                                   .patience = 10};
  struct arrival_routes routes;
  complain_as("load");
  settings_read(&settings, count, arguments);
  int code = settings_check(&settings, &routes);
  if (code != 0)
    return code;
  const struct arrivals_wanted wanted = {.routes = &routes,
                                         .rate = settings.rate,
                                         .seconds = settings.seconds,
                                         .seed = settings.seed,
                                         .constant = settings.constant};
  const struct visit_options options = {.routes = &routes,
                                        .port = (uint16_t)settings.port,
                                        .connections = (size_t)settings.connections,
                                        .patience_ns = settings.patience * SECOND_NS};
  size_t arrival_count = 0;
  uint64_t late_ns;
  struct arrival *arrivals = arrivals_make(&wanted, &arrival_count);
  if (arrivals == NULL) {
    complain("no memory for %" PRIu64 " requests", settings.rate * settings.seconds);
    return EXIT_FAILED;
  }
  code = visit_all(arrivals, arrival_count, &options, &late_ns);
  if (code == 0) {
    table_print(arrivals, arrival_count, &settings, &routes);
    fprintf(stderr, "this program was late by %.3f ms at most\n", (double)late_ns / 1e6);
    code = settings.out == NULL ? 0 : rows_write(arrivals, arrival_count, &settings, &routes);
  }
  free(arrivals);
  return code;
}
