/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of a plan: read from texts, held against their ranges and each other (plan_raw.h).
 */
#include "measure/throughput/experiment/plan_raw.h"

#include "base/duration.h"
#include "base/number.h"

#include "measure/yaml/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60 };

#define complain(message, ...) value_complain(message, PLAN_MESSAGE, __VA_ARGS__)

static const uint64_t one = 1000000000, second_ns = 1000000000;
static const uint64_t work_most_ns = 3600000000000, time_most_ns = 86400000000000;

/* A copy; NULL stays NULL. False without memory. */
static bool copy(char **target, const char *given, const char *key, char *message) {
  if (given == NULL)
    return true;
  if (given[0] == '\0')
    return complain(message, "%s: empty; give it a value or leave it out", key);
  *target = strdup(given);
  return *target != NULL || complain(message, "there is no memory left");
}

static bool read_whole(uint64_t *value, const char *given, const char *key, uint64_t least,
                       uint64_t most, char *message) {
  uint64_t number;
  if (given == NULL)
    return true;
  if (!value_decimal(&number, given) || number % one != 0 || number / one < least ||
      number / one > most)
    return complain(message,
                    "%s: \"%.*s\" where a whole number from %" PRIu64 " to %" PRIu64 " is expected",
                    key, SHOWN, given, least, most);
  *value = number / one;
  return true;
}

/* Less than a nanosecond is lost; -1 for a time that no 64 bits hold. */
static bool read_ns(int64_t *ns, const char *given) {
  struct rational exact;
  rational_init(&exact);
  bool good = duration_parse(&exact, given);
  if (good && !rational_floor(ns, &exact))
    *ns = -1;
  rational_clear(&exact);
  return good;
}

static bool read_time(uint64_t *ns, const char *given, const char *key, uint64_t least_ns,
                      uint64_t most_ns, char *message) {
  if (given == NULL)
    return true;
  int64_t read;
  if (!read_ns(&read, given))
    return complain(message,
                    "%s: \"%.*s\" where a time with its unit is expected, such as 300us or 1.5s",
                    key, SHOWN, given);
  if (read < 0 || (uint64_t)read < least_ns || (uint64_t)read > most_ns)
    return complain(message, "%s: \"%.*s\" is out of range; give %.9g s to %.9g s", key, SHOWN,
                    given, (double)least_ns / 1e9, (double)most_ns / 1e9);
  *ns = (uint64_t)read;
  return true;
}

/* A decimal as parts per million of 100, with or without a percent sign. */
static bool percentage(uint32_t *ppm, const char *text) {
  char digits[32];
  size_t length = strlen(text);
  if (length > 0 && text[length - 1] == '%')
    length--;
  while (length > 0 && text[length - 1] == ' ')
    length--;
  uint64_t value;
  if (length >= sizeof digits)
    return false;
  memcpy(digits, text, length);
  digits[length] = '\0';
  if (!value_decimal(&value, digits) || value == 0 || value >= 100 * one)
    return false;
  *ppm = (uint32_t)(value / (one / 10000));
  return *ppm > 0;
}

bool plan_percentage(uint32_t *ppm, const char *text) {
  double share;
  if (!number_share_real(&share, text) || share >= 1)
    return false;
  *ppm = (uint32_t)(share * 1e6 + 0.5);
  return *ppm > 0 && *ppm < 1000000;
}

/* --- services -----------------------------------------------------------------------------------
 */

