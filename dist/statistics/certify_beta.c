/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/certify_beta.h"

// Since FLINT 3 Arb is a part of it; before it is a library of its own.
#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif
#include <math.h>

#include "base/loaded.h"
#include "dist/survival/survival.h"

#define FUNCTIONS(X)                                                                               \
  X(arb_add)                                                                                       \
  X(arb_add_ui)                                                                                    \
  X(arb_addmul)                                                                                    \
  X(arb_clear)                                                                                     \
  X(arb_div_ui)                                                                                    \
  X(arb_exp)                                                                                       \
  X(arb_get_lbound_arf)                                                                            \
  X(arb_get_ubound_arf)                                                                            \
  X(arb_lgamma)                                                                                    \
  X(arb_log)                                                                                       \
  X(arb_mul)                                                                                       \
  X(arb_mul_ui)                                                                                    \
  X(arb_neg)                                                                                       \
  X(arb_set_ui)                                                                                    \
  X(arb_sub)                                                                                       \
  X(arb_sub_ui)                                                                                    \
  X(arf_clear)                                                                                     \
  X(arf_get_d)                                                                                     \
  X(flint_cleanup)

static struct { FUNCTIONS(LOADED_POINTER) } ball; /* Arb's functions, as they are in its header */

_Static_assert(sizeof FLINT_LIBRARY > 1, "the Makefile found no SONAME");

static const char *const names[] = {FUNCTIONS(LOADED_NAME)};
static struct loaded_library library = {FLINT_LIBRARY, &ball, names, sizeof names / sizeof *names,
                                        false};

/* With b >= 1 and x below the mean,
 *
 *   I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) (1 + r_1 + r_1 r_2 + ...)
 *   r_j = x (a + b + j - 1) / (a + j)
 *
 * (Digital Library of Mathematical Functions, 8.17.8). The r_j fall, so what is left after a term
 * is at most a geometric series. Nothing cancels: the sum is taken in doubles that are raised at
 * each step, and only the factor before it, in which large logarithms cancel, in balls. The r_j
 * fall to x: where that is close to 1, 1 - I_{1 - x}(b, a) takes fewer terms, and any number of
 * them is enough. */

enum { BITS = 192, TERMS_MOST = 1 << 24 };
static const double far_enough = 0x1p-40; /* of the sum */
static const double many_terms = 3000, few_expected = 500;

/* What a double operation with a relative error of at most 2^-53 may have been. */
static double raised(double x) {
  return x * (1 + 0x1p-51);
}

static double lowered(double x) {
  return x * (1 - 0x1p-51);
}

/* k = count * worth / total, and the same of the others. */
static void set_counts(arb_t reached, arb_t others, const struct certify_count *counted) {
  ball.arb_set_ui(reached, counted->count);
  ball.arb_mul_ui(reached, reached, counted->worth, BITS);
  ball.arb_div_ui(reached, reached, counted->total, BITS);
  ball.arb_set_ui(others, counted->total - counted->count);
  ball.arb_mul_ui(others, others, counted->worth, BITS);
  ball.arb_div_ui(others, others, counted->total, BITS);
}

static double upper_end(const arb_t x) {
  arf_t end;
  arf_init(end);
  ball.arb_get_ubound_arf(end, x, BITS);
  double upper = ball.arf_get_d(end, ARF_RND_CEIL);
  ball.arf_clear(end);
  return upper;
}

static double lower_end(const arb_t x) {
  arf_t end;
  arf_init(end);
  ball.arb_get_lbound_arf(end, x, BITS);
  double lower = ball.arf_get_d(end, ARF_RND_FLOOR);
  ball.arf_clear(end);
  return lower;
}

