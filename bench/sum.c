/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What exactness costs: the exact product of two sequences of 2^16 masses, its check included,
 * against the same convolution in doubles by FFTW; and a 100-fold sum on the default grid. Each
 * figure is the least of several runs in one process.
 */
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/memory.h"
#include "dist/survival/convolve.h"
#include "dist/survival/sum.h"

enum { COUNT = 1 << 16, LENGTH = 2 * COUNT, RUNS = 15 };

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Two different laws of a total of at most 2^61. */
static void fill(uint64_t *a, uint64_t seed) {
  for (size_t i = 0; i < COUNT; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    a[i] = (seed >> 3) / COUNT;
  }
}

static double exact_ms(const uint64_t *a, const uint64_t *b, uint128 *c) {
  double least = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    double start = now_ms();
    convolve_exact(c, a, COUNT, b, COUNT);
    least = fmin(least, now_ms() - start);
  }
  return least;
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

static double fftw_ms(const struct doubles *d, const uint64_t *a, const uint64_t *b,
                      unsigned flags) {
  fftw_plan first = fftw_plan_dft_r2c_1d(LENGTH, d->a, d->x, flags | FFTW_PRESERVE_INPUT);
  fftw_plan second = fftw_plan_dft_r2c_1d(LENGTH, d->b, d->y, flags | FFTW_PRESERVE_INPUT);
  fftw_plan back = fftw_plan_dft_c2r_1d(LENGTH, d->x, d->c, flags);
  for (size_t i = 0; i < LENGTH; i++) {
    d->a[i] = i < COUNT ? (double)a[i] : 0;
    d->b[i] = i < COUNT ? (double)b[i] : 0;
  }
  double least = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    double start = now_ms();
    convolve_doubles(d, first, second, back);
    least = fmin(least, now_ms() - start);
  }
  fftw_destroy_plan(first);
  fftw_destroy_plan(second);
  fftw_destroy_plan(back);
  return least;
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

int main(void) {
  uint64_t *a = mem_alloc(COUNT, sizeof *a), *b = mem_alloc(COUNT, sizeof *b);
  uint128 *c = mem_alloc(LENGTH, sizeof *c);
  struct doubles d = {.a = fftw_alloc_real(LENGTH),
                      .b = fftw_alloc_real(LENGTH),
                      .c = fftw_alloc_real(LENGTH),
                      .x = fftw_alloc_complex(LENGTH / 2 + 1),
                      .y = fftw_alloc_complex(LENGTH / 2 + 1)};
  fill(a, 1);
  fill(b, 2);
  double exact = exact_ms(a, b, c);
  double measured = fftw_ms(&d, a, b, FFTW_MEASURE);
  double estimated = fftw_ms(&d, a, b, FFTW_ESTIMATE);
  printf("%-58s %11.2f ms\n", "exact sum of two laws of 2^16 bins, checked", exact);
  printf("%-58s %11.2f ms\n", "the same in doubles, FFTW_MEASURE", measured);
  printf("%-58s %11.2f ms\n", "the same in doubles, FFTW_ESTIMATE", estimated);
  printf("%-58s %14.1f   %s\n", "ratio to FFTW_MEASURE", exact / measured, "<= 8");
  printf("%-58s %14.1e   %s\n", "largest error of the doubles, of the largest mass",
         worst_error(&d, c), "exact: 0");
  printf("%-58s %11.2f ms\n", "100-fold sum on the default grid", hundredfold_ms());
  fftw_free(d.a);
  fftw_free(d.b);
  fftw_free(d.c);
  fftw_free(d.x);
  fftw_free(d.y);
  mem_free(a);
  mem_free(b);
  mem_free(c);
  return 0;
}