/* What pokers take as a name. */
static bool is_name(const char *name) {
  for (const char *at = name; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~' || strchr("=,:/", *at) != NULL)
      return false;
  return name[0] != '\0' && name[0] != '-' && strlen(name) < PLAN_NAME;
}

static bool read_yes(bool *value, const char *given, const char *key, char *message) {
  if (given == NULL)
    return true;
  *value = strcmp(given, "yes") == 0 || strcmp(given, "true") == 0;
  if (*value || strcmp(given, "no") == 0 || strcmp(given, "false") == 0)
    return true;
  return complain(message, "%s: \"%.*s\" where yes or no is expected", key, SHOWN, given);
}

static bool read_source(struct plan_service *service, const struct raw_service *raw,
                        char *message) {
  char key[PLAN_NAME + 32];
  if ((raw->command == NULL) == (raw->poker == NULL))
    return complain(message,
                    "services, %s: give either command, which is then started here, or poker, "
                    "HOST:PORT of one that runs already",
                    service->name);
  if (raw->poker != NULL && (raw->proxy != NULL || raw->relay != NULL || raw->count_pipe != NULL))
    return complain(
        message,
        "services, %s: proxy, relay and count_pipe are about services that are started here; "
        "give them to its own `tailproof poker`",
        service->name);
  snprintf(key, sizeof key, "services, %s, poker", service->name);
  if (raw->poker != NULL && strchr(raw->poker, ':') == NULL)
    return complain(message, "%s: \"%.*s\" where HOST:PORT is expected", key, SHOWN, raw->poker);
  snprintf(key, sizeof key, "services, %s, proxy", service->name);
  if (raw->proxy != NULL && strchr(raw->proxy, '=') == NULL)
    return complain(message, "%s: \"%.*s\" where LISTEN=BACKEND is expected", key, SHOWN,
                    raw->proxy);
  if (raw->proxy != NULL && raw->relay != NULL)
    return complain(message, "services, %s: proxy and relay would both count; give one",
                    service->name);
  snprintf(key, sizeof key, "services, %s, relay", service->name);
  if (raw->relay != NULL && strchr(raw->relay, '=') == NULL)
    return complain(message, "%s: \"%.*s\" where LISTEN=BACKEND is expected", key, SHOWN,
                    raw->relay);
  snprintf(key, sizeof key, "services, %s", service->name);
  return copy(&service->relay, raw->relay, key, message) &&
         copy(&service->command, raw->command, key, message) &&
         copy(&service->poker, raw->poker, key, message) &&
         copy(&service->proxy, raw->proxy, key, message) &&
         copy(&service->resource, raw->resource, key, message);
}

static bool read_service(struct experiment_plan *plan, const struct raw_service *raw,
                         uint32_t place, char *message) {
  char key[PLAN_NAME + 32];
  if (!is_name(raw->name))
    return complain(message,
                    "services, entry %" PRIu32 ", name: \"%.*s\" where up to %d printable "
                    "characters other than blank = , : / are expected",
                    place + 1, SHOWN, raw->name, PLAN_NAME - 1);
  if (plan_find(plan, raw->name) < plan->count)
    return complain(message, "services: \"%s\" is there twice; give each service its own name",
                    raw->name);
  if (plan->count == PLAN_SERVICES)
    return complain(message, "services: more than %d; put what is not of interest under one poker",
                    PLAN_SERVICES);
  struct plan_service *service = &plan->services[plan->count++];
  strcpy(service->name, raw->name);
  uint64_t workers = 0;
  snprintf(key, sizeof key, "services, %s, workers", service->name);
  if (!read_whole(&workers, raw->workers, key, 1, 100000, message))
    return false;
  service->workers = (uint32_t)workers;
  snprintf(key, sizeof key, "services, %s, work", service->name);
  if (!read_time(&service->work_ns, raw->work, key, 1, work_most_ns, message))
    return false;
  snprintf(key, sizeof key, "services, %s, count_pipe", service->name);
  return read_yes(&service->count_pipe, raw->count_pipe, key, message) &&
         read_source(service, raw, message);
}

/* Each service's resource is one that is described, and each that is described is some service's.
 */
static bool read_resource(struct experiment_plan *plan, const struct raw_resource *resource,
                          char *message) {
  char key[PLAN_NAME + 32];
  uint64_t processors = 0;
  bool used = false;
  snprintf(key, sizeof key, "resources, %.60s, processors", resource->name);
  if (!read_whole(&processors, resource->processors, key, 1, 100000, message))
    return false;
  for (uint32_t i = 0; i < plan->count; i++) {
    struct plan_service *service = &plan->services[i];
    if (service->resource == NULL || strcmp(service->resource, resource->name) != 0)
      continue;
    if (service->processors != 0)
      return complain(message, "resources: \"%.*s\" is there twice; describe it once", SHOWN,
                      resource->name);
    service->processors = (uint32_t)processors;
    used = true;
  }
  return used ||
         complain(message, "resources: \"%.*s\" is no service's; name it as resource of one", SHOWN,
                  resource->name);
}

static bool read_resources(struct experiment_plan *plan, const struct raw_plan *raw,
                           char *message) {
  for (uint32_t r = 0; r < raw->resources_count; r++)
    if (!read_resource(plan, &raw->resources[r], message))
      return false;
  for (uint32_t i = 0; i < plan->count; i++)
    if (plan->services[i].resource != NULL && plan->services[i].processors == 0)
      return complain(message,
                      "services, %s, resource: \"%.*s\" is not described; add it to resources, "
                      "with its processors",
                      plan->services[i].name, SHOWN, plan->services[i].resource);
  return true;
}

/* --- who hears of rounds from whom ---------------------------------------------------------------
 */

static void join(struct experiment_plan *plan, uint32_t a, uint32_t b) {
  plan->services[a].neighbours |= (uint64_t)1 << b;
  plan->services[b].neighbours |= (uint64_t)1 << a;
}

/* The services that a round begun at the entry reaches. */
static uint64_t reached(const struct experiment_plan *plan) {
  uint64_t known = (uint64_t)1 << plan->entry, before = 0;
  while (known != before) {
    before = known;
    for (uint32_t i = 0; i < plan->count; i++)
      if (known >> i & 1)
        known |= plan->services[i].neighbours;
  }
  return known;
}

static bool read_neighbours(struct experiment_plan *plan, const struct raw_plan *raw,
                            char *message) {
  bool any = false;
  for (uint32_t i = 0; i < plan->count; i++)
    for (uint32_t k = 0; k < raw->services[i].neighbours_count; k++) {
      uint32_t other = plan_find(plan, raw->services[i].neighbours[k]);
      if (other == plan->count || other == i)
        return complain(message, "services, %s, neighbours: \"%.*s\" is no other service",
                        plan->services[i].name, SHOWN, raw->services[i].neighbours[k]);
      join(plan, i, other);
      any = true;
    }
  for (uint32_t i = 0; !any && i < plan->count; i++)
    if (i != plan->entry)
      join(plan, plan->entry, i);
  uint64_t known = reached(plan);
  for (uint32_t i = 0; i < plan->count; i++)
    if (!(known >> i & 1))
      return complain(message,
                      "services, %s, neighbours: rounds do not get there from %s; name a "
                      "neighbour that they reach, or no neighbours at all",
                      plan->services[i].name, plan->services[plan->entry].name);
  return true;
}

/* --- how services are slowed ---------------------------------------------------------------------
 */

static bool read_slowing(struct experiment_plan *plan, const struct raw_plan *raw, char *message) {
  for (uint32_t i = 0; i < plan->count; i++) {
    struct plan_service *service = &plan->services[i];
    const char *given = raw->services[i].slow;
    if (given == NULL)
      continue;
    bool hold = strcmp(given, "hold") == 0;
    if (!hold && strcmp(given, "freeze") != 0)
      return complain(message, "services, %s, slow: \"%.*s\" where hold or freeze is expected",
                      service->name, SHOWN, given);
    if (hold && service->proxy == NULL && service->relay == NULL)
      return complain(message,
                      "services, %s, slow: answers are held at a proxy or a relay; give it one",
                      service->name);
    service->slow = hold ? PLAN_SLOW_HOLD : PLAN_SLOW_FREEZE;
  }
  return true;
}

/* --- who does not count by itself ----------------------------------------------------------------
 */

/* A number above 0, of up to 9 decimals. */
static bool read_calls(double *calls, const char *given, const char *key, char *message) {
  uint64_t number;
  if (given == NULL)
    return true;
  if (!value_decimal(&number, given) || number == 0 || number / one > 1000000)
    return complain(message, "%s: \"%.*s\" where a number from 1e-9 to 1000000 is expected", key,
                    SHOWN, given);
  *calls = (double)number / (double)one;
  return true;
}

static bool read_counted_by(struct experiment_plan *plan, const struct raw_service *raw,
                            struct plan_service *service, char *message) {
  char key[PLAN_NAME + 32];
  if (raw->counted_by == NULL && raw->calls == NULL)
    return true;
  if (raw->proxy != NULL || raw->relay != NULL || raw->count_pipe != NULL)
    return complain(message,
                    "services, %s: counted_by and calls are for a service that nothing counts; "
                    "leave them out, or its proxy, relay or count_pipe",
                    service->name);
  service->calls_stated = 1;
  service->counted_by = raw->counted_by == NULL ? plan->entry : plan_find(plan, raw->counted_by);
  if (service->counted_by == plan->count || service == &plan->services[service->counted_by])
    return complain(message, "services, %s, counted_by: \"%.*s\" is no other service",
                    service->name, SHOWN, raw->counted_by != NULL ? raw->counted_by : raw->name);
  snprintf(key, sizeof key, "services, %s, calls", service->name);
  return read_calls(&service->calls_stated, raw->calls, key, message);
}

static bool read_counts(struct experiment_plan *plan, const struct raw_plan *raw, char *message) {
  for (uint32_t i = 0; i < plan->count; i++)
    if (!read_counted_by(plan, &raw->services[i], &plan->services[i], message))
      return false;
  if (plan->services[plan->entry].calls_stated > 0)
    return complain(message,
                    "services, %s, counted_by: user requests enter there, so it has to "
                    "count; give it a proxy, a relay or a count_pipe",
                    plan->services[plan->entry].name);
  for (uint32_t i = 0; i < plan->count; i++) {
    const struct plan_service *service = &plan->services[i];
    if (service->calls_stated > 0 && plan->services[service->counted_by].calls_stated > 0)
      return complain(message, "services, %s, counted_by: %s does not count by itself either",
                      service->name, plan->services[service->counted_by].name);
  }
  return true;
}

/* --- targets, levels, windows --------------------------------------------------------------------
 */

static bool read_targets(struct experiment_plan *plan, const struct raw_plan *raw, char *message) {
  for (uint32_t i = 0; !raw->targets_given && raw->targets_count == 0 && i < plan->count; i++)
    plan->targets |= (uint64_t)1 << i;
  for (uint32_t i = 0; i < raw->targets_count; i++) {
    uint32_t target = plan_find(plan, raw->targets[i]);
    if (target == plan->count)
      return complain(message, "targets: \"%.*s\" is no service; name one of services", SHOWN,
                      raw->targets[i]);
    if (plan->targets >> target & 1)
      return complain(message, "targets: \"%.*s\" is there twice; name it once", SHOWN,
                      raw->targets[i]);
    plan->targets |= (uint64_t)1 << target;
  }
  return true;
}

static bool read_levels(struct experiment_plan *plan, const struct raw_plan *raw, char *message) {
  static const uint32_t usual[] = {200000, 400000, 600000, 800000};
  if (!raw->levels_given && raw->levels_count == 0) {
    memcpy(plan->levels_ppm, usual, sizeof usual);
    plan->level_count = sizeof usual / sizeof *usual;
  }
  for (uint32_t i = 0; i < raw->levels_count; i++) {
    uint32_t ppm;
    if (!percentage(&ppm, raw->levels[i]))
      return complain(message,
                      "levels: \"%.*s\" where a percentage above 0 and below 100 is expected",
                      SHOWN, raw->levels[i]);
    if (plan->level_count == PLAN_LEVELS)
      return complain(message, "levels: more than %d; leave some out", PLAN_LEVELS);
    uint32_t place = plan->level_count;
    for (; place > 0 && plan->levels_ppm[place - 1] >= ppm; place--)
      if (plan->levels_ppm[place - 1] == ppm)
        return complain(message, "levels: \"%.*s\" is there twice; give it once", SHOWN,
                        raw->levels[i]);
    memmove(&plan->levels_ppm[place + 1], &plan->levels_ppm[place],
            (plan->level_count - place) * sizeof *plan->levels_ppm);
    plan->levels_ppm[place] = ppm;
    plan->level_count++;
  }
  return true;
}

static bool read_windows(struct experiment_plan *plan, const struct raw_plan *raw, char *message) {
  uint64_t least = 2, most = 5;
  const struct raw_repetitions *repetitions = raw->repetitions;
  plan->warmup_ns = second_ns / 2;
  plan->window_ns = second_ns * 3 / 2;
  plan->budget_ns = 150 * second_ns;
  plan->precision_ppm = 20000;
  plan->batch = 50;
  if (repetitions != NULL &&
      !(read_whole(&least, repetitions->least, "repetitions, least", 1, 1000, message) &&
        read_whole(&most, repetitions->most, "repetitions, most", 1, 1000, message)))
    return false;
  if (repetitions != NULL && repetitions->most == NULL && most < least)
    most = least;
  if (most < least && repetitions != NULL && repetitions->least == NULL)
    least = most;
  if (most < least)
    return complain(message, "repetitions: least is more than most; exchange them");
  plan->least = (uint32_t)least;
  plan->most = (uint32_t)most;
  if (raw->precision != NULL && !percentage(&plan->precision_ppm, raw->precision))
    return complain(message, "precision: \"%.*s\" where a percentage such as 2%% is expected",
                    SHOWN, raw->precision);
  return read_time(&plan->warmup_ns, raw->warmup, "warmup", 0, time_most_ns, message) &&
         read_time(&plan->window_ns, raw->window, "window", second_ns / 100, time_most_ns,
                   message) &&
         read_time(&plan->budget_ns, raw->budget, "budget", second_ns, 365 * time_most_ns,
                   message) &&
         read_whole(&plan->batch, raw->batch, "batch", 1, 1000000, message);
}

static bool read_unwaited(struct experiment_plan *plan, const struct raw_plan *raw, char *message) {
  uint32_t count = raw->not_waited_for_count;
  plan->unwaited = count != 0 ? calloc(count, sizeof *plan->unwaited) : NULL;
  if (count != 0 && plan->unwaited == NULL)
    return complain(message, "there is no memory left");
  for (uint32_t i = 0; i < count; i++) {
    const char *given = raw->not_waited_for[i];
    if (strchr(given, ':') == NULL)
      return complain(message, "not_waited_for: \"%.*s\" where HOST:PORT is expected", SHOWN,
                      given);
    if (!copy(&plan->unwaited[plan->unwaited_count++], given, "not_waited_for", message))
      return false;
  }
  return true;
}

/* How many users there are, where the load can be told. */
static bool read_users(struct experiment_plan *plan, const struct raw_plan *raw, char *message) {
  uint64_t users = 0;
  bool told = raw->load != NULL && strstr(raw->load, PLAN_USERS) != NULL;
  if (told && raw->users == NULL)
    return complain(message, "load: how many " PLAN_USERS " stands for is missing; give `users`");
  if (!told && raw->users != NULL)
    return complain(message,
                    "users: nothing tells the load; write " PLAN_USERS " where its number stands");
  if (!read_whole(&users, raw->users, "users", 1, 100000, message))
    return false;
  plan->users = (uint32_t)users;
  return true;
}

static bool read_texts(struct experiment_plan *plan, const struct raw_plan *raw, char *message) {
  if (raw->pause != NULL && strcmp(raw->pause, "auto") != 0 && strcmp(raw->pause, "freeze") != 0 &&
      strcmp(raw->pause, "signal") != 0)
    return complain(message, "pause: \"%.*s\" where auto, freeze or signal is expected", SHOWN,
                    raw->pause);
  return copy(&plan->load, raw->load, "load", message) &&
         copy(&plan->key, raw->key, "key", message) &&
         copy(&plan->pause, raw->pause, "pause", message);
}

bool plan_check(struct experiment_plan *plan, const struct raw_plan *raw,
                char message[PLAN_MESSAGE]) {
  if (raw->services_count == 0)
    return complain(message, "services: empty; name at least one");
  for (uint32_t i = 0; i < raw->services_count; i++)
    if (!read_service(plan, &raw->services[i], i, message))
      return false;
  plan->entry = plan_find(plan, raw->entry);
  if (plan->entry == plan->count)
    return complain(message, "entry: \"%.*s\" is no service; name one of services", SHOWN,
                    raw->entry);
  return read_resources(plan, raw, message) && read_neighbours(plan, raw, message) &&
         read_counts(plan, raw, message) && read_slowing(plan, raw, message) &&
         read_targets(plan, raw, message) && read_levels(plan, raw, message) &&
         read_windows(plan, raw, message) && read_unwaited(plan, raw, message) &&
         read_users(plan, raw, message) && read_texts(plan, raw, message);
}