/* x^a (1 - x)^b / (a B(a, b)) = x^a (1 - x)^b Gamma(a + b) / (Gamma(a + 1) Gamma(b)). */
static void set_factor(arb_t sum, const arb_t a, const arb_t b, const arb_t x) {
  arb_t part;
  arb_init(part);
  ball.arb_log(part, x, BITS);
  ball.arb_mul(sum, part, a, BITS);
  ball.arb_sub_ui(part, x, 1, BITS);
  ball.arb_neg(part, part);
  ball.arb_log(part, part, BITS);
  ball.arb_addmul(sum, part, b, BITS);
  ball.arb_add(part, a, b, BITS);
  ball.arb_lgamma(part, part, BITS);
  ball.arb_add(sum, sum, part, BITS);
  ball.arb_add_ui(part, a, 1, BITS);
  ball.arb_lgamma(part, part, BITS);
  ball.arb_sub(sum, sum, part, BITS);
  ball.arb_lgamma(part, b, BITS);
  ball.arb_sub(sum, sum, part, BITS);
  ball.arb_exp(sum, sum, BITS);
  ball.arb_clear(part);
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

/* Not above the same series of I_x(a, b), x anywhere: its first terms. 0: too large. */
static double series_below(const arb_t a, const arb_t b, const arb_t x) {
  double most_a = upper_end(a), x_below = lower_end(x);
  double both = lowered(lower_end(a) + lower_end(b)), sum = 1, term = 1;
  for (int j = 1; j <= TERMS_MOST; j++) {
    double ratio = lowered(lowered(lowered(both + (j - 1)) * x_below) / raised(most_a + j));
    term = lowered(term * ratio);
    sum = lowered(sum + term);
    if (ratio < 1 && term / (1 - ratio) <= far_enough * sum)
      break;
  }
  return sum < HUGE_VAL ? sum : 0;
}

/* Not below I_x(a, b). */
static double value_above(const arb_t a, const arb_t b, const arb_t x) {
  double rest = 1 - upper_end(x), both = upper_end(a) + upper_end(b);
  double first = upper_end(x) * both / (lower_end(a) + 1);
  arb_t factor, other;
  arb_init(factor);
  arb_init(other);
  double value = HUGE_VAL;
  if (first < 1 && 1 / (1 - first) > many_terms / 28 && rest * both < few_expected) {
    ball.arb_sub_ui(other, x, 1, BITS);
    ball.arb_neg(other, other);
    set_factor(factor, b, a, other);
    value = raised(1 - lowered(series_below(b, a, other) * lower_end(factor)));
  } else {
    value = series_above(a, b, x);
    if (value < HUGE_VAL) {
      set_factor(factor, a, b, x);
      value = raised(value * upper_end(factor));
    }
  }
  ball.arb_clear(factor);
  ball.arb_clear(other);
  return value;
}

/* Whether I_x(a, b) <= alpha, a being the count, or the others', and b one more than the other. */
static bool certified(const struct certify_count *counted, bool above, uint64_t x, uint64_t alpha) {
  loaded_need(&library);
  arb_t a, b, at;
  arb_init(a);
  arb_init(b);
  arb_init(at);
  set_counts(above ? a : b, above ? b : a, counted);
  ball.arb_add_ui(b, b, 1, BITS);
  ball.arb_set_ui(at, x);
  ball.arb_div_ui(at, at, SURVIVAL_ONE, BITS);
  double value = value_above(a, b, at);
  ball.arb_clear(a);
  ball.arb_clear(b);
  ball.arb_clear(at);
  ball.flint_cleanup(); /* constants that this thread keeps */
  return raised(value * (double)SURVIVAL_ONE) <= (double)alpha * (1 - 0x1p-51);
}

bool certify_beta(const struct certify_count *counted, uint64_t chance, uint64_t alpha) {
  return counted->count < counted->total && certified(counted, false, SURVIVAL_ONE - chance, alpha);
}

bool certify_beta_above(const struct certify_count *counted, uint64_t chance, uint64_t alpha) {
  return counted->count > 0 && certified(counted, true, chance, alpha);
}
