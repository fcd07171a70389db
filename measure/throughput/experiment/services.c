/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/services.h"

#include "measure/throughput/experiment/child.h"
#include "measure/throughput/experiment/janitor.h"
#include "measure/yaml/value.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
  CONNECT_MS = 3000,
  READY_MS = 15000,
  STOP_MS = 4000,
  END_MS = 5000,
  ARGUMENTS = 30 + 2 * PLAN_SERVICES
};
static const uint64_t slice_ns = 20000000, look_ns = 100000000;
static const char name[] = "whatif";

struct services {
  const struct experiment_plan *plan;
  struct services_options options;
  struct poker_key key;
  struct janitor janitor; /* with our folder, for ready files and logs */
  char latencies[PLAN_SERVICES][256];
  char directory[4096]; /* the plan's, absolute */
  struct child load, children[PLAN_SERVICES];
  char addresses[PLAN_SERVICES][128];
  struct director *directors[PLAN_SERVICES];
  struct processor_snapshot *snapshot; /* or NULL */
  uint64_t epoch, looked_ns;
  char trouble[PLAN_MESSAGE];
};

#define complain(message, ...) value_complain(message, PLAN_MESSAGE, __VA_ARGS__)

static bool interrupted(const struct services *services) {
  return services->options.interrupted != NULL && *services->options.interrupted != 0;
}

static uint64_t now_ns(void *context) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* --- starting ------------------------------------------------------------------------------------
 */

/* The address in the file that the poker makes when it is ready; false while there is none. */
static bool read_ready(char address[128], const char *path) {
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return false;
  bool good = fgets(address, 128, file) != NULL;
  fclose(file);
  address[good ? strcspn(address, " \n") : 0] = '\0';
  return good && address[0] != '\0';
}

