/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command line: serve, load, set, show.
 */
#include "examples/common/complain.h"
#include "examples/common/options.h"
#include "examples/services/load.h"
#include "examples/services/service.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE_LEAST = 1024, BASE_MOST = 32000, USERS_MOST = 500, COMMON_ROWS = 6, ROWS_MAX = 16 };

/* What every subcommand may say. */
struct settings {
  const char *graph, *family, *service;
  uint64_t family_seed, workers, base, seed, faster;
  bool together, realtime, report;
  struct load_options load;
};

static size_t common_rows(struct option_row *rows, struct settings *settings) {
  const struct option_row common[COMMON_ROWS] = {
      {.name = "graph", .value = "FILE", .help = "the services", .text = &settings->graph},
      {.name = "family",
       .value = "NAME",
       .help = "instead: a family of examples/services/families.h, such as chain-d2",
       .text = &settings->family},
      {.name = "times",
       .value = "SEED",
       .help = "of a family: which drawn service times",
       .number = &settings->family_seed,
       .most = INT32_MAX},
      {.name = "workers",
       .value = "N",
       .help = "of a family: workers of each service",
       .number = &settings->workers,
       .least = 1,
       .most = MESH_WORKERS_MAX},
      {.name = "together",
       .help = "of a family: calls are made at once",
       .flag = &settings->together},
      {.name = "base",
       .value = "PORT",
       .help = "port of the first service (SERVICES_BASE if that is set)",
       .number = &settings->base,
       .least = BASE_LEAST,
       .most = BASE_MOST},
  };
  memcpy(rows, common, sizeof common);
  return COMMON_ROWS;
}

static struct option_row service_row(struct settings *settings) {
  return (struct option_row){.name = "service",
                             .value = "NAME",
                             .help = "which service of the graph",
                             .text = &settings->service};
}

static struct option_row faster_row(struct settings *settings) {
  return (struct option_row){.name = "faster",
                             .value = "PERCENT",
                             .help = "so much less time for all its work",
                             .number = &settings->faster,
                             .most = 99};
}

static struct option_row realtime_row(struct settings *settings) {
  return (struct option_row){.name = "realtime",
                             .help = "run before other programs (SCHED_FIFO) where that is allowed",
                             .flag = &settings->realtime};
}

static struct option_row seed_row(struct settings *settings) {
  return (struct option_row){.name = "seed",
                             .value = "N",
                             .help = "of the draws of what is called",
                             .number = &settings->seed,
                             .most = UINT64_MAX};
}

/* The graph that was asked for; exits when there is none. */
static const struct mesh *mesh_get(const struct settings *settings) {
  static struct mesh mesh;
  if ((settings->graph == NULL) == (settings->family == NULL)) {
    complain("either --graph FILE or --family NAME; see --help");
    exit(EXIT_USAGE);
  }
  if (settings->graph != NULL) {
    int result = mesh_read(&mesh, settings->graph);
    if (result != 0)
      exit(result);
  } else if (!mesh_family(&mesh, settings->family, settings->family_seed,
                          (uint32_t)settings->workers, settings->together))
    exit(EXIT_USAGE);
  return &mesh;
}

static size_t service_get(const struct mesh *mesh, const struct settings *settings) {
  if (settings->service == NULL) {
    complain("--service NAME is missing; see --help");
    exit(EXIT_USAGE);
  }
  size_t index = mesh_find(mesh, settings->service);
  if (index < mesh->count)
    return index;
  exit(EXIT_USAGE);
}

static int serve(struct settings *settings, int count, char **arguments) {
  struct option_row rows[ROWS_MAX];
  size_t used = common_rows(rows, settings);
  rows[used++] = service_row(settings);
  rows[used++] = faster_row(settings);
  rows[used++] = realtime_row(settings);
  rows[used++] = seed_row(settings);
  rows[used++] = (struct option_row){.name = "report",
                                     .help = "say at the end what was asked for, and of whom",
                                     .flag = &settings->report};
  options_parse("services serve", "Is one service until SIGTERM.", rows, used, count, arguments);
  const struct mesh *mesh = mesh_get(settings);
  struct serve_options options = {.base = (uint16_t)settings->base,
                                  .faster = (unsigned)settings->faster,
                                  .seed = settings->seed,
                                  .realtime = settings->realtime,
                                  .report = settings->report};
  return service_run(mesh, service_get(mesh, settings), &options);
}

