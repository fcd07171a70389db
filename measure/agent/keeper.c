/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "measure/agent/objective.h"
#include "measure/agent/say.h"
#include "measure/agent/shelf.h"
#include "measure/core/rate.h"
#include "measure/profile/interrupt.h"
#include "measure/profile/sampler.h"
#include "trace/stacks/read.h"
#include "trace/stacks/write.h"

enum { PATH_SIZE = 4200 };

struct keeper {
  const struct profile_config *config;
  struct sampler sampler;
  struct objective objective;
  pthread_t thread;
  atomic_bool stop;
  pthread_mutex_t lock; /* of the counts and the page */
  struct keeper_counts counts;
  struct text page;
  /* of the thread alone: */
  uint32_t slot;            /* of the file that is open */
  char path[PATH_SIZE];     /* of that file */
  char previous[PATH_SIZE]; /* of the one before; "": none */
  uint32_t breach;          /* slot of the last one ... */
  bool awaits;              /* ... of which the minute after is still to come */
  struct interrupt_cost interrupt;
  uint64_t worked_ns; /* of the thread's clock, when the file was opened ... */
  uint64_t opened_ns; /* ... and of the time then */
  struct say_limit unread_limit, write_limit, name_limit;
};

static uint64_t clock_ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* --- files --- */

static void name_slot(const struct keeper *keeper, char path[PATH_SIZE], uint32_t slot) {
  snprintf(path, PATH_SIZE, "%s/minute-%02u.tpp", keeper->config->folder, slot);
}

