/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that live shortly: short_lives ROUNDS MS [forked]. In each round main_work runs for ten
 * times MS, then ten threads, or processes, run short_work for MS each, one behind the other. It
 * prints the part of the processor time that short_work had, by the threads' clocks:
 * "short_work 0.4998".
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIVES = 10 };

static volatile uint64_t sink;

static double used(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) static void *short_work(void *life) {
  double end = used() + *(double *)life;
  while (used() < end)
    for (int i = 0; i < 20000; i++)
      sink += (uint64_t)i;
  return NULL;
}

__attribute__((noinline)) static void main_work(double seconds) {
  double end = used() + seconds;
  while (used() < end)
    for (int i = 0; i < 20000; i++)
      sink += (uint64_t)i;
  sink++;
}

static void live(double life, int forked) {
  pthread_t thread;
  if (forked) {
    pid_t child = fork();
    if (child == 0) {
      short_work(&life);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  } else if (pthread_create(&thread, NULL, short_work, &life) == 0) {
    pthread_join(thread, NULL);
  }
}

int main(int count, char **words) {
  if (count < 3)
    return 64;
  double life = atof(words[2]) / 1000, main_time = 0;
  int rounds = atoi(words[1]);
  for (int i = 0; i < rounds; i++) {
    double before = used();
    main_work(LIVES * life);
    main_time += used() - before;
    for (int k = 0; k < LIVES; k++)
      live(life, count > 3);
  }
  double short_time = rounds * LIVES * life;
  fprintf(stderr, "short_work %.4f\n", short_time / (short_time + main_time));
  return 0;
}
