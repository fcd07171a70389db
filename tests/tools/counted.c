/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A service that counts its requests by the library:
 * counted THREADS WORK_US REQUESTS [beats] [NEIGHBOUR]...
 * Each thread serves one request after the other, sleeping for each. After REQUESTS of them it
 * prints "served N, longest gap G us", the gap being the longest time between two looks at the
 * clock of a thread that looks every millisecond, and ends with 5. With "beats" that thread prints
 * "beat G" every 20 ms, the gap being the longest since the last beat.
 */
#include "measure/tailproof_measure.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct tailproof_counter *counter;
static uint64_t work_us, wanted;
static atomic_uint_fast64_t served;
static atomic_bool over;

static void wait_us(uint64_t us) {
  struct timespec left = {(time_t)(us / 1000000), (long)(us % 1000000 * 1000)};
  while (nanosleep(&left, &left) != 0)
    ;
}

static uint64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void *serve(void *unused) {
  while (atomic_fetch_add(&served, 1) < wanted) {
    uint64_t start = tailproof_count_begin(counter);
    wait_us(work_us);
    tailproof_count_end(counter, start);
  }
  return unused;
}

static void *watch(void *beats) {
  uint64_t longest = 0, since_beat = 0, last = now_us(), beat = last;
  while (!atomic_load(&over)) {
    wait_us(1000);
    uint64_t now = now_us();
    longest = now - last > longest ? now - last : longest;
    since_beat = now - last > since_beat ? now - last : since_beat;
    last = now;
    if (beats != NULL && now - beat >= 20000) {
      printf("beat %" PRIu64 "\n", since_beat);
      fflush(stdout);
      since_beat = 0;
      beat = now;
    }
  }
  printf("served %" PRIu64 ", longest gap %" PRIu64 " us\n", wanted, longest);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[64], watcher;
  if (argc < 4)
    return 64;
  unsigned count = (unsigned)strtoul(argv[1], NULL, 10);
  work_us = strtoull(argv[2], NULL, 10);
  wanted = strtoull(argv[3], NULL, 10);
  if (count > 64 || tailproof_counter_open(&counter) != 0) {
    fprintf(stderr, "counted: %s\n", tailproof_error());
    return 1;
  }
  bool beats = argc > 4 && strcmp(argv[4], "beats") == 0;
  for (int i = beats ? 5 : 4; i < argc; i++)
    if (tailproof_count_neighbour(counter, argv[i]) != 0)
      fprintf(stderr, "counted: %s\n", tailproof_error());
  pthread_create(&watcher, NULL, watch, beats ? &over : NULL);
  for (unsigned i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, serve, NULL);
  for (unsigned i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  atomic_store(&over, true);
  pthread_join(watcher, NULL);
  tailproof_counter_close(counter);
  return 5;
}
