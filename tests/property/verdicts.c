/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said of measurements, against the truth that they were drawn from: verdicts_null.c (no
 * difference is found where there is none, and one is where there is), verdicts_width.c (how far
 * limits are from the truth, and how often on the wrong side), verdicts_coverage.c (verdicts where
 * requests and components depend on each other).
 *
 *   verdicts [--full] [--sets N] [--only WORDS]
 *
 * A sample without --full (`make verdicts` takes an hour). Prints TAP, and tables as comments.
 */
#include "tests/property/verdicts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t cells;

bool plan_wants(const struct plan *plan, const char *cell) {
  return plan->only == NULL || strstr(cell, plan->only) != NULL;
}

size_t plan_sets(const struct plan *plan, size_t sample, size_t full) {
  return plan->sets != 0 ? plan->sets : plan->full ? full : sample;
}

bool cell_end(bool good, const char *title) {
  printf("%s %zu - %s\n", good ? "ok" : "not ok", ++cells, title);
  fflush(stdout);
  return good;
}

size_t cell_count(void) {
  return cells;
}

size_t allowance(size_t n, double level) {
  double chance = pow(1 - level, (double)n), sum = chance;
  size_t k = 0;
  for (; sum < 1 - 1e-3 && k < n; k++) {
    chance *= (double)(n - k) / (double)(k + 1) * level / (1 - level);
    sum += chance;
  }
  return k;
}

int main(int argc, char **argv) {
  struct plan plan = {0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--full") == 0)
      plan.full = true;
    else if (strcmp(argv[i], "--sets") == 0 && i + 1 < argc)
      plan.sets = strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      plan.only = argv[++i];
    else {
      fprintf(stderr, "usage: verdicts [--full] [--sets N] [--only WORDS]\n");
      return 64;
    }
  }
  if (getenv("SANITIZED") != NULL && plan.sets == 0)
    plan.sets = 3; /* sanitizers are slow */
  files_open();
  bool good = verdicts_null(&plan);
  good &= verdicts_width(&plan);
  good &= verdicts_coverage(&plan);
  files_close();
  printf("1..%zu\n", cell_count());
  return good && cell_count() != 0 ? 0 : 1;
}
