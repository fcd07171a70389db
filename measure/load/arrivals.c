/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/load/arrivals.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1e9

enum { FILE_MOST = 1 << 30 };

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
  char weight[16];
  size_t digits = length - path - 1;
  if (digits >= sizeof weight)
    return false;
  memcpy(weight, star + 1, digits);
  weight[digits] = '\0';
  return number_whole(&route->weight, weight, 1000000) && route->weight >= 1;
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

static uint16_t draw_route(const struct arrival_routes *routes, struct random *random) {
  uint64_t left = random_below(random, routes->weight);
  uint16_t route = 0;
  while (left >= routes->all[route].weight)
    left -= routes->all[route++].weight;
  return route;
}

/* Exponential of mean 1, by inversion. */
static double draw_gap(struct random *random) {
  return -log(((double)(random_bits(random) >> 11) + 1) / 9007199254740992.0);
}

static void add(arrival_vector *arrivals, const struct arrivals_wanted *wanted,
                struct random *choices, double at_ns) {
  struct load_arrival made = {.due_ns = (uint64_t)at_ns};
  made.route = draw_route(wanted->routes, choices);
  vector_push(arrivals, made);
}

static bool is_enough(const arrival_vector *arrivals, const struct arrivals_wanted *wanted,
                      double at_ns) {
  return arrivals->count != 0 && ((wanted->length_ns != 0 && at_ns >= (double)wanted->length_ns) ||
                                  (wanted->most != 0 && arrivals->count >= wanted->most));
}

static enum status by_rate(arrival_vector *arrivals, const struct arrivals_wanted *wanted,
                           struct text *message) {
  struct random gaps = {wanted->seed}, choices = {~wanted->seed};
  double mean_ns = SECOND_NS / wanted->rate, at_ns = 0;
  for (;;) {
    at_ns += wanted->constant ? mean_ns : mean_ns * draw_gap(&gaps);
    if (is_enough(arrivals, wanted, at_ns))
      return STATUS_OK;
    if (arrivals->count == ARRIVALS_MAX) {
      text_format(message, "more than %d requests; ask for a lower rate or a shorter time",
                  ARRIVALS_MAX);
      return STATUS_USAGE;
    }
    add(arrivals, wanted, &choices, at_ns);
  }
}

/* The time at the start of a line, in seconds; of a heading in the first line none is needed. */
static bool time_read(double *time, const char *line, bool *heading) {
  char text[64];
  line += strspn(line, " \t");
  size_t length = strcspn(line, ", \t;\r\n");
  *heading = true;
  if (length >= sizeof text)
    return false;
  memcpy(text, line, length);
  text[length] = '\0';
  *heading = !number_real(time, text);
  return !*heading;
}

static enum status by_lines(arrival_vector *arrivals, const struct arrivals_wanted *wanted,
                            char *bytes, struct text *message) {
  struct random choices = {~wanted->seed};
  double first = 0, before = 0, time;
  size_t number = 0;
  for (char *line = bytes, *next; line != NULL && *line != '\0'; line = next) {
    bool heading;
    next = strchr(line, '\n');
    if (next != NULL)
      *next++ = '\0';
    number++;
    if (line[strspn(line, " \t\r")] == '\0')
      continue;
    bool fine = time_read(&time, line, &heading);
    if (!fine && number == 1 && heading)
      continue;
    first = arrivals->count == 0 ? time : first;
    if (!fine || (arrivals->count != 0 && time < before) || time - first > 1e9) {
      text_format(message, "%s:%zu: %s", wanted->times, number,
                  !fine           ? "not a time in seconds, such as 12.5, at the start of the line"
                  : time < before ? "earlier than the line before; sort the file by its times"
                                  : "more than 30 years after the first line: are these seconds?");
      return STATUS_DATA;
    }
    before = time;
    if (is_enough(arrivals, wanted, (time - first) * SECOND_NS))
      break;
    add(arrivals, wanted, &choices, (time - first) * SECOND_NS);
  }
  if (arrivals->count != 0)
    return STATUS_OK;
  text_format(message, "%s: no times in it; write one in seconds on each line", wanted->times);
  return STATUS_DATA;
}

enum status arrivals_make(arrival_vector *arrivals, const struct arrivals_wanted *wanted,
                          struct text *message) {
  if (wanted->times == NULL)
    return by_rate(arrivals, wanted, message);
  char *bytes;
  size_t length;
  enum status status = file_read(wanted->times, FILE_MOST, &bytes, &length, message);
  if (status == STATUS_OK)
    status = by_lines(arrivals, wanted, bytes, message);
  mem_free(bytes);
  return status;
}
