/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What exactness costs: the exact product of two sequences of 2^16 masses, its check included,
 * against the same convolution in doubles by FFTW and the same exact one by GMP (Kronecker's
 * substitution, slots of 128 bits); and a 100-fold sum on the default grid. Processor time, the
 * least of many runs that take turns in one process, so that the load of the machine hits all
 * alike.
 *
 *   sum                 prints the rows
 *   sum --write FOLDER  writes two laws and our exact sum for bench/peers.py instead
 */
#include <fftw3.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "dist/survival/convolve.h"
#include "dist/survival/sum.h"

enum { COUNT = 1 << 16, LENGTH = 2 * COUNT, RUNS = 20, TURN = 4 };

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Two different laws of a total of at most 10^18. */
static void fill(uint64_t *a, uint64_t seed) {
  for (size_t i = 0; i < COUNT; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    a[i] = (seed >> 5) / COUNT;
  }
}

struct doubles {
  double *a, *b, *c;
  fftw_complex *x, *y;
};

static void convolve_doubles(const struct doubles *d, fftw_plan first, fftw_plan second,
                             fftw_plan back) {
  fftw_execute(first);
  fftw_execute(second);
  for (size_t i = 0; i <= LENGTH / 2; i++) {
    double real = d->x[i][0] * d->y[i][0] - d->x[i][1] * d->y[i][1];
    d->x[i][1] = d->x[i][0] * d->y[i][1] + d->x[i][1] * d->y[i][0];
    d->x[i][0] = real;
  }
  fftw_execute(back);
}

struct kronecker {
  mp_limb_t *a, *b, *c; /* two limbs for each mass */
};

_Static_assert(GMP_NUMB_BITS == 64, "a slot is two limbs");

/* All that is compared, on the same two laws. */
struct race {
  uint64_t *a, *b;
  uint128 *c;
  struct doubles doubles;
  fftw_plan first, second, back;
  struct kronecker kronecker;
  double exact_ms, fftw_ms, gmp_ms;
};

