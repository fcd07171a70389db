/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A server that waits: `waiting_server KIND REQUESTS SEED [FOLDER]` serves made-up requests on two
 * threads and prints them as spans (Jaeger's JSON) with the time of day, process and thread. Every
 * request runs a little, takes a lock that is free, and asks somebody at a pipe who answers soon. Of
 * KIND mutex, flock, pipe, sleep or fsync one request in ten also waits in the function
 * planted_KIND, for 3 to 9 ms, and has the tag planted=yes; of KIND none nothing is planted, and the tag says nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, ONE_IN = 10 };

static const char *kind, *folder;
static unsigned long requests;
static unsigned seed;
static volatile unsigned long sink;
static pthread_mutex_t planted = PTHREAD_MUTEX_INITIALIZER, usual = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void nap(int64_t ns) {
  struct timespec time = {ns / 1000000000, ns % 1000000000};
  while (nanosleep(&time, &time) != 0)
    ;
}

/* --- one thread's surroundings --- */

struct place {
  unsigned state;
  int ask[2], answer[2]; /* the usual question and its answer */
  int hold[2], held[2];  /* asks another thread to hold something for so many ns */
  int file, other;       /* of the same file, open twice */
};

static double draw(struct place *place) {
  return rand_r(&place->state) / (RAND_MAX + 1.0);
}

static void *answer_soon(void *context) {
  const struct place *place = context;
  char byte;
  while (read(place->ask[0], &byte, 1) == 1)
    if (write(place->answer[1], &byte, 1) != 1)
      break;
  return NULL;
}

/* Holds what the request will want. */
static void *hold_for(void *context) {
  const struct place *place = context;
  int64_t ns;
  while (read(place->hold[0], &ns, sizeof ns) == sizeof ns) {
    if (strcmp(kind, "mutex") == 0)
      pthread_mutex_lock(&planted);
    if (strcmp(kind, "flock") == 0)
      flock(place->other, LOCK_EX);
    if (strcmp(kind, "pipe") != 0 && write(place->held[1], "", 1) != 1)
      break;
    nap(ns);
    if (strcmp(kind, "mutex") == 0)
      pthread_mutex_unlock(&planted);
    if (strcmp(kind, "flock") == 0)
      flock(place->other, LOCK_UN);
    if (strcmp(kind, "pipe") == 0 && write(place->held[1], "", 1) != 1)
      break;
  }
  return NULL;
}

static void open_place(struct place *place, unsigned number) {
  char path[4096];
  pthread_t thread;
  *place = (struct place){.state = seed * 2 + number};
  if (pipe(place->ask) != 0 || pipe(place->answer) != 0 || pipe(place->hold) != 0 ||
      pipe(place->held) != 0)
    exit(70);
  snprintf(path, sizeof path, "%s/lock.%u", folder, number);
  place->file = open(path, O_RDWR | O_CREAT, 0600);
  place->other = open(path, O_RDWR);
  pthread_create(&thread, NULL, answer_soon, place);
  pthread_create(&thread, NULL, hold_for, place);
}

/* --- a request --- */

__attribute__((noinline)) static void compute(struct place *place) {
  unsigned long rounds = 20000 + (unsigned long)(60000 * draw(place));
  for (unsigned long i = 0; i < rounds; i++)
    sink += i;
}

__attribute__((noinline)) static void ask_usual(struct place *place) {
  char byte = 0;
  pthread_mutex_lock(&usual);
  pthread_mutex_unlock(&usual);
  if (write(place->ask[1], &byte, 1) != 1 || read(place->answer[0], &byte, 1) != 1)
    exit(70);
  sink += (unsigned char)byte;
}

/* Whoever holds it says so first; of a pipe the answer itself is waited for. */
static void begin_hold(struct place *place, int64_t ns) {
  char byte;
  if (write(place->hold[1], &ns, sizeof ns) != sizeof ns ||
      (strcmp(kind, "pipe") != 0 && read(place->held[0], &byte, 1) != 1))
    exit(70);
}

