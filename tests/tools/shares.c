/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program whose functions take known shares of its processor time: shares SECONDS SEED ROUNDS.
 * Pieces of random length, ROUNDS on average, go to alpha, beta, gamma_of and delta, of 50, 30, 15
 * and 5 %. It prints what each had by its own processor's clock, in ns, and the whole from its
 * beginning: "alpha 1000123456". Asking that clock takes time that no function has: "clock 541"
 * says how many ns each time, and every piece is shorter by that. "apart 1200" says by how many
 * millionths a function's part of what all had differs from its part of the rounds at most: by much
 * where a virtual processor was taken away, which its clock counts all the same. Pieces longer than
 * the time between samples are seen better than by chance.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static int64_t used(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* What it takes to ask the clock: the median of many times. */
static int64_t asking(void) {
  enum { TIMES = 1001 };
  int64_t took[TIMES];
  for (size_t i = 0; i < TIMES; i++) {
    int64_t before = used();
    took[i] = used() - before;
  }
  qsort(took, TIMES, sizeof *took, ascending);
  return took[TIMES / 2];
}

#define FUNCTION(name)                                                                             \
  __attribute__((noinline)) void name(uint64_t rounds);                                            \
  void name(uint64_t rounds) {                                                                     \
    for (uint64_t i = 0; i < rounds; i++)                                                          \
      sink += i * i;                                                                               \
  }

FUNCTION(alpha)
FUNCTION(beta)
FUNCTION(gamma_of)
FUNCTION(delta)

static void (*const functions[])(uint64_t) = {alpha, beta, gamma_of, delta};
static const char *const names[] = {"alpha", "beta", "gamma_of", "delta"};
enum { FUNCTIONS = 4 };

/* In millionths: the greatest difference between shares of the time and of the rounds. */
static long apart(const int64_t *had, const uint64_t *rounds) {
  double most = 0, all = 0, time = 0;
  for (size_t i = 0; i < FUNCTIONS; i++) {
    all += (double)rounds[i];
    time += (double)had[i];
  }
  for (size_t i = 0; i < FUNCTIONS; i++) {
    double by = (double)had[i] / time - (double)rounds[i] / all;
    most = by > most ? by : -by > most ? -by : most;
  }
  return (long)(1e6 * most);
}

static size_t draw(void) {
  int at = rand() % 100;
  return at < 50 ? 0 : at < 80 ? 1 : at < 95 ? 2 : 3;
}

int main(int argc, char **argv) {
  int64_t had[FUNCTIONS] = {0}, clock = asking(), first = used(), at = first;
  double seconds = argc > 1 ? atof(argv[1]) : 1;
  uint64_t rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : 100000;
  uint64_t done[FUNCTIONS] = {0};
  srand(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
  while ((double)(at - first) < seconds * 1e9) {
    size_t which = draw();
    uint64_t piece = rounds / 5 + (uint64_t)rand() % (rounds * 8 / 5);
    functions[which](piece);
    done[which] += piece;
    int64_t next = used();
    had[which] += next - at - clock;
    at = next;
  }
  for (size_t i = 0; i < FUNCTIONS; i++)
    printf("%s %lld\n", names[i], (long long)had[i]);
  printf("whole %lld\n", (long long)at);
  printf("clock %lld\n", (long long)clock);
  printf("apart %ld\n", apart(had, done));
  return 0;
}
