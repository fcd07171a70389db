/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/certify_beta.h"

#include <arb.h>
#include <math.h>

#include "dist/survival/survival.h"

/* With b >= 1 and x below the mean,
 *
 *   I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) (1 + r_1 + r_1 r_2 + ...),  r_j = x (a + b + j - 1) /
 * (a + j)
 *
 * (Digital Library of Mathematical Functions, 8.17.8). The r_j fall, so what is left after a term
 * is at most a geometric series. Nothing cancels: the sum is taken in doubles that are raised at
 * each step, and only the factor before it, in which large logarithms cancel, in balls. */

enum { BITS = 192, TERMS_MOST = 1 << 24 };
static const double far_enough = 0x1p-40; /* of the sum */

/* What a double operation with a relative error of at most 2^-53 may have been. */
static double raised(double x) {
  return x * (1 + 0x1p-51);
}

/* k = count * worth / total, and the same of the others. */
static void set_counts(arb_t reached, arb_t others, const struct certify_count *counted) {
  arb_set_ui(reached, counted->count);
  arb_mul_ui(reached, reached, counted->worth, BITS);
  arb_div_ui(reached, reached, counted->total, BITS);
  arb_set_ui(others, counted->total - counted->count);
  arb_mul_ui(others, others, counted->worth, BITS);
  arb_div_ui(others, others, counted->total, BITS);
}

static double upper_end(const arb_t x) {
  arf_t end;
  arf_init(end);
  arb_get_ubound_arf(end, x, BITS);
  double upper = arf_get_d(end, ARF_RND_CEIL);
  arf_clear(end);
  return upper;
}

static double lower_end(const arb_t x) {
  arf_t end;
  arf_init(end);
  arb_get_lbound_arf(end, x, BITS);
  double lower = arf_get_d(end, ARF_RND_FLOOR);
  arf_clear(end);
  return lower;
}

/* x^a (1 - x)^b / (a B(a, b)) = x^a (1 - x)^b Gamma(a + b) / (Gamma(a + 1) Gamma(b)). */
static double factor_above(const arb_t a, const arb_t b, const arb_t x) {
  arb_t sum, part;
  arb_init(sum);
  arb_init(part);
  arb_log(part, x, BITS);
  arb_mul(sum, part, a, BITS);
  arb_sub_ui(part, x, 1, BITS);
  arb_neg(part, part);
  arb_log(part, part, BITS);
  arb_addmul(sum, part, b, BITS);
  arb_add(part, a, b, BITS);
  arb_lgamma(part, part, BITS);
  arb_add(sum, sum, part, BITS);
  arb_add_ui(part, a, 1, BITS);
  arb_lgamma(part, part, BITS);
  arb_sub(sum, sum, part, BITS);
  arb_lgamma(part, b, BITS);
  arb_sub(sum, sum, part, BITS);
  arb_exp(sum, sum, BITS);
  double above = upper_end(sum);
  arb_clear(sum);
  arb_clear(part);
  return above;
}

/* Not below 1 + r_1 + r_1 r_2 + ...; infinite where nothing can be said. */
static double series_above(const arb_t a, const arb_t b, const arb_t x) {
  double least_a = lower_end(a), x_above = upper_end(x);
  double both = raised(upper_end(a) + upper_end(b)), sum = 1, term = 1;
  for (int j = 1; j <= TERMS_MOST; j++) {
    double ratio = raised(raised(raised(both + (j - 1)) * x_above) / (least_a + j) * (1 + 0x1p-51));
    if (ratio >= 1)
      return HUGE_VAL; /* x is not below the mean */
    term = raised(term * ratio);
    double rest = raised(term / (1 - ratio) * (1 + 0x1p-51));
    if (rest <= far_enough * sum)
      return raised(sum + rest);
    sum = raised(sum + term);
  }
  return HUGE_VAL;
}

/* Whether I_x(a, b) <= alpha, a being the count, or the others', and b one more than the other. */
static bool certified(const struct certify_count *counted, bool above, uint64_t x, uint64_t alpha) {
  arb_t a, b, at;
  arb_init(a);
  arb_init(b);
  arb_init(at);
  set_counts(above ? a : b, above ? b : a, counted);
  arb_add_ui(b, b, 1, BITS);
  arb_set_ui(at, x);
  arb_div_ui(at, at, SURVIVAL_ONE, BITS);
  double value = series_above(a, b, at);
  if (value < HUGE_VAL)
    value = raised(value * factor_above(a, b, at));
  arb_clear(a);
  arb_clear(b);
  arb_clear(at);
  flint_cleanup(); /* constants that this thread keeps */
  return raised(value * (double)SURVIVAL_ONE) <= (double)alpha * (1 - 0x1p-51);
}

bool certify_beta(const struct certify_count *counted, uint64_t chance, uint64_t alpha) {
  return counted->count < counted->total && certified(counted, false, SURVIVAL_ONE - chance, alpha);
}

bool certify_beta_above(const struct certify_count *counted, uint64_t chance, uint64_t alpha) {
  return counted->count > 0 && certified(counted, true, chance, alpha);
}
