/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/load/arrivals.h"

#include "examples/common/random.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000u

static bool route_read(struct arrival_route *route, const char *text, size_t length) {
  const char *star = memchr(text, '*', length);
  size_t path = star == NULL ? length : (size_t)(star - text);
  if (path == 0 || path >= ARRIVAL_PATH_MAX || text[0] != '/' || memchr(text, ' ', path) != NULL)
    return false;
  memcpy(route->path, text, path);
  route->path[path] = '\0';
  route->weight = 1;
  if (star == NULL)
    return true;
  char *end;
  route->weight = strtoull(star + 1, &end, 10);
  return end == text + length && end != star + 1 && route->weight >= 1 && route->weight <= 1000000;
}

bool arrival_routes_read(struct arrival_routes *routes, const char *text) {
  *routes = (struct arrival_routes){0};
  for (;;) {
    size_t length = strcspn(text, ",");
    if (routes->count == ARRIVAL_ROUTES_MAX ||
        !route_read(&routes->all[routes->count], text, length))
      return false;
    routes->weight += routes->all[routes->count++].weight;
    if (text[length] == '\0')
      return true;
    text += length + 1;
  }
}

static uint16_t route_draw(const struct arrival_routes *routes, struct random *random) {
  uint64_t left = random_below(random, routes->weight);
  uint16_t route = 0;
  while (left >= routes->all[route].weight)
    left -= routes->all[route++].weight;
  return route;
}

struct arrival *arrivals_make(const struct arrivals_wanted *wanted, size_t *count) {
  struct random gaps = random_seeded(wanted->seed, 1), choices = random_seeded(wanted->seed, 2);
  uint64_t end_ns = wanted->seconds * SECOND_NS, mean_ns = SECOND_NS / wanted->rate, at_ns = 0;
  size_t room = (size_t)(wanted->rate * wanted->seconds * 2 + 100);
  struct arrival *arrivals = calloc(room, sizeof *arrivals);
  for (*count = 0; arrivals != NULL && *count < room && (at_ns < end_ns || *count == 0);) {
    at_ns += wanted->constant ? mean_ns : random_exponential(&gaps, mean_ns);
    arrivals[(*count)++] =
        (struct arrival){.due_ns = at_ns, .route = route_draw(wanted->routes, &choices)};
  }
  return arrivals;
}
