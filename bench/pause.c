/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How exact a pause of 1 ms is: how long a service stood still, by its own clock, less what was
 * due, whatever the pauses before were off by. `pause [PAUSES]`; run with --watch it is that
 * service: one process that reads the clock all the time, before all but who pauses it, and others
 * that mostly sleep.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "measure/throughput/pause/moment.h"
#include "measure/throughput/pause/pauser.h"
#include "measure/throughput/pause/priority.h"

enum { PAUSES_USUAL = 1000, PAUSES_MOST = 100000, GAPS = 4096 };
static const uint64_t wanted_ns = 1000000, apart_ns = 2000000, gap_ns = 300000;
static const uint64_t patience_ns = 10000000000, limit_ns = 2000000000;
static const uint64_t watch_most_ns = 600000000000;

/* How long the process did not run; the newest gap is at count - 1, modulo GAPS. */
struct watch {
  _Atomic uint64_t count;
  struct {
    uint64_t begin_ns, end_ns;
  } gap[GAPS];
};

static struct watch *watch_map(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  void *memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, sizeof(struct watch)) == 0)
    memory = mmap(NULL, sizeof(struct watch), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    perror(path);
    exit(70);
  }
  close(file);
  return memory;
}

/* A service survives who pauses it; this one, which takes a processor for itself, must not. */
static void watch_run(struct watch *watch, int processes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 1; i < processes; i++)
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;)
        moment_sleep_until(moment_now() + 10000000);
    }
  priority_take(PRIORITY_PAUSED);
  uint64_t before_ns = moment_now(), until_ns = before_ns + watch_most_ns;
  while (before_ns < until_ns) {
    uint64_t now_ns = moment_now(),
             count = atomic_load_explicit(&watch->count, memory_order_relaxed);
    if (now_ns - before_ns > gap_ns) {
      watch->gap[count % GAPS].begin_ns = before_ns;
      watch->gap[count % GAPS].end_ns = now_ns;
      atomic_store(&watch->count, count + 1);
    }
    before_ns = now_ns;
  }
}

/* The first gap that began since then; 0: none, so it did not run when the pause began: a busy
 * kernel takes the processor from who never sleeps, for 50 ms now and then. */
static uint64_t stood_since(const struct watch *watch, uint64_t since_ns) {
  uint64_t count = atomic_load(&watch->count), first = count < GAPS ? 0 : count - GAPS, ns = 0;
  for (uint64_t i = count; i > first && watch->gap[(i - 1) % GAPS].begin_ns >= since_ns; i--)
    ns = watch->gap[(i - 1) % GAPS].end_ns - watch->gap[(i - 1) % GAPS].begin_ns;
  return ns;
}

static void row(const char *what, const char *measured, const char *target) {
  printf("%-58s %14s   %s\n", what, measured, target);
  fflush(stdout);
}

static void row_of(const char *what, const char *target, double value, const char *form) {
  char measured[64];
  snprintf(measured, sizeof measured, form, value);
  row(what, measured, target);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_errors(double errors[], uint32_t count, uint32_t pauses, bool freezes) {
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += errors[i];
  double mean = count > 0 ? sum / count : 0;
  for (uint32_t i = 0; i < count; i++)
    squares += (errors[i] - mean) * (errors[i] - mean);
  qsort(errors, count, sizeof *errors, compare);
  row_of("  mean error", "within 5 us", mean, "%+.1f us");
  row_of("  standard deviation", freezes ? "<= 15 us" : "reported",
         count > 1 ? sqrt(squares / (count - 1)) : 0, "%.1f us");
  row_of("  median error", "reported", count > 0 ? errors[count / 2] : 0, "%+.1f us");
  row_of("  99 of 100 are longer by at most", "reported", count > 0 ? errors[count * 99u / 100] : 0,
         "%.1f us");
  row_of("  pauses that the service did not see as one", "0", pauses - count, "%.0f");
}

/* One pause of 1 ms; false when the service saw no such gap. */
static bool pause_once(struct pauser *pauser, const struct watch *watch, uint64_t round,
                       double *error_us) {
  struct pauser_report before, after;
  uint64_t until_ns = moment_now() + patience_ns, begun_ns;
  moment_sleep_until(moment_now() + apart_ns);
  pauser_report(pauser, &before);
  int64_t carried_ns = before.ledger.carried_ns, missing_ns = (int64_t)wanted_ns - carried_ns;
  uint64_t owed_ns = missing_ns > 0 ? (uint64_t)missing_ns : 0;
  double due_ns = (double)carried_ns + (double)owed_ns;
  begun_ns = moment_now();
  pauser_round(pauser, round, owed_ns);
  do {
    moment_sleep_until(moment_now() + wanted_ns / 4);
    pauser_report(pauser, &after);
  } while (after.pauses == before.pauses && moment_now() < until_ns);
  moment_sleep_until(moment_now() + wanted_ns);
  uint64_t stood_ns = stood_since(watch, begun_ns);
  *error_us = ((double)stood_ns - due_ns) / 1000;
  return stood_ns != 0;
}

static int measure(const char *path, enum pauser_mode mode, int processes, uint32_t pauses) {
  char self[] = "/proc/self/exe", option[] = "--watch", count[8], file[64], title[128];
  char *command[] = {self, option, file, count, NULL};
  struct pauser_options options = {.command = command, .mode = mode};
  struct pauser_error error;
  struct pauser_report report;
  snprintf(file, sizeof file, "%s", path);
  snprintf(count, sizeof count, "%d", processes);
  struct watch *watch = watch_map(path);
  double *errors = calloc(pauses, sizeof *errors);
  struct pauser *pauser = errors == NULL ? NULL : pauser_start(&options, &error);
  snprintf(title, sizeof title, "%u pauses of 1 ms by %s, %d process%s", pauses,
           pauser_mode_name(mode), processes, processes == 1 ? "" : "es");
  if (pauser == NULL) {
    row(title, "-", errors == NULL ? "no memory" : error.text);
    free(errors);
    munmap(watch, sizeof *watch);
    return mode == PAUSER_FREEZE ? 0 : 1;
  }
  moment_sleep_until(moment_now() + 50000000);
  uint32_t used = 0;
  for (uint32_t i = 1; i <= pauses; i++)
    used += pause_once(pauser, watch, i, &errors[used]);
  pauser_report(pauser, &report);
  row(title, "", report.realtime ? "" : "(without real-time priority)");
  print_errors(errors, used, pauses, mode == PAUSER_FREEZE);
  row_of("  offset, at the end", "reported", (double)report.offset_ns / 1000, "%.1f us");
  pauser_end(pauser, SIGKILL, limit_ns);
  free(errors);
  munmap(watch, sizeof *watch);
  return 0;
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "--watch") == 0) {
    watch_run(watch_map(arguments[2]), atoi(arguments[3]));
    return 0;
  }
  long pauses = count == 2 ? strtol(arguments[1], NULL, 10) : PAUSES_USUAL;
  char path[] = "/tmp/tailproof-bench-XXXXXX";
  int file = mkstemp(path), failed = 0;
  if (file < 0 || pauses < 1 || pauses > PAUSES_MOST) {
    fprintf(stderr, "pause [PAUSES]: 1 to %d of them, and a file in /tmp\n", PAUSES_MOST);
    return 64;
  }
  close(file);
  for (int mode = PAUSER_FREEZE; mode <= PAUSER_SIGNAL; mode++)
    for (int processes = 1; processes <= 9; processes += 8)
      failed |= measure(path, (enum pauser_mode)mode, processes, (uint32_t)pauses);
  unlink(path);
  return failed == 0 ? 0 : 70;
}
