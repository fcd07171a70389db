/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/statistics/special.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

double special_beta_quantile_above(double tail, double a, double b) {
  /* Bisection, because gsl_cdf_beta_Qinv gives up on many large parameters; and GSL aborts the
   * program where it gives up. */
  gsl_error_handler_t *before = gsl_set_error_handler_off();
  double low = 0, high = 1;
  for (int i = 0; i < 100 && high - low > 1e-15 * high; i++) {
    double middle = low + (high - low) / 2;
    if (gsl_cdf_beta_Q(middle, a, b) > tail)
      low = middle;
    else
      high = middle;
  }
  gsl_set_error_handler(before);
  return high;
}