static int load(struct settings *settings, int count, char **arguments) {
  struct load_options *options = &settings->load;
  struct option_row rows[ROWS_MAX];
  size_t used = common_rows(rows, settings);
  const struct option_row own[] = {
      {.name = "users",
       .value = "N",
       .help = "each asks when its last request is answered",
       .number = &options->users,
       .least = 1,
       .most = USERS_MOST},
      {.name = "requests",
       .value = "N",
       .help = "ends after so many; 0 for no such end",
       .number = &options->requests,
       .most = UINT64_MAX},
      {.name = "seconds",
       .value = "N",
       .help = "ends after so long; 0 for no such end",
       .number = &options->seconds,
       .most = 1000000},
      {.name = "warmup-ms",
       .value = "N",
       .help = "not measured at the beginning",
       .number = &options->warmup_ms,
       .most = 1000000},
      {.name = "each-second",
       .help = "print the requests of every second",
       .flag = &options->each_second},
  };
  memcpy(&rows[used], own, sizeof own);
  used += sizeof own / sizeof *own;
  rows[used++] = realtime_row(settings);
  rows[used++] = seed_row(settings);
  options_parse("services load", "Asks until SIGTERM, or an end that is given.", rows, used, count,
                arguments);
  options->base = (uint16_t)settings->base;
  options->seed = settings->seed;
  options->realtime = settings->realtime;
  return load_run(mesh_get(settings), options);
}

static int set(struct settings *settings, int count, char **arguments) {
  struct option_row rows[ROWS_MAX];
  size_t used = common_rows(rows, settings);
  rows[used++] = service_row(settings);
  rows[used++] = faster_row(settings);
  options_parse("services set", "Makes a running service faster, or as it was (0).", rows, used,
                count, arguments);
  const struct mesh *mesh = mesh_get(settings);
  return load_faster(mesh, service_get(mesh, settings), (uint16_t)settings->base,
                     (unsigned)settings->faster);
}

static int show(struct settings *settings, int count, char **arguments) {
  struct option_row rows[ROWS_MAX];
  double calls[MESH_SERVICES_MAX], work_us[MESH_SERVICES_MAX];
  size_t used = common_rows(rows, settings);
  options_parse("services show",
                "Prints for each service: port, workers, calls per user request, mean work of a\n"
                "call in microseconds, and the user requests per second that it could serve.",
                rows, used, count, arguments);
  const struct mesh *mesh = mesh_get(settings);
  if (!mesh_calls(mesh, calls, work_us))
    return EXIT_DATA;
  for (size_t i = 0; i < mesh->count; i++) {
    const struct mesh_service *service = &mesh->services[i];
    printf("%s %" PRIu64 " %" PRIu32 " %.6g", service->name, settings->base + i, service->workers,
           calls[i]);
    if (work_us[i] > 0)
      printf(" %.6g %.6g\n", work_us[i] / calls[i], service->workers * 1e6 / work_us[i]);
    else
      printf(" 0 -\n");
  }
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILED;
}

/* SERVICES_BASE, or the port that is given when nobody says anything. */
static uint64_t base_default(void) {
  const char *text = getenv("SERVICES_BASE");
  char *end;
  if (text == NULL || *text == '\0')
    return 27300;
  errno = 0;
  unsigned long base = strtoul(text, &end, 10);
  if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && base >= BASE_LEAST &&
      base <= BASE_MOST)
    return base;
  complain("SERVICES_BASE=%s: a port from %d to %d is expected", text, BASE_LEAST, BASE_MOST);
  exit(EXIT_USAGE);
}

int main(int count, char **arguments) {
  struct settings settings = {.workers = 1, .load = {.users = 64, .warmup_ms = 1000}};
  const char *what = count > 1 ? arguments[1] : "";
  complain_as("services");
  settings.base = base_default();
  if (strcmp(what, "serve") == 0)
    return serve(&settings, count - 1, arguments + 1);
  if (strcmp(what, "load") == 0)
    return load(&settings, count - 1, arguments + 1);
  if (strcmp(what, "set") == 0)
    return set(&settings, count - 1, arguments + 1);
  if (strcmp(what, "show") == 0)
    return show(&settings, count - 1, arguments + 1);
  if (strcmp(what, "--help") == 0) {
    printf("usage: services serve|load|set|show ...; each has --help\n"
           "Services of a graph as real processes, and their users. See examples/services.\n");
    return EXIT_SUCCESS;
  }
  complain("one of serve, load, set and show is expected first; each has --help");
  return EXIT_USAGE;
}
