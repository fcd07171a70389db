/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Making and closing a store's file. It gets its name when its header is complete.
 */
#include "measure/core/header.h"
#include "measure/core/ring.h"
#include "measure/record/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct format_header) <= FORMAT_PAGE, "the header is one page");
_Static_assert(sizeof(struct format_name) == 136, "no padding");
_Static_assert(FORMAT_SEGMENTS == FORMAT_PAGE + FORMAT_NAMES_MAX * sizeof(struct format_name) &&
                   FORMAT_SEGMENTS % FORMAT_PAGE == 0,
               "segments begin with a page");
_Static_assert(sizeof(struct format_segment) <= FORMAT_PAGE, "the segment's header is one page");

enum {
  LOG_RECORDS = 16384,
  NODE_MAX = FORMAT_TEXT - 1,
};

/* The options with every default in its place. */
struct file_layout {
  const char *folder, *node;
  const char *elsewhere; /* how to ask for another folder */
  uint32_t log_records, clock;
};

static const char *given_or(const char *given, const char *variable, const char *otherwise) {
  if (given != NULL && given[0] != '\0')
    return given;
  given = getenv(variable);
  return given != NULL && given[0] != '\0' ? given : otherwise;
}

static int plan_make(struct file_layout *plan, const struct tailproof_options *options) {
  static const struct tailproof_options none;
  if (options == NULL)
    options = &none;
  plan->folder = given_or(options->folder, "TAILPROOF_STORE", "tailproof-store");
  bool named = options->folder != NULL && options->folder[0] != '\0';
  plan->elsewhere = named ? "name another folder" : "name another folder with TAILPROOF_STORE";
  plan->node = given_or(options->node, "TAILPROOF_NODE", "");
  plan->log_records = options->log_records == 0 ? LOG_RECORDS : options->log_records;
  plan->clock = options->clock;
  if (!ring_capacity_valid(plan->log_records))
    return fail(EINVAL, "log_records is %u; it must be a power of two from 2 to %d",
                plan->log_records, RING_CAPACITY_MAX);
  if (plan->clock > TAILPROOF_CLOCK_TSC)
    return fail(EINVAL, "clock is %u; it must be 0 (best), 1 (CLOCK_MONOTONIC) or 2 (TSC)",
                plan->clock);
  if (strlen(plan->node) > NODE_MAX)
    return fail(ENAMETOOLONG, "the node's name '%.70s...' has more than %d bytes", plan->node,
                NODE_MAX);
  for (const char *at = plan->node; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~' || *at == '/')
      return fail(EINVAL, "the node's name '%s' has a blank, a '/' or a byte that is not ASCII",
                  plan->node);
  return 0;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* "FOLDER/NODE.PID.N.tps.tmp", owned by the caller, or NULL; *length: without ".tmp". */
static char *temporary_name(const struct file_layout *plan, unsigned number, size_t *length) {
  size_t size = strlen(plan->folder) + strlen(plan->node) + 64;
  char *path = malloc(size);
  if (path == NULL)
    return NULL;
  int written = snprintf(path, size, "%s/%s%s%ld.%u.tps.tmp", plan->folder, plan->node,
                         plan->node[0] == '\0' ? "" : ".", (long)getpid(), number);
  *length = (size_t)written - strlen(".tmp");
  return path;
}

/* 1 if the path without ".tmp" names a file. */
static int is_taken(const char *path, size_t length) {
  char *place = strndup(path, length);
  struct stat status;
  int taken = place != NULL && lstat(place, &status) == 0;
  free(place);
  return taken;
}

/* Makes an empty file that nobody has, under its temporary name. A process in another container may
 * have the same number: whoever has the temporary name may take the final one, if that is free. */
static int file_make(struct tailproof_store *store, const struct file_layout *plan,
                     size_t *length) {
  static unsigned number; /* with the lock held */
  if (mkdir(plan->folder, 0777) != 0 && errno != EEXIST)
    return fail(errno, "the store's folder '%s' cannot be made: %s; make it, or %s", plan->folder,
                strerror(errno), plan->elsewhere);
  for (;;) {
    char *path = temporary_name(plan, number, length);
    if (path == NULL)
      return fail(ENOMEM, "no memory for a store");
    number++;
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = descriptor < 0 ? errno : 0;
    if (error == 0 && !is_taken(path, *length)) {
      store->descriptor = descriptor;
      store->path = path;
      return 0;
    }
    if (error == 0) {
      close(descriptor);
      unlink(path);
    } else if (error != EEXIST) {
      int result = fail(error, "the store '%.*s' cannot be made: %s; %s", (int)*length, path,
                        strerror(error), plan->elsewhere);
      free(path);
      return result;
    }
    free(path);
  }
}

/* ---- the header ------------------------------------------------------------------------------ */

static void program_name(char name[FORMAT_TEXT]) {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  path[size < 0 ? 0 : size] = '\0';
  const char *slash = strrchr(path, '/');
  snprintf(name, FORMAT_TEXT, "%.*s", FORMAT_TEXT - 1, slash == NULL ? path : slash + 1);
}

static uint64_t realtime_ns(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t ticks_now(const struct clock_facts *clock) {
  return clock->kind == TAILPROOF_CLOCK_TSC ? clock_counter() : clock_monotonic();
}

/* One moment on both clocks: the best of some tries, since readers judge the rate by it. */
static void read_both(const struct clock_facts *clock, uint64_t *ticks, uint64_t *monotonic_ns) {
  uint64_t closest = UINT64_MAX;
  for (int i = 0; i < 4; i++) {
    uint64_t before = ticks_now(clock), now = clock_monotonic(), apart = ticks_now(clock) - before;
    if (apart >= closest)
      continue;
    closest = apart;
    *ticks = before;
    *monotonic_ns = now;
  }
}

static void header_fill(struct tailproof_store *store, const char *node) {
  struct format_header *header = store->header;
  const struct clock_facts *clock = &store->clock;
  header->clock = clock->kind;
  header->ns_per_tick_up = clock->rate_up;
  header->ns_per_tick_down = clock->rate_down;
  header->clock_identity = clock->identity;
  header->clock_resolution_ns = clock->resolution_ns;
  header->clock_cost_ps = clock->cost_ps;
  header->process = (uint64_t)getpid();
  snprintf(header->node, sizeof header->node, "%s", node);
  if (gethostname(header->host, sizeof header->host - 1) != 0)
    header->host[0] = '\0';
  program_name(header->program);
  read_both(clock, &header->start_ticks, &header->start_monotonic_ns);
  header->start_realtime_ns = realtime_ns();
  header_seal(header);
}

/* ---- open, close ----------------------------------------------------------------------------- */

static int file_fill(struct tailproof_store *store, const struct file_layout *plan, size_t length) {
  int error = grow(store->descriptor, &store->size, FORMAT_SEGMENTS, &store->head);
  if (error != 0)
    return fail(error, "the store '%.*s' cannot be made: %s; %s%s", (int)length, store->path,
                strerror(error), error == ENOSPC ? "free some space, or " : "", plan->elsewhere);
  store->header = (struct format_header *)store->head.at;
  store->names = (struct format_name *)(store->head.at + FORMAT_PAGE);
  header_fill(store, plan->node);
  char *place = strndup(store->path, length);
  if (place == NULL || rename(store->path, place) != 0) {
    error = place == NULL ? ENOMEM : errno;
    free(place);
    unmap(&store->head);
    return fail(error, "the store '%.*s' cannot be named: %s", (int)length, store->path,
                strerror(error));
  }
  free(store->path);
  store->path = place;
  return 0;
}

static int open_locked(struct tailproof_store *store, const struct file_layout *plan) {
  char why[128];
  if (clock_choose(&store->clock, plan->clock, why, sizeof why) != 0)
    return fail(ENOTSUP, "the time stamp counter cannot be used as the clock: %s; ask for another",
                why);
  size_t length = 0;
  int error = file_make(store, plan, &length);
  if (error != 0)
    return error;
  error = file_fill(store, plan, length);
  if (error != 0) {
    unlink(store->path);
    close(store->descriptor);
    free(store->path);
    return error;
  }
  store->log_records = plan->log_records;
  store->alive = 1;
  stores_add(store);
  return 0;
}

int tailproof_open(struct tailproof_store **store, const struct tailproof_options *options) {
  if (store == NULL)
    return fail(EINVAL, "tailproof_open was given no place for the store");
  *store = NULL;
  struct file_layout plan;
  int error = plan_make(&plan, options);
  if (error != 0)
    return error;
  struct tailproof_store *made = calloc(1, sizeof *made);
  if (made == NULL)
    return fail(ENOMEM, "no memory for a store");
  stores_lock();
  error = open_locked(made, &plan);
  stores_unlock();
  if (error != 0) {
    free(made);
    return error;
  }
  *store = made;
  return 0;
}

const char *tailproof_path(const struct tailproof_store *store) {
  return store == NULL ? "" : store->path;
}

/* Says in the file that the process closed it itself. */
static int mark_closed(struct tailproof_store *store) {
  if (cut_happened(store->descriptor, store->size))
    return fail(EIO, "somebody cut the store '%s' short; what was recorded in it is lost",
                store->path);
  struct format_mutable *mutable = &store->header->mutable;
  read_both(&store->clock, &mutable->end_ticks, &mutable->end_monotonic_ns);
  __atomic_store_n(&mutable->closed, store->size, __ATOMIC_RELEASE);
  if (fsync(store->descriptor) != 0 && errno != EINVAL) /* EINVAL: a file system without */
    return fail(errno, "the store '%s' is not surely on the disk: %s", store->path,
                strerror(errno));
  return 0;
}

int tailproof_close(struct tailproof_store *store) {
  if (store == NULL)
    return 0;
  while (store->writers != NULL)
    tailproof_writer_close(store->writers);
  stores_lock();
  stores_remove(store);
  int error = store->alive ? mark_closed(store) : 0;
  unmap(&store->head);
  stores_unlock();
  close(store->descriptor);
  free(store->path);
  free(store);
  return error;
}
