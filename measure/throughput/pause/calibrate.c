/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/pause/calibrate.h"

#include "measure/throughput/pause/moment.h"
#include "measure/throughput/pause/priority.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GAPS = 1024 };
static const uint64_t pause_ns = 1000000, apart_ns = 1000000, gap_ns = 300000;
static const uint64_t patience_ns = 10000000000;

/* What the process saw, in memory that is shared with it. */
struct gaps {
  atomic_bool runs, first; /* first: it has the priority */
  _Atomic uint32_t count;
  struct {
    uint64_t begin_ns, end_ns;
  } gap[GAPS];
};

/* One pause, as the caller made it. */
struct made {
  uint64_t asked_ns, deadline_ns, ended_ns;
};

struct work {
  struct brake brake;
  struct gaps *gaps;
  struct made made[CALIBRATE_PAUSES];
  uint32_t count;
  bool works;
};

/* --- the process ------------------------------------------------------------------------------ */

/* With a priority between the pauser's and everybody else's: how long it waits for a processor that
 * others use is no part of a pause. */
static void read_the_clock(struct gaps *gaps) {
  atomic_store(&gaps->first, priority_take(PRIORITY_PAUSED));
  uint64_t before_ns = moment_now();
  atomic_store(&gaps->runs, true);
  for (;;) {
    uint64_t now_ns = moment_now();
    uint32_t count = atomic_load_explicit(&gaps->count, memory_order_relaxed);
    if (now_ns - before_ns > gap_ns && count < GAPS) {
      gaps->gap[count].begin_ns = before_ns;
      gaps->gap[count].end_ns = now_ns;
      atomic_store(&gaps->count, count + 1);
    }
    before_ns = now_ns;
  }
}

static pid_t start(const struct brake *brake, struct gaps *gaps) {
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (getppid() == parent &&
        (brake->mode != PAUSER_FREEZE || write(brake->cgroup.procs, "0", 1) == 1))
      read_the_clock(gaps);
    _exit(1);
  }
  if (pid > 0)
    setpgid(pid, pid);
  return pid;
}

/* --- the pauses ------------------------------------------------------------------------------- */

static bool wait_until(const struct brake *brake, bool stands) {
  uint64_t until_ns = moment_now() + patience_ns;
  while (brake_stands(brake) != stands) {
    if (moment_now() > until_ns)
      return false;
    moment_sleep_until(moment_now() + 50000);
  }
  return true;
}

static bool try_brake(const struct brake *brake) {
  return brake_stop(brake) && wait_until(brake, true) && brake_continue(brake) &&
         wait_until(brake, false);
}

/* As the pausing thread does it. */
static void *make_pauses(void *argument) {
  struct work *work = argument;
  priority_take(PRIORITY_PAUSER);
  work->works = try_brake(&work->brake);
  for (uint32_t i = 0; i < work->count && work->works; i++) {
    struct made *made = &work->made[i];
    moment_sleep_until(moment_now() + apart_ns);
    made->asked_ns = moment_now();
    made->deadline_ns = made->asked_ns + pause_ns;
    work->works = brake_stop(&work->brake);
    brake_stands(&work->brake);
    moment_sleep_until(made->deadline_ns);
    made->ended_ns = moment_now();
    work->works = brake_continue(&work->brake) && work->works;
  }
  moment_sleep_until(moment_now() + apart_ns);
  return NULL;
}

/* --- the figures ------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

uint64_t calibrate_quantile(uint64_t figures[], uint32_t count, uint32_t quarters) {
  if (count == 0)
    return 0;
  qsort(figures, count, sizeof *figures, compare);
  uint64_t figure = figures[(uint64_t)count * quarters / 4];
  return figure < CALIBRATE_MOST_NS ? figure : CALIBRATE_MOST_NS;
}

uint64_t calibrate_mean(const uint64_t figures[], uint32_t count) {
  uint64_t sum = 0, used = 0;
  for (uint32_t i = 0; i < count; i++)
    if (figures[i] < CALIBRATE_MOST_NS) {
      sum += figures[i];
      used++;
    }
  if (used == 0)
    return count == 0 ? 0 : CALIBRATE_MOST_NS;
  return sum / used;
}

/* How much longer than between the calls the process stood around the middle of a pause; false when
 * it saw none. */
static bool excess_of(const struct gaps *gaps, const struct made *made, uint64_t *excess_ns) {
  uint64_t middle_ns = made->asked_ns + (made->ended_ns - made->asked_ns) / 2;
  uint32_t count = atomic_load(&gaps->count);
  for (uint32_t i = 0; i < count; i++)
    if (gaps->gap[i].begin_ns <= middle_ns && middle_ns < gaps->gap[i].end_ns) {
      uint64_t stood_ns = gaps->gap[i].end_ns - gaps->gap[i].begin_ns;
      uint64_t between_ns = made->ended_ns - made->asked_ns;
      *excess_ns = stood_ns > between_ns ? stood_ns - between_ns : 0;
      return true;
    }
  return false;
}

static void evaluate(const struct work *work, struct calibration *calibration) {
  uint64_t excess[CALIBRATE_PAUSES], late[CALIBRATE_PAUSES];
  uint32_t seen = 0;
  for (uint32_t i = 0; i < work->count; i++) {
    late[i] = work->made[i].ended_ns - work->made[i].deadline_ns;
    if (excess_of(work->gaps, &work->made[i], &excess[seen]))
      seen++;
  }
  /* Without a priority it often waited for a processor too; not so in the quicker half. */
  bool first = atomic_load(&work->gaps->first);
  calibration->offset_ns =
      first ? calibrate_mean(excess, seen) : calibrate_quantile(excess, seen, 1);
  calibration->lead_ns = calibrate_mean(late, work->count);
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool run(struct work *work, char *why, size_t size) {
  uint64_t until_ns = moment_now() + patience_ns;
  while (!atomic_load(&work->gaps->runs) && moment_now() < until_ns)
    moment_sleep_until(moment_now() + 100000);
  if (!atomic_load(&work->gaps->runs)) {
    snprintf(why, size, "a process that joins it does not run");
    return false;
  }
  pthread_t thread;
  int error = pthread_create(&thread, NULL, make_pauses, work);
  if (error != 0) {
    snprintf(why, size, "no thread: %s", strerror(error));
    return false;
  }
  pthread_join(thread, NULL);
  if (!work->works)
    snprintf(why, size, "a process that was to stop did not, or did not go on");
  return work->works;
}

bool calibrate(const struct brake *brake, uint32_t pauses, struct calibration *calibration,
               char *why, size_t size) {
  struct work work = {.brake = *brake, .count = pauses};
  *calibration = (struct calibration){0};
  if (work.count > CALIBRATE_PAUSES)
    work.count = CALIBRATE_PAUSES;
  work.gaps =
      mmap(NULL, sizeof *work.gaps, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (work.gaps == MAP_FAILED) {
    snprintf(why, size, "no memory to share: %s", strerror(errno));
    return false;
  }
  work.brake.group = start(brake, work.gaps);
  bool works = work.brake.group > 0;
  if (!works)
    snprintf(why, size, "no process to try it with: %s", strerror(errno));
  else {
    works = run(&work, why, size);
    kill(work.brake.group, SIGKILL);
    while (waitpid(work.brake.group, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  if (works)
    evaluate(&work, calibration);
  munmap(work.gaps, sizeof *work.gaps);
  return works;
}