static void race_init(struct race *r) {
  struct doubles *d = &r->doubles;
  r->a = mem_alloc(COUNT, sizeof *r->a);
  r->b = mem_alloc(COUNT, sizeof *r->b);
  r->c = mem_alloc(LENGTH, sizeof *r->c);
  fill(r->a, 1);
  fill(r->b, 2);
  *d = (struct doubles){.a = fftw_alloc_real(LENGTH),
                        .b = fftw_alloc_real(LENGTH),
                        .c = fftw_alloc_real(LENGTH),
                        .x = fftw_alloc_complex(LENGTH / 2 + 1),
                        .y = fftw_alloc_complex(LENGTH / 2 + 1)};
  r->first = fftw_plan_dft_r2c_1d(LENGTH, d->a, d->x, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
  r->second = fftw_plan_dft_r2c_1d(LENGTH, d->b, d->y, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
  r->back = fftw_plan_dft_c2r_1d(LENGTH, d->x, d->c, FFTW_MEASURE);
  r->kronecker = (struct kronecker){mem_alloc(2 * COUNT, sizeof(mp_limb_t)),
                                    mem_alloc(2 * COUNT, sizeof(mp_limb_t)),
                                    mem_alloc(2 * LENGTH, sizeof(mp_limb_t))};
  for (size_t i = 0; i < LENGTH; i++) {
    d->a[i] = i < COUNT ? (double)r->a[i] : 0;
    d->b[i] = i < COUNT ? (double)r->b[i] : 0;
  }
  for (size_t i = 0; i < COUNT; i++) {
    r->kronecker.a[2 * i] = r->a[i];
    r->kronecker.b[2 * i] = r->b[i];
  }
  r->exact_ms = r->fftw_ms = r->gmp_ms = INFINITY;
}

static void race_clear(struct race *r) {
  fftw_destroy_plan(r->first);
  fftw_destroy_plan(r->second);
  fftw_destroy_plan(r->back);
  fftw_free(r->doubles.a);
  fftw_free(r->doubles.b);
  fftw_free(r->doubles.c);
  fftw_free(r->doubles.x);
  fftw_free(r->doubles.y);
  mem_free(r->kronecker.a);
  mem_free(r->kronecker.b);
  mem_free(r->kronecker.c);
  mem_free(r->a);
  mem_free(r->b);
  mem_free(r->c);
}

/* Each takes its turn several times over, so that it finds its own data in the cache. */
static void race_run(struct race *r) {
  const struct kronecker *k = &r->kronecker;
  for (int run = 0; run < RUNS; run++) {
    for (int again = 0; again < TURN; again++) {
      double start = now_ms();
      convolve_exact(r->c, r->a, COUNT, r->b, COUNT);
      r->exact_ms = fmin(r->exact_ms, now_ms() - start);
    }
    for (int again = 0; again < TURN; again++) {
      double start = now_ms();
      convolve_doubles(&r->doubles, r->first, r->second, r->back);
      r->fftw_ms = fmin(r->fftw_ms, now_ms() - start);
    }
    if (run % 4 != 0)
      continue;
    double start = now_ms();
    mpn_mul_n(k->c, k->a, k->b, (mp_size_t)2 * COUNT);
    r->gmp_ms = fmin(r->gmp_ms, now_ms() - start);
  }
  for (size_t i = 0; i < LENGTH - 1; i++)
    if (r->c[i] != ((uint128)k->c[2 * i + 1] << 64 | k->c[2 * i]))
      bug("the product differs from GMP's at %zu", i);
}

/* The largest difference between the two results, as a share of the largest mass. */
static double worst_error(const struct doubles *d, const uint128 *c) {
  double worst = 0, largest = 0;
  for (size_t i = 0; i < LENGTH - 1; i++) {
    worst = fmax(worst, fabs(d->c[i] / LENGTH - (double)c[i]));
    largest = fmax(largest, (double)c[i]);
  }
  return worst / largest;
}

/* 99.9 % lognormal, median 500 us and sigma 0.6; 0.1 % Pareto with exponent 2.5 from 100 ms on. */
static void latency(struct survival *s) {
  for (size_t k = 0; k < grid_count(&s->grid); k++) {
    double x = (double)grid_value_ns(&s->grid, k) + 1;
    double body = 0.5 * erfc(log(x / 5e5) / (0.6 * sqrt(2)));
    double tail = x < 1e8 ? 1 : pow(x / 1e8, -2.5);
    s->tail[k] = (uint64_t)((0.999 * body + 0.001 * tail) * (double)SURVIVAL_ONE);
  }
}

static double hundredfold_ms(void) {
  struct survival x, sum;
  survival_init(&x, &grid_default);
  survival_init(&sum, &grid_default);
  latency(&x);
  double least = INFINITY;
  for (int run = 0; run < 5; run++) {
    double start = now_ms();
    survival_add_many(&sum, &x, 100);
    least = fmin(least, now_ms() - start);
  }
  survival_clear(&x);
  survival_clear(&sum);
  return least;
}

static void write_words(const char *folder, const char *name, const uint64_t *words, size_t count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(words, sizeof *words, count, file) != count || fclose(file) != 0) {
    fprintf(stderr, "%s: cannot be written\n", path);
    exit(1);
  }
}

/* Masses of a latency in steps of 50 us, what is left at the last; and the survival function of
 * the sum of two such, on a linear grid that holds it. */
static void write_laws(const char *folder, size_t count) {
  struct grid steps = {.points = 2 * count, .shift = 16};
  struct survival x, y, sum;
  survival_init(&x, &steps);
  survival_init(&y, &steps);
  survival_init(&sum, &steps);
  latency(&x);
  latency(&y);
  uint64_t *a = mem_alloc(count, sizeof *a), *b = mem_alloc(count, sizeof *b);
  for (size_t k = 0; k < 2 * count; k++) {
    x.tail[k] = k + 1 < count ? x.tail[k] : 0;
    y.tail[k] = 3 * k + 1 < count ? x.tail[3 * k] : 0;
  }
  for (size_t k = 0; k < count; k++) {
    a[k] = (k == 0 ? SURVIVAL_ONE : x.tail[k - 1]) - x.tail[k];
    b[k] = (k == 0 ? SURVIVAL_ONE : y.tail[k - 1]) - y.tail[k];
  }
  double least = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    double start = now_ms();
    survival_add(&sum, &x, &y);
    least = fmin(least, now_ms() - start);
  }
  write_words(folder, "a", a, count);
  write_words(folder, "b", b, count);
  write_words(folder, "sum", sum.tail, 2 * count - 1);
  printf("%.4f\n", least);
  mem_free(a);
  mem_free(b);
  survival_clear(&x);
  survival_clear(&y);
  survival_clear(&sum);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--write") == 0) {
    write_laws(argv[2], 1 << 13);
    return 0;
  }
  struct race r;
  race_init(&r);
  race_run(&r);
  printf("%-58s %11.2f ms\n", "exact sum of two laws of 2^16 bins, checked", r.exact_ms);
  printf("%-58s %11.2f ms\n", "  the same in doubles, FFTW_MEASURE", r.fftw_ms);
  printf("%-58s %11.2f ms\n", "  the same exactly, GMP's Kronecker product", r.gmp_ms);
  printf("%-58s %14.1f   %s\n", "  ratio to FFTW", r.exact_ms / r.fftw_ms, "<= 6");
  printf("%-58s %14.1f   %s\n", "  GMP's ratio to it", r.gmp_ms / r.exact_ms, ">= 3");
  printf("%-58s %14.1e   %s\n", "  largest error of the doubles, of the largest mass",
         worst_error(&r.doubles, r.c), "exact: 0");
  printf("%-58s %11.2f ms   %s\n", "100-fold sum on the default grid", hundredfold_ms(),
         "< 150 ms");
  race_clear(&r);
  return 0;
}
