/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What recording costs: one occurrence against two bare readings of the same clock, against two of
 * CLOCK_MONOTONIC, and against HdrHistogram_c's record where that library is installed; eight
 * threads at once; allocations. Times are the least of many runs that take turns, so that the load
 * of the machine hits all alike.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure/read/store_read.h"
#include "measure/record/clock.h"
#include "measure/tailproof_measure.h"

enum { TIMES = 10000, RUNS = 800, THREADS = 8, THREAD_TIMES = 1000000, DURATIONS = 4096 };

/* ---- allocations, counted by standing before the library's own ------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_uint_fast64_t allocations;

void *malloc(size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_realloc(old, size);
}

/* ---- what is measured ------------------------------------------------------------------------ */

struct context {
  struct tailproof_store *store;
  struct tailproof_writer *writer;
  int component, message;
  int counter;                        /* 1 when the store's clock is the counter */
  uint64_t durations[DURATIONS];      /* ticks, over six decades */
  void *hdr;                          /* HdrHistogram_c's histogram, or NULL */
  int (*hdr_record)(void *, int64_t); /* really returns bool */
};

static volatile uint64_t sink;

static void two_readings(const struct context *context) {
  uint64_t sum = 0;
  if (context->counter)
    for (int i = 0; i < TIMES; i++) {
      uint64_t start = clock_counter();
      sum += clock_counter() - start;
    }
  else
    for (int i = 0; i < TIMES; i++) {
      uint64_t start = clock_monotonic();
      sum += clock_monotonic() - start;
    }
  sink = sum;
}

static void two_monotonic(const struct context *context) {
  (void)context;
  uint64_t sum = 0;
  for (int i = 0; i < TIMES; i++) {
    uint64_t start = clock_monotonic();
    sum += clock_monotonic() - start;
  }
  sink = sum;
}

static void occurrence(const struct context *context) {
  for (int i = 0; i < TIMES; i++)
    tailproof_end(context->writer, context->component, tailproof_now(context->writer));
}

static void occurrence_in_full(const struct context *context) {
  for (int i = 0; i < TIMES; i++) {
    struct tailproof_event event = {.name = context->component,
                                    .instance = (uint32_t)i,
                                    .start = tailproof_now(context->writer),
                                    .count = 2,
                                    .arguments = {i, 1}};
    event.end = tailproof_now(context->writer);
    tailproof_record(context->writer, &event);
  }
}

static void various_durations(const struct context *context) {
  struct tailproof_event event = {.name = context->component};
  for (int i = 0; i < TIMES; i++) {
    event.end = context->durations[i % DURATIONS];
    tailproof_record(context->writer, &event);
  }
}

static void various_durations_hdr(const struct context *context) {
  if (context->hdr == NULL)
    return;
  for (int i = 0; i < TIMES; i++)
    context->hdr_record(context->hdr, (int64_t)context->durations[i % DURATIONS]);
}

static void message(const struct context *context) {
  struct tailproof_event event = {.name = context->message, .count = 1};
  unsigned char stamp[TAILPROOF_STAMP_BYTES];
  for (int i = 0; i < TIMES; i++) {
    event.end = tailproof_send(context->writer, &event, stamp);
    tailproof_arrive(context->writer, &event, stamp);
  }
}

enum { READINGS, MONOTONIC, OCCURRENCE, FULL, DURATION, HDR, MESSAGE, SUBJECTS };

static void (*const subjects[SUBJECTS])(const struct context *) = {
    two_readings,      two_monotonic,         occurrence, occurrence_in_full,
    various_durations, various_durations_hdr, message};

static void row(const char *what, const char *measured, const char *target) {
  printf("%-58s %14s   %s\n", what, measured, target);
}

static void row_of(const char *what, const char *target, double value, int digits,
                   const char *unit) {
  char measured[64];
  snprintf(measured, sizeof measured, "%.*f%s", digits, value, unit);
  row(what, measured, target);
}

/* ---- eight threads --------------------------------------------------------------------------- */

static void *record_many(void *argument) {
  const struct context *context = argument;
  struct tailproof_writer *writer = tailproof_writer_open(context->store);
  for (int i = 0; i < THREAD_TIMES; i++)
    tailproof_end(writer, context->message + 5, tailproof_now(writer));
  return NULL;
}

/* The occurrences that the file has of one name; 0 when it cannot be read. */
static uint64_t count_of(const char *path, int name) {
  struct store_reader *reader;
  char line[1024];
  if (store_reader_open(&reader, path, line, sizeof line) != 0) {
    fprintf(stderr, "%s\n", line);
    return 0;
  }
  static struct histogram histogram;
  uint64_t total = store_reader_histogram(reader, (uint32_t)name, &histogram) ? histogram.total : 0;
  store_reader_close(reader);
  return total;
}

