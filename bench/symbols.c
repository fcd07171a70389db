/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of tables of symbols: how long that of a large program takes to load, and a name in it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "measure/profile/symbols.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void print(const char *what, const char *value, const char *target) {
  printf("%-58s %14s   %s\n", what, value, target);
}

static double load(const char *path, size_t *count, double *lookup_us) {
  enum { LOOKUPS = 1000000 };
  struct image image;
  struct symbols symbols;
  double start = now();
  if (!image_open(&image, open(path, O_RDONLY | O_CLOEXEC)))
    exit(1);
  symbols_load(&symbols, &image, path);
  double loaded = now();
  *count = symbols.list.count;
  uint64_t found = 0, random = 1;
  for (size_t i = 0; i < LOOKUPS; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const struct code_symbol *any = &symbols.list.data[(random >> 33) % *count];
    found += symbols_find(&symbols, any->start) != NULL;
  }
  *lookup_us = found == 0 ? -1 : (now() - loaded) / LOOKUPS * 1e6;
  symbols_clear(&symbols);
  image_clear(&image);
  return loaded - start;
}

int main(int argc, char **argv) {
  enum { TURNS = 7 };
  const char *path = argc > 1 ? argv[1] : "/usr/bin/node";
  double seconds[TURNS], lookup_us = 0;
  char what[96], value[32];
  struct stat about;
  size_t count = 0;
  if (stat(path, &about) != 0) {
    print("symbols of /usr/bin/node", "-", "it is not installed (apt install nodejs)");
    return 0;
  }
  for (int i = 0; i < TURNS; i++)
    seconds[i] = load(path, &count, &lookup_us);
  qsort(seconds, TURNS, sizeof *seconds, compare);
  snprintf(what, sizeof what, "symbols of a program of %.0f MB, %zu of them",
           (double)about.st_size / 1e6, count);
  snprintf(value, sizeof value, "%.3f s", seconds[TURNS / 2]);
  print(what, value, "<= 0.2 s of 100 MB");
  snprintf(value, sizeof value, "%.2f us", lookup_us);
  print("  a name in it", value, "reported");
  return 0;
}