__attribute__((noinline)) static void planted_mutex(void) {
  pthread_mutex_lock(&planted);
  sink++;
  pthread_mutex_unlock(&planted);
}

__attribute__((noinline)) static void planted_flock(struct place *place) {
  flock(place->file, LOCK_EX);
  sink++;
  flock(place->file, LOCK_UN);
}

__attribute__((noinline)) static void planted_pipe(struct place *place) {
  char byte;
  sink += read(place->held[0], &byte, 1) == 1;
}

__attribute__((noinline)) static void planted_sleep(int64_t ns) {
  nap(ns);
  sink++;
}

__attribute__((noinline)) static void planted_fsync(struct place *place) {
  for (int i = 0; i < 4; i++) {
    sink += write(place->file, "0123456789abcdef", 16) == 16;
    sink += fsync(place->file) == 0;
  }
}

__attribute__((noinline)) static void wait_planted(struct place *place, int64_t ns) {
  if (strcmp(kind, "mutex") == 0)
    planted_mutex();
  else if (strcmp(kind, "flock") == 0)
    planted_flock(place);
  else if (strcmp(kind, "pipe") == 0)
    planted_pipe(place);
  else if (strcmp(kind, "sleep") == 0)
    planted_sleep(ns);
  else if (strcmp(kind, "fsync") == 0)
    planted_fsync(place);
}

__attribute__((noinline)) static void serve(struct place *place, int64_t planted_ns) {
  compute(place);
  ask_usual(place);
  if (planted_ns != 0)
    wait_planted(place, planted_ns);
  compute(place);
}

static void print_span(unsigned thread, unsigned long number, int64_t start, int64_t end,
                       bool plant) {
  static unsigned long printed;
  long id = syscall(SYS_gettid);
  pthread_mutex_lock(&out);
  printf("%s{\"traceID\":\"%x%06lx\",\"spans\":[{\"traceID\":\"%x%06lx\",\"spanID\":\"%x%06lx\","
         "\"operationName\":\"GET /\",\"references\":[],\"startTime\":%lld,"
         "\"duration\":%lld,\"processID\":\"p\",\"tags\":["
         "{\"key\":\"process.pid\",\"type\":\"int64\",\"value\":%d},"
         "{\"key\":\"planted\",\"type\":\"string\",\"value\":\"%s\"},"
         "{\"key\":\"thread.id\",\"type\":\"int64\",\"value\":%ld}]}],"
         "\"processes\":{\"p\":{\"serviceName\":\"server\",\"tags\":[]}}}",
         printed++ == 0 ? "" : ",\n", thread + 1, number, thread + 1, number, thread + 1, number,
         (long long)(start / 1000), (long long)((end - start) / 1000), (int)getpid(),
         plant ? "yes" : "no", id);
  pthread_mutex_unlock(&out);
}

static void *work(void *context) {
  struct place place;
  unsigned number = (unsigned)(uintptr_t)context;
  open_place(&place, number);
  for (unsigned long i = 0; i < requests / THREADS; i++) {
    bool labelled = draw(&place) < 1.0 / ONE_IN, plant = labelled && strcmp(kind, "none") != 0;
    int64_t ns = plant ? 3000000 + (int64_t)(6e6 * draw(&place)) : 0;
    if (plant &&
        (strcmp(kind, "mutex") == 0 || strcmp(kind, "flock") == 0 || strcmp(kind, "pipe") == 0))
      begin_hold(&place, ns);
    int64_t start = now(CLOCK_REALTIME);
    serve(&place, ns);
    int64_t end = now(CLOCK_REALTIME);
    print_span(number, i, start, end, labelled);
    nap(100000 + (int64_t)(4e5 * draw(&place))); /* until the next one comes */
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  if (argc < 4)
    return 64;
  kind = argv[1];
  requests = strtoul(argv[2], NULL, 10);
  seed = (unsigned)strtoul(argv[3], NULL, 10);
  folder = argc > 4 ? argv[4] : ".";
  printf("{\"data\":[");
  for (unsigned i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("]}\n");
  return 0;
}