/* What has the slot's name is another file from now on, which a breach may still hold. */
static bool open_file(struct keeper *keeper) {
  keeper->worked_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  keeper->opened_ns = clock_ns(CLOCK_MONOTONIC);
  name_slot(keeper, keeper->path, keeper->slot);
  unlink(keeper->path);
  int descriptor = open(keeper->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
  if (descriptor < 0)
    return false;
  sampler_open_file(&keeper->sampler, descriptor);
  return true;
}

/* Those of a longer ring that was here before. */
static void remove_rest(const struct keeper *keeper) {
  char path[PATH_SIZE];
  uint32_t slot = keeper->config->files;
  do
    name_slot(keeper, path, slot++);
  while (unlink(path) == 0);
}

/* Begins behind the newest file of a ring that is there already. */
static uint32_t first_slot(const struct keeper *keeper) {
  uint32_t slot = 0;
  int64_t newest = -1;
  for (uint32_t i = 0; i < keeper->config->files; i++) {
    char path[PATH_SIZE];
    struct stat about;
    name_slot(keeper, path, i);
    if (stat(path, &about) != 0 || about.st_mtime < newest)
      continue;
    newest = about.st_mtime;
    slot = (i + 1) % keeper->config->files;
  }
  return slot;
}

static void name_breach(const struct keeper *keeper, char path[PATH_SIZE], uint32_t slot,
                        const char *which) {
  snprintf(path, PATH_SIZE, "%s/breach-%02u-%s.tpp", keeper->config->folder, slot, which);
}

/* A slot that is free, or else the one used longest ago. */
static uint32_t breach_slot(const struct keeper *keeper) {
  uint32_t oldest = 0;
  int64_t least = INT64_MAX;
  for (uint32_t i = 0; i < KEEPER_BREACHES; i++) {
    char path[PATH_SIZE];
    struct stat about;
    name_breach(keeper, path, i, "at");
    if (stat(path, &about) != 0)
      return i;
    if (about.st_mtime < least) {
      least = about.st_mtime;
      oldest = i;
    }
  }
  return oldest;
}

static void keep(struct keeper *keeper, const char *path, const char *which) {
  char kept[PATH_SIZE];
  name_breach(keeper, kept, keeper->breach, which);
  unlink(kept);
  if (path[0] != '\0' && link(path, kept) != 0)
    agent_say_limited(&keeper->write_limit, clock_ns(CLOCK_MONOTONIC), "%s: cannot be kept: %s",
                      kept, strerror(errno));
}

/* While a file is written it may take an eighth of the ring, and at its end as much again for
 * names; so much is made free for the next one, and only so much is kept for breaches. */
enum { SHARES = 8, SHARES_OF_NEXT = 2 };

static bool is_full(const struct keeper *keeper) {
  return keeper->sampler.writer.written > keeper->config->bytes / SHARES;
}

static void make_room(const struct keeper *keeper) {
  uint64_t share = keeper->config->bytes / SHARES;
  shelf_trim(keeper->config->folder, "minute-", share * (SHARES - SHARES_OF_NEXT));
  shelf_trim(keeper->config->folder, "breach-", keeper->config->bytes);
}

/* --- minutes --- */

static void look_at_objective(struct keeper *keeper) {
  struct objective *objective = &keeper->objective;
  enum objective_verdict verdict = objective_look(objective);
  if (verdict == OBJECTIVE_UNREAD)
    agent_say_limited(&keeper->unread_limit, clock_ns(CLOCK_MONOTONIC),
                      "profile, objective: %s; looking again each minute", objective->message);
  if (keeper->awaits)
    keep(keeper, keeper->path, "after");
  keeper->awaits = verdict == OBJECTIVE_BREACHED;
  if (!keeper->awaits)
    return;
  keeper->breach = breach_slot(keeper);
  keep(keeper, keeper->previous, "before");
  keep(keeper, keeper->path, "at");
  keep(keeper, "", "after");
  agent_say("profile, objective: %" PRIu64 " of %" PRIu64
            " latencies of %s were above the limit; the minutes around are kept as "
            "%s/breach-%02u-*.tpp",
            objective->above, objective->of, keeper->config->objective.series,
            keeper->config->folder, keeper->breach);
  pthread_mutex_lock(&keeper->lock);
  keeper->counts.breaches++;
  pthread_mutex_unlock(&keeper->lock);
}

static void make_page(struct keeper *keeper) {
  struct stack_profile profile;
  struct text message, page;
  text_init(&message);
  text_init(&page);
  stack_profile_init(&profile);
  if (stack_profile_read(&profile, keeper->path, NULL, &message) == STATUS_OK)
    stack_write_prometheus(&profile, KEEPER_TOP, &page);
  else
    agent_say_limited(&keeper->name_limit, clock_ns(CLOCK_MONOTONIC), "%s", text_get(&message));
  pthread_mutex_lock(&keeper->lock);
  text_clear(&keeper->page);
  keeper->page = page;
  pthread_mutex_unlock(&keeper->lock);
  stack_profile_clear(&profile);
  text_clear(&message);
}

/* The rate that the budget pays for, by what the last file cost. */
static void set_rate(struct keeper *keeper, uint64_t samples, uint64_t worked_ns) {
  uint32_t now = keeper->sampler.counters.options.rate;
  if (samples == 0)
    return;
  uint64_t cost = worked_ns / samples + keeper->interrupt.ns;
  double seconds = (double)(clock_ns(CLOCK_MONOTONIC) - keeper->opened_ns) / 1e9;
  double load = (double)samples * 1000 / (now * seconds);
  const struct rate_limits limits = {.ceiling = keeper->config->rate,
                                     .budget = keeper->config->budget_ns};
  uint32_t rate = rate_affordable(&limits, cost < RATE_COST_MAX ? (uint32_t)cost : RATE_COST_MAX,
                                  load < RATE_LOAD_MAX ? (uint32_t)load : RATE_LOAD_MAX);
  rate = rate == 0 ? 1 : rate;
  struct text message;
  text_init(&message);
  if (rate != now && sampler_set_rate(&keeper->sampler, rate, &message) != STATUS_OK)
    agent_say("profile: %s", text_get(&message));
  text_clear(&message);
}

static void count(struct keeper *keeper, uint64_t samples, uint64_t lost) {
  pthread_mutex_lock(&keeper->lock);
  keeper->counts.samples += samples;
  keeper->counts.lost += lost;
  keeper->counts.files++;
  keeper->counts.rate = keeper->sampler.counters.options.rate;
  pthread_mutex_unlock(&keeper->lock);
}

/* Finishes the file; `next`: and opens another one. */
static bool turn(struct keeper *keeper, bool next) {
  uint64_t samples = keeper->sampler.writer.sample_count, lost = keeper->sampler.counts.lost;
  bool good = next ? sampler_finish_file(&keeper->sampler) : sampler_stop(&keeper->sampler);
  if (!good)
    agent_say_limited(&keeper->write_limit, clock_ns(CLOCK_MONOTONIC),
                      "%s: cannot be written: %s; make room", keeper->path,
                      strerror(keeper->sampler.writer.error));
  uint64_t worked_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - keeper->worked_ns;
  if (keeper->config->has_objective)
    look_at_objective(keeper);
  make_page(keeper);
  if (next)
    set_rate(keeper, samples, worked_ns);
  count(keeper, samples, lost);
  memcpy(keeper->previous, keeper->path, PATH_SIZE);
  keeper->slot = (keeper->slot + 1) % keeper->config->files;
  make_room(keeper);
  return !next || open_file(keeper);
}

static void *run(void *context) {
  struct keeper *keeper = context;
  uint64_t period = (uint64_t)keeper->config->seconds * 1000000000;
  uint64_t end = clock_ns(CLOCK_MONOTONIC) + period;
  bool open = true;
  keeper->worked_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  while (open && !atomic_load(&keeper->stop)) {
    poll(NULL, 0, sampler_wait_ms(&keeper->sampler));
    sampler_drain(&keeper->sampler);
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (now < end && !is_full(keeper))
      continue;
    end = now + period;
    open = turn(keeper, true);
    if (!open)
      agent_say("profile: %s: cannot be written: %s; sampling has ended", keeper->path,
                strerror(errno));
  }
  if (open)
    turn(keeper, false);
  return NULL;
}

/* --- beginning and end --- */

static void measure_cost(struct keeper *keeper) {
  keeper->interrupt = interrupt_cost_measure(&keeper->sampler.counters.options);
  keeper->counts.cost = keeper->interrupt.ns;
  if (!keeper->interrupt.measured)
    agent_say("profile: what a sample costs cannot be measured; taken to be %u us",
              keeper->interrupt.ns / 1000);
}

static bool begin(struct keeper *keeper, char message[AGENT_MESSAGE]) {
  struct text why;
  const struct sampler_options options = {
      .counters = {.event = COUNTER_CPU_CLOCK, .rate = keeper->config->rate},
      .scope = COUNTER_ALL,
      .cgroup = -1};
  if (mkdir(keeper->config->folder, 0755) != 0 && errno != EEXIST) {
    snprintf(message, AGENT_MESSAGE, "profile, folder: %.300s: %s", keeper->config->folder,
             strerror(errno));
    return false;
  }
  text_init(&why);
  bool good = sampler_init(&keeper->sampler, &options, &why) == STATUS_OK;
  if (!good)
    snprintf(message, AGENT_MESSAGE, "profile: %.450s", text_get(&why));
  text_clear(&why);
  if (good)
    measure_cost(keeper);
  keeper->slot = first_slot(keeper);
  if (good) {
    remove_rest(keeper);
    make_room(keeper);
  }
  if (good && !open_file(keeper)) {
    snprintf(message, AGENT_MESSAGE, "%.300s: cannot be written: %s", keeper->path,
             strerror(errno));
    good = false;
  }
  return good;
}

struct keeper *keeper_open(const struct profile_config *config, char message[AGENT_MESSAGE]) {
  struct keeper *keeper = mem_alloc(1, sizeof *keeper);
  keeper->config = config;
  keeper->counts.rate = config->rate;
  pthread_mutex_init(&keeper->lock, NULL);
  objective_init(&keeper->objective, &config->objective);
  if (config->has_objective)
    objective_look(&keeper->objective); /* what was recorded before is none of ours */
  bool good = begin(keeper, message);
  if (good) {
    sampler_start(&keeper->sampler);
    int error = pthread_create(&keeper->thread, NULL, run, keeper);
    good = error == 0;
    if (!good)
      snprintf(message, AGENT_MESSAGE, "profile: no thread: %s", strerror(error));
  }
  if (good)
    return keeper;
  sampler_clear(&keeper->sampler);
  pthread_mutex_destroy(&keeper->lock);
  mem_free(keeper);
  return NULL;
}

void keeper_close(struct keeper *keeper) {
  if (keeper == NULL)
    return;
  atomic_store(&keeper->stop, true);
  pthread_join(keeper->thread, NULL);
  sampler_clear(&keeper->sampler);
  pthread_mutex_destroy(&keeper->lock);
  text_clear(&keeper->page);
  mem_free(keeper);
}

/* --- what others see --- */

struct keeper_counts keeper_counts(struct keeper *keeper) {
  pthread_mutex_lock(&keeper->lock);
  struct keeper_counts counts = keeper->counts;
  pthread_mutex_unlock(&keeper->lock);
  return counts;
}

/* The next part's length: whole lines of at most `size` bytes; a longer line alone is left out. */
static size_t next_part(const char *text, size_t size, size_t *skip) {
  size_t length = 0;
  *skip = 0;
  for (const char *end; (end = strchr(text + length, '\n')) != NULL;) {
    if ((size_t)(end - text) + 1 > size)
      break;
    length = (size_t)(end - text) + 1;
  }
  if (length == 0 && strchr(text, '\n') != NULL)
    *skip = (size_t)(strchr(text, '\n') - text) + 1;
  return length;
}

size_t keeper_page(struct keeper *keeper, uint32_t number, char *text, size_t size) {
  pthread_mutex_lock(&keeper->lock);
  const char *at = text_get(&keeper->page);
  size_t length = 0, skip = 0;
  for (uint32_t i = 0; i <= number; i++) {
    at += length + skip;
    length = next_part(at, size, &skip);
  }
  memcpy(text, at, length);
  pthread_mutex_unlock(&keeper->lock);
  return length;
}

uint32_t keeper_pages(struct keeper *keeper, size_t size) {
  uint32_t count = 0;
  pthread_mutex_lock(&keeper->lock);
  const char *at = text_get(&keeper->page);
  while (*at != '\0') {
    size_t skip, length = next_part(at, size, &skip);
    if (length + skip == 0)
      break;
    at += length + skip;
    count++;
  }
  pthread_mutex_unlock(&keeper->lock);
  return count;
}
