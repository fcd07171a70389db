/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/special.h"

#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

/* Bisection, because gsl_cdf_beta_Qinv gives up on many large parameters; and GSL aborts the
 * program where it gives up. `above`: of P(> x), which falls; else of P(<= x), which rises. */
static double beta_quantile(bool above, double tail, double a, double b) {
  gsl_error_handler_t *before = gsl_set_error_handler_off();
  double low = 0, high = 1;
  for (int i = 0; i < 100 && high - low > 1e-15 * high; i++) {
    double middle = low + (high - low) / 2;
    bool right = above ? gsl_cdf_beta_Q(middle, a, b) > tail : gsl_cdf_beta_P(middle, a, b) < tail;
    if (right)
      low = middle;
    else
      high = middle;
  }
  gsl_set_error_handler(before);
  return high;
}

static double beta_chance(bool above, double x, double a, double b) {
  gsl_error_handler_t *before = gsl_set_error_handler_off();
  double chance = above ? gsl_cdf_beta_Q(x, a, b) : gsl_cdf_beta_P(x, a, b);
  gsl_set_error_handler(before);
  return chance;
}

double special_beta_above(double x, double a, double b) {
  return beta_chance(true, x, a, b);
}

double special_beta_below(double x, double a, double b) {
  return beta_chance(false, x, a, b);
}

double special_beta_quantile_above(double tail, double a, double b) {
  return beta_quantile(true, tail, a, b);
}

double special_beta_quantile_below(double tail, double a, double b) {
  return beta_quantile(false, tail, a, b);
}

double special_student_quantile_above(double tail, double freedom) {
  gsl_error_handler_t *before = gsl_set_error_handler_off();
  double x = gsl_cdf_tdist_Qinv(tail, freedom);
  gsl_set_error_handler(before);
  return x;
}

double special_student_above(double x, double freedom) {
  return gsl_cdf_tdist_Q(x, freedom);
}

double special_chi_square_above(double x, double freedom) {
  return gsl_cdf_chisq_Q(x, freedom);
}

double special_poisson_from(size_t count, double mean) {
  return count == 0 ? 1 : gsl_cdf_gamma_P(mean, (double)count, 1);
}

double special_poisson_upper(double tail, double count) {
  gsl_error_handler_t *before = gsl_set_error_handler_off();
  double x = gsl_cdf_gamma_Qinv(tail, count + 1, 1);
  gsl_set_error_handler(before);
  return x;
}

/* By the beta law, as GSL's own takes 32-bit numbers. */
double special_binomial_to(uint64_t k, double p, uint64_t n) {
  if (k >= n)
    return 1;
  return gsl_cdf_beta_Q(p, (double)k + 1, (double)(n - k));
}

double special_binomial_from(uint64_t k, double p, uint64_t n) {
  if (k == 0 || k > n)
    return k == 0 ? 1 : 0;
  return gsl_cdf_beta_P(p, (double)k, (double)(n - k) + 1);
}

static double log_choose(uint64_t n, uint64_t k) {
  return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* Summed from the largest term on; GSL's has no more than 32 bits. */
double special_hypergeometric_from(uint64_t k, uint64_t marked, uint64_t plain, uint64_t draws) {
  uint64_t least = draws > plain ? draws - plain : 0, most = draws < marked ? draws : marked;
  if (k <= least)
    return 1;
  if (k > most)
    return 0;
  double all = log_choose(marked + plain, draws), sum = 0;
  for (uint64_t i = k; i <= most; i++) {
    double term = exp(log_choose(marked, i) + log_choose(plain, draws - i) - all);
    sum += term;
    if (term < 1e-18 * sum)
      break;
  }
  return sum < 1 ? sum : 1;
}