static void threads(struct context *context) {
  pthread_t thread[THREADS];
  int name = tailproof_component(context->store, "Threads");
  struct timespec start, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&thread[i], NULL, record_many, context) != 0)
      return;
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  double ns = (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
  const uint64_t all = (uint64_t)THREADS * THREAD_TIMES;
  row_of("  8 threads of 10^6: counts lost", "0",
         (double)(all - count_of(tailproof_path(context->store), name)), 0, "");
  row_of("  8 threads: processor time an occurrence", "reported", ns / (double)all, 1, " ns");
}

/* ---- the table ------------------------------------------------------------------------------- */

static double now_ns(void) {
  return (double)clock_monotonic();
}

static void compare(const struct context *context) {
  double least[SUBJECTS];
  for (int i = 0; i < SUBJECTS; i++)
    least[i] = 1e300;
  uint64_t before = 0;
  for (int run = 0; run < RUNS; run++) {
    for (int i = 0; i < SUBJECTS; i++) {
      double start = now_ns();
      subjects[i](context);
      double spent = (now_ns() - start) / TIMES;
      if (spent < least[i])
        least[i] = spent;
    }
    if (run == 0)
      before = atomic_load(&allocations);
  }
  uint64_t allocated = atomic_load(&allocations) - before;
  printf("recording; the clock is %s\n", context->counter ? "the counter" : "CLOCK_MONOTONIC");
  row_of("  two bare readings of the clock", "reported", least[READINGS], 1, " ns");
  row_of("  an occurrence (now, end), beyond those", "<= 8 ns", least[OCCURRENCE] - least[READINGS],
         1, " ns");
  row_of("  in full (now, now, record with instance, 2 arguments)", "reported",
         least[FULL] - least[READINGS], 1, " ns");
  row_of("  an occurrence over two readings of CLOCK_MONOTONIC", "reported",
         least[OCCURRENCE] / least[MONOTONIC], 2, "");
  row_of("  tailproof_record alone, durations over six decades", "reported", least[DURATION], 1,
         " ns");
  if (context->hdr == NULL)
    row("  the same over hdr_record_value", "-", "HdrHistogram_c is not installed");
  else
    row_of("  the same (log and histogram) over hdr_record_value", "reported",
           least[DURATION] / least[HDR], 2, "");
  row_of("  a message (send, arrive)", "reported", least[MESSAGE], 1, " ns");
  row_of("  allocations while recording", "0", (double)allocated, 0, "");
}

/* Sets hdr and hdr_record where the library is there; 1 ns to an hour, 3 digits as ours. */
static void hdr_find(struct context *context) {
  static const char *const names[] = {"libhdr_histogram.so.6", "libhdr_histogram.so"};
  void *library = NULL;
  for (int i = 0; i < 2 && library == NULL; i++)
    library = dlopen(names[i], RTLD_NOW);
  if (library == NULL)
    return;
  int (*init)(int64_t, int64_t, int, void **);
  *(void **)&init = dlsym(library, "hdr_init");
  *(void **)&context->hdr_record = dlsym(library, "hdr_record_value");
  if (init == NULL || context->hdr_record == NULL ||
      init(1, INT64_C(3600000000000), 3, &context->hdr) != 0)
    context->hdr = NULL;
}

static void durations_fill(struct context *context) {
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < DURATIONS; i++) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    context->durations[i] = 100 + (random >> 44 >> random % 20) * 100;
  }
}

int main(void) {
  char folder[] = "/tmp/tailproof-bench-XXXXXX", path[256];
  struct context context = {0};
  struct tailproof_options options = {.folder = mkdtemp(folder)};
  if (options.folder == NULL || tailproof_open(&context.store, &options) != 0) {
    fprintf(stderr, "%s\n", tailproof_error());
    return 70;
  }
  snprintf(path, sizeof path, "%s", tailproof_path(context.store));
  struct clock_facts clock;
  char why[128];
  context.counter = clock_choose(&clock, TAILPROOF_CLOCK_BEST, why, sizeof why) == 0 &&
                    clock.kind == TAILPROOF_CLOCK_TSC;
  context.component = tailproof_component(context.store, "Component");
  context.message = tailproof_message(context.store, "Message", "d", NULL);
  context.writer = tailproof_writer_open(context.store);
  if (context.writer == NULL) {
    fprintf(stderr, "%s\n", tailproof_error());
    return 70;
  }
  hdr_find(&context);
  durations_fill(&context);
  compare(&context);
  threads(&context);
  tailproof_close(context.store);
  unlink(path);
  rmdir(folder);
  return 0;
}