static enum services_end wait_ready(struct services *services, uint32_t index, const char *path,
                                    char *message) {
  const char *service = services->plan->services[index].name;
  struct child *child = &services->children[index];
  for (unsigned waited = 0; waited < READY_MS; waited += 10) {
    if (read_ready(services->addresses[index], path))
      return SERVICES_GOOD;
    if (interrupted(services))
      return SERVICES_INTERRUPTED;
    if (child_ended(child)) {
      char why[300];
      child_explain(why, sizeof why, child);
      complain(message, "%s: %sservice %s %s; see its command", services->plan->path,
               child_was_killed(child) ? "the poker of " : "", service, why);
      return SERVICES_MISSING;
    }
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  complain(message, "%s: the poker of service %s was not ready within %d s", services->plan->path,
           service, READY_MS / 1000);
  return SERVICES_MISSING;
}

/* "exec COMMAND", owned, with `number`, if it is not NULL, for PLAN_USERS; NULL without memory. */
static char *shell_words(const char *command, const char *number) {
  size_t skipped = sizeof PLAN_USERS - 1; /* a number is no longer */
  size_t size = strlen(command) + sizeof "exec ";
  char *words = malloc(size), *at = words;
  if (words == NULL)
    return NULL;
  at += sprintf(at, "exec ");
  for (const char *next; number != NULL && (next = strstr(command, PLAN_USERS)) != NULL;
       command = next + skipped)
    at += sprintf(at, "%.*s%s", (int)(next - command), command, number);
  strcpy(at, command);
  return words;
}

/* The poker's arguments but for what is behind "--"; how many. */
static size_t list_arguments(const char **argv, const struct services *services, uint32_t index,
                             const char *ready) {
  const struct experiment_plan *plan = services->plan;
  const struct plan_service *service = &plan->services[index];
  const char *first[] = {services->options.program,
                         "poker",
                         "--name",
                         service->name,
                         "--listen",
                         "127.0.0.1:0",
                         "--ready",
                         ready};
  size_t n = sizeof first / sizeof *first;
  memcpy(argv, first, sizeof first);
  if (plan->key != NULL)
    argv[n++] = "--key", argv[n++] = plan->key;
  argv[n++] = "--leash";
  if (plan->pause != NULL)
    argv[n++] = "--pause", argv[n++] = plan->pause;
  if (service->proxy != NULL)
    argv[n++] = "--proxy", argv[n++] = service->proxy;
  if (service->relay != NULL)
    argv[n++] = "--relay", argv[n++] = service->relay;
  if (service->count_pipe)
    argv[n++] = "--count-pipe";
  if (services->options.latencies && !service->count_pipe)
    argv[n++] = "--latencies", argv[n++] = services->latencies[index];
  for (uint32_t i = 0; i < plan->count && !services->options.uncoordinated; i++)
    if ((service->neighbours >> i & 1) && services->addresses[i][0] != '\0' && i != index)
      argv[n++] = "--neighbour", argv[n++] = services->addresses[i];
  return n;
}

/* A service under its poker; who was started before it is its neighbour by address, and hears of
 * it by its joining. */
static enum services_end start_service(struct services *services, uint32_t index, char *message) {
  const struct plan_service *service = &services->plan->services[index];
  const char *argv[ARGUMENTS];
  char ready[256];
  struct child *child = &services->children[index];
  snprintf(ready, sizeof ready, "%s/%u.ready", services->janitor.folder, index);
  snprintf(child->log, sizeof child->log, "%s/%u.log", services->janitor.folder, index);
  size_t n = list_arguments(argv, services, index, ready);
  char *words = shell_words(service->command, NULL);
  const char *last[] = {"--", "/bin/sh", "-c", words, NULL};
  memcpy(&argv[n], last, sizeof last);
  int error = words == NULL ? ENOMEM : child_start(child, argv, services->directory);
  free(words);
  janitor_mind(&services->janitor, child->pid);
  if (error == 0)
    return wait_ready(services, index, ready, message);
  complain(message, "service %s cannot be started: %s", service->name, strerror(error));
  return SERVICES_FAILED;
}

static enum services_end start_load(struct services *services, uint32_t users, char *message) {
  if (services->plan->load == NULL)
    return SERVICES_GOOD;
  char number[16];
  snprintf(number, sizeof number, "%" PRIu32, users);
  char *words = shell_words(services->plan->load, services->plan->users != 0 ? number : NULL);
  const char *argv[] = {"/bin/sh", "-c", words, NULL};
  snprintf(services->load.log, sizeof services->load.log, "%s/load.log", services->janitor.folder);
  int error = words == NULL ? ENOMEM : child_start(&services->load, argv, services->directory);
  free(words);
  janitor_mind(&services->janitor, services->load.pid);
  if (error == 0)
    return SERVICES_GOOD;
  complain(message, "the load cannot be started: %s", strerror(error));
  return SERVICES_FAILED;
}

static int look_after(struct services *services);

static enum services_end connect(struct services *services, uint32_t index, char *message) {
  const struct experiment_plan *plan = services->plan;
  int error = director_open(&services->directors[index], services->addresses[index],
                            plan->key != NULL ? &services->key : NULL, name, CONNECT_MS,
                            services->options.interrupted, message);
  if (error == 0)
    return SERVICES_GOOD;
  if (error == -EINTR || interrupted(services))
    return SERVICES_INTERRUPTED;
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  if (look_after(services) != 0) /* why nothing answers */
    complain(message, "%s", services->trouble);
  return SERVICES_MISSING;
}

static int wait_until(void *context, uint64_t until_ns);

/* Until the entry has counted a request. */
static enum services_end wait_for_load(struct services *services, char *message) {
  const struct experiment_plan *plan = services->plan;
  struct director_report report;
  uint64_t limit_ns = now_ns(NULL) + READY_MS * (uint64_t)1000000, first = UINT64_MAX;
  int error = 0;
  while (error == 0 && now_ns(NULL) < limit_ns) {
    error = director_ask(services->directors[plan->entry], &report);
    if (error == 0 && first != UINT64_MAX && report.values[POKE_BEGUN] > first)
      return SERVICES_GOOD;
    if (error == 0 && first == UINT64_MAX)
      first = report.values[POKE_BEGUN];
    if (error == 0)
      error = wait_until(services, now_ns(NULL) + slice_ns);
  }
  if (error == -EINTR)
    return SERVICES_INTERRUPTED;
  const struct window_world world = services_world(services);
  if (error != 0)
    complain(message, "%s", world.trouble(services));
  else
    complain(message,
             "%s: no request reached %s within %d s; does the load run, and does the service count "
             "its requests?",
             plan->path, plan->services[plan->entry].name, READY_MS / 1000);
  return SERVICES_MISSING;
}

static enum services_end prepare(struct services *services, char *message) {
  const struct experiment_plan *plan = services->plan;
  int refused = janitor_begin(&services->janitor);
  if (refused != 0) {
    complain(message, "%s: cannot be made: %s; name another folder with TMPDIR",
             services->janitor.folder, strerror(refused));
    return SERVICES_FAILED;
  }
  for (uint32_t i = 0; i < plan->count; i++)
    snprintf(services->latencies[i], sizeof services->latencies[i], "%s/%u.csv",
             services->janitor.folder, i);
  char *absolute = realpath(plan->folder, NULL);
  if (absolute == NULL || strlen(absolute) >= sizeof services->directory ||
      setenv("TAILPROOF_PLAN_DIR", absolute, 1) != 0) {
    free(absolute);
    complain(message, "%s: the folder cannot be used: %s", plan->folder, strerror(errno));
    return SERVICES_FAILED;
  }
  strcpy(services->directory, absolute);
  free(absolute);
  char path[4096 + 300];
  bool relative = plan->key != NULL && plan->key[0] != '/';
  snprintf(path, sizeof path, "%s%s%.256s", relative ? services->directory : "",
           relative ? "/" : "", plan->key != NULL ? plan->key : "");
  int error = plan->key != NULL ? key_read(&services->key, path, message) : 0;
  return error == 0 ? SERVICES_GOOD : error == EBADMSG ? SERVICES_BAD_KEY : SERVICES_NO_KEY;
}

static enum services_end start_all(struct services *services, char *message) {
  const struct experiment_plan *plan = services->plan;
  enum services_end end = prepare(services, message);
  for (uint32_t i = 0; i < plan->count; i++)
    if (plan->services[i].poker != NULL)
      snprintf(services->addresses[i], sizeof services->addresses[i], "%s",
               plan->services[i].poker);
  for (uint32_t i = 0; i < plan->count && end == SERVICES_GOOD; i++)
    if (plan->services[i].command != NULL)
      end = start_service(services, i, message);
  for (uint32_t i = 0; i < plan->count && end == SERVICES_GOOD; i++)
    end = connect(services, i, message);
  if (end == SERVICES_GOOD)
    end = start_load(services, services->options.users != 0 ? services->options.users : plan->users,
                     message);
  return end == SERVICES_GOOD ? wait_for_load(services, message) : end;
}

enum services_end services_start(struct services **services, const struct experiment_plan *plan,
                                 const struct services_options *options,
                                 char message[PLAN_MESSAGE]) {
  struct timespec now;
  *services = NULL;
  struct services *made = calloc(1, sizeof *made);
  if (made == NULL) {
    complain(message, "there is no memory left");
    return SERVICES_FAILED;
  }
  clock_gettime(CLOCK_REALTIME, &now);
  made->plan = plan;
  made->options = *options;
  made->epoch = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
  enum services_end end = start_all(made, message);
  if (end == SERVICES_GOOD)
    *services = made;
  else
    services_stop(made);
  return end;
}

enum services_end services_load(struct services *services, uint32_t users,
                                char message[PLAN_MESSAGE]) {
  child_stop(&services->load, STOP_MS);
  enum services_end end = start_load(services, users, message);
  return end == SERVICES_GOOD ? wait_for_load(services, message) : end;
}

bool services_program(char path[4096]) {
  ssize_t length = readlink("/proc/self/exe", path, 4095);
  path[length < 0 ? 0 : length] = '\0';
  return length > 0;
}

enum status services_status(enum services_end end) {
  static const enum status statuses[] = {[SERVICES_GOOD] = STATUS_OK,
                                         [SERVICES_INTERRUPTED] = STATUS_INTERRUPTED,
                                         [SERVICES_NO_KEY] = STATUS_NO_INPUT,
                                         [SERVICES_BAD_KEY] = STATUS_DATA,
                                         [SERVICES_MISSING] = STATUS_UNAVAILABLE,
                                         [SERVICES_FAILED] = STATUS_INTERNAL};
  return statuses[end];
}

/* --- directing -----------------------------------------------------------------------------------
 */

const char *services_latencies(const struct services *services, uint32_t service) {
  return services->latencies[service];
}

static struct processor_roots roots_of(const struct services *services) {
  struct processor_roots roots = {.count = services->plan->count, .load = services->load.pid};
  for (uint32_t s = 0; s < roots.count; s++)
    roots.pokers[s] = services->children[s].pid;
  return roots;
}

static void look(void *context) {
  struct services *services = context;
  const struct processor_roots roots = roots_of(services);
  processors_forget(services->snapshot);
  services->snapshot = processors_look(&roots);
}

static void used(void *context, struct processor_use *use) {
  struct services *services = context;
  const struct processor_roots roots = roots_of(services);
  processors_since(use, services->snapshot, &roots);
  services->snapshot = NULL;
}

void services_talks(struct talks *talks, const struct services *services) {
  const struct processor_roots roots = roots_of(services);
  talks_look(talks, services->plan, &roots);
}

uint64_t services_next_epoch(struct services *services) {
  return ++services->epoch;
}

/* 0, or -ECHILD with what is the trouble. */
static int look_after(struct services *services) {
  const struct experiment_plan *plan = services->plan;
  char why[300];
  for (uint32_t i = 0; i < plan->count; i++)
    if (child_ended(&services->children[i])) {
      child_explain(why, sizeof why, &services->children[i]);
      complain(services->trouble, "%s: %sservice %s %s", plan->path,
               child_was_killed(&services->children[i]) ? "the poker of " : "",
               plan->services[i].name, why);
      return -ECHILD;
    }
  if (!child_ended(&services->load))
    return 0;
  child_explain(why, sizeof why, &services->load);
  complain(services->trouble, "%s: the load %s; it is to run until it is told to end", plan->path,
           why);
  return -ECHILD;
}

static int wait_until(void *context, uint64_t until_ns) {
  struct services *services = context;
  for (;;) {
    uint64_t now = now_ns(NULL);
    if (interrupted(services))
      return -EINTR;
    if (now >= services->looked_ns + look_ns) {
      services->looked_ns = now;
      int error = look_after(services);
      if (error != 0)
        return error;
    }
    if (now >= until_ns)
      return 0;
    uint64_t left = until_ns - now < slice_ns ? until_ns - now : slice_ns;
    nanosleep(&(struct timespec){.tv_nsec = (long)left}, NULL);
  }
}

/* A director that fails most often does so since what it directs has ended: that is what is said.
 */
static int explain(struct services *services, uint32_t index, int error) {
  if (error != 0 && interrupted(services))
    return -EINTR;
  if (error == 0)
    return 0;
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  int ended = look_after(services);
  if (ended != 0)
    return ended;
  complain(services->trouble, "service %s: %s", services->plan->services[index].name,
           director_error(services->directors[index]));
  return error;
}

static int set_one(void *context, uint32_t index, const struct director_setting *setting) {
  struct services *services = context;
  return explain(services, index, director_set(services->directors[index], setting, NULL));
}

static int ask_one(void *context, uint32_t index, struct director_report *report) {
  struct services *services = context;
  memset(report, 0, sizeof *report);
  return explain(services, index, director_ask(services->directors[index], report));
}

static const char *trouble_of(void *context) {
  return ((struct services *)context)->trouble;
}

struct window_world services_world(struct services *services) {
  return (struct window_world){.context = services,
                               .set = set_one,
                               .ask = ask_one,
                               .wait = wait_until,
                               .now = now_ns,
                               .trouble = trouble_of,
                               .look = look,
                               .used = used};
}

/* --- ending --------------------------------------------------------------------------------------
 */

/* One that runs elsewhere goes on without pauses. Its old connection may be in the middle of
 * something that was interrupted. */
static void release(struct services *services, uint32_t index) {
  struct director *director = NULL;
  char message[KEY_MESSAGE];
  struct director_setting none = {.epoch = services_next_epoch(services)};
  if (services->directors[index] == NULL ||
      director_open(&director, services->addresses[index],
                    services->plan->key != NULL ? &services->key : NULL, name, CONNECT_MS, NULL,
                    message) != 0)
    return;
  director_set(director, &none, NULL);
  director_close(director);
}

void services_stop(struct services *services) {
  if (services == NULL)
    return;
  const struct experiment_plan *plan = services->plan;
  for (uint32_t i = 0; i < plan->count; i++)
    if (plan->services[i].poker != NULL)
      release(services, i);
  child_stop(&services->load, STOP_MS);
  for (uint32_t i = plan->count; i-- > 0;) {
    director_close(services->directors[i]);
    child_stop(&services->children[i], STOP_MS);
  }
  processors_forget(services->snapshot);
  janitor_end(&services->janitor, END_MS);
  free(services);
}
