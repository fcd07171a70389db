/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program in which who calls whom is known, and hard to see for who follows frame pointers:
 * leaves without a frame, callers that use the frame pointer for something else, functions put into
 * others, signal handlers, forks, exec, threads that live for 10 ms. Each function is called
 * from one other only: NAME_of_CALLER is called by CALLER. callers ROUNDS
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone, visibility("default")))

static volatile uint64_t sink;
static uint64_t rounds = 100;

/* --- leaves --- */

ALONE void leaf_of_plain(uint64_t count);
ALONE void leaf_of_plain(uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    sink += i ^ (i << 3);
}

ALONE void plain_of_main(void);
ALONE void plain_of_main(void) {
  for (uint64_t i = 0; i < rounds; i++)
    leaf_of_plain(200000);
  sink++;
}

/* More values than registers, so that the frame pointer is one of them. */
ALONE uint64_t leaf_of_greedy(uint64_t count);
ALONE uint64_t leaf_of_greedy(uint64_t count) {
  uint64_t sum = sink;
  for (uint64_t i = 0; i < count; i++)
    sum = sum * 31 + i;
  return sum;
}

ALONE void greedy_of_main(uint64_t *v);
ALONE void greedy_of_main(uint64_t *v) {
  uint64_t a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
  for (uint64_t i = 0; i < rounds; i++) {
    a += leaf_of_greedy(100000);
    b ^= a, c += b, d ^= c, e += d, f ^= e, g += f, h ^= g;
  }
  sink += a + b + c + d + e + f + g + h;
}

/* --- put into others --- */

static inline __attribute__((always_inline)) uint64_t square(uint64_t value) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 200000; i++)
    sum += (value ^ i) * (value ^ i);
  return sum;
}

ALONE void host_of_main(void);
ALONE void host_of_main(void) {
  for (uint64_t i = 0; i < rounds; i++)
    sink += square(sink);
}

/* --- signals --- */

ALONE void work_of_handler(void);
ALONE void work_of_handler(void) {
  for (uint64_t i = 0; i < 3000000; i++)
    sink += i;
}

static volatile sig_atomic_t interrupting;

/* The next signal is asked for when the work on this one is done: on a slow machine that takes
 * longer than the time between two, and who is interrupted would never go on. */
ALONE void handler(int number);
ALONE void handler(int number) {
  struct itimerval next = {{0, 0}, {0, 2000}};
  sink += (uint64_t)number;
  work_of_handler();
  if (interrupting)
    setitimer(ITIMER_PROF, &next, NULL);
  sink++;
}

ALONE void interrupted_of_main(void);
ALONE void interrupted_of_main(void) {
  struct sigaction action = {.sa_handler = handler};
  struct itimerval first = {{0, 0}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  sigaction(SIGPROF, &action, NULL);
  interrupting = 1;
  setitimer(ITIMER_PROF, &first, NULL);
  for (uint64_t i = 0; i < rounds * 800000; i++)
    sink ^= i;
  interrupting = 0;
  setitimer(ITIMER_PROF, &never, NULL);
}

/* --- processes --- */

ALONE void work_of_forked(void);
ALONE void work_of_forked(void) {
  for (uint64_t i = 0; i < rounds * 60000; i++)
    sink += i & 7;
}

ALONE void forked_of_start(void);
ALONE void forked_of_start(void) {
  work_of_forked();
  sink++;
  _exit(0);
}

ALONE void program_of_main(void);
ALONE void program_of_main(void) {
  for (uint64_t i = 0; i < rounds * 60000; i++)
    sink += i & 15;
}

ALONE void start_child(char *self, int execute);
ALONE void start_child(char *self, int execute) {
  char count[32], other[] = "other";
  char *arguments[] = {self, count, other, NULL};
  pid_t child = fork();
  snprintf(count, sizeof count, "%llu", (unsigned long long)rounds);
  if (child == 0 && execute)
    execv(self, arguments);
  else if (child == 0)
    forked_of_start();
  waitpid(child, NULL, 0);
}

/* --- threads --- */

ALONE void work_of_short_thread(int64_t until);
ALONE void work_of_short_thread(int64_t until) {
  struct timespec time;
  do {
    for (uint64_t i = 0; i < 10000; i++)
      sink += i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  } while (time.tv_sec * INT64_C(1000000000) + time.tv_nsec < until);
}

ALONE void *short_thread(void *unused);
ALONE void *short_thread(void *unused) {
  work_of_short_thread(10000000);
  sink++;
  return unused;
}

static void start_threads(void) {
  for (uint64_t i = 0; i < rounds / 20; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, short_thread, NULL) == 0)
      pthread_join(thread, NULL);
  }
}

int main(int argc, char **argv) {
  uint64_t values[8] = {1, 2, 3, 4, 5, 6, 7, (uint64_t)argc};
  if (argc > 1)
    rounds = strtoull(argv[1], NULL, 10);
  if (argc > 2) {
    program_of_main();
    return 0;
  }
  plain_of_main();
  greedy_of_main(values);
  host_of_main();
  interrupted_of_main();
  for (int i = 0; i < 10; i++)
    start_child(argv[0], i % 2);
  start_threads();
  return 0;
}
